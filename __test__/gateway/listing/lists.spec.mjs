// What stands in the list of tools, in which order, and what bounds it.
import test from 'ava'
import { DEFAULT_META_TOOLS } from '../../../packages/gateway/names/meta-tools.mjs'
import { gateway, inProcess, late, loadAll, odd, ODD_COUNT, unique, until } from '../../helpers/gateway.mjs'
import { before, oddClient } from '../../helpers/odd-gateway.mjs'

const META = DEFAULT_META_TOOLS

test('a tool that is out of scope is not found, not loaded, not listed and not called', async (t) => {
  const { client, tool } = await oddClient(t, { server: { disabledTools: ['tell_pid', 'die'] } })
  await client.ask('manage_modules', {
    action: 'load',
    module: (await client.ask('manage_modules', { action: 'list' })).modules[0].module,
  })
  const names = await client.names()
  t.false(names.includes(tool('tell_pid')))
  t.true(names.includes(tool('echo')))
  const { loaded, unavailable } = await client.ask('mcp_load', { query: tool('tell_pid') })
  t.deepEqual(loaded, [])
  t.not(unavailable[0].reason, undefined)
  for (const answer of [
    await client.use(tool('tell_pid')),
    await client.use('call_tool', { name: tool('tell_pid') }),
  ]) {
    t.true(answer.isError)
    t.regex(answer.content[0].text, /unknown tool/)
  }
})

test("onlyAllow leaves its tools less those of disabledTools, and a description of the user replaces the server's", async (t) => {
  const { client, tool, name } = await oddClient(t, {
    server: {
      onlyAllow: ['ec*', 'tell_pid', 'die'],
      disabledTools: ['di*'],
      toolDescriptionOverrides: { echo: 'Parrot.' },
    },
  })
  t.true((await client.use(tool('die'))).isError)
  await client.ask('manage_modules', { action: 'load', module: name })
  const { tools } = await client.listTools()
  t.deepEqual(
    tools.slice(META.length).map((each) => each.name),
    [tool('echo'), tool('tell_pid')],
  )
  t.is(tools.at(-2).description, 'Parrot.')
})

test('pinned tools stand in the first list, as far as the tokens of it go', async (t) => {
  const { client, tool } = await oddClient(t, { server: { alwaysLoad: ['echo', 'tell_pid'] }, args: ['--odd'] })
  // always_me asks for its place with 4,000 tokens of description.
  t.deepEqual(await client.names(), [...META, tool('echo'), tool('tell_pid')])
  const { loaded } = await client.ask('mcp_load', { query: tool('always_me') })
  t.is(loaded.length, 1)
})

test('tools that no client would take do not cost the list', async (t) => {
  const { client, opened, tool, name } = await oddClient(t, { args: ['--odd'], gateway: { withholdTools: 'never' } })
  await loadAll(client, opened, name)
  const { tools } = await client.listTools() // the SDK validates each, and compiles output schemas
  const byName = new Map(tools.map((each) => [each.name, each]))
  t.deepEqual(byName.get(tool('no_schema_type')).inputSchema, { properties: { a: { type: 'string' } }, type: 'object' })
  for (const odd of ['schema_of_text', 'bad_output_schema', 'bad_fields', '__proto__', 'constructor', 'hostile_text'])
    t.true(byName.has(tool(odd)), odd)
  for (const odd of ['__proto__', 'constructor', 'bad_fields'])
    t.is((await client.use(tool(odd))).content[0].text, `called ${odd}`)
})

test('what one tool costs in the list is bounded, whatever its server writes, and it can be called still', async (t) => {
  const { client, opened, tool, name } = await oddClient(t, { args: ['--odd'], fixed: { maxToolBytes: 4_000 } })
  await loadAll(client, opened, name)
  const { tools } = await client.listTools()
  for (const each of tools) t.true(Buffer.byteLength(JSON.stringify(each)) <= 4_000, each.name)
  const byName = new Map(tools.map((each) => [each.name, each]))
  t.regex(byName.get(tool('endless_text')).description, /^It never comes.*\[cut, 203000 characters in all\]$/)
  t.deepEqual(byName.get(tool('endless_schema')).inputSchema.required, undefined)
  for (const endless of ['endless_text', 'endless_schema', 'endless_names'])
    t.is((await client.use(tool(endless))).content[0].text, `called ${endless}`)
  const { loaded } = await client.ask('mcp_load', { query: tool('endless_names') })
  t.true(JSON.stringify(loaded).length < 6_000)
})

