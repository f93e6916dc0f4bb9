// The gateway as a client of servers of both eras of the protocol: which era is agreed on, and what modern servers have
// that older ones have not.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { headerParameters, parameterHeaders } from '../../../packages/gateway/downstream/param-headers.mjs'
import { inProcess, legacyInProcess, modern, startedOverHttp } from '../../helpers/eras.mjs'
import { folder, gateway, odd, unique, until } from '../../helpers/gateway.mjs'

async function open(t, entry, options) {
  const name = unique('server')
  const lines = []
  const opened = await gateway(t, { mcpServers: { [name]: entry } }, { log: (line) => lines.push(line), ...options })
  const client = await inProcess(t, opened)
  const tool = (toolName) => `mcp--${name}--${toolName}`
  const said = (toolName, args, more) => client.said(tool(toolName), args, more)
  return { name, opened, client, tool, said, lines, tools: () => opened.catalogue.entries.get(name).names }
}

/** A program that a test writes: SDK code would not do what it does. */
function program(t, source) {
  const file = path.join(folder(t), 'server.cjs')
  const prelude = `
const lines = require('node:readline').createInterface({ input: process.stdin })
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const initialize = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
const tools = [{ name: 'hello', description: 'Says hello.', inputSchema: { type: 'object' } }]
const legacy = ({ id, method }) => {
  if (method === 'initialize') send({ id, result: initialize })
  if (method === 'tools/list') send({ id, result: { tools } })
  if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: 'hello' }] } })
}
lines.on('line', (line) => handle(JSON.parse(line)))
lines.on('close', () => process.exit(0))
`
  writeFileSync(file, prelude + source)
  return { command: process.execPath, args: [file] }
}

const envelope = async (said) => JSON.parse(await said('who')).envelope

for (const [what, entry] of [
  ['over stdio', async () => modern()],
  ['over stdio, of the current era alone', async () => modern({}, '--modern')],
  ['over HTTP', (t) => startedOverHttp(t, 'modern')],
  ['over HTTP, of the current era alone', (t) => startedOverHttp(t, 'modern', '--modern')],
]) {
  test(`a modern server ${what} is spoken to in the current era`, async (t) => {
    const { said, client, name, tool, opened } = await open(t, await entry(t))
    await until(t, () => opened.servers[0].state === 'ready', 'it is there')
    t.is((await envelope(said))['io.modelcontextprotocol/protocolVersion'], '2026-07-28')
    t.is((await client.readResource({ uri: 'modern://note' })).contents[0].text, 'note 0')
    const { messages } = await client.getPrompt({ name: `${name}--greet`, arguments: { who: 'Ada' } })
    t.is(messages[0].content.text, 'hello Ada')
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: `${name}--greet` },
      argument: { name: 'who', value: 'A' },
    })
    t.deepEqual(completion.values, ['A!'])
    const told = []
    await client.use(tool('log'), {}, { onprogress: ({ progress }) => told.push(progress) })
    t.deepEqual(told.slice(0, 2), [1, 2])
  })

  test(`changes that a modern server ${what} announces are followed`, async (t) => {
    const { said, client, tools } = await open(t, await entry(t))
    await said('grow')
    await until(t, () => tools().has('extra_0'), 'the new tool is known')
    t.is(await said('extra_0').catch(({ code }) => code), -32602, 'it is called')
    await client.listen({ resourceSubscriptions: ['modern://note'] })
    await until(
      t,
      async () => {
        await said('touch')
        return client.heard.some(({ method }) => method === 'notifications/resources/updated')
      },
      'the change of the resource is heard',
    )
  })

  test(`a call of a modern server ${what} is cancelled with that of the client`, async (t) => {
    const { said, client, tool } = await open(t, await entry(t))
    const controller = new AbortController()
    const call = client.use(tool('wait'), {}, { signal: controller.signal })
    await until(t, async () => (await said('count_waiting')) === '1', 'the call arrives')
    controller.abort()
    await t.throwsAsync(call)
    await until(t, async () => (await said('count_cancelled')) === '1', 'the server hears of it')
  })
}

