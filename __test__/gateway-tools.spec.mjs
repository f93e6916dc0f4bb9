// What a client of the gateway sees and gets: lists, meta tools, calls, resources, prompts. In this process, over the
// official SDK, with real servers as child processes.
import test from 'ava'

import { DEFAULT_META_TOOLS } from '../packages/gateway/names/meta-tools.mjs'
import { gateway, inProcess, late, loadAll, odd, ODD_COUNT, unique, until } from './helpers/gateway.mjs'

/** A gateway with one odd server, a client, and the provider name of the server's tools. */
async function oddGateway(t, { server = {}, args = [], ...config } = {}) {
  const name = unique('odd')
  const opened = await gateway(t, { mcpServers: { [name]: odd(server, ...args) }, ...config })
  return { name, opened, client: await inProcess(t, opened), tool: (toolName) => `mcp--${name}--${toolName}` }
}

const META = DEFAULT_META_TOOLS

test('the first list holds the meta tools and nothing else, and says that it will change', async (t) => {
  const { client } = await oddGateway(t)
  t.deepEqual(await client.names(), META)
  t.true(client.getServerCapabilities().tools.listChanged)
})

test('which meta tools are offered is configured, and those that are not cannot be called', async (t) => {
  const { client } = await oddGateway(t, { gateway: { metaTools: ['select_mode'] } })
  t.deepEqual(await client.names(), ['select_mode'])
  const answer = await client.use('mcp_load', { query: 'x' })
  t.true(answer.isError)
})

test('mcp_load attaches what it finds, and the client is told once before the answer', async (t) => {
  const { client, tool } = await oddGateway(t)
  const { loaded } = await client.ask('mcp_load', { query: 'draw_picture, tell_pid' })
  t.deepEqual(
    loaded.map(({ name }) => name),
    [tool('draw_picture'), tool('tell_pid')],
  )
  t.is(client.changes, 1)
  t.deepEqual(await client.names(), [...META, tool('draw_picture'), tool('tell_pid')])
})

test('what is attached keeps its place, and the list before is a prefix of the list after', async (t) => {
  const { client } = await oddGateway(t)
  await client.ask('mcp_load', { query: 'draw_picture' })
  const before = JSON.stringify((await client.listTools()).tools)
  await client.ask('mcp_load', { query: 'tell_pid, draw_picture, echo' })
  const after = JSON.stringify((await client.listTools()).tools)
  t.true(after.startsWith(before.slice(0, -1)))
})

test('loading what is attached changes nothing, and nobody is told', async (t) => {
  const { client, tool } = await oddGateway(t)
  await client.ask('mcp_load', { query: 'echo' })
  const again = await client.ask('mcp_load', { query: 'echo' })
  t.deepEqual(again.alreadyAttached, [tool('echo')])
  t.deepEqual(again.loaded, [])
  t.is(client.changes, 1)
})

test('a name that does not exist comes back with near ones', async (t) => {
  const { client, tool } = await oddGateway(t)
  const { unavailable } = await client.ask('mcp_load', { query: tool('draw_pictures') })
  t.is(unavailable[0].reason, 'unknown')
  t.true(unavailable[0].near.includes(tool('draw_picture')))
})

test('an answer has signatures, and describe_tool the schema of a tool that the client does not list', async (t) => {
  const { client, opened, name, tool } = await oddGateway(t)
  const { loaded } = await client.ask('mcp_load', { query: 'slow_report' })
  t.deepEqual(Object.keys(loaded[0]), ['name', 'signature', 'call_by'])
  t.regex(loaded[0].signature, /^\{.*steps\?: number.*\} \/\/ Takes its time/)
  const { tools, unavailable } = await client.ask('describe_tool', { names: 'slow_report, no_such_tool' })
  t.regex(unavailable[0].reason, /unknown tool no_such_tool/)
  t.deepEqual(tools[0].inputSchema, opened.catalogue.entries.get(name).tools.get('slow_report').inputSchema)
  const answer = await client.use('call_tool', { name: tool('slow_report'), arguments: { steps: 1 } })
  t.is(answer.content[0].text, 'done')
})

