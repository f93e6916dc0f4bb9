// What users trust apps/vscode for: secrets stay where they were typed, nothing starts unasked, and a server
// that is unticked ends.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import test from 'ava'

import { router } from '../helpers/router.mjs'
import { lives, until } from '../helpers/gateway.mjs'
import { loadExtension, manifest, memory, notedPid, noting, resetEditor, silentLog } from '../helpers/vscode.mjs'
import { listening } from '../helpers/listening.mjs'

resetEditor()
const modules = await loadExtension(
  (
    'config/consent.ts config/files.ts config/entry.ts config/inputs.ts config/shown.ts scope.ts servers/hub.ts ' +
    'settings.ts'
  ).split(' '),
)
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-safety-')))
test.after.always(() => fs.rmSync(folder, { recursive: true, force: true }))

const configured = (change = {}) => ({
  name: 'github',
  source: 'project',
  file: '/w/.vscode/mcp.json',
  workspace: '/w',
  entry: { command: 'server', args: ['${input:token}'] },
  inputs: new Map(),
  ...change,
})

// --- secrets ---

for (const [what, change] of Object.entries({
  'another server of the file': { name: 'evil' },
  'another file': { file: '/x/.vscode/mcp.json' },
  'another folder': { workspace: '/x' },
  "the user's server of that name": { source: 'global' },
  'the same server with another command': { entry: { command: 'other', args: ['${input:token}'] } },
  'the same server with another argument': { entry: { command: 'server', args: ['${input:token}', '--log'] } },
  'the same server at another address': { entry: { url: 'https://example.invalid/${input:token}' } },
})) {
  test.serial(`a secret that was given to one server is not given to ${what}`, async (t) => {
    const editor = resetEditor()
    const inputs = new modules.Inputs(memory(), 'one')
    editor.answers.push('s3cret')
    t.true(await inputs.ask(configured(), 'token'))
    t.is(inputs.get(configured(), 'token'), 's3cret')
    t.is(inputs.get(configured(change), 'token'), undefined)
  })
}

test.serial('a secret is kept for its workspace, and no other workspace can read it', async (t) => {
  const editor = resetEditor()
  const secrets = memory()
  const first = new modules.Inputs(secrets, 'one')
  editor.answers.push('s3cret')
  await first.ask(configured(), 'token')
  const [again, other] = [new modules.Inputs(secrets, 'one'), new modules.Inputs(secrets, 'two')]
  await Promise.all([again.load(), other.load()])
  t.deepEqual([again.get(configured(), 'token'), other.get(configured(), 'token')], ['s3cret', undefined])
  await again.forget(configured())
  t.is(again.get(configured(), 'token'), undefined)
})

test.serial('an input is asked for as its file describes it, and says who gets it', async (t) => {
  const editor = resetEditor()
  const inputs = new modules.Inputs(memory(), 'one')
  const asked = async (spec) => {
    editor.answers.push('x')
    await inputs.ask(configured({ inputs: new Map([['token', spec]]) }), 'token')
    return editor.said.at(-1)
  }
  const [plain] = await asked({ description: 'GitHub token', password: false, default: 'd' })
  t.like(plain, { prompt: 'GitHub token', password: false, value: 'd' })
  t.regex(plain.title, /github of .*mcp\.json asks for token/)
  t.like((await asked({}))[0], { password: true })
  t.deepEqual((await asked({ type: 'pickString', options: ['a', 'b'] }))[0], ['a', 'b'])
})

// --- consent ---

/** A hub over a workspace with servers; `kept` is what the workspace keeps. */
function hubOf(name, servers, kept = memory()) {
  const workspace = path.join(folder, name)
  fs.mkdirSync(path.join(workspace, '.vscode'), { recursive: true })
  const write = (entries) =>
    fs.writeFileSync(path.join(workspace, '.vscode', 'mcp.json'), JSON.stringify({ servers: entries }))
  write(servers)
  const editor = resetEditor()
  editor.folders = [workspace]
  editor.user['toolRouter.source'] = 'files'
  modules.forgetScopes()
  const storage = { fsPath: path.join(folder, `${name}-user`, 'globalStorage', 'id'), scheme: 'file' }
  const files = new modules.ConfigFiles(storage)
  const hub = new modules.Hub(
    router,
    files,
    new modules.Inputs(memory(), name),
    new modules.Consent(kept, memory()),
    silentLog,
  )
  const state = (server) => hub.servers.find((other) => other.name === server)?.state
  return { hub, files, editor, write, state, workspace, kept, storage }
}