test('a definition that is cut keeps as much of its schema as fits', async (t) => {
  const { client, opened, tool, name } = await oddClient(t, { args: ['--odd'] })
  await loadAll(client, opened, name)
  const { tools } = await client.listTools()
  const { inputSchema } = tools.find((each) => each.name === tool('endless_schema'))
  t.is(Object.keys(inputSchema.properties).length, 300)
  t.deepEqual(inputSchema.properties.field_7, { type: 'string' })
  t.deepEqual(inputSchema.required, ['field_7'])
})

test('resources, templates and prompts that no client would take do not cost the lists', async (t) => {
  const { client, name } = await oddClient(t, { args: ['--odd'] })
  t.deepEqual(
    (await client.listResources()).resources.map(({ uri }) => uri),
    ['odd://notes/1'],
  )
  t.deepEqual(
    (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ['odd://item/{id}'],
  )
  t.deepEqual(
    (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    [`${name}--greet`],
  )
})

test('a tool that the server adds can be loaded, and one that it takes away leaves the list and comes back in its place', async (t) => {
  const { client, tool, opened, name } = await oddClient(t)
  await client.use(tool('grow'))
  await client.use(tool('grow'))
  await until(t, () => opened.catalogue.entries.get(name).tools.has('weather_1'), 'the new list is there')
  const { loaded } = await client.ask('mcp_load', {
    query: `${tool('weather_0')}, ${tool('weather_1')}, ${tool('echo')}`,
  })
  t.is(loaded.length, 3)
  const all = await client.names()
  await client.use(tool('shrink'))
  await until(t, () => client.changes === 2, 'the client is told')
  t.deepEqual(
    await client.names(),
    all.filter((each) => each !== tool('weather_1')),
  )
  await client.use(tool('grow'))
  await until(t, () => client.changes === 3, 'the client is told again')
  t.deepEqual(await client.names(), all)
})

test('a server that announces changes that are none does not make the client list again', async (t) => {
  const { client, tool } = await oddClient(t)
  await client.ask('mcp_load', { query: 'tell_pid, flood' })
  await client.use(tool('flood'), { times: 300 })
  await client.use(tool('reword'))
  await until(t, () => client.changes > 1, 'the one that is a change arrives')
  t.is(client.changes, 2)
})

test('a definition that changes is in the log, by its name and without its text', async (t) => {
  const { client, lines, name } = await before(t, odd())
  t.false(lines.some((line) => line.includes('definition-changed')))
  await client.use(`mcp--${name}--reword`)
  await until(
    t,
    () => lines.some((line) => /: (.*, )?definition-changed \(tell_pid\)/.test(line)),
    'the change is told',
  )
})

test('a change of a tool that is not attached is not told', async (t) => {
  const { client, tool, opened, name } = await oddClient(t)
  await client.ask('mcp_load', { query: 'echo' })
  await client.use(tool('reword'))
  const { tools } = opened.catalogue.entries.get(name)
  await until(t, () => opened.catalogue.entries.get(name).tools !== tools, 'the new list is there')
  await client.ask('search_mcps', { query: 'process' })
  t.is(client.changes, 1)
})

test('lists of tools are bounded by maxTools, meta tools included', async (t) => {
  const { client, name, tool } = await oddClient(t, { gateway: { maxTools: META.length + 3 } })
  const answer = await client.ask('manage_modules', { action: 'load', module: name })
  t.is(answer.loaded.length, 3)
  t.is(answer.over_limit, 7)
  t.is((await client.names()).length, META.length + 3)
  t.is((await client.use('call_tool', { name: tool('tell_pid') })).isError, undefined)
  const { unavailable } = await client.ask('mcp_load', { query: tool('tell_environment') })
  t.deepEqual(unavailable, [{ name: tool('tell_environment'), reason: 'over-limit', near: [] }])
})

test('lists of tools are bounded, and what has no room says what it is called by', async (t) => {
  const maxListBytes = 30_000
  const long = 'It says a lot. '.repeat(1_000)
  const name = unique('odd')
  const mcpServers = { [name]: odd({ toolDescriptionOverrides: { echo: long, tell_environment: long } }) }
  const opened = await gateway(t, { mcpServers }, { fixed: { maxListBytes } })
  const client = await inProcess(t, opened)
  const names = ['echo', 'tell_environment', 'tell_pid'].map((each) => `mcp--${name}--${each}`)
  const { unavailable, loaded } = await client.ask('mcp_load', { query: names.join(', ') })
  const listed = await client.listTools()
  t.true(Buffer.byteLength(JSON.stringify(listed.tools)) <= maxListBytes)
  t.deepEqual(
    loaded.map((tool) => tool.name),
    [names[0], names[2]],
    'a smaller one behind it fits',
  )
  const by = unavailable[0].call_by
  t.deepEqual(unavailable, [{ name: names[1], reason: 'over-limit', call_by: by }])
  t.is((await client.use(by, { name: names[1] })).isError, undefined)
  await client.use('manage_modules', { action: 'unload', module: name })
  const again = await client.ask('mcp_load', { query: names[1] })
  t.deepEqual([again.loaded[0].name, again.unavailable], [names[1], []])
})

test('a server that is added is found with no other change, and one that is removed is gone', async (t) => {
  const { client, opened } = await oddClient(t)
  const name = unique('late')
  opened.addServer(name, late())
  await opened.ready()
  const { servers } = await client.ask('search_mcps', { query: 'weather forecast' })
  t.is(servers[0].server, name)
  const { loaded } = await client.ask('mcp_load', { query: name })
  t.is(loaded.length, 3)
  t.true(await opened.removeServer(name))
  t.deepEqual(await client.names(), META)
  t.true((await client.use(`mcp--${name}--grow`)).isError)
  t.false(await opened.removeServer(name))
})

test('a name that another gateway of the process has is refused', async (t) => {
  const { name } = await oddClient(t)
  const error = await t.throwsAsync(gateway(t, { mcpServers: { [name]: odd() } }))
  t.deepEqual([error.name, error.code], ['ToolRouterError', 'ERR_INVALID_ARGUMENT'])
})

test('methods that the gateway does not have are refused by the code of the protocol', async (t) => {
  const { client } = await oddClient(t)
  const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const error = await t.throwsAsync(client.request({ method: 'secrets/list' }, ResultSchema))
  t.is(error.code, -32601)
  for (const params of [{}, { name: 7 }, { name: 'x'.repeat(5_000) }]) {
    t.is((await t.throwsAsync(client.request({ method: 'tools/call', params }, ResultSchema))).code, -32602)
  }
})

test('two tools whose names are alike are both reachable, whichever server was there first', async (t) => {
  const base = unique('twin')
  const [first, second] = [`${base}_x`, `${base} x`]
  const opened = await gateway(t, { mcpServers: { [first]: odd() } })
  const client = await inProcess(t, opened)
  await loadAll(client, opened, first)
  const before = await client.names()
  opened.addServer(second, odd())
  await opened.ready()
  const { loaded } = await loadAll(client, opened, second)
  t.is(loaded.length, ODD_COUNT)
  const after = await client.names()
  t.deepEqual(after.slice(0, before.length), before)
  t.is(new Set(after).size, after.length)
  const pids = await Promise.all(
    after.filter((name) => name.includes('tell_pid')).map(async (name) => (await client.use(name)).content[0].text),
  )
  t.deepEqual(new Set(pids.map(Number)), new Set(opened.servers.map(({ pid }) => pid)))
})

test('a client that reads slowly is told of the last change, and in between not of each', async (t) => {
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js')
  const { opened, tool } = await oddClient(t, { gateway: { changedTools: 'tell' } })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  // Writing does not come to its end while the client does not read, as on a full pipe.
  let release = () => {}
  let reads = Promise.resolve()
  const send = theirs.send.bind(theirs)
  theirs.send = async (message, options) => {
    if (message.method === 'notifications/tools/list_changed') await reads
    return send(message, options)
  }
  await opened.connect(theirs)
  const { connectClient } = await import('../../helpers/gateway.mjs')
  const client = await connectClient(ours)
  t.teardown(() => client.close())
  await client.ask('mcp_load', { query: 'tell_pid' })
  await client.names()
  t.is(client.changes, 1)
  reads = new Promise((resolve) => (release = resolve))
  const described = () =>
    [...opened.catalogue.entries.values()]
      .find(({ names }) => names.get('tell_pid') === tool('tell_pid'))
      .tools.get('tell_pid').description
  for (let at = 1; at <= 5; at++) {
    await client.use(tool('reword'))
    await until(t, () => described().includes(`(${at})`), 'the change is known')
  }
  t.is(client.changes, 1)
  release()
  await until(t, () => client.changes >= 2, 'it is told')
  t.true(client.changes <= 3, 'of the first change, and of all others together')
  t.true((await client.listTools()).tools.at(-1).description.includes('(5)'))
})
