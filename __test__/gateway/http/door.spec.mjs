// The gateway over Streamable HTTP: who gets in, and what is bounded.
import net from 'node:net'
import test from 'ava'
import { Keys } from '../../../packages/gateway/doors/keys.mjs'
import { Rate } from '../../../packages/gateway/http/rate.mjs'
import { META_COUNT, overHttp, until } from '../../helpers/gateway.mjs'
import { INITIALIZE, listening, send, ACCEPT } from '../../helpers/http-door.mjs'

/** What a client hears that listens only when it has said all. */
function spokenAndThenHeard(endpoint, body) {
  const { port, host } = new URL(endpoint.url)
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), '127.0.0.1').pause()
    socket.on('error', reject)
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${endpoint.token}\r\nAccept: ${ACCEPT}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    )
    socket.write(body, () => socket.once('data', (chunk) => resolve(String(chunk))).resume())
  })
}

test('a client with the token works as over stdio', async (t) => {
  const { endpoint, tool } = await listening(t)
  const client = await overHttp(t, endpoint)
  t.is((await client.names()).length, META_COUNT)
  await client.ask('mcp_load', { query: 'slow_report' })
  t.is(client.changes, 1)
  const told = []
  const onprogress = (progress) => told.push(progress)
  const answer = await client.use(tool('slow_report'), { steps: 5, ms: 50 }, { onprogress })
  t.is(answer.content[0].text, 'done')
  const said = [1, 2, 3, 4].map((progress) => ({ progress, total: 5, message: `step ${progress}` }))
  t.deepEqual(told.slice(0, 4), said)
  await until(t, async () => (await client.listResources()).resources.length === 1, 'resources')
})

test('without the token, or with another one, nothing is answered', async (t) => {
  const { endpoint } = await listening(t)
  for (const token of [
    '',
    'x',
    `${endpoint.token}x`,
    endpoint.token.slice(0, -1),
    endpoint.token.toUpperCase(),
    'é'.repeat(43),
  ]) {
    const { status, headers, text } = await send(endpoint, { token: encodeURI(token) })
    t.is(status, 401, token)
    t.is(headers['www-authenticate'], 'Bearer')
    t.false(text.includes(endpoint.token))
  }
  for (const authorization of [
    endpoint.token,
    `Basic ${endpoint.token}`,
    `Bearer${endpoint.token}`,
    'Bearer',
    'Bearer ',
  ]) {
    t.is((await send(endpoint, { token: '', headers: { Authorization: authorization } })).status, 401)
  }
  t.is(endpoint.sessionCount, 0)
})

test('the scheme of the token is written in any case, as RFC 9110 has it', async (t) => {
  const { endpoint } = await listening(t)
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bearer '])
    t.is((await send(endpoint, { token: '', headers: { Authorization: `${scheme} ${endpoint.token}` } })).status, 200)
})

test('each endpoint makes a token of its own, of 256 bits', async (t) => {
  const { opened, endpoint } = await listening(t)
  const other = await opened.listen()
  t.not(other.token, endpoint.token)
  t.is(Buffer.from(endpoint.token, 'base64url').length, 32)
})

test('a request for another host is refused: a page may have rebound its name to this machine', async (t) => {
  const { endpoint } = await listening(t)
  const { port } = new URL(endpoint.url)
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    '127.0.0.1:1',
    `127.0.0.1.evil.example:${port}`,
    `localhost.:${port}`,
  ]) {
    t.is((await send(endpoint, { headers: { Host: host } })).status, 403, host)
  }
  t.is((await send(endpoint, { headers: { Host: `LocalHost:${port}` } })).status, 200)
})

test('a request of a web page is refused, whatever token it has', async (t) => {
  const { endpoint } = await listening(t)
  const { port } = new URL(endpoint.url)
  for (const origin of [
    'https://evil.example',
    'null',
    `http://localhost:${Number(port) + 1}`,
    `https://localhost:${port}`,
    `http://127.0.0.1:${port}.evil.example`,
    'file://',
  ]) {
    t.is((await send(endpoint, { headers: { Origin: origin } })).status, 403, origin)
  }
  t.is((await send(endpoint, { headers: { Origin: `http://127.0.0.1:${port}` } })).status, 200)
  for (const site of ['cross-site', 'same-site'])
    t.is((await send(endpoint, { method: 'GET', headers: { 'Sec-Fetch-Site': site } })).status, 403)
  const preflight = await send(endpoint, {
    method: 'OPTIONS',
    headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    token: '',
  })
  t.is(preflight.status, 403)
  t.is(preflight.headers['access-control-allow-origin'], undefined)
})