test('a method that a modern server over HTTP lacks is told as such, and costs no other call', async (t) => {
  const { said, client, tool, name, lines } = await open(
    t,
    await startedOverHttp(t, 'modern', '--modern', '--no-completions'),
  )
  const controller = new AbortController()
  const waiting = client.use(tool('wait'), {}, { signal: controller.signal })
  await until(t, async () => (await said('count_waiting')) === '1', 'a call is under way')
  const ref = { type: 'ref/prompt', name: `${name}--greet` }
  await t.throwsAsync(client.complete({ ref, argument: { name: 'who', value: 'A' } }), { code: -32601 })
  t.is(await said('count_cancelled'), '0')
  controller.abort()
  await t.throwsAsync(waiting)
  t.false(lines.some((line) => /started again/.test(line)))
})

test('parameters that are to stand in headers do, over HTTP; a tool that asks for what is forbidden is left out', async (t) => {
  const { said, tools } = await open(t, await startedOverHttp(t, 'modern', '--modern'))
  t.false(tools().has('bad_header'))
  t.deepEqual(JSON.parse(await said('region', { region: 'us-west1', size: 3 })), { region: 'us-west1', size: '3' })
  t.deepEqual(JSON.parse(await said('region', { region: 'Zürich' })), {
    region: `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
    size: null,
  })
  const overStdio = await open(t, modern())
  t.true(overStdio.tools().has('bad_header'), 'there are no headers')
  t.deepEqual(JSON.parse(await overStdio.said('region', { region: 'x' })), { region: null, size: null })
})

test('headers of parameters: what is allowed, and how values are written', (t) => {
  const schema = (property, more = {}) => ({ type: 'object', properties: { a: property }, ...more })
  const string = (name) => ({ type: 'string', 'x-mcp-header': name })
  t.deepEqual(headerParameters(schema({ type: 'string' })), [])
  t.deepEqual(headerParameters(schema({ type: 'object', properties: { b: string('B') } })), [
    { path: ['a', 'b'], name: 'B' },
  ])
  t.deepEqual(headerParameters(schema({ type: 'string', default: { 'x-mcp-header': 'B' } })), [])
  for (const refused of [
    schema(string('')),
    schema(string('no good')),
    schema(string('line\r\nbreak')),
    schema(string(7)),
    schema({ ...string('A'), type: 'number' }),
    schema({ type: 'array', items: string('A') }),
    schema({ anyOf: [string('A')] }),
    schema(string('A'), { $defs: { b: string('B') } }),
    { type: 'object', properties: { a: string('Same'), b: string('same') } },
  ])
    t.is(headerParameters(refused), undefined, JSON.stringify(refused))
  const written = (value) => parameterHeaders([{ path: ['a'], name: 'A' }], { a: value })['Mcp-Param-A']
  for (const [value, header] of [
    ['us-west1', 'us-west1'],
    [true, 'true'],
    [-7, '-7'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    [null, undefined],
    [undefined, undefined],
    [2 ** 53, undefined],
    [{}, undefined],
  ])
    t.is(written(value), header, String(value))
})

test('a server that ends over the question which era it speaks is started again as an older one', async (t) => {
  const strict = `const handle = (message) => {
    if (message.method === 'server/discover') { console.error('Error: expected initialize'); process.exit(1) }
    legacy(message)
  }`
  const { said, lines } = await open(t, program(t, strict))
  t.is(await said('hello'), 'hello')
  t.true(
    lines.every((line) => !line.includes('ended')),
    'nobody hears of it',
  )
})

test('a server that refuses a newer version and names its own is spoken to in that', async (t) => {
  const strict = `const handle = (message) => {
    const { id, method, params } = message
    if (method === 'server/discover') return send({ id, error: { code: -32601, message: 'no such method' } })
    if (method !== 'initialize' || params.protocolVersion === '2025-06-18') return legacy(message)
    send({ id, error: { code: -32602, message: 'Unsupported protocol version', data: { supported: ['2024-11-05', '2025-06-18'] } } })
  }`
  const { said } = await open(t, program(t, strict))
  t.is(await said('hello'), 'hello')
})

test('a server that does not answer what it does not know is spoken to in the older era', async (t) => {
  t.timeout(120_000)
  const silent = `const handle = (message) => message.method === 'server/discover' || legacy(message)`
  const { said } = await open(t, program(t, silent))
  t.is(await said('hello'), 'hello')
})

for (const [what, ...args] of [['alone', '--modern'], ['beside the older one']])
  test(`a server of the current era ${what} that starts slowly is spoken to in it still`, async (t) => {
    t.timeout(180_000)
    const { said } = await open(t, modern({}, ...args, '--late', '12000'))
    t.is((await envelope(said))['io.modelcontextprotocol/protocolVersion'], '2026-07-28')
  })

test('which era is spoken may be configured', async (t) => {
  const { said } = await open(t, modern({ protocolEra: 'legacy' }))
  t.is(await envelope(said), undefined)
  const { lines } = await open(t, odd({ protocolEra: 'modern' }))
  t.true(
    lines.some((line) => /2026-07-28/.test(line)),
    lines.join(),
  )
})

test('an older client is served by a modern server as by one of its own era', async (t) => {
  const name = unique('fresh')
  const opened = await gateway(t, { mcpServers: { [name]: modern() } })
  const client = await legacyInProcess(t, opened)
  const { loaded } = await client.ask('mcp_load', { query: `mcp--${name}--echo` })
  t.is(loaded[0].name, `mcp--${name}--echo`)
  const answer = await client.use(`mcp--${name}--echo`, { value: 1 })
  t.deepEqual(answer, { content: [{ type: 'text', text: '{"value":1}' }] }, 'nothing of the other era is in it')
  const updated = []
  client.fallbackNotificationHandler = async ({ method, params }) => void updated.push([method, params?.uri])
  await client.subscribeResource({ uri: 'modern://note' })
  await until(
    t,
    async () => {
      await client.use(`mcp--${name}--touch`)
      return updated.some(([method, uri]) => method === 'notifications/resources/updated' && uri === 'modern://note')
    },
    'the update comes',
  )
})

test('a modern server that is started again is followed again', async (t) => {
  const { said, opened, tools, client } = await open(t, modern())
  const uri = 'modern://note'
  await client.listen({ resourceSubscriptions: [uri] })
  const pid = Number(await said('tell_pid'))
  process.kill(pid, 'SIGKILL')
  await until(t, () => opened.servers[0].state === 'ready' && opened.servers[0].pid !== pid, 'it is back')
  t.not(opened.servers[0].pid, pid)
  await said('grow')
  await until(t, () => tools().has('extra_0'), 'the new tool is known')
  await until(
    t,
    async () => {
      await said('touch')
      return client.heard.some(({ params }) => params?.uri === uri)
    },
    'the resource is listened to again',
  )
})

test('composition at the root of a schema goes to clients whose protocol has it, and is merged for others', async (t) => {
  const schema = { type: 'object', properties: {}, allOf: [{ properties: { a: { type: 'string' } } }] }
  const source = `tools[0].inputSchema = ${JSON.stringify(schema)}\nconst handle = legacy`
  const { opened, client, tool } = await open(t, { ...program(t, source), alwaysLoad: ['hello'] })
  const listed = async (of) => (await of.listTools()).tools.find(({ name }) => name === tool('hello')).inputSchema
  t.deepEqual(await listed(client), schema)
  t.deepEqual(await listed(await legacyInProcess(t, opened)), { type: 'object', properties: { a: { type: 'string' } } })
})
