// Why a server does not run: told with its reason, and its tools are not called unknown.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import test from 'ava'
import { whyNot } from '../../../packages/gateway/reach/failure.mjs'
import { folder, gateway, inProcess, odd, unique, until } from '../../helpers/gateway.mjs'
import { before } from '../../helpers/odd-gateway.mjs'
import { rawServer } from '../../helpers/raw-server.mjs'

const script = (source, more = {}) => ({ command: process.execPath, args: ['-e', source], ...more })

for (const [what, entry, reason] of [
  [
    'throws at its start',
    script("throw new Error('API_TOKEN is required')"),
    'it has ended with code 1: Error: API_TOKEN is required',
  ],
  [
    'prints what is missing and ends',
    script("console.error('usage: server --key KEY'); process.exit(2)"),
    'it has ended with code 2: usage: server --key KEY',
  ],
  ['ends without a word', script('process.exit(3)'), 'it has ended with code 3'],
  ['is killed', script("process.kill(process.pid, 'SIGKILL')"), 'it has ended by signal SIGKILL'],
  [
    'does not answer',
    script("console.error('waiting for the database'); setInterval(() => {}, 1000)", { startTimeout: 1 }),
    'it did not answer within 1 s: waiting for the database',
  ],
  [
    'frames its messages with headers',
    script("process.stdin.once('data', () => console.log('Content-Length: 2\\r\\n\\r\\n{}'))", { startTimeout: 2 }),
    'it writes a Content-Length header before each message; over stdio each message is one line of JSON',
  ],
  ['is not installed', { command: 'no-such-program' }, /^the program no-such-program was not found.*\(ENOENT\)$/],
  [
    'is written with its arguments',
    { command: 'no-such-program --token=hunter2' },
    /^command holds more than a program: put no-such-program into command, .* into args \(ENOENT\)$/,
  ],
  ['has a folder that is not there', script('', { cwd: '/no/such/folder' }), /^its folder does not exist: .*folder$/],
  ['is a folder', { command: path.sep === '/' ? '/' : 'C:\\' }, /may not be run|cannot be started|was not found/],
]) {
  test(`a program that ${what} is told with its reason`, async (t) => {
    const made = await before(t, entry)
    const expected =
      reason instanceof RegExp ? reason : new RegExp(`^${reason.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`)
    await until(t, () => made.status().state === 'waiting', 'it has failed')
    t.regex(made.status().reason, expected)
    t.true(made.lines.some((line) => line.startsWith(`server ${made.name}: ${made.status().reason}`)))
    const [{ modules }, { unavailable }] = await Promise.all([
      made.client.ask('manage_modules', { action: 'list' }),
      made.client.ask('mcp_load', { query: made.name }),
    ])
    t.deepEqual([modules[0].state, modules[0].reason], ['unavailable', made.status().reason])
    t.deepEqual(unavailable, [{ name: made.name, reason: 'server-down', detail: made.status().reason }])
    t.notRegex(JSON.stringify([made.lines, modules, unavailable]), /hunter2/)
  })
}

test('a command that is a path with blanks is one program, and one with arguments behind it is not', (t) => {
  const told = (command) =>
    whyNot({ syscall: `spawn ${command}`, code: 'ENOENT' }, { definition: { command, args: [] }, lastWords: {} })
  const place = folder(t)
  const script = path.join(place, 'a script')
  writeFileSync(script, '#!/no/such/interpreter\n', { mode: 0o755 })
  for (const [command, program] of [
    ['C:\\Program Files\\nodejs\\npx.cmd', 'npx.cmd'],
    ['/no such folder/of mine/server', 'server'],
    ['/no/such/server', 'server'],
  ])
    t.is(told(command), `the program ${program} was not found; is it installed, and in PATH? (ENOENT)`)
  for (const [command, program] of [
    ['node ./x/index.js', 'node'],
    ['docker run -i --rm -v /a:/b image', 'docker'],
    ['C:\\Program Files\\nodejs\\npx.cmd -y server', 'npx.cmd'],
    ['"C:\\Program Files\\nodejs\\node.exe" server.js', 'node.exe'],
    [`${process.execPath} server.js`, path.basename(process.execPath)],
    ['/no/such/server hunter2', 'server'],
    [`${script} --verbose`, 'a script'],
  ])
    t.true(told(command).startsWith(`command holds more than a program: put ${program} into command,`), told(command))
  t.regex(told(script), /^the program a script is there, and the interpreter that its first line names is not/)
})

