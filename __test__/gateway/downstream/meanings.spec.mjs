// What an answer of a server means: of the request or of the connection, done or not or unknown, and when it is tried again.
import test from 'ava'
import { deliver } from '../../../packages/gateway/calls/delivery.mjs'

import { MEANINGS } from '../../../packages/gateway/downstream/meaning.mjs'
import { MIN_MS, retryAfterOf } from '../../../packages/gateway/reach/pauses.mjs'
import { gateway, inProcess, unique, until } from '../../helpers/gateway.mjs'
import { GUIDES, rows } from '../../helpers/pages.mjs'
import { rawServer } from '../../helpers/raw-server.mjs'

/** A gateway before a server that answers as `on` says, with two clients. */
async function before(t, on, how = {}) {
  const raw = await rawServer(t, on, how)
  const name = unique('raw')
  const settings = { mode: 'static', ...how.settings }
  const opened = await gateway(t, { mcpServers: { [name]: { url: raw.url, ...how.entry } }, gateway: settings })
  const [client, other] = [await inProcess(t, opened), await inProcess(t, opened)]
  const call = (tool, by = client) => by.use(`mcp--${name}--${tool}`)
  return { ...raw, name, opened, client, other, call, text: async (tool) => (await call(tool)).content[0].text }
}

const taken = () => true
const isCallOf = (message, tool) => message?.method === 'tools/call' && message.params.name === tool

for (const sessions of [false, true])
  for (const status of [400, 403, 404, 405, 408, 409, 413, 415, 422, 425, 429, 451, 500, 501, 502, 503, 504, 520])
    test(`a ${status} to a call ${sessions ? 'of a session' : 'without a session'} is that call's answer alone`, async (t) => {
      const made = await before(
        t,
        (message, { json }) => isCallOf(message, 'bad') && json({ error: 'so it is' }, status, { 'retry-after': '7' }),
        { sessions },
      )
      const slow = made.call('slow', made.other)
      await until(t, () => made.seen.some(({ message }) => isCallOf(message, 'slow')), 'it is under way')
      const refused = await made.call('bad')
      t.true(refused.isError)
      const [{ text }] = refused.content
      t.regex(text, new RegExp(`HTTP status ${status}.*it says: so it is`))
      t.regex(
        text,
        status < 500 ? /was not done; it may be asked again in 7 s/ : /is unknown; it may be asked again in 7 s/,
      )
      t.is((await slow).content[0].text, 'slow done')
      t.is(await made.text('echo'), 'echo done')
      t.is(made.count('initialize'), sessions && status === 404 ? 3 : 1)
      t.is(made.opened.servers[0].state, 'ready')
    })

for (const [method, ask] of [
  ['resources/read', (client) => client.readResource({ uri: 'raw://one' })],
  ['prompts/get', async (client) => client.getPrompt({ name: (await client.listPrompts()).prompts[0].name })],
])
  test(`a 403 to ${method} ends no call of anybody`, async (t) => {
    const made = await before(t, (message, { json }) => message?.method === method && json({}, 403))
    const slow = made.call('slow', made.other)
    await until(t, () => made.seen.some(({ message }) => isCallOf(message, 'slow')), 'it is under way')
    await t.throwsAsync(ask(made.client), { message: /HTTP status 403/ })
    t.is((await slow).content[0].text, 'slow done')
    t.is(made.count('initialize'), 1)
  })

test("a connection that breaks within a call is that call's, and the next is made", async (t) => {
  const made = await before(t, (message, { request }) => isCallOf(message, 'bad') && request.socket.destroy())
  const slow = made.call('slow', made.other)
  await until(t, () => made.seen.some(({ message }) => isCallOf(message, 'slow')), 'it is under way')
  t.regex(await made.text('bad'), /Whether the call took effect is unknown/)
  t.is((await slow).content[0].text, 'slow done')
  t.is(await made.text('echo'), 'echo done')
})

test('what only reads is asked again once where its connection broke', async (t) => {
  let [left, method] = [1, 'resources/read']
  const made = await before(t, (message, { request }) => {
    if (message?.method !== method) return false
    if (left-- > 0) return request.socket.destroy()
    return false
  })
  const read = () => made.client.readResource({ uri: 'raw://one' })
  await t.throwsAsync(read(), { message: /no such method/ }, 'the second time it is answered')
  t.is(made.count('resources/read'), 2)
  left = 2
  await t.throwsAsync(read(), { message: /closed the connection/ })
  t.is(made.count('resources/read'), 4)
  ;[left, method] = [1, 'prompts/list']
  t.is((await made.client.listPrompts()).prompts.length, 1, 'a list is not empty for it')
})