test.serial('a server of a file starts only after the user has allowed it, and again by itself', async (t) => {
  const pidFile = path.join(folder, 'asked.pid')
  const { hub, state, kept } = hubOf('asked', { one: noting(pidFile) })
  hub.refresh()
  await sleep(500)
  t.is(state('one'), 'asking')
  t.false(fs.existsSync(pidFile))
  await hub.allow(hub.asking)
  await until(t, () => state('one') === 'connected', 'it runs')
  hub.dispose()
  const later = hubOf('asked', { one: noting(pidFile) }, kept)
  later.hub.refresh()
  t.is(later.state('one'), 'connecting')
  later.hub.dispose()
})

test.serial('a server whose entry changes ends, and waits for the user', async (t) => {
  const pidFile = path.join(folder, 'changed.pid')
  const { hub, state, write } = hubOf('changed', { one: noting(pidFile) })
  hub.refresh()
  await hub.allow(hub.asking)
  await until(t, () => state('one') === 'connected', 'it runs')
  const pid = notedPid(pidFile)
  const other = path.join(folder, 'other.pid')
  write({ one: noting(other) })
  hub.refresh()
  t.is(state('one'), 'asking')
  await until(t, () => !lives(pid), 'its process has ended')
  t.false(fs.existsSync(other))
  await hub.settled()
  t.deepEqual(await router.listTools({ servers: ['one'] }).catch(() => []), [], 'its tools are gone too')
  hub.dispose()
})

test.serial('what was allowed in one workspace is not allowed in another one', (t) => {
  const { hub, kept } = hubOf('here', { one: { command: 'server' } })
  hub.refresh()
  const [server] = hub.asking
  const consent = new modules.Consent(kept, memory())
  return consent.give([server]).then(() => {
    t.true(consent.has(server))
    t.false(consent.has({ ...server, workspace: '/elsewhere' }))
    t.false(new modules.Consent(memory(), memory()).has(server))
    hub.dispose()
  })
})

const own = (change = {}) => configured({ source: 'global', file: '/u/mcp.json', ...change })

test.serial(
  "a server of the user's own file is allowed once, and its token typed once, for all workspaces",
  async (t) => {
    const editor = resetEditor()
    const [secrets, everywhere] = [memory(), memory()]
    await new modules.Consent(memory(), everywhere).give([own()])
    editor.answers.push('s3cret')
    await new modules.Inputs(secrets, 'one').ask(own(), 'token')
    const there = own({ workspace: '/elsewhere' })
    const [consent, inputs] = [new modules.Consent(memory(), everywhere), new modules.Inputs(secrets, 'two')]
    await inputs.load()
    t.true(consent.has(there))
    t.is(inputs.get(there, 'token'), 's3cret')
    const others = { name: 'evil', source: 'project', entry: { command: 'other', args: ['${input:token}'] } }
    for (const [key, value] of Object.entries(others)) {
      const other = { ...there, [key]: value }
      t.deepEqual([consent.has(other), inputs.get(other, 'token')], [false, undefined], `another ${key}`)
    }
  },
)

for (const entry of [
  { command: 'node', args: ['${workspaceFolder}/server.js', '${input:token}'] },
  { command: './server', args: ['${input:token}'] },
  { command: 'node', args: ['${input:token}'], cwd: '../x' },
  { command: 'node', args: ['${input:token}'], envFile: '.\\own.env' },
]) {
  test.serial(
    `one that does something else in each workspace is asked about in each: ${JSON.stringify(entry)}`,
    async (t) => {
      const editor = resetEditor()
      const [secrets, everywhere] = [memory(), memory()]
      await new modules.Consent(memory(), everywhere).give([own({ entry })])
      editor.answers.push('s3cret')
      await new modules.Inputs(secrets, 'one').ask(own({ entry }), 'token')
      const there = own({ entry, workspace: '/elsewhere' })
      const inputs = new modules.Inputs(secrets, 'two')
      await inputs.load()
      t.false(new modules.Consent(memory(), everywhere).has(there))
      t.is(inputs.get(there, 'token'), undefined)
    },
  )
}

test.serial('two windows that keep inputs of the user at the same time both keep theirs', async (t) => {
  const editor = resetEditor()
  const secrets = memory()
  const windows = [new modules.Inputs(secrets, 'one'), new modules.Inputs(secrets, 'two')]
  editor.answers.push('a', 'b')
  await windows[0].ask(own({ name: 'first' }), 'token')
  await windows[1].ask(own({ name: 'second' }), 'token')
  const later = new modules.Inputs(secrets, 'three')
  await later.load()
  t.deepEqual(
    ['first', 'second'].map((name) => later.get(own({ name }), 'token')),
    ['a', 'b'],
  )
})

