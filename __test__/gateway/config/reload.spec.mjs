// An edited configuration while the gateway runs, and lists of servers that are known before they have started.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import * as eras from '../../helpers/eras.mjs'
import { folder, inProcess, late, lives, odd, startCli, unique, until } from '../../helpers/gateway.mjs'

/** A gateway of a file, and what writes the file anew. */
async function fromFile(t, config, { dir = folder(t), ...options } = {}) {
  const file = path.join(folder(t), 'mcp.json')
  const write = ({ gateway, ...rest }) => writeFileSync(file, JSON.stringify({ ...rest, gateway: { dir, ...gateway } }))
  write(config)
  const lines = []
  const opened = await createGateway({ configFile: file, log: (line) => lines.push(line), ...options })
  t.teardown(() => opened.close())
  await opened.ready()
  return { file, write, opened, lines }
}

const stateOf = ({ servers }) => Object.fromEntries(servers.map(({ name, state, pid }) => [name, { state, pid }]))

test('servers are added, changed and removed by one edit, with one notification, and no session is lost', async (t) => {
  const [kept, gone, other, fresh] = [unique('odd'), unique('odd'), unique('odd'), unique('late')]
  const { write, opened } = await fromFile(t, { mcpServers: { [kept]: odd(), [gone]: odd(), [other]: odd() } })
  const [older, modern] = [await inProcess(t, opened), await eras.inProcess(t, opened)]
  await older.ask('mcp_load', { query: `mcp--${kept}--tell_pid, mcp--${gone}--tell_pid` })
  await older.names()
  const before = stateOf(opened)
  const changes = older.changes
  write({ mcpServers: { [fresh]: late(), [kept]: odd(), [other]: odd({ env: { NEW: '1' } }) } })
  t.deepEqual(await opened.reload(), {
    added: [fresh],
    changed: [other],
    removed: [gone],
    kept: [],
    settings: [],
    nextStart: [],
  })
  await opened.ready()
  const after = stateOf(opened)
  t.deepEqual(Object.keys(after), [fresh, kept, other], 'in the order of the file')
  t.is(after[kept].pid, before[kept].pid, 'what was not edited runs on')
  t.not(after[other].pid, before[other].pid)
  await until(t, () => older.changes > changes, 'the client is told')
  const { tools } = await older.listTools()
  t.is(older.changes, changes + 1)
  t.false(tools.some(({ name }) => name.includes(gone)))
  t.true(tools.some(({ name }) => name === `mcp--${kept}--tell_pid`))
  const description = ({ tools: listed }) => listed.find(({ name }) => name === 'mcp_load').description
  for (const client of [older, modern])
    t.regex(description(await client.listTools()), new RegExp(`${fresh}, ${kept}, ${other}`))
  await until(t, () => !lives(before[gone].pid), 'the removed one ends')
  t.regex((await older.use(`mcp--${gone}--tell_pid`)).content[0].text, /unknown tool/)
  t.is((await older.use(`mcp--${fresh}--grow`)).isError, undefined)
})

test('a call under way is answered by the server that it was made to, changed or removed', async (t) => {
  const [changed, removed] = [unique('odd'), unique('odd')]
  const { write, opened } = await fromFile(t, { mcpServers: { [changed]: odd(), [removed]: odd() } })
  const before = stateOf(opened)
  const client = await inProcess(t, opened)
  const calls = [changed, removed].map((name) => client.use(`mcp--${name}--slow_report`, { steps: 4, ms: 2_000 }))
  for (const name of [changed, removed])
    await until(
      t,
      async () => (await client.use(`mcp--${name}--count_calls`)).content[0].text > '1',
      'the call arrives',
    )
  write({ mcpServers: { [changed]: odd({ env: { NEW: '1' } }) } })
  await opened.reload()
  t.true(lives(before[removed].pid))
  for (const call of calls) t.is((await call).content[0].text, 'done')
  for (const { pid } of Object.values(before)) await until(t, () => !lives(pid), 'it ends afterwards')
})