test('arguments reach the server untouched, keys that are traps included', async (t) => {
  const { client, tool } = await oddGateway(t)
  const args = JSON.parse(
    '{"value":{"__proto__":{"polluted":true},"constructor":1,"b":null,"a":[1.5,"\\u0000é🦀"]},"__proto__":{"polluted":true},"10":1}',
  )
  for (const [name, sent] of [
    [tool('echo'), args],
    ['call_tool', { name: tool('echo'), arguments: args }],
  ]) {
    const { content } = await client.use(name, sent)
    t.is(content[0].text, JSON.stringify(args))
  }
  t.is({}.polluted, undefined)
})

test('call_tool takes arguments that are written as JSON text', async (t) => {
  const { client, tool } = await oddGateway(t)
  const said = async (args) => (await client.use('call_tool', { name: tool('echo'), arguments: args })).content[0].text
  t.is(await said('{"value": {"a": [1, "two"]}}'), '{"value":{"a":[1,"two"]}}')
  t.is(await said(''), '{}')
  const { error } = await client.ask('call_tool', { name: tool('echo'), arguments: '{"value":' })
  t.regex(error, /call_tool\.arguments: expected an object/)
})

test('call_tool takes a tool as server/tool and, where one server alone has it, as its own name', async (t) => {
  const { client, opened, name } = await oddGateway(t)
  const said = async (spelt) => {
    const { content } = await client.use('call_tool', { name: spelt, arguments: {} })
    return content[0].text
  }
  t.is(await said(`${name}/fail_politely`), 'no such city')
  t.is(await said('fail_politely'), 'no such city')
  opened.addServer(`${name}/deep`, odd())
  await opened.ready()
  t.is(await said(`${name}/deep/fail_politely`), 'no such city')
  t.is(
    await said('fail_politely'),
    '2 servers have a tool fail_politely; call one of them by its whole name: ' +
      `mcp--${name}--fail_politely, mcp--${name}deep--fail_politely`,
  )
})

test('a name that means no tool is answered with near ones, out of scope ones left out', async (t) => {
  const { client, tool } = await oddGateway(t, { server: { disabledTools: ['die_quietly'] } })
  const { error } = await client.ask('call_tool', { name: tool('draw_pictures') })
  t.regex(error, new RegExp(`^unknown tool .*Do you mean .*${tool('draw_picture')}`))
  for (const name of ['die_quietly', tool('die_quietly'), tool('die_quietl')])
    t.notRegex((await client.ask('call_tool', { name })).error.replace(name, ''), /die_quietly/, name)
})

test('images, audio, links, hints and fields of a later protocol come through as they are', async (t) => {
  const { client, tool } = await oddGateway(t)
  const { content, _meta } = await client.use(tool('draw_picture'))
  t.deepEqual(
    content.map(({ type }) => type),
    ['image', 'audio', 'resource_link', 'resource', 'text'],
  )
  t.deepEqual(content[0].annotations, { audience: ['user'] })
  t.is(_meta['example.org/trace'], 'abc')
})

test('structured content comes through', async (t) => {
  const { client, tool } = await oddGateway(t)
  const { structuredContent } = await client.use(tool('echo'), { value: { deep: [1, { x: null }] } })
  t.deepEqual(structuredContent.arguments, { value: { deep: [1, { x: null }] } })
})

test('progress comes in order, all of it, and before the result', async (t) => {
  const { client, tool } = await oddGateway(t)
  const told = []
  const answer = await client.use(tool('slow_report'), { steps: 20 }, { onprogress: (progress) => told.push(progress) })
  t.is(answer.content[0].text, 'done')
  // The client's SDK may drop the last one when it comes together with the result.
  t.true(told.length >= 19)
  t.deepEqual(
    told.map(({ progress }) => progress),
    told.map((_, at) => at + 1),
  )
  t.deepEqual(told[0], { progress: 1, total: 20, message: 'step 1' })
})

