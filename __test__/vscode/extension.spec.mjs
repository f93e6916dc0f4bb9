// What of apps/vscode can be said without an editor: its settings are the router's, its telemetry holds no text,
// its page escapes what servers send. `npm run test:vscode` tests the rest in a real one.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import test from 'ava'

import { router } from '../helpers/router.mjs'
import { extensionFolder as folder, loadExtension as load, manifest } from '../helpers/vscode.mjs'

const properties = Object.entries(manifest.contributes.configuration.properties)

/** Whether the router accepts settings, which it then has no more. */
function isTaken(settings) {
  try {
    router.configure(settings)
    return true
  } catch {
    return false
  } finally {
    router.configure({})
  }
}

const ofRouter = properties.map(([name, schema]) => [name.replace('toolRouter.', ''), schema])

for (const [name, { minimum, maximum, default: usual, enum: choices }] of ofRouter.filter(
  ([, { minimum }]) => minimum !== undefined,
)) {
  test.serial(`toolRouter.${name} has the bounds of the router, and a default within them`, (t) => {
    const takes = (value) => isTaken({ [name]: value })
    t.is(choices, undefined)
    t.deepEqual([minimum - 1, minimum, maximum, maximum + 1].map(takes), [false, true, true, false])
    t.true(usual === null || takes(usual))
  })
}

test.serial('each delivery of the setting is one that requests to the models of VS Code take, and no other is', (t) => {
  const { enum: choices } = Object.fromEntries(ofRouter).delivery
  const takes = (delivery) => isTaken({ provider: 'vscode', delivery })
  t.deepEqual(['append', 'defer', 'changes', 'call', 'program'].filter(takes), choices.toSorted())
})

test('every setting has a description, and the off switch stands first', (t) => {
  for (const [name, { description, markdownDescription }] of properties)
    t.truthy(description ?? markdownDescription, name)
  const [first] = [...properties].sort(([, a], [, b]) => a.order - b.order)
  t.is(first[0], 'toolRouter.enabled')
  t.regex(first[1].markdownDescription, /The off switch/)
  t.is(new Set(properties.map(([, { order }]) => order)).size, properties.length)
})