test('only loopback addresses are listened on', async (t) => {
  const { opened } = await listening(t)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.org', '']) {
    const error = await t.throwsAsync(opened.listen({ host }))
    t.is(error.code, 'ERR_INVALID_ARGUMENT')
    t.regex(error.message, /listen\.host: expected a loopback address/)
  }
})

test('bad options are refused with the field and what was received, and a token is never shown', async (t) => {
  const { opened, endpoint } = await listening(t)
  const bad = [
    [{ port: -1 }, /port.*got -1/],
    [{ port: 1.5 }, /got 1\.5/],
    [{ port: 70_000 }, /got 70000/],
    [{ token: 'secret' }, /token.*6 characters/],
    [{ token: 7 }, /got "number"/],
    [{ cors: true }, /cors/],
    [{ port: Number(new URL(endpoint.url).port) }, /EADDRINUSE/],
  ]
  for (const [options, message] of bad) {
    const error = await t.throwsAsync(opened.listen(options))
    t.regex(error.message, message)
    t.notRegex(error.message, /secret/)
  }
})

test('there is one path and three methods', async (t) => {
  const { endpoint } = await listening(t)
  for (const path of ['/', '/mcp/', '/mcp2', '//mcp', '/../mcp/x', '//', 'http://['])
    t.is((await send(endpoint, { path })).status, 404, path)
  for (const method of ['PUT', 'PATCH', 'TRACE']) t.is((await send(endpoint, { method })).status, 405, method)
})

test('a body that is too large is refused, whether it says so or not, and who sends it hears why', async (t) => {
  const { endpoint } = await listening(t, { fixed: { maxMessageBytes: 1_000_000 } })
  const large = JSON.stringify({ ...INITIALIZE, padding: 'x'.repeat(3_000_000) })
  for (const headers of [{ 'Content-Length': Buffer.byteLength(large) }, { 'Transfer-Encoding': 'chunked' }]) {
    const { status, text } = await send(endpoint, { body: large, headers })
    t.deepEqual([status, JSON.parse(text).error.message], [413, 'a request has at most 1000000 bytes'])
  }
  t.regex(await spokenAndThenHeard(endpoint, large), /^HTTP\/1\.1 413 /)
  // What has no end is not read to it.
  const endless = JSON.stringify({ ...INITIALIZE, padding: 'x'.repeat(30_000_000) })
  const cut = await send(endpoint, { body: endless }).catch((error) => error)
  t.true(cut.status === 413 || ['EPIPE', 'ECONNRESET'].includes(cut.code), JSON.stringify(cut))
  t.is(endpoint.sessionCount, 0)
})

test("strangers' sockets, however many and however silent, do not keep a client out", async (t) => {
  const { endpoint } = await listening(t)
  const { port } = new URL(endpoint.url)
  const sockets = Array.from({ length: 600 }, () => net.connect(Number(port), '127.0.0.1').on('error', () => {}))
  t.teardown(() => sockets.map((socket) => socket.destroy()))
  await until(t, () => sockets.every((socket) => socket.destroyed || !socket.connecting), 'all have knocked')
  const client = await overHttp(t, endpoint)
  t.is((await client.names()).length, META_COUNT)
})

test('a client that calls 600 times together is answered each time', async (t) => {
  const { endpoint, tool } = await listening(t)
  const client = await overHttp(t, endpoint)
  const calls = Array.from({ length: 600 }, () => client.use(tool('fail_politely')).catch(({ message }) => message))
  const answers = await Promise.all(calls)
  t.deepEqual(answers.filter((answer) => answer.content?.[0].text !== 'no such city').slice(0, 3), [])
})

