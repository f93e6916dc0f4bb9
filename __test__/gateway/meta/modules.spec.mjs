// Lean at the start, modules that the model loads and unloads, and what the client is told. The claims of the fourth
// design.
import test from 'ava'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

import { folder, gateway, inProcess, loadAll, META_COUNT, odd, realServers, unique } from '../../helpers/gateway.mjs'

const tokens = (tools) => countTokens(JSON.stringify(tools))

/** A large server with an essential group and a sleeping one, as the design has a browser with 63 tools. */
async function modular(t, more = {}) {
  const name = unique('odd')
  const opened = await gateway(t, {
    mcpServers: { [name]: odd() },
    modules: {
      [`${name}-basics`]: {
        description: 'Say and draw',
        tools: [`${name}/echo`, `${name}/draw_picture`],
        essential: true,
      },
      [`${name}-process`]: {
        description: 'Look at the process',
        tools: [`${name}/tell_pid`, `${name}/tell_environment`, `${name}/echo`],
      },
    },
    ...more,
  })
  return {
    name,
    opened,
    client: await inProcess(t, opened),
    tool: (toolName) => `mcp--${name}--${toolName}`,
    basics: `${name}-basics`,
    process: `${name}-process`,
  }
}

test('the start is lean: essential tools and meta tools, at about 1,500 tokens or less', async (t) => {
  const { client, tool } = await modular(t)
  const { tools } = await client.listTools()
  t.deepEqual(
    tools.slice(META_COUNT).map((each) => each.name),
    [tool('echo'), tool('draw_picture')],
  )
  t.true(tokens(tools) <= 1_500, `${tokens(tools)} tokens`)
})

test('action list tells which modules sleep, what they hold and what they cost', async (t) => {
  const { client, name, basics, process } = await modular(t)
  const { modules } = await client.ask('manage_modules', { action: 'list' })
  t.like(
    modules.find((module) => module.module === basics),
    { kind: 'group', description: 'Say and draw', tools: 2, loaded: 2, essential: true },
  )
  t.like(
    modules.find((module) => module.module === process),
    { kind: 'group', description: 'Look at the process', tools: 3, loaded: 1 },
  )
  const server = modules.find((module) => module.module === name)
  t.is(server.kind, 'server')
  t.true(server.tools > 20 && server.tokens > 500)
})

test('the loop of the design: load, be told, list again, see essential and loaded tools, call one', async (t) => {
  const { client, tool, process } = await modular(t)
  const before = await client.names()
  const answer = await client.ask('manage_modules', { action: 'load', module: process })
  t.deepEqual(
    answer.loaded.map((each) => each.name),
    [tool('tell_pid'), tool('tell_environment')],
  )
  t.is(answer.already_loaded, 1)
  t.is(client.changes, 1)
  t.deepEqual(await client.names(), [...before, tool('tell_pid'), tool('tell_environment')])
  t.true(Number((await client.use(tool('tell_pid'))).content[0].text) > 0)
})

test('unload takes a module away again, says that the prompt cache is lost, and what it took can be loaded again', async (t) => {
  const { client, opened, tool, name, process } = await modular(t)
  await loadAll(client, opened, name)
  const answer = await client.ask('manage_modules', { action: 'unload', module: process })
  t.deepEqual(answer.unloaded, [tool('tell_pid'), tool('tell_environment')])
  t.deepEqual(answer.kept, [tool('echo')])
  t.regex(answer.note, /prompt cache .* is lost/)
  t.is(client.changes, 2)
  t.false((await client.names()).includes(tool('tell_pid')))
  await client.ask('mcp_load', { query: tool('tell_pid') })
  t.is((await client.names()).at(-1), tool('tell_pid'))
})

test('unloading what is not loaded changes nothing and says so', async (t) => {
  const { client, process } = await modular(t)
  const answer = await client.ask('manage_modules', { action: 'unload', module: process })
  t.deepEqual(answer.unloaded, [])
  t.notRegex(answer.note, /lost/)
  t.is(client.changes, 0)
})

test('essential tools stay: neither their module nor their server takes them away', async (t) => {
  const { client, tool, name, basics } = await modular(t)
  t.regex((await client.ask('manage_modules', { action: 'unload', module: basics })).error, /not essential/)
  await client.ask('manage_modules', { action: 'load', module: name })
  await client.ask('manage_modules', { action: 'unload', module: name })
  t.deepEqual((await client.names()).slice(META_COUNT), [tool('echo'), tool('draw_picture')])
})

test('nothing but an unload shortens the list', async (t) => {
  const { client, name, process } = await modular(t)
  let before = await client.names()
  const steps = [
    ['mcp_load', { query: 'pid' }],
    ['select_mode', { task_description: 'draw a picture' }],
    ['search_mcps', { query: 'picture' }],
    ['manage_modules', { action: 'load', module: process }],
    ['mcp_load', { query: 'zzzz' }],
    ['manage_modules', { action: 'load', module: name }],
  ]
  for (const [tool, args] of steps) {
    await client.ask(tool, args)
    const after = await client.names()
    t.deepEqual(after.slice(0, before.length), before, tool)
    before = after
  }
})

test('70 to 80 % of the token tax comes back even with a module loaded, on real servers', async (t) => {
  t.timeout(120_000)
  const opened = await gateway(t, {
    mcpServers: realServers(folder(t), [
      'filesystem',
      'memory',
      'everything',
      'github',
      'chrome-devtools',
      'playwright',
    ]),
  })
  const client = await inProcess(t, opened)
  const all = tokens([...opened.catalogue.entries.values()].flatMap((entry) => [...entry.tools.values()]))
  t.true(tokens((await client.listTools()).tools) < 0.1 * all)
  await client.ask('manage_modules', { action: 'load', module: 'memory' })
  const { tools } = await client.listTools()
  t.true(tokens(tools) < 0.2 * all, `${tokens(tools)} of ${all}`)
})