test('a broken edit changes nothing and is told, and the next one that is whole is used', async (t) => {
  const name = unique('odd')
  const { file, write, opened, lines } = await fromFile(t, { mcpServers: { [name]: odd() } })
  const { pid } = stateOf(opened)[name]
  const client = await inProcess(t, opened)
  writeFileSync(file, '{ "mcpServers": {')
  await t.throwsAsync(opened.reload(), { code: 'ERR_CONFIG_INVALID' })
  write({ mcpServers: { [name]: odd() }, gateway: { maxTools: 'many' } })
  await t.throwsAsync(opened.reload(), { message: /config\.gateway\.maxTools/ })
  t.is(stateOf(opened)[name].pid, pid)
  t.regex(lines.join('\n'), /was edited and is not used: .*everything goes on as before/)
  const { notes } = await client.ask('manage_modules', { action: 'list' })
  t.is(notes.length, 1, 'the last one')
  t.regex(notes[0], /was edited and is not used: config\.gateway\.maxTools/)
  write({ mcpServers: { [name]: odd() } })
  await opened.reload()
  t.is((await client.ask('manage_modules', { action: 'list' })).notes, undefined)
})

test('an entry that cannot be read leaves its server as it was, and is told', async (t) => {
  const [name, other] = [unique('odd'), unique('odd')]
  const { write, opened } = await fromFile(t, { mcpServers: { [name]: odd() } })
  const { pid } = stateOf(opened)[name]
  write({ mcpServers: { [name]: { command: '' }, [other]: odd() } })
  t.like(await opened.reload(), { kept: [name], added: [other], changed: [], removed: [] })
  t.is(stateOf(opened)[name].pid, pid)
  const client = await inProcess(t, opened)
  t.is((await client.ask('manage_modules', { action: 'list' })).left_out[0].name, name)
})

test('servers that a host has added or removed beside the file do not stop an edit', async (t) => {
  const [gone, edited, own] = [unique('odd'), unique('odd'), unique('odd')]
  const { write, opened } = await fromFile(t, { mcpServers: { [gone]: odd(), [edited]: odd() } })
  for (const name of [gone, edited]) t.true(await opened.removeServer(name))
  opened.addServer(own, odd())
  write({ mcpServers: { [edited]: odd({ env: { NEW: '1' } }), [own]: odd({ env: { NEW: '1' } }) } })
  t.like(await opened.reload(), { added: [own], changed: [edited], removed: [gone] })
  await opened.ready()
  t.deepEqual(
    opened.servers.map(({ name, state }) => [name, state]),
    [
      [edited, 'ready'],
      [own, 'ready'],
    ],
  )
})

test('an edit that names a server of another gateway of the process changes nothing', async (t) => {
  const [first, second, fresh] = [unique('odd'), unique('odd'), unique('odd')]
  await fromFile(t, { mcpServers: { [first]: odd() } })
  const { write, opened } = await fromFile(t, { mcpServers: { [second]: odd() } })
  write({ mcpServers: { [fresh]: odd(), [first]: odd() } })
  await t.throwsAsync(opened.reload(), { code: 'ERR_INVALID_ARGUMENT', message: /no other gateway of this process/ })
  t.deepEqual(Object.keys(stateOf(opened)), [second])
})

test('a time-out for all servers, and variables that all get, hold from the edit on', async (t) => {
  const name = unique('odd')
  const { write, opened } = await fromFile(t, { mcpServers: { [name]: odd() } })
  write({ mcpServers: { [name]: odd() }, gateway: { timeout: 7, inheritEnv: ['EDITOR'] } })
  t.like(await opened.reload(), { changed: [name], settings: ['timeout', 'inheritEnv'], nextStart: [] })
  t.is(opened.catalogue.entries.get(name).downstream.definition.timeoutMs, 7_000)
})