test('what is not JSON, not a message, or not a session is refused without being repeated', async (t) => {
  const { endpoint } = await listening(t)
  const marker = '<script>marker'
  const cases = [
    [{ body: marker }, 400],
    [{ body: JSON.stringify(marker) }, 400],
    [{ body: '[]' }, 400],
    [{ body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { marker } } }, 400],
    [{ headers: { 'Mcp-Session-Id': marker } }, 404],
    [{ headers: { 'Mcp-Session-Id': '__proto__' } }, 404],
    [{ method: 'GET' }, 404],
    [{ method: 'DELETE', headers: { 'Mcp-Session-Id': marker } }, 404],
  ]
  for (const [request, status] of cases) {
    const answer = await send(endpoint, request)
    t.is(answer.status, status, JSON.stringify(request))
    t.false(answer.text.includes(marker))
  }
})

test('a compressed body is refused as such, and none is read as text', async (t) => {
  const { endpoint } = await listening(t)
  for (const coding of ['gzip', 'br', 'identity, gzip']) {
    const { status, headers } = await send(endpoint, { headers: { 'Content-Encoding': coding } })
    t.deepEqual([status, headers['accept-encoding']], [415, 'identity'], coding)
  }
  t.is((await send(endpoint, { headers: { 'Content-Encoding': 'identity' } })).status, 200)
})

test('a request with an enormous id is answered, and no number of an event is longer than a header takes', async (t) => {
  const { endpoint } = await listening(t)
  const id = 'x'.repeat(100_000)
  const { status, text } = await send(endpoint, { body: { ...INITIALIZE, id } })
  t.is(status, 200)
  const numbers = [...text.matchAll(/^id: (.*)$/gm)].map(([, number]) => number)
  t.true(numbers.length > 0 && numbers.every((number) => number.length < 2_000))
  const [, data] = /^data: (\{.*)$/m.exec(text)
  t.is(JSON.parse(data).id, id)
})

test('a handshake that is refused leaves no session', async (t) => {
  const { endpoint, opened } = await listening(t)
  t.is((await send(endpoint, { headers: { Accept: 'text/html' } })).status, 406)
  t.is((await send(endpoint, { headers: { 'Content-Type': 'text/plain' } })).status, 415)
  await until(t, () => opened.sessionCount === 0, 'both are gone')
})

test('too many requests are told to slow down, and the gateway goes on', async (t) => {
  const { endpoint } = await listening(t, { fixed: { requestsPerSecond: 100, requestBurst: 400 } })
  // As fast as a hundred can, until it is too much.
  const flood = async (expected, request) => {
    const statuses = new Set()
    const one = async () => {
      for (let at = 0; at < 200 && !statuses.has(429); at++) statuses.add((await send(endpoint, request)).status)
    }
    await Promise.all(Array.from({ length: 100 }, one))
    t.deepEqual([...statuses].sort(), [expected, 429])
  }
  await flood(401, { token: '' })
  t.is((await send(endpoint)).status, 200, 'who has the token does not wait for those who have not')
  await flood(400, { body: '{}' })
  await until(t, async () => (await send(endpoint)).status === 200, 'a moment later it answers')
})

test('who floods takes nothing from another address, and what was a key the last time is no stranger', async (t) => {
  const rate = new Rate(1, 1)
  const taken = await Promise.all(['a', 'a', 'a', 'b'].map((who) => rate.take(who)))
  t.deepEqual(taken, [true, true, false, true])
  let kept = { name: 'ann' }
  const keys = new Keys({ find: async () => kept, watch() {} }, () => ({ profiles: new Map(), settings: {} }))
  t.false(keys.wasGood('zoo_a'))
  await keys.guestOf('zoo_a')
  t.true(keys.wasGood('zoo_a'))
  kept = undefined
  await keys.guestOf('zoo_a')
  t.false(keys.wasGood('zoo_a'))
})

test('a burst of connections is answered, all of them', async (t) => {
  const { endpoint } = await listening(t)
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const answers = await Promise.all(Array.from({ length: 400 }, () => send(endpoint, { body: ping })))
  t.true(
    answers.every(({ status }) => status === 400),
    'a ping without a session',
  )
})