test('a call may be made twice where its tool only reads for the gateway, whatever the server says', async (t) => {
  for (const [toolName, onlyReads] of [
    ['delete_it', false],
    ['get_it', true],
  ]) {
    const request = async (_method, _params, _caller, how) => void t.is(how.onlyReads, onlyReads, toolName)
    const tools = new Map([[toolName, { name: toolName, annotations: { readOnlyHint: true } }]])
    const tool = { entry: { tools, downstream: { request } }, serverName: 'one', toolName }
    const row = { noted: async () => {}, ended: () => {} }
    await deliver({ router: { recordUse: async () => {} } }, tool, {}, {}, row)
  }
})

test('words of a server are told within a bound, without what looks like a secret; a page is not', async (t) => {
  let body = `{"error":{"message":"no Bearer abcdefgh12345678 ${'x'.repeat(1000)}"}}`
  const made = await before(t, (message, { json, response }) => {
    if (!isCallOf(message, 'bad')) return false
    if (body.startsWith('<')) response.writeHead(403, { 'content-type': 'text/html' }).end(body)
    else json(body, 422)
    return true
  })
  const text = await made.text('bad')
  t.regex(text, /it says: no \[hidden\] x+…\. The call was not done/)
  t.true(text.length < 400)
  body = '<html>secret page</html>'
  t.notRegex(await made.text('bad'), /secret page/)
})

const rpcError = (id, code, message) => ({ jsonrpc: '2.0', id, error: { code, message } })

for (const [what, refuse] of [
  ['404 as JSON', ({ json, id }) => json(rpcError(id, -32_001, 'Session not found'), 404)],
  ['404 without words', ({ response }) => response.writeHead(404).end()],
  ['410', ({ json }) => json({}, 410)],
  [
    '400 that misses a session id',
    ({ json }) => json(rpcError(null, -32_000, 'Bad Request: No valid session ID provided'), 400),
  ],
  ['400 that was not initialized', ({ json }) => json(rpcError(null, -32_000, 'Server not initialized'), 400)],
  ['400 as text', ({ response }) => response.writeHead(400, { 'content-type': 'text/plain' }).end('unknown session')],
  ['401 that names no login', ({ json }) => json({ error: 'Session expired' }, 401)],
  ['200 with -32001', ({ json, id }) => json(rpcError(id, -32_001, 'Session not found'))],
  ['200 with -32600', ({ json, id }) => json(rpcError(id, -32_600, 'Session terminated'))],
])
  test(`a session that is forgotten by ${what} costs no call`, async (t) => {
    const made = await before(
      t,
      (message, { request, state, ...http }) => {
        if (state.gone !== request.headers['mcp-session-id'] || state.gone === undefined) return false
        refuse({ ...http, id: message?.id })
        return true
      },
      { sessions: true },
    )
    t.is(await made.text('echo'), 'echo done')
    const slow = made.call('slow', made.other)
    await until(t, () => made.seen.some(({ message }) => isCallOf(message, 'slow')), 'it is under way')
    made.state.gone = made.state.session
    t.is(await made.text('echo'), 'echo done')
    t.is((await slow).content[0].text, 'slow done', 'what was taken before is answered')
    t.is(made.count('initialize'), 2)
  })

for (const [what, refuse] of [
  ['500', ({ json }) => json({}, 500)],
  ['503', ({ json }) => json({}, 503)],
  [
    'the text of a result',
    ({ json, id }) =>
      json({ jsonrpc: '2.0', id, result: { isError: true, content: [{ type: 'text', text: 'Session terminated' }] } }),
  ],
])
  test(`a session that may be forgotten, by ${what}, is looked after before the next call`, async (t) => {
    const made = await before(
      t,
      (message, { request, state, ...http }) => {
        if (state.gone !== request.headers['mcp-session-id'] || state.gone === undefined) return false
        if (message?.method === 'ping') http.json({}, 500)
        else refuse({ ...http, id: message?.id })
        return true
      },
      { sessions: true },
    )
    made.state.gone = made.state.session
    t.true((await made.call('echo')).isError)
    t.is(await made.text('echo'), 'echo done')
    t.is(made.count('initialize'), 2)
  })

test('a server that forgets each session is asked three times for a call, not for ever', async (t) => {
  const made = await before(t, (message, { json }) => message?.method === 'tools/call' && json({}, 404), {
    sessions: true,
  })
  t.regex(await made.text('echo'), /HTTP status 404.*The call was not done/)
  t.is(made.count('tools/call'), 3)
})

