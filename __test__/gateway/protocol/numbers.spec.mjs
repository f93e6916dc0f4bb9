// Numbers stay as they were written, from raw clients to raw servers and back, through each door and each way to a server.
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'

import test from 'ava'
import fc from 'fast-check'

import { StdioTransport } from '../../../packages/gateway/http/stdio.mjs'
import { exactFetch } from '../../../packages/gateway/base/exact-fetch.mjs'
import { startedOverHttp } from '../../helpers/eras.mjs'
import { gateway, inProcess, unique } from '../../helpers/gateway.mjs'

const ECHO = fileURLToPath(new URL('../../fixtures/echo-numbers.mjs', import.meta.url))
const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
}
const STATIC = { mode: 'static', namespacing: 'none' }

const program = () => ({ command: process.execPath, args: [ECHO] })

/** What asks with texts, and gives the texts of answers: over standard streams. */
async function byLines(t, opened) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let [rest, hear] = ['', (_line) => {}]
  output.on('data', (data) => {
    const lines = `${rest}${data}`.split('\n')
    rest = lines.pop()
    for (const line of lines) if (!line.includes('"method":')) hear(line)
  })
  const channel = await opened.connect(new StdioTransport({ maxBytes: 1_000_000, input, output }))
  t.teardown(() => channel.close())
  const ask = (id, method, params) =>
    new Promise((resolve) => {
      hear = resolve
      input.write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`)
    })
  await ask('0', 'initialize', JSON.stringify(HELLO))
  input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return ask
}

/** The same over HTTP. */
async function byHttp(_t, opened) {
  const { url, token } = await opened.listen()
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  }
  const post = (body) => fetch(url, { method: 'POST', headers, body })
  const ask = async (id, method, params) => {
    const response = await post(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`)
    const session = response.headers.get('mcp-session-id')
    if (session !== null) headers['mcp-session-id'] = session
    const text = await response.text()
    const line = text.split('\n').find((each) => each.includes('"jsonrpc"')) ?? ''
    return line.replace(/^data: /, '')
  }
  await ask('0', 'initialize', JSON.stringify(HELLO))
  await (await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).text()
  return ask
}

/** All numbers of a JSON text in their order, none within texts. */
const numbersIn = (json) => json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? []

const NUMBER = fc.oneof(
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,25})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/),
  fc.constantFrom('725653563933458432', '9007199254740993', '-9007199254740993', '1e400', '1.0', '-0', '0.10', '1E5'),
  fc.integer().map(String),
)
const KEYS = ['id', 'total', 'progress', 'size', 'row', 'code', 'arguments', 'a "key"']
const { value: VALUE } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    NUMBER,
    fc.string().map((text) => JSON.stringify(text)),
    fc.array(tie('value'), { maxLength: 4 }).map((each) => `[${each.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { selector: ([key]) => key, maxLength: 4 })
      .map((pairs) => `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
}))
const ARGUMENTS = fc.tuple(VALUE, VALUE).map(([one, other]) => `{"one":${one},"id":5,"other":${other}}`)

for (const [way, server] of [
  ['a program', program],
  ['HTTP', (t) => startedOverHttp(t, 'echo')],
  ['events', (t) => startedOverHttp(t, 'echo', '--events')],
])
  for (const [door, open] of [
    ['standard streams', byLines],
    ['HTTP', byHttp],
  ])
    test(`any number goes through ${door} to ${way} and back as it was written`, async (t) => {
      const name = unique('echo')
      const opened = await gateway(t, { mcpServers: { [name]: await server(t) }, gateway: STATIC })
      const ask = await open(t, opened)
      let id = 1
      await fc.assert(
        fc.asyncProperty(ARGUMENTS, async (args) => {
          id += 1
          const answer = await ask(String(id), 'tools/call', `{"name":"echo","arguments":${args}}`)
          t.true(answer.includes('"structuredContent":'), answer)
          const structured = answer.slice(answer.indexOf('"structuredContent":'))
          t.deepEqual(numbersIn(structured).slice(0, numbersIn(args).length), numbersIn(args), args)
          const seen = JSON.parse(answer).result.content[0].text
          t.deepEqual(
            numbersIn(seen.slice(seen.indexOf('"arguments":'))).slice(0, numbersIn(args).length),
            numbersIn(args),
          )
        }),
        { numRuns: 40 },
      )
    })