test('what is only shown otherwise needs no new start', async (t) => {
  const name = unique('odd')
  const { write, opened } = await fromFile(t, { mcpServers: { [name]: odd() } })
  const { pid } = stateOf(opened)[name]
  const client = await inProcess(t, opened)
  await client.ask('mcp_load', { query: 'echo, tell_pid' })
  write({
    mcpServers: { [name]: odd({ disabledTools: ['tell_pid'], toolDescriptionOverrides: { echo: 'Parrot.' } }) },
    gateway: { maxTools: 100, namespacing: 'none' },
  })
  t.like(await opened.reload(), { changed: [], settings: ['maxTools'], nextStart: ['namespacing'] })
  t.is(stateOf(opened)[name].pid, pid)
  const { tools } = await client.listTools()
  t.false(tools.some((tool) => tool.name.endsWith('tell_pid')))
  t.is(tools.find((tool) => tool.name.endsWith('echo')).description, 'Parrot.')
  t.is(opened.config.settings.maxTools, 100)
})

test('readOnly in an edit holds from then on', async (t) => {
  const name = unique('odd')
  const config = { mcpServers: { [name]: odd({ toolKinds: { echo: 'read' } }) } }
  const { write, opened } = await fromFile(t, config)
  const client = await inProcess(t, opened)
  write({ ...config, gateway: { readOnly: true } })
  await opened.reload()
  t.true((await client.use(`mcp--${name}--tell_pid`)).isError)
  t.is((await client.use(`mcp--${name}--echo`)).isError, undefined)
  t.false((await client.names()).includes('call_tool_write'))
})

test('the command line follows its file, and SIGHUP has it read again', async (t) => {
  const file = path.join(folder(t), 'mcp.json')
  const write = (mcpServers) => writeFileSync(file, JSON.stringify({ mcpServers, gateway: { dir: folder(t) } }))
  write({ one: odd() })
  const started = startCli(t, ['gateway', '--config', file, '--lexical', '--http', '0'])
  await started.line(/one: ready/)
  write({ one: odd(), two: odd() })
  await started.line(/the configuration was read again: added two/)
  await started.line(/two: ready/)
  if (process.platform !== 'win32') {
    write({ two: odd() })
    started.child.kill('SIGHUP')
    await started.line(/read again: .*removed one/)
  }
  t.is(started.child.exitCode, null)
})

test('the list that a server sent last is known before it has started, and the answer says that it is starting', async (t) => {
  const name = unique('odd')
  const dir = folder(t)
  const config = { mcpServers: { [name]: odd({}, '--late', '3000') } }
  const first = await fromFile(t, config, { dir })
  await first.opened.close()
  const file = first.file
  const opened = await createGateway({ configFile: file })
  t.teardown(() => opened.close())
  const client = await inProcess(t, opened)
  const answer = await client.ask('mcp_load', { query: 'draw a picture' })
  t.true(answer.loaded.some((tool) => tool.name.endsWith('draw_picture')))
  t.deepEqual(answer.still_starting, [name])
  t.is(opened.servers[0].state, 'connecting')
  const called = await client.use(`mcp--${name}--tell_pid`)
  t.is(called.isError, undefined, 'a call waits for it')
})

test('what a server has besides tools is listed whole at each start, also where its tools are known before', async (t) => {
  const [name, hangs] = [unique('odd'), unique('hangs')]
  const dir = folder(t)
  const hanging = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] }
  const config = { mcpServers: { [name]: odd({}, '--late', '1500') } }
  const first = await fromFile(t, config, { dir })
  await first.opened.close()
  for (const mcpServers of [config.mcpServers, { ...config.mcpServers, [hangs]: hanging }]) {
    first.write({ mcpServers, gateway: { dir } })
    const opened = await createGateway({ configFile: first.file })
    t.teardown(() => opened.close())
    const client = await inProcess(t, opened)
    t.true((await client.names()).length > 0)
    t.not(opened.servers[0].state, 'ready')
    const [{ resources }, { resourceTemplates }, { prompts }] = await Promise.all([
      client.listResources(),
      client.listResourceTemplates(),
      client.listPrompts(),
    ])
    for (const list of [resources, resourceTemplates, prompts]) t.true(list.length > 0)
    t.truthy(await client.readResource({ uri: resources[0].uri }))
    await opened.close()
  }
})
