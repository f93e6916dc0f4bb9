// Servers of the transport before Streamable HTTP, and addresses that serve neither.
import { request as sendTo } from 'node:http'

import test from 'ava'
import { startedOverHttp } from '../../helpers/eras.mjs'
import { until } from '../../helpers/gateway.mjs'
import { oldServer } from '../../helpers/old-server.mjs'
import { before } from '../../helpers/odd-gateway.mjs'
import { rawServer } from '../../helpers/raw-server.mjs'
import { listening } from '../../helpers/listening.mjs'

for (const [what, refusal, type] of [
  ['that says so in the configuration', 405, 'sse'],
  ['found by its 405', 405, undefined],
  ['found by its 404', 404, 'http'],
  ['found by its 400', 400, undefined],
]) {
  test(`an old server ${what} is reached, with its headers`, async (t) => {
    const old = await oldServer(t, { refusal })
    const made = await before(t, { url: old.url, headers: { 'X-Key': 'k' }, ...(type && { type }) })
    await until(t, () => made.status().state === 'ready', 'it is reached, at the first try or a later one')
    const answer = await made.client.use(`mcp--${made.name}--ring`, { times: 2 })
    t.is(answer.content[0].text, 'ring {"times":2}')
    t.true(old.seen.every(({ key }) => key === 'k'))
    const first = old.seen[0]
    t.is(first.method, type === 'sse' ? 'GET' : 'POST', 'what the entry says is tried first')
  })
}

test('an old server whose stream ends is greeted again, not only listened to', async (t) => {
  const old = await oldServer(t)
  const made = await before(t, { type: 'sse', url: old.url })
  old.restart()
  await until(t, () => made.lines.some((line) => /it is started again/.test(line)), 'the end is noticed')
  await until(t, () => made.status().state === 'ready', 'it is back')
  t.is((await made.client.use(`mcp--${made.name}--ring`, {})).content[0].text, 'ring {}')
})

test('an old server that opens its stream and says nothing is not waited for without end', async (t) => {
  const old = await oldServer(t, { silent: true })
  const made = await before(t, { type: 'sse', url: old.url, startTimeout: 1 })
  t.is(made.status().reason, 'it did not answer within 1 s')
})

test('a server of the new kind is reached although it is called an old one', async (t) => {
  const { url } = await startedOverHttp(t, 'odd')
  const made = await before(t, { type: 'sse', url, headers: { 'X-Key': 'secret' } })
  t.is(made.status().state, 'ready')
})

test('an address that serves neither says what is wrong with it, and what it says itself without secrets', async (t) => {
  const old = await oldServer(t, { refusal: 404 })
  const made = await before(t, { url: old.url.replace('/sse', '/other'), headers: { 'X-Key': 'key-of-the-user' } })
  t.is(
    made.status().reason,
    'it answered with HTTP status 404: nothing is served under its address; is the path right?; it says: no: [hidden]',
  )
  t.notRegex(made.lines.join(), /key-of-the-user/)
})

test('a server elsewhere is reached through the proxy of the environment, and one here is not', async (t) => {
  const [raw, asked] = [await rawServer(t, () => false), []]
  process.env.HTTP_PROXY = await listening(t, (request, response) => {
    asked.push(new URL(request.url).hostname)
    const { pathname } = new URL(request.url)
    const on = { port: new URL(raw.url).port, path: pathname, method: request.method, headers: request.headers }
    request.pipe(sendTo(on, (answer) => answer.pipe(response.writeHead(answer.statusCode, answer.headers))))
  })
  t.teardown(() => delete process.env.HTTP_PROXY)
  for (const url of ['http://server.invalid/mcp', raw.url]) {
    const made = await before(t, { url })
    t.is((await made.client.use(`mcp--${made.name}--echo`)).content[0].text, 'echo done')
  }
  t.deepEqual([...new Set(asked)], ['server.invalid'])
})