test('so they do by call_tool_read, as JSON text, after loading, and what a schema bounds', async (t) => {
  const name = unique('echo')
  const opened = await gateway(t, { mcpServers: { [name]: program() } })
  const ask = await byLines(t, opened)
  const args = '{"id":725653563933458432,"part":1.0}'
  for (const [id, given] of [
    ['2', args],
    ['3', JSON.stringify(args)],
  ]) {
    const answer = await ask(
      id,
      'tools/call',
      `{"name":"call_tool_read","arguments":{"name":"${name}/echo","arguments":${given}}}`,
    )
    t.true(answer.includes(`"structuredContent":${args}`), answer)
  }
  const loaded = await ask('4', 'tools/call', `{"name":"mcp_load","arguments":{"query":"${name}/echo"}}`)
  t.regex(loaded, /echo/)
  const list = await ask('5', 'tools/list', '{}')
  t.true(list.includes('"maximum":9223372036854775807') && list.includes('"minimum":0.0'), list)
  const direct = await ask('6', 'tools/call', `{"name":"mcp--${name}--echo","arguments":${args}}`)
  t.true(direct.includes(`"structuredContent":${args}`))
  const beyond = '{"id":9223372036854775808}'
  const refused = await ask(
    '7',
    'tools/call',
    `{"name":"call_tool_read","arguments":{"name":"${name}/echo","arguments":${beyond}}}`,
  )
  t.true(JSON.parse(refused).result.isError, 'the schema is compared with each digit')
})

for (const [door, open] of [
  ['standard streams', byLines],
  ['HTTP', byHttp],
])
  test(`a request whose number is a large one is answered by its digits, through ${door}`, async (t) => {
    const opened = await gateway(t, { mcpServers: { [unique('echo')]: program() }, gateway: STATIC })
    const ask = await open(t, opened)
    for (const id of ['1752480000000000123', '-1752480000000000123', '725653563933458400', '"text"'])
      t.true((await ask(id, 'ping', '{}')).includes(`"id":${id}`), id)
    const called = await ask('1752480000000000124', 'tools/call', '{"name":"echo","arguments":{"id":7}}')
    t.true(called.includes('"id":1752480000000000124') && called.includes('"structuredContent":{"id":7}'), called)
  })

test('a program carries numbers of a result into a call, and is told of one that it cannot have meant', async (t) => {
  const name = unique('echo')
  const metaTools = ['mcp_load', 'run_program']
  const opened = await gateway(t, { mcpServers: { [name]: program() }, gateway: { metaTools } })
  const ask = await byLines(t, opened)
  let id = 1
  const run = async (code) => {
    id += 1
    const params = JSON.stringify({ name: 'run_program', arguments: { code } })
    const { result } = JSON.parse(await ask(String(id), 'tools/call', params))
    return result.content[0].text
  }
  const first = `const row = await tools.${name}.echo({ id: 725653563933458432n, part: 0.5 })`
  t.is(await run(`${first}; return await tools.${name}.echo({ id: row.id })`), '{"id":725653563933458432}')
  t.is(
    await run(`${first}; print(row.id, \`\${row.id}\`, [row.id]); return row.id`),
    '725653563933458432 725653563933458432 [725653563933458432]\n725653563933458432',
  )
  t.is(await run(`${first}; return row.id + 1n === 725653563933458433n && row.part * 2 === 1`), 'true')
  t.regex(
    await run(`return await tools.${name}.echo({ id: 725653563933458432 })`),
    /arguments\.id cannot be carried exactly; nothing was called/,
  )
})

test('a client of the same process gets the numbers of JavaScript, and no marks', async (t) => {
  const opened = await gateway(t, { mcpServers: { [unique('echo')]: program() }, gateway: STATIC })
  await (await byLines(t, opened))('9', 'tools/call', '{"name":"echo","arguments":{"id":725653563933458432}}')
  const client = await inProcess(t, opened)
  const { tools } = await client.listTools()
  t.is(tools[0].inputSchema.properties.id.maximum, 2 ** 63)
})

test('the address that an older server names first stays what it is, whatever its characters could be', async (t) => {
  const address = 'data: /messages?sessionId=12345678901234567890-7e400-1.0'
  const said = `event: endpoint\n${address}\n\nevent: message\ndata: {"id":12345678901234567890}\n\ndata: {"id":7e400}\n\n`
  const answer = () => new Response(said, { headers: { 'Content-Type': 'text/event-stream' } })
  const lines = (await new Response((await exactFetch(async () => answer())('http://127.0.0.1')).body).text()).split(
    '\n',
  )
  t.is(lines[1], address)
  for (const line of [lines[4], lines[6]]) t.regex(line, /^data: \{"id":"number-/)
})
