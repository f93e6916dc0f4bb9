// Profiles: named sets of servers, tools and limits in one file.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import test from 'ava'

import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import * as eras from '../../helpers/eras.mjs'
import { CLI, connectClient, folder, inProcess, odd, unique } from '../../helpers/gateway.mjs'

const entry = { command: 'x' }
const CONFIG = {
  mcpServers: { a: { ...entry, disabledTools: ['t'] }, b: { ...entry, onlyAllow: ['u', 'v'] }, c: { command: '' } },
  modules: { both: { servers: ['a', 'b'] }, other: { servers: ['b'] } },
  modes: { m: { description: 'x', tools: ['a/t', 'b/u'] }, n: { description: 'y', servers: ['b'] } },
  profiles: {
    whole: { servers: ['a'], disabledTools: ['a/w'], gateway: { maxTools: 9 } },
    single: { tools: ['b/u', 'b/z', 'a/t', 'a/s'] },
    nothing: { tools: ['a/t'] },
    wrong: { servers: ['nobody'] },
    misspelt: { server: ['a'] },
  },
  gateway: { maxTools: 20, searchK: 3 },
}
const read = (profile) => readConfig(CONFIG, { profile })

test('a profile has its servers, groups and modes, and its settings', (t) => {
  const { servers, modules, modes, settings, leftOut } = read('whole')
  t.deepEqual([...servers.keys()], ['a'])
  t.deepEqual(servers.get('a').disabledTools, ['t'])
  t.deepEqual(servers.get('a').parts, [{ off: ['w'] }])
  t.deepEqual([...modules.keys()], ['both'])
  t.deepEqual(modules.get('both').servers, ['a'])
  t.deepEqual([...modes.keys()], ['m'])
  t.deepEqual(modes.get('m').tools, [{ serverName: 'a', toolName: 't' }])
  t.deepEqual([settings.maxTools, settings.searchK], [9, 3])
  t.deepEqual(leftOut, [], 'nothing of another server is told')
})

test('single tools are on where the server has them on too', (t) => {
  const { servers } = read('single')
  t.deepEqual(servers.get('b').onlyAllow, ['u', 'v'])
  t.deepEqual(servers.get('b').parts, [{ off: [], only: ['u', 'z'] }])
  t.deepEqual(servers.get('a').parts, [{ off: [], only: ['t', 's'] }])
  t.deepEqual([...read('nothing').servers.keys()], [], 'a list of nothing is not a list of everything')
})

test('a profile that is unknown or wrong ends the start, and without one all is served', (t) => {
  t.throws(() => read('nobody'), {
    message: /profile: expected a profile of the configuration \(whole, single, .*got "nobody"/,
  })
  t.throws(() => read('wrong'), { message: /config\.profiles\["wrong"\]\.servers/ })
  t.throws(() => read('misspelt'), { message: /only the keys/ })
  t.throws(() => readConfig({ mcpServers: {} }, { profile: 'x' }), { message: /it has none/ })
  t.deepEqual([...readConfig(CONFIG).servers.keys()], ['a', 'b'])
})

for (const [era, connect] of [
  ['older', inProcess],
  ['modern', eras.inProcess],
]) {
  test(`the ${era} client of one profile sees, finds and calls nothing of another`, async (t) => {
    const [mine, yours] = [unique('odd'), unique('odd')]
    const config = {
      mcpServers: { [mine]: odd(), [yours]: odd() },
      profiles: { one: { tools: [`${mine}/tell_pid`, `${mine}/echo`] } },
      gateway: { dir: folder(t) },
    }
    const opened = await createGateway({ config, profile: 'one' })
    t.teardown(() => opened.close())
    await opened.ready()
    t.deepEqual(
      opened.servers.map(({ name, scopedCount }) => [name, scopedCount]),
      [[mine, 2]],
    )
    const client = await connect(t, opened)
    const answers = [
      JSON.stringify((await client.listTools()).tools),
      ...['search_mcps', 'mcp_load'].map(async (name) =>
        JSON.stringify(await client.ask(name, { query: 'draw a picture' })),
      ),
      JSON.stringify(await client.ask('mcp_load', { query: 'draw_picture' })),
      JSON.stringify(await client.ask('manage_modules', { action: 'list' })),
      JSON.stringify(await client.ask('select_mode', { task_description: 'draw', confidence_level: 'exploring' })),
      JSON.stringify(await client.ask('call_tool_write', { name: `mcp--${mine}--draw_pictures` })),
    ]
    for (const text of await Promise.all(answers)) {
      t.false(text.includes(yours), text.slice(0, 300))
      t.false(/--draw_picture\b/.test(text), text.slice(0, 300))
    }
    for (const name of [`mcp--${yours}--tell_pid`, `mcp--${mine}--draw_picture`])
      t.regex((await client.use('call_tool_write', { name })).content[0].text, /unknown tool/)
  })
}

test('the command line serves a profile', async (t) => {
  const file = path.join(folder(t), 'mcp.json')
  const profiles = { one: { servers: ['first'] } }
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { first: odd(), second: odd() }, profiles, gateway: { dir: folder(t) } }),
  )
  const args = [CLI, 'gateway', '--config', file, '--profile', 'one', '--lexical', '--quiet']
  const client = await connectClient(new StdioClientTransport({ command: process.execPath, args, env: process.env }))
  t.teardown(() => client.close())
  const { modules } = await client.ask('manage_modules', { action: 'list' })
  t.deepEqual(
    modules.map(({ module }) => module),
    ['first'],
  )
})