test('a remote server that is not there is told with the cause, not with "fetch failed"', async (t) => {
  const closed = createServer()
  await new Promise((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address()
  await new Promise((resolve) => closed.close(resolve))
  for (const type of ['http', 'sse']) {
    const made = await before(t, { type, url: `http://127.0.0.1:${port}/mcp` })
    t.is(made.status().reason, 'it cannot be reached: nothing listens at its address (ECONNREFUSED)', type)
  }
  const barred = await before(t, { url: 'http://127.0.0.1:9/mcp' })
  t.regex(barred.status().reason, /: its port is one that is never asked over HTTP \(bad port\)$/)
  const nowhere = await before(t, { url: 'http://no-such-host.invalid/mcp' })
  t.regex(nowhere.status().reason, /^it cannot be reached: .* \((ENOTFOUND|EAI_AGAIN)\)$/)
})

test('a server that does not know tools/list is told with the method, and is not asked for ever', async (t) => {
  const raw = await rawServer(t, ({ method, id } = {}, { json }) => {
    return method === 'tools/list' && json({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'no such method' } })
  })
  const { status, lines, opened, name } = await before(t, { url: raw.url })
  t.is(status().reason, 'it answered tools/list with error -32601; it says: no such method')
  t.true(lines.some((line) => /no such method; it is tried again when its entry or its key has changed/.test(line)))
  t.false(opened.catalogue.entries.get(name).downstream.isTriedAgain)
})

const OWN = 'Only members may use this'
const refusal = (id, more) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message: OWN, ...more } })
const asEvent = (message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`

for (const [what, reason, status, body, type = 'application/json'] of [
  ['-32000', 'error -32000', 200, (id) => refusal(id)],
  ['-32001', 'error -32001', 200, (id) => refusal(id, { code: -32_001 })],
  ['-32022', 'error -32022', 200, (id) => refusal(id, { code: -32_022 })],
  ['its words in the data', 'error -32000', 200, (id) => refusal(id, { message: '', data: { detail: OWN } })],
  ['a stream', 'error -32000', 200, (id) => asEvent(refusal(id)), 'text/event-stream'],
  ['the id of no request', 'error -32000', 200, () => refusal('server-error')],
  ['an error without an id', 'error -32000', 200, () => refusal()],
  ['the id null', 'what cannot be read', 200, () => refusal(null)],
  ['an error that is a text', 'what cannot be read', 200, (id) => ({ jsonrpc: '2.0', id, error: OWN })],
  ['what is no message', 'what cannot be read', 200, () => ({ detail: OWN })],
  ['400', 'HTTP status 400', 400, (id) => refusal(id)],
  ['401', 'a login', 401, (id) => refusal(id)],
  ['403', 'HTTP status 403', 403, () => refusal(null, { code: -32_001 })],
  ['409 and a list', 'HTTP status 409', 409, (id) => [refusal(id)]],
  ['422 and a text', 'HTTP status 422', 422, () => JSON.stringify(OWN)],
  ['422 and errors', 'HTTP status 422', 422, () => ({ errors: [{ message: OWN }] })],
  ['400 and an event', 'HTTP status 400', 400, (id) => asEvent(refusal(id)), 'text/event-stream'],
  ['503 and more than is read', 'HTTP status 503', 503, (id) => refusal(id, { data: 'x'.repeat(20_000) })],
])
  test(`a server that refuses initialize with ${what} is told with its own words, not as a dump`, async (t) => {
    const raw = await rawServer(t, ({ method, id } = {}, { json }) => {
      if (method === 'server/discover') return json({}, 400)
      return method === 'initialize' && json(body(id), status, { 'content-type': type })
    })
    const told = (await before(t, { url: raw.url })).status().reason
    t.true(told.includes(reason) && told.endsWith(`; it says: ${OWN}`), told)
  })

for (const [what, reason, status, body] of [
  [
    'a result of another kind',
    'it answered what the protocol does not know',
    200,
    (id) => ({ jsonrpc: '2.0', id, result: {} }),
  ],
  ['nothing', 'it answered with content of no kind, which is none of MCP', 204, () => ''],
  [
    'the answer to something else',
    'it ended its answer before the result had come',
    200,
    () => ({ jsonrpc: '2.0', id: 77, result: {} }),
  ],
  [
    'the key that it was sent',
    'it answered with HTTP status 403: it refuses this user; it says: bad key [hidden]',
    403,
    (_, key) => ({ message: `bad key ${key}` }),
  ],
])
  test(`a server that answers initialize with ${what} is told in our words`, async (t) => {
    const raw = await rawServer(t, ({ method, id } = {}, { request, response, json }) => {
      if (method === 'server/discover') return json({}, 400)
      if (method === 'initialize' && status === 204) return response.writeHead(204).end()
      return method === 'initialize' && json(body(id, request.headers.authorization.slice(7)), status)
    })
    const headers = { Authorization: 'Bearer hunter2-hunter2' }
    t.is((await before(t, { url: raw.url, headers })).status().reason, reason)
  })

test('a server whose capabilities name no tools is told as that', async (t) => {
  const raw = await rawServer(t, ({ method, id } = {}, { json }) => {
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'raw', version: '1' } }
    return method === 'initialize' && json({ jsonrpc: '2.0', id, result })
  })
  const { lines } = await before(t, { url: raw.url })
  t.true(lines.some((line) => /ready, 0 tools in scope; its capabilities name no tools/.test(line)))
})

test('a tool of a server that is down is not called unknown, and one that is named in words is told of', async (t) => {
  const name = unique('billing-api')
  const opened = await gateway(t, {
    mcpServers: { [name]: script("throw new Error('no license')"), [unique('fine')]: odd() },
  })
  const client = await inProcess(t, opened)
  const reasonFor = async (query) =>
    (await client.ask('mcp_load', { query })).unavailable.map(({ name: told, reason, detail }) => [
      told,
      reason,
      detail,
    ])
  const down = [[name, 'server-down', 'it has ended with code 1: Error: no license']]
  t.deepEqual(await reasonFor(`mcp--${name}--create_invoice`), down)
  t.deepEqual(await reasonFor(`write an invoice with ${name.replaceAll('-', ' ')}`), down)
  t.deepEqual(await reasonFor('tell the id of the process'), [], 'nobody asked for it')
})

test('who finds nothing is told of servers that are down, since it may be theirs', async (t) => {
  const made = await before(t, script("throw new Error('no license')"))
  const { loaded, unavailable } = await made.client.ask('mcp_load', { query: 'write an invoice' })
  t.deepEqual(loaded, [])
  t.deepEqual(unavailable, [
    { name: made.name, reason: 'server-down', detail: 'it has ended with code 1: Error: no license' },
  ])
})

test('an entry that is left out is told in the log, in manage_modules and in mcp_load', async (t) => {
  const lines = []
  const [good, bad] = [unique('good'), unique('bad')]
  const config = {
    mcpServers: {
      [good]: odd({ disabledTool: ['die'] }),
      [bad]: { url: 'nowhere' },
      off: { command: 7, disabled: true },
    },
    modules: { typo: { servers: ['goood'] } },
  }
  const opened = await gateway(t, config, { log: (line) => lines.push(line) })
  const client = await inProcess(t, opened)
  t.is((await client.use(`mcp--${good}--tell_pid`)).isError, undefined)
  const reason = `config.mcpServers["${bad}"].url: expected an http or https URL, got "text that is not one"`
  t.true(lines.includes(`server ${bad} is left out: ${reason}`))
  t.true(lines.some((line) => /the key "disabledTool" is not read; is disabledTools meant\?/.test(line)))
  t.deepEqual(
    opened.servers.map(({ name, state }) => [name, state]),
    [
      [good, 'ready'],
      [bad, 'left-out'],
    ],
  )
  const { left_out: leftOut, notes } = await client.ask('manage_modules', { action: 'list' })
  t.deepEqual(
    leftOut.map(({ kind, name }) => [kind, name]),
    [
      ['server', bad],
      ['module', 'typo'],
    ],
  )
  t.is(notes.length, 1)
  const { unavailable } = await client.ask('mcp_load', { query: bad })
  t.deepEqual(unavailable, [{ name: bad, reason: 'left-out', detail: reason }])
})