test('a cancelled call is cancelled at the server', async (t) => {
  const { client, tool } = await oddGateway(t)
  const controller = new AbortController()
  const call = client.use(tool('slow_report'), { ms: 60_000, steps: 60 }, { signal: controller.signal })
  await until(t, async () => (await client.use(tool('count_calls'))).content[0].text > '1', 'the call arrives')
  controller.abort('changed my mind')
  await t.throwsAsync(call)
  await until(
    t,
    async () => (await client.use(tool('count_cancelled'))).content[0].text === '1',
    'the server hears of it',
  )
})

test('an error of the protocol keeps its code, message and data', async (t) => {
  const { client, tool } = await oddGateway(t)
  const error = await t.throwsAsync(client.use(tool('fail_by_protocol')))
  t.is(error.code, -32050)
  t.is(error.message, 'MCP error -32050: out of paper')
  t.deepEqual(error.data, { tray: 2 })
})

test('a failure that is a result stays a result', async (t) => {
  const { client, tool } = await oddGateway(t)
  t.like(await client.use(tool('fail_politely')), { isError: true, content: [{ type: 'text', text: 'no such city' }] })
})

test('a call that takes longer than the time-out ends with an answer that says so', async (t) => {
  const { client, tool } = await oddGateway(t, { server: { timeout: 1 } })
  const answer = await client.use(tool('never'))
  t.true(answer.isError)
  t.regex(answer.content[0].text, /did not answer within 1 s/)
})

