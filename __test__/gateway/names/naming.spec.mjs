// Two settings that make a gateway look like the servers themselves: their own names, and all of their tools at once.
import test from 'ava'

import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

import { DEFAULT_META_TOOLS } from '../../../packages/gateway/names/meta-tools.mjs'
import { asking, EVERYTHING, inProcess, legacyClient, legacyInProcess, modern } from '../../helpers/eras.mjs'
import { folder, gateway, LONG_MS, odd, ODD_COUNT, realServers, unique, until } from '../../helpers/gateway.mjs'

const META = DEFAULT_META_TOOLS
const CLIENTS = { 'an older client': legacyInProcess, 'a modern client': inProcess }

for (const [which, connect] of Object.entries(CLIENTS)) {
  test(`with namespacing none ${which} knows tools and prompts by their own names`, async (t) => {
    const name = unique('odd')
    const opened = await gateway(t, {
      mcpServers: { [name]: odd({ alwaysLoad: ['echo'] }) },
      gateway: { namespacing: 'none' },
    })
    const client = await connect(t, opened)
    t.true((await client.names()).includes('echo'))
    t.is(await client.said('echo', { value: 1 }), '{"value":1}')
    const { loaded } = await client.ask('mcp_load', { query: 'tell_pid, draw_picture' })
    t.deepEqual(
      loaded.map((tool) => tool.name),
      ['tell_pid', 'draw_picture'],
    )
    t.true(Number(await client.said('call_tool', { name: 'tell_pid', arguments: {} })) > 0)
    t.true(Number(await client.said('call_tool', { name: `mcp--${name}--tell_pid`, arguments: {} })) > 0)
    const { unavailable } = await client.ask('mcp_load', { query: 'mcp--odd--draw_pictures' })
    t.true(unavailable.every(({ near = [] }) => near.every((each) => !each.startsWith('mcp--'))))
    const { servers } = await client.ask('search_mcps', { query: 'draw a picture' })
    t.true(servers[0].best_tools.some((each) => each.name === 'draw_picture'))
    t.deepEqual(
      (await client.listPrompts()).prompts.map((prompt) => prompt.name),
      ['greet'],
    )
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })
    t.is(messages[0].content.text, 'greet Ada')
    await t.throwsAsync(client.getPrompt({ name: 'none' }), { message: /unknown prompt none/ })
  })
}

test('of two tools of one name the first server has it, whichever starts first, and the other is told of', async (t) => {
  const [first, second] = [unique('first'), unique('second')]
  const lines = []
  // The first one is slow: the second is known before it.
  const opened = await gateway(
    t,
    { mcpServers: { [first]: odd({}, '--late', '1500'), [second]: odd() }, gateway: { namespacing: 'none' } },
    { log: (line) => lines.push(line) },
  )
  const client = await legacyInProcess(t, opened)
  const pids = opened.servers.map(({ pid }) => String(pid))
  t.is(await client.said('tell_pid'), pids[0])
  const { modules } = await client.ask('manage_modules', { action: 'list' })
  t.is(modules[0].refused, undefined)
  t.deepEqual(modules[1].refused[0], { tool: 'echo', taken_by: first })
  t.is(modules[1].refused.length, ODD_COUNT)
  t.true(
    lines.some((line) => line.includes(`(${first} has it)`)),
    lines.join(),
  )
  // With the first one gone the other has the names.
  await opened.removeServer(first)
  t.is(await client.said('tell_pid'), pids[1])
})

test('a tool that has the name of a meta tool is left out', async (t) => {
  const name = unique('fresh')
  const opened = await gateway(t, { mcpServers: { [name]: modern() }, gateway: { namespacing: 'none' } })
  t.is(opened.catalogue.find('mcp_load'), undefined)
  t.truthy(opened.catalogue.find('ask_once'))
})

for (const [which, connect] of Object.entries(CLIENTS)) {
  test(`in static mode ${which} sees all tools of all servers, and no meta tool`, async (t) => {
    const [one, two] = [unique('odd'), unique('asks')]
    const opened = await gateway(
      t,
      {
        mcpServers: { [one]: odd({ disabledTools: ['die'] }), [two]: asking() },
        gateway: { mode: 'static', maxTools: 8 },
      },
      { ready: false },
    )
    opened.catalogue.patienceMs = LONG_MS
    const client = await connect(t, opened)
    const names = await client.names()
    t.true(names.length > 30)
    t.deepEqual(
      names.filter((name) => META.includes(name)),
      [],
    )
    t.false(names.includes(`mcp--${one}--die`))
    t.is(names[0], `mcp--${one}--echo`, 'in the order of the configuration')
    t.is(await client.said(`mcp--${one}--echo`, { value: 1 }), '{"value":1}')
    t.is(client.getInstructions(), undefined)
    const { isError } = await client.use('mcp_load', { query: 'echo' })
    t.true(isError)
  })
}

test('in static mode a change of a server is told of', async (t) => {
  const name = unique('odd')
  const opened = await gateway(t, { mcpServers: { [name]: odd() }, gateway: { mode: 'static' } })
  const older = await legacyInProcess(t, opened)
  const newer = await inProcess(t, opened)
  await newer.listen({ toolsListChanged: true })
  const before = [await older.names(), await newer.names()]
  await older.use(`mcp--${name}--grow`)
  const told = (client) => client.heard.filter(({ method }) => method === 'notifications/tools/list_changed').length
  await until(t, () => told(older) === 1 && told(newer) === 1, 'both are told')
  t.deepEqual(await older.names(), [...before[0], `mcp--${name}--weather_0`])
  t.deepEqual(await newer.names(), [...before[1], `mcp--${name}--weather_0`])
})

test('static and with its own names a gateway lists what a real server lists itself', async (t) => {
  const mcpServers = realServers(folder(t), ['everything'])
  const opened = await gateway(t, { mcpServers, gateway: { mode: 'static', namespacing: 'none' } })
  const client = await legacyInProcess(t, opened)
  const { tools } = await client.listTools()
  const { command, args, env } = mcpServers.everything
  const direct = await legacyClient(t, new StdioClientTransport({ command, args, env, stderr: 'ignore' }), {
    capabilities: EVERYTHING,
  })
  const { tools: own } = await direct.listTools()
  t.deepEqual(
    tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    own.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  )
})
