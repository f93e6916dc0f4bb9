// A gateway over HTTP that is told to end by whoever supervises it: calls under way are answered first.
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

import test from 'ava'

import * as eras from '../../helpers/eras.mjs'
import { configFile, folder, lives, LONG_MS, odd, startCli, until } from '../../helpers/gateway.mjs'

const TOKEN = 'a-token-of-a-test-with-some-length'
const NAME = 'mcp--odd--slow_report'
/** Longer than any of these tests needs to send a signal and to see what comes of it. */
const LONG_CALL = { ms: 6_000, steps: 12 }

async function started(t, more = {}) {
  const config = { mcpServers: { odd: odd() }, gateway: { dir: folder(t), timeout: LONG_MS / 1000 }, ...more }
  const file = configFile(t, config)
  const env = { ZOO_TOOL_ROUTER_TOKEN: TOKEN }
  const args = ['gateway', '--config', file, '--lexical', '--http', '127.0.0.1:0']
  const process = startCli(t, args, { env, stdin: 'ignore' })
  const [, url] = await process.line(/listening on (\S+)/)
  return { ...process, url, token: TOKEN }
}

/** A call that is under way: settles with what is said, or with the error. */
async function underWay(client) {
  const pid = Number(await client.said('call_tool', { name: 'mcp--odd--tell_pid', arguments: {} }))
  let begun
  const hasBegun = new Promise((resolve) => (begun = resolve))
  const answer = client
    .said('call_tool', { name: NAME, arguments: LONG_CALL }, { onprogress: begun })
    .catch((error) => error)
  await hasBegun
  return { answer, pid }
}

/** Whether nobody listens any more. */
const isRefused = async ({ url }) => {
  const error = await fetch(new URL('/health', url), { headers: { Connection: 'close' } }).catch((error) => error)
  return error.cause?.code === 'ECONNREFUSED'
}

for (const [what, open, place] of [
  ['the current era', eras.overHttp, ''],
  ['the older era', eras.legacyOverHttp, ''],
  ['a profile', eras.overHttp, '/work'],
]) {
  test(`SIGTERM takes no new connection and answers a call under way: ${what}`, async (t) => {
    t.timeout(LONG_MS)
    const gateway = await started(t, place && { profiles: { work: { servers: ['odd'] } } })
    const client = await open(t, { url: gateway.url + place, token: TOKEN })
    const { answer, pid } = await underWay(client)
    gateway.child.kill('SIGTERM')
    await until(t, () => isRefused(gateway), 'nobody gets in')
    t.true(lives(pid))
    t.is(await answer, 'done')
    t.deepEqual(await gateway.ended, { code: 143, signal: null })
    t.false(lives(pid))
  })
}

test('a client that only listens does not keep a gateway from its end', async (t) => {
  const gateway = await started(t)
  // The SDK opens a stream of its own.
  await eras.legacyOverHttp(t, gateway)
  const headers = { Authorization: `Bearer ${TOKEN}`, Accept: 'text/event-stream' }
  await fetch(gateway.url, { headers }).catch(() => {})
  gateway.child.kill('SIGTERM')
  t.deepEqual(await gateway.ended, { code: 143, signal: null })
})

test('a client that goes while its requests wait behind each other on one socket keeps nothing open', async (t) => {
  t.timeout(LONG_MS)
  const gateway = await started(t)
  const { host, port } = new URL(gateway.url)
  const ask = (body, more = '') =>
    `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n` +
    `Accept: application/json, text/event-stream\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const socket = net.connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  const clientInfo = { name: 'hasty', version: '0' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  socket.write(ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })))
  let text = ''
  const id = await new Promise((resolve) =>
    socket.on('data', (chunk) => {
      text += chunk
      const [, found] = /mcp-session-id: (\S+)/i.exec(text) ?? []
      if (found !== undefined) resolve(found)
    }),
  )
  const list = ask(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }), `Mcp-Session-Id: ${id}\r\n`)
  const answered = new Promise((resolve) => socket.once('data', resolve))
  socket.write(list.repeat(200))
  await answered
  socket.destroy()
  gateway.child.kill('SIGTERM')
  // Until it is over a call is waited for a minute.
  const ended = await Promise.race([gateway.ended, pause(30_000, 'waits', { ref: false })])
  t.deepEqual(ended, { code: 143, signal: null })
})

for (const [what, signals, code] of [
  ['SIGINT', ['SIGINT'], 130],
  ['a second SIGTERM', ['SIGTERM', 'SIGTERM'], 143],
]) {
  test(`${what} ends a gateway and its servers without a wait for calls`, async (t) => {
    t.timeout(LONG_MS)
    const gateway = await started(t)
    const { answer, pid } = await underWay(await eras.overHttp(t, gateway))
    const [first, ...others] = signals
    gateway.child.kill(first)
    for (const signal of others) {
      await until(t, () => isRefused(gateway), 'it takes nobody')
      gateway.child.kill(signal)
    }
    t.deepEqual(await gateway.ended, { code, signal: null })
    t.not(await Promise.race([answer, 'no answer']), 'done')
    await until(t, () => !lives(pid), 'the server has ended')
  })
}