test('a tool that is out of scope is not found, not loaded, not listed and not called', async (t) => {
  const { client, tool } = await oddGateway(t, { server: { disabledTools: ['tell_pid', 'die'] } })
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

test("onlyAllow leaves exactly its tools, and a description of the user replaces the server's", async (t) => {
  const { client, tool, name } = await oddGateway(t, {
    server: { onlyAllow: ['echo', 'tell_pid'], disabledTools: ['echo'], toolDescriptionOverrides: { echo: 'Parrot.' } },
  })
  await client.ask('manage_modules', { action: 'load', module: name })
  const { tools } = await client.listTools()
  t.deepEqual(
    tools.slice(META.length).map((each) => each.name),
    [tool('echo'), tool('tell_pid')],
  )
  t.is(tools.at(-2).description, 'Parrot.')
})

test('a disabled server is not there', async (t) => {
  const { opened } = await oddGateway(t, { server: { disabled: true } })
  t.deepEqual(opened.servers, [])
})

test('pinned tools stand in the first list, as far as the tokens of it go', async (t) => {
  const { client, tool } = await oddGateway(t, { server: { alwaysLoad: ['echo', 'tell_pid'] }, args: ['--odd'] })
  // always_me asks for its place with 4,000 tokens of description.
  t.deepEqual(await client.names(), [...META, tool('echo'), tool('tell_pid')])
  const { loaded } = await client.ask('mcp_load', { query: tool('always_me') })
  t.is(loaded.length, 1)
})

test('tools that no client would take do not cost the list', async (t) => {
  const { client, opened, tool, name } = await oddGateway(t, { args: ['--odd'], gateway: { withholdTools: 'never' } })
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
  const { client, opened, tool, name } = await oddGateway(t, { args: ['--odd'], gateway: { maxToolBytes: 4_000 } })
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
  const { client, opened, tool, name } = await oddGateway(t, { args: ['--odd'] })
  await loadAll(client, opened, name)
  const { tools } = await client.listTools()
  const { inputSchema } = tools.find((each) => each.name === tool('endless_schema'))
  t.is(Object.keys(inputSchema.properties).length, 300)
  t.deepEqual(inputSchema.properties.field_7, { type: 'string' })
  t.deepEqual(inputSchema.required, ['field_7'])
})

test('resources, templates and prompts that no client would take do not cost the lists', async (t) => {
  const { client, name } = await oddGateway(t, { args: ['--odd'] })
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

test('a list of several pages is read to its end', async (t) => {
  const { opened } = await oddGateway(t)
  t.true(opened.servers[0].toolCount > 20)
})

test('a call by another spelling of the separators finds the tool', async (t) => {
  const { client, name } = await oddGateway(t)
  const answer = await client.use(`mcp__${name}__tell_pid`)
  t.is(answer.isError, undefined)
})

test('a tool that the server adds can be loaded, and one that it takes away leaves the list and comes back in its place', async (t) => {
  const { client, tool, opened, name } = await oddGateway(t)
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
  const { client, tool } = await oddGateway(t)
  await client.ask('mcp_load', { query: 'tell_pid, flood' })
  await client.use(tool('flood'), { times: 300 })
  await client.use(tool('reword'))
  await until(t, () => client.changes > 1, 'the one that is a change arrives')
  t.is(client.changes, 2)
})

test('a definition that changes is in the log, by its name and without its text', async (t) => {
  const name = unique('odd')
  const lines = []
  const opened = await gateway(t, { mcpServers: { [name]: odd() } }, { log: (line) => lines.push(line) })
  const client = await inProcess(t, opened)
  t.false(lines.some((line) => line.includes('definition-changed')))
  await client.use(`mcp--${name}--reword`)
  await until(
    t,
    () => lines.some((line) => /: (.*, )?definition-changed \(tell_pid\)/.test(line)),
    'the change is told',
  )
})

test('a change of a tool that is not attached is not told', async (t) => {
  const { client, tool, opened, name } = await oddGateway(t)
  await client.ask('mcp_load', { query: 'echo' })
  await client.use(tool('reword'))
  const { tools } = opened.catalogue.entries.get(name)
  await until(t, () => opened.catalogue.entries.get(name).tools !== tools, 'the new list is there')
  await client.ask('search_mcps', { query: 'process' })
  t.is(client.changes, 1)
})

test('lists of tools are bounded by maxTools, meta tools included', async (t) => {
  const { client, name, tool } = await oddGateway(t, { gateway: { maxTools: META.length + 3 } })
  const answer = await client.ask('manage_modules', { action: 'load', module: name })
  t.is(answer.loaded.length, 3)
  t.is(answer.over_limit, 7)
  t.is((await client.names()).length, META.length + 3)
  t.is((await client.use('call_tool', { name: tool('tell_pid') })).isError, undefined)
  const { unavailable } = await client.ask('mcp_load', { query: tool('tell_environment') })
  t.deepEqual(unavailable, [{ name: tool('tell_environment'), reason: 'over-limit', near: [] }])
})

test('lists of tools are bounded by maxListBytes, and what has no room says what it is called by', async (t) => {
  const maxListBytes = 30_000
  const long = 'It says a lot. '.repeat(1_000)
  const name = unique('odd')
  const opened = await gateway(t, {
    mcpServers: { [name]: odd({ toolDescriptionOverrides: { echo: long, tell_environment: long } }) },
    gateway: { maxListBytes },
  })
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

test('bad arguments of a meta tool come back as what was expected and what was received', async (t) => {
  const { client } = await oddGateway(t)
  const bad = [
    ['mcp_load', {}, /mcp_load\.query: expected text/],
    ['mcp_load', { query: 7 }, /got 7/],
    ['mcp_load', { query: 'x'.repeat(40_000) }, /got "40000 characters"/],
    ['search_mcps', { query: 'x', top_k: 0 }, /top_k: expected an integer from 1 to 50, got 0/],
    ['search_mcps', { query: 'x', top_k: 1.5 }, /got 1\.5/],
    ['manage_modules', { action: 'drop' }, /one of list, load, unload/],
    ['manage_modules', { action: 'load' }, /manage_modules\.module/],
    ['manage_modules', { action: 'load', module: '__proto__' }, /a module that action list names/],
    ['select_mode', { task_description: 'x', confidence_level: 'sure' }, /exploring, low, medium, high/],
    ['select_mode', { task_description: 'x', context_files: [1] }, /context_files\[0\]/],
    ['call_tool', { name: 'x', arguments: [] }, /call_tool\.arguments: expected an object/],
  ]
  for (const [name, args, message] of bad) t.regex((await client.ask(name, args)).error, message)
  t.is(client.changes, 0)
})

test('search_mcps ranks servers, names their best tools, and attaches nothing', async (t) => {
  const [weather, other] = [unique('late'), unique('odd')]
  const opened = await gateway(t, { mcpServers: { [weather]: late(), [other]: odd() } })
  const client = await inProcess(t, opened)
  const { servers } = await client.ask('search_mcps', { query: 'describes the weather forecast', top_k: 1 })
  t.is(servers.length, 1)
  t.is(servers[0].server, weather)
  const best = servers[0].best_tools.find((each) => each.name === `mcp--${weather}--reword`)
  t.truthy(best)
  t.regex(servers[0].best_tools[0].signature, /^\{/)
  t.is(client.changes, 0)
})

test('resources, templates, subscriptions and completions go through to their server', async (t) => {
  const { client, tool } = await oddGateway(t)
  const { resources } = await client.listResources()
  t.deepEqual(
    resources.map(({ uri }) => uri),
    ['odd://notes/1'],
  )
  t.is((await client.listResourceTemplates()).resourceTemplates[0].uriTemplate, 'odd://item/{id}')
  t.is((await client.readResource({ uri: 'odd://notes/1' })).contents[0].text, 'content of odd://notes/1')
  t.is((await client.readResource({ uri: 'odd://item/7' })).contents[0].text, 'content of odd://item/7')
  const error = await t.throwsAsync(client.readResource({ uri: 'nowhere://x' }))
  // The code of the current era, which the SDK answers in both.
  t.is(error.code, -32602)
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'odd://item/{id}' },
    argument: { name: 'id', value: '4' },
  })
  t.deepEqual(completion.values, ['odd://item/{id}:4'])

  const updated = []
  client.fallbackNotificationHandler = async ({ method, params }) => void updated.push([method, params.uri])
  await client.subscribeResource({ uri: 'odd://notes/1' })
  await client.use(tool('touch_note'))
  await until(t, () => updated.length === 1, 'the update arrives')
  t.deepEqual(updated, [['notifications/resources/updated', 'odd://notes/1']])
  await client.unsubscribeResource({ uri: 'odd://notes/1' })
  t.is((await client.use(tool('list_subscribed'))).content[0].text, '[]')
})

test('prompts carry the name of their server, and go through', async (t) => {
  const { client, name } = await oddGateway(t)
  const { prompts } = await client.listPrompts()
  t.deepEqual(prompts, [{ name: `${name}--greet`, description: 'Greets.', arguments: [{ name: 'who' }] }])
  const { messages } = await client.getPrompt({ name: `${name}--greet`, arguments: { who: 'Ada' } })
  t.is(messages[0].content.text, 'greet Ada')
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: `${name}--greet` },
    argument: { name: 'who', value: 'A' },
  })
  t.deepEqual(completion.values, ['greet:A'])
  await t.throwsAsync(client.getPrompt({ name: 'greet' }), { message: /unknown prompt/ })
})

test('a subscription ends at the server with the last client that holds it', async (t) => {
  const { client, opened, tool } = await oddGateway(t)
  const other = await inProcess(t, opened)
  await client.subscribeResource({ uri: 'odd://notes/1' })
  await other.subscribeResource({ uri: 'odd://notes/1' })
  await client.close()
  const subscribed = async () => JSON.parse((await last.use(tool('list_subscribed'))).content[0].text).length
  const last = await inProcess(t, opened)
  t.true((await subscribed()) > 0)
  await other.close()
  await until(t, async () => (await subscribed()) === 0, 'the server forgets')
})

test('a server that is added is found with no other change, and one that is removed is gone', async (t) => {
  const { client, opened } = await oddGateway(t)
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
  const { name } = await oddGateway(t)
  const error = await t.throwsAsync(gateway(t, { mcpServers: { [name]: odd() } }))
  t.deepEqual([error.name, error.code], ['ToolRouterError', 'ERR_INVALID_ARGUMENT'])
})

test('methods that the gateway does not have are refused by the code of the protocol', async (t) => {
  const { client } = await oddGateway(t)
  const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const error = await t.throwsAsync(client.request({ method: 'secrets/list' }, ResultSchema))
  t.is(error.code, -32601)
  for (const params of [{}, { name: 7 }, { name: 'x'.repeat(5_000) }]) {
    t.is((await t.throwsAsync(client.request({ method: 'tools/call', params }, ResultSchema))).code, -32602)
  }
})

test('a missing capability is looked for among servers that were not tried, until the signals are too many', async (t) => {
  const [one, two] = [unique('odd'), unique('late')]
  const opened = await gateway(t, {
    mcpServers: { [one]: odd(), [two]: late() },
    gateway: { metaTools: ['manage_modules', 'report_missing_capability'] },
  })
  const client = await inProcess(t, opened)
  await client.ask('manage_modules', { action: 'load', module: one })
  const signal = {
    original_query: 'draw the weather',
    attempted_mcps: [one],
    completed_steps: ['drew the frame'],
    checkpoint: 'frame drawn',
    missing_capability: 'describe the weather forecast',
    reasoning: 'only drawing',
  }
  const found = await client.ask('report_missing_capability', signal)
  t.like(found, { status: 'CONTINUE', checkpoint: 'frame drawn', completed_steps: ['drew the frame'] })
  t.true(found.servers.includes(two))
  t.true((await client.names()).includes(`mcp--${two}--reword`))
  t.is(client.changes, 2)
  const none = await client.ask('report_missing_capability', { ...signal, missing_capability: 'zzzz qqqq' })
  t.is(none.status, 'INCOMPLETE')
  await client.ask('report_missing_capability', { ...signal, missing_capability: 'zzzz qqqq' })
  t.is((await client.ask('report_missing_capability', signal)).status, 'MAX_REROUTES_EXCEEDED')
})

test('calls of one client do not wait for each other, and notifications not for a long call', async (t) => {
  const { client, tool } = await oddGateway(t)
  const long = client
    .use('call_tool', { name: tool('slow_report'), arguments: { ms: 60_000 } }, { timeout: 120_000 })
    .catch((error) => error)
  await client.ask('mcp_load', { query: 'tell_pid' })
  await client.use(tool('reword'))
  await until(t, () => client.changes === 2, 'both changes are told while the long call runs')
  await client.close()
  t.true((await long) instanceof Error)
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

test('subscriptions live on when their server is started again', async (t) => {
  const { client, opened, tool } = await oddGateway(t)
  const updated = []
  client.fallbackNotificationHandler = async ({ method, params }) =>
    void (method.endsWith('updated') && updated.push(params.uri))
  await client.subscribeResource({ uri: 'odd://notes/1' })
  await client.use(tool('die'))
  await until(
    t,
    async () => (await client.use(tool('list_subscribed'))).content[0].text === '["odd://notes/1"]',
    'it is subscribed again',
  )
  await client.use(tool('touch_note'))
  await until(t, () => updated.length === 1, 'the update arrives')
  t.is(opened.servers[0].state, 'ready')
})

test('a client that reads slowly is told of the last change, and in between not of each', async (t) => {
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js')
  const { opened, tool } = await oddGateway(t, { gateway: { changedTools: 'tell' } })
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
  const { connectClient } = await import('./helpers/gateway.mjs')
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

test('what a server says about its use comes with the first tools of it, and once', async (t) => {
  const { client, name } = await oddGateway(t)
  t.deepEqual((await client.ask('mcp_load', { query: 'tell_pid' })).server_instructions, { [name]: 'An odd server.' })
  t.is((await client.ask('mcp_load', { query: 'draw_picture' })).server_instructions, undefined)
})

test.serial(
  'what the host of the process has set for its own tasks does not hold for clients of the gateway',
  async (t) => {
    const { client, opened, tool } = await oddGateway(t)
    t.teardown(() => opened.router.configure({}))
    for (const settings of [
      { searchTurns: 0 },
      { maxTools: 1 },
      { policy: 'curator' },
      { scopeBy: 'server' },
      { threshold: 0, initialK: 1 },
    ]) {
      opened.router.configure(settings)
      const other = await inProcess(t, opened)
      const { loaded } = await other.ask('mcp_load', { query: 'draw_picture, tell_pid, echo' })
      t.is(loaded.length, 3, JSON.stringify(settings))
    }
    t.false((await client.names()).includes(tool('echo')))
  },
)