test('who allows a server reads all that it runs and sends, and nothing is invisible', (t) => {
  const shown = (entry) => modules.wholeEntries([configured({ entry })])
  const long = '-e'.padEnd(900, ' x')
  const program = shown({
    command: 'npx',
    args: ['-y', long, 'two words', 'a\u202eb', 'line\nbreak', ''],
    cwd: '/somewhere',
    env: { TOKEN: '${env:AWS_SECRET_ACCESS_KEY}' },
    envFile: '.env',
    sandbox: { off: true },
  })
  for (const part of [long, '"two words"', '\\u{202e}', '\\u{a}', '""', '/somewhere', 'AWS_SECRET', '.env', 'sandbox'])
    t.true(program.includes(part), part)
  t.notRegex(program, /\u202e/)
  const remote = shown({ url: 'https://example.invalid/${env:HOME}', headers: { 'x-y': '${env:GITHUB_TOKEN}' } })
  for (const part of ['${env:HOME}', 'x-y = ${env:GITHUB_TOKEN}']) t.true(remote.includes(part), part)
  for (const odd of [7, null, 'x', [], { args: 7 }]) t.regex(shown(odd), /^github, of /)
  const entries = ['one', 'two'].map((name) => configured({ name, entry: { command: name } }))
  const [{ file }] = entries
  t.is(modules.wholeEntries(entries).split(file).length, 2, 'the file of several is said once')
  for (const part of ['\n\none\n  runs one\n', '\n\ntwo\n  runs two\n'])
    t.true(modules.wholeEntries(entries).includes(part))
})

test('an entry that names a variable of what others were given is not started', (t) => {
  const fill = { workspace: '/w', input: () => undefined }
  for (const name of ['TOOL_ROUTER_INPUT_0123', 'tool_router_input_x'])
    t.throws(() => modules.readEntry({ command: 'x', args: [`\${env:${name}}`] }, fill), {
      message: /TOOL_ROUTER_INPUT_/,
    })
})

for (const [name, value] of [
  ['chat.mcp.access', 'none'],
  ['chat.mcp.access', 'registry'],
  ['chat.mcp.enabled', false],
]) {
  test.serial(`with ${name} ${value} no server starts, even one that was allowed`, async (t) => {
    const pidFile = path.join(folder, `${value}.pid`)
    const { hub, state, editor } = hubOf(`access-${value}`, { one: noting(pidFile) })
    hub.refresh()
    await hub.consent.give(hub.asking)
    editor.user[name] = value
    hub.refresh()
    await sleep(300)
    t.is(state('one'), 'forbidden')
    t.false(fs.existsSync(pidFile))
    hub.dispose()
  })
}

test.serial('unticking a server ends its process, and ticking it starts it again', async (t) => {
  const pidFile = path.join(folder, 'off.pid')
  const { hub, state } = hubOf('off', { one: noting(pidFile) })
  hub.refresh()
  await hub.allow(hub.asking)
  await until(t, () => state('one') === 'connected', 'it runs')
  const pid = notedPid(pidFile)
  const [server] = hub.servers
  await modules.switchServer(server, false)
  hub.rescope()
  t.is(state('one'), 'off')
  await until(t, () => !lives(pid), 'its process has ended')
  await hub.settled()
  t.is((await router.listTools({ servers: ['one'] })).length, 0)
  t.is((await router.listTools({ servers: ['one'], withOff: true })).length, 3, 'the view still shows them')
  await modules.switchServer(server, true)
  hub.rescope()
  await until(t, () => state('one') === 'connected', 'it runs again')
  t.not(notedPid(pidFile), pid)
  hub.dispose()
})

test.serial('a server that wants a login says so, and is not asked again and again', async (t) => {
  let asked = 0
  const server = await listening(t, (_, response) => {
    asked++
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
  })
  const url = `${server}/mcp`
  const { hub, state } = hubOf('login', { one: { type: 'http', url } })
  hub.refresh()
  await hub.allow(hub.asking)
  await until(t, () => state('one') === 'login', 'it says so')
  const before = asked
  await sleep(1_500)
  t.is(asked, before)
  t.regex(hub.servers[0].reason, /wants a login/)
  hub.dispose()
})

test("the default source is the editor's own tools, of servers that it has asked about", (t) => {
  t.is(manifest.contributes.configuration.properties['toolRouter.source'].default, 'editor')
  resetEditor()
  t.is(modules.source(), 'editor')
})

test.serial("a folder that is not trusted is not where a user's server finds its program", (t) => {
  const { files, editor, storage } = hubOf('untrusted', { theirs: { command: 'x' } })
  const userFile = path.join(storage.fsPath, '..', '..', 'mcp.json')
  fs.mkdirSync(path.dirname(userFile), { recursive: true })
  fs.writeFileSync(userFile, JSON.stringify({ servers: { mine: { command: './server' } } }))
  editor.isTrusted = false
  const { servers, problems } = files.read()
  t.deepEqual(
    servers.map(({ name, workspace }) => [name, workspace]),
    [['mine', os.homedir()]],
  )
  t.regex(problems[0].text, /need a trusted workspace/)
})