const stream = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  return response
}
const NOTE = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } })}\n\n`

for (const [what, answer] of [
  ['a stream without anything', ({ response }) => setTimeout(() => stream(response).end(), 50)],
  ['a stream of comments', ({ response }) => stream(response).end(': a\n\n: b\n\n')],
  ['a stream with a notification', ({ response }) => stream(response).end(NOTE)],
  ['a stream with an id that nothing goes on with', ({ response }) => stream(response).end('id: 1\ndata: \n\n')],
  ['a stream that breaks', ({ response }) => void stream(response).write(': a\n\n', () => response.destroy())],
  ['a 202', ({ response }) => response.writeHead(202).end()],
  ['an answer to another request', ({ json }) => json({ jsonrpc: '2.0', id: 987_654, result: {} })],
  [
    'an answer to another request in a stream',
    ({ response }) => stream(response).end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 987_654, result: {} })}\n\n`),
  ],
])
  test(`${what} is no answer, and nobody waits for one`, async (t) => {
    const made = await before(t, (message, http) => isCallOf(message, 'bad') && taken(answer(http)))
    const slow = made.call('slow', made.other)
    t.regex(
      await made.text('bad'),
      /ended its answer before the result had come\. Whether the call took effect is unknown/,
    )
    t.is((await slow).content[0].text, 'slow done')
    t.is(made.count('initialize'), 1)
  })

for (const [what, answer, reason] of [
  [
    'a page',
    ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    /a page \(text\/html\), which is none of MCP/,
  ],
  ['an empty body', ({ json }) => json(''), /answered what cannot be read/],
  ['half a body', ({ json }) => json('{"jsonrpc":"2.0",'), /answered what cannot be read/],
  [
    'a result that is a text',
    ({ json, id }) => json({ jsonrpc: '2.0', id, result: 'so' }),
    /answered what cannot be read/,
  ],
  [
    'an error with a text as code',
    ({ json, id }) => json({ jsonrpc: '2.0', id, error: { code: 'E', message: 'so' } }),
    /answered what cannot be read/,
  ],
])
  test(`${what} instead of an answer is told as that`, async (t) => {
    const made = await before(
      t,
      (message, http) => isCallOf(message, 'bad') && taken(answer({ ...http, id: message.id })),
    )
    const text = await made.text('bad')
    t.regex(text, reason)
    t.regex(text, new RegExp(`^server ${made.name} .*unknown`))
    t.is(await made.text('echo'), 'echo done')
  })

test('a key of the entry that is refused in a call is told as that, and the call was not done', async (t) => {
  const made = await before(t, (message, { json }) => isCallOf(message, 'bad') && json({}, 401), {
    entry: { headers: { Authorization: 'Bearer old-key-of-mine' } },
  })
  t.regex(await made.text('bad'), /HTTP status 401: it refuses the key in its headers\. The call was not done/)
  t.is(await made.text('echo'), 'echo done')
})

for (const retry of ['0', '-5', 'abc', undefined])
  test(`a stream of announcements that ends is opened again in the gateway's own time, with retry ${retry}`, async (t) => {
    const first = retry === undefined ? '' : `retry: ${retry}\n`
    const made = await before(t, (_, { request, response }) =>
      request.method === 'GET' ? stream(response).end(`${first}id: 1\ndata: \n\n`) : false,
    )
    const opened = () => made.seen.filter(({ method }) => method === 'GET').map(({ at }) => at)
    await until(t, () => opened().length >= 3, 'it is opened again')
    const [one, , three] = opened()
    t.true(three - one >= MIN_MS, 'not at once, whatever the server asks for')
    t.is(await made.text('echo'), 'echo done')
  })

test('Retry-After is read in seconds and as a date, and bounded', (t) => {
  const now = Date.UTC(2026, 0, 1)
  const read = (header) => retryAfterOf(header, now)
  t.deepEqual(['7', ' 7 ', '1.5', '0', '-3', '', 'soon', '7, 9'].map(read), [
    7_000,
    7_000,
    1_500,
    ...Array(5).fill(undefined),
  ])
  t.is(read(new Date(now + 90_000).toUTCString()), 90_000)
  t.is(read(new Date(now - 90_000).toUTCString()), undefined)
  t.is(read('99999999999'), 86_400_000)
  t.is(read(null), undefined)
})

test('the table of the page is that of the code', (t) => {
  const page = GUIDES.find(({ name }) => name === 'docs/inside/gateway-protocol.md')
  const told = rows(page.text, 'answer of a server').map((cells) => cells.map((cell) => cell.replaceAll('`', '')))
  t.deepEqual(
    told,
    MEANINGS.map(({ kind, seen, of, done, again }) => [kind, seen, of, done, again]),
  )
})