test('every command of the manifest is registered, and every registered one is in the manifest', (t) => {
  const sources = fs.readdirSync(path.join(folder, 'src'), { recursive: true }).filter((name) => name.endsWith('.ts'))
  const text = sources.map((name) => fs.readFileSync(path.join(folder, 'src', name), 'utf8')).join('\n')
  const names = [
    ...text.matchAll(/(?:registerCommand\(\s*'toolRouter\.|\b(?:command|onRow|onTool|onServer)\(')(\w+)'/g),
  ].map(([, name]) => name)
  t.deepEqual(
    names.sort(),
    manifest.contributes.commands.map(({ command }) => command.replace('toolRouter.', '')).sort(),
  )
})

test.serial('telemetry goes through the editor, holds no text, and ends with the extension', async (t) => {
  globalThis.told = []
  const { sendTelemetry } = await load(
    'telemetry.ts',
    `export const env = { createTelemetryLogger: (sender) => ({
      logUsage: (name, data) => { globalThis.told.push([name, data]); sender.sendEventData(name, data) },
      dispose: () => {},
    }) }`,
  )
  const lines = []
  const telemetry = sendTelemetry(router, { trace: (line) => lines.push(line) })
  const secret = 'zanzibar quokka'
  router.configure({ threshold: 1, initialK: 1 })
  const names = ['alpha', 'beta', 'gamma']
  await router.setServer({ name: 'told', tools: names.map((name) => ({ name, description: `${secret} ${name}` })) })
  const session = router.openSession()
  await session.start(`${secret} alpha`)
  await session.load({ query: `${secret} beta` })
  await session.turn(`${secret} gamma`)
  for (let tries = 0; tries < 200 && globalThis.told.length < 3; tries++)
    await new Promise((done) => setTimeout(done, 20))
  t.true(globalThis.told.length >= 3)
  const all = JSON.stringify([globalThis.told, lines])
  for (const word of ['zanzibar', 'quokka', 'alpha', 'told--', session.id]) t.false(all.includes(word), word)
  telemetry.dispose()
  const { length } = globalThis.told
  await session.turn('one more')
  await new Promise((done) => setTimeout(done, 100))
  t.is(globalThis.told.length, length)
  session.close()
  await router.removeServer('told')
  router.configure({})
})

test('a placeholder that nobody filled in is never sent, and a mistake is named with its field', async (t) => {
  const { readEntry } = await load('config/entry.ts')
  const fill = { workspace: '/w', input: (id) => ({ key: 'k' })[id] }
  const entry = { command: '${workspaceFolder}/bin', args: ['${input:key}'], env: { A: '${userHome}' } }
  t.deepEqual(readEntry(entry, fill), {
    kind: 'stdio',
    command: '/w/bin',
    args: ['k'],
    env: { A: os.homedir() },
    cwd: '/w',
  })
  for (const [wrong, message] of [
    [7, /expected an object, got 7/],
    [{ command: 7 }, /command: expected text, got 7/],
    [{ command: 'x', args: 'y' }, /args: expected a list/],
    [{ url: 'file:///x' }, /url: expected http or https/],
    [{ command: '${input:other}' }, /it needs the input other/],
    [{ command: '${command:pick}' }, /expected a placeholder that VS Code knows/],
  ])
    t.throws(() => readEntry(wrong, fill), { message })
})

test('of a file that is cut anywhere, only whole servers are read, and its first mistake is named with the line', async (t) => {
  const { readText } = await load('config/text.ts')
  const servers = {
    plain: { command: 'node', args: ['-e', 'run("a")'] },
    far: { url: 'https://example.invalid/mcp', headers: { authorization: '${input:key}' } },
    last: { command: 'deploy', args: ['--dry-run', '--env', 'staging'], env: { A: 'b' } },
  }
  for (const key of ['servers', 'mcpServers']) {
    const text = `// of this project\n${JSON.stringify({ [key]: servers, inputs: [{ id: 'key' }] }, null, 2)}\n`
    const whole = readText(text)
    t.deepEqual([whole.entries, whole.problem, whole.inputs.size], [servers, undefined, 1])
    for (let length = 0; length < text.lastIndexOf('}'); length++) {
      const { entries, problem } = readText(text.slice(0, length))
      t.regex(problem.text, /^line \d+: \w+$/)
      t.is(`line ${problem.line}: ${problem.text.split(': ')[1]}`, problem.text)
      for (const [name, entry] of Object.entries(entries)) t.deepEqual(entry, servers[name], `${name} at ${length}`)
    }
  }
  const { entries, problem } = readText('{ "servers": { "a": { "command": "x" }\n "b": { "command": "y" } } }')
  t.deepEqual([Object.keys(entries), problem], [['a', 'b'], { line: 2, text: 'line 2: CommaExpected' }])
  for (const odd of ['7', 'null', '[]', '{"servers":7}', '{"inputs":{}}']) t.deepEqual(readText(odd).entries, {})
})

test("tools of the editor's servers stand under the server of the file that their names begin with or that stands in them; its own and ours are left out", async (t) => {
  globalThis.lmTools = [
    ...['mcp_everything_echo', 'mcp_everything_re_get-sum', 'mcp_other_do_it', 'runTests'],
    ...['mcp_memory-server_read', 'mcp_git-one_log', 'mcp_git-two_log'],
    ...['toolRouter_find', 'mcp_zoo-tool-rout_mcp_load'],
  ].map((name) => ({ name, description: name, inputSchema: undefined }))
  const { editorServers, ownToolCount } = await load(
    'servers/editor-tools.ts',
    `export const lm = { get tools() { return globalThis.lmTools }, invokeTool: async (name, { input }) => ({
      content: [new LanguageModelTextPart(name + JSON.stringify(input))] }) }
    export class LanguageModelTextPart { constructor(value) { this.value = value } }
    export class CancellationTokenSource { token = {}; cancel() {} }`,
  )
  const servers = editorServers(['everything', 'memory', 'git'])
  t.is(ownToolCount(), 1)
  t.deepEqual(
    servers.map(({ name, tools }) => [name, tools.map((tool) => tool.name)]),
    [
      ['everything', ['echo', 're_get-sum']],
      ['other', ['do_it']],
      ['memory', ['read']],
      ['git-one', ['log']],
      ['git-two', ['log']],
    ],
  )
  const { content } = await servers[0].call('re_get-sum', { a: 1 })
  t.deepEqual(content, [{ type: 'text', text: 'mcp_everything_re_get-sum{"a":1}' }])
})
