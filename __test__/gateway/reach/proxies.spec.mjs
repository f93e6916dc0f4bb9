// A proxy between the gateway and its servers: whoever is refused by it hears that it was the proxy, and what to write.
import http from 'node:http'
import process from 'node:process'

import test from 'ava'
import * as jose from 'jose'

import { proxyOf } from '../../../packages/gateway/base/web-fetch.mjs'
import { Issuer } from '../../../packages/gateway/doors/issuer.mjs'
import { readServer } from '../../../packages/gateway/config/server.mjs'
import { Logins } from '../../../packages/gateway/login/logins.mjs'
import { folder, until } from '../../helpers/gateway.mjs'
import { listening } from '../../helpers/listening.mjs'
import { before } from '../../helpers/odd-gateway.mjs'
import { rawServer } from '../../helpers/raw-server.mjs'

const OF_PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy']

/** For one test at a time. */
function environment(t, values) {
  const kept = Object.fromEntries(OF_PROXIES.map((name) => [name, process.env[name]]))
  const set = (given) =>
    OF_PROXIES.forEach((name) => {
      if (given[name] === undefined) delete process.env[name]
      else process.env[name] = given[name]
    })
  set(values)
  t.teardown(() => set(kept))
}

/**
 * A proxy that does the same with every request and every tunnel.
 *
 * @param {(socket: import('node:net').Socket, request: http.IncomingMessage, response?: http.ServerResponse) => void} act
 */
async function proxy(t, act) {
  const seen = []
  const note = ({ method, url, headers }) => seen.push([method, url, headers['proxy-authorization']])
  const onRequest = (request, response) => note(request) && act(request.socket, request, response)
  const address = await listening(t, onRequest, (request, socket) => {
    socket.on('error', () => {})
    act(socket, note(request))
  })
  return { host: new URL(address).host, seen }
}

const answering = (status) => (socket) =>
  socket.end(`HTTP/1.1 ${status} Of the proxy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)

const [CLOSED, SHUT] = [
  'cannot be used: it closed the connection; correct %',
  'does not let it through; ask whoever runs the proxy',
]
const WRONG = 'refuses the user and the password in %; correct them'
const NOBODY = 'wants a user and a password; write %=http://user:password@HOST'

for (const [what, act, reason, code, user = ''] of [
  ['wants a password', answering(407), NOBODY, 'HTTP status 407'],
  ['knows another', answering(407), WRONG, 'HTTP status 407', 'me:hunt%er2@'],
  ['knows no token', answering(407), WRONG, 'HTTP status 407', 'hunter2@'],
  ['forbids the host', answering(403), SHUT, 'HTTP status 403'],
  ['redirects to a page of its own', answering(302), SHUT, 'HTTP status 302'],
  ['does not reach the host', answering(502), 'does not reach it; ask whoever runs the proxy', 'HTTP status 502'],
  ['closes at once', (socket) => socket.end(), CLOSED, 'UND_ERR_SOCKET'],
  ['resets', (socket) => socket.resetAndDestroy(), CLOSED, 'ECONNRESET'],
  [
    'speaks no HTTP',
    (socket) => socket.end('SSH\r\n'),
    CLOSED.replace(/: .*;/, ': it does not speak HTTP;'),
    /HTTPParserError/,
  ],
])
  test.serial(`a proxy that ${what} is told as the proxy, of servers and of logins`, async (t) => {
    const { host, seen } = await proxy(t, act)
    environment(t, { HTTPS_PROXY: user + host, HTTP_PROXY: `http://${user}${host}/` })
    const told = (variable, asked, isTunnel) => {
      const said = `the proxy ${host} of ${variable} ${reason.replace('%', variable).replace('HOST', host)}, or list ${asked} in NO_PROXY (`
      return (given) => {
        t.true(given.includes(said), given)
        t.regex(
          given,
          new RegExp(`\\((${isTunnel && !/^HTTP/.test(code) ? 'CONNECT ' : ''}${code.source ?? code})\\)$`),
        )
        t.false(given.includes('hunter2') || given.includes('hunt%er2'))
      }
    }
    for (const type of ['http', 'sse']) {
      const { status, lines } = await before(t, { type, url: 'https://mcp.invalid/mcp' })
      told('HTTPS_PROXY', 'mcp.invalid', true)(status().reason)
      t.true(lines.some((line) => line.includes(status().reason)))
    }
    const plain = (await before(t, { url: 'http://mcp.invalid/mcp' })).status().reason
    if (/407|^[^H]/.test(code)) told('HTTP_PROXY', 'mcp.invalid', false)(plain)
    else t.regex(plain, new RegExp(`^it answered with ${code}.*; or so did the proxy ${host} of HTTP_PROXY$|has moved`))
    const logins = new Logins(folder(t))
    t.teardown(() => logins.close())
    const { message } = await t.throwsAsync(logins.begin(readServer('far', { url: 'https://far.invalid/mcp' })))
    t.true(message.startsWith('far.invalid cannot be reached: '), message)
    told('HTTPS_PROXY', 'far.invalid', true)(message)
    t.true(seen.every(([, , token]) => (user === '') === (token === undefined)))
  })

test.serial('a proxy that does not answer, or is not there, is told', async (t) => {
  const { host } = await proxy(t, () => {})
  environment(t, { HTTPS_PROXY: host, HTTP_PROXY: '127.0.0.1:9' })
  const late = await before(t, { url: 'https://mcp.invalid/mcp', startTimeout: 1 })
  await until(t, () => late.status().state === 'waiting', 'it has waited')
  const how = `it is asked through the proxy ${host} of HTTPS_PROXY, unless NO_PROXY lists it`
  t.is(late.status().reason, `it did not answer within 1 s; ${how}`)
  const away = await before(t, { url: 'http://mcp.invalid/mcp' })
  t.is(
    away.status().reason,
    'it cannot be reached: the proxy 127.0.0.1:9 of HTTP_PROXY cannot be used: nothing listens at its address; correct HTTP_PROXY, or list mcp.invalid in NO_PROXY (ECONNREFUSED)',
  )
})

test.serial('a call that a proxy refuses was not done, and one that it lets through has its answer', async (t) => {
  const raw = await rawServer(t, () => false)
  const through = (_, request, response) => {
    const { method, url, headers } = request
    const asked = http.request(new URL(new URL(url).pathname, raw.url), { method, headers }, (answer) => {
      answer.pipe(response.writeHead(answer.statusCode, answer.headers))
    })
    request.pipe(asked)
  }
  let act = through
  const { host, seen } = await proxy(t, (...given) => act(...given))
  environment(t, { http_proxy: `me:hunter2@${host}` })
  const { client, name } = await before(t, { url: 'http://mcp.invalid/mcp' })
  await client.ask('mcp_load', { query: `${name} echo` })
  const called = async () => (await client.use(`mcp--${name}--echo`)).content[0].text
  t.is(await called(), 'echo done')
  t.true(seen.every(([, , token]) => token === `Basic ${Buffer.from('me:hunter2').toString('base64')}`))
  act = answering(407)
  t.regex(
    await called(),
    /the proxy \S+ of http_proxy refuses the user and the password in http_proxy.*\. The call was not done/,
  )
  t.is(raw.count('tools/call'), 1)
})

test.serial('an issuer is asked through the proxy as well', async (t) => {
  const { host, seen } = await proxy(t, answering(502))
  environment(t, { HTTPS_PROXY: host })
  const settings = { issuer: 'https://login.invalid', audience: 'tools', groupsClaim: 'groups', groups: new Map() }
  await new Issuer(jose, settings, () => new Map()).guestOf('eyJh.eyJh.c2ln')
  t.deepEqual(seen, [['CONNECT', 'login.invalid:443', undefined]])
})

test.serial('NO_PROXY lists hosts, domains, ports, ranges and all', (t) => {
  const within = (list, address) => {
    process.env.NO_PROXY = list
    return proxyOf(address) === undefined
  }
  environment(t, { HTTPS_PROXY: ' proxy:3128 ' })
  for (const [list, address] of [
    ['*', 'https://a.example'],
    ['b.example, A.example', 'https://a.example'],
    ['.example', 'https://a.example'],
    ['*.example', 'https://a.example'],
    ['example', 'https://a.example.'],
    ['a.example:443', 'https://a.example'],
    ['a.example:8443', 'https://a.example:8443'],
    ['10.0.0.0/8', 'https://10.1.2.3'],
    ['fd00::/8', 'https://[fd00::1]'],
    ['[fd00::1]', 'https://[fd00::1]'],
    ['fd00::1', 'https://[fd00::1]:8443'],
  ])
    t.true(within(list, address), `${list} ${address}`)
  for (const [list, address] of [
    ['', 'https://a.example'],
    ['.', 'https://a.example'],
    ['ample', 'https://a.example'],
    ['a.example:8443', 'https://a.example'],
    ['10.0.0.0/8', 'https://11.1.2.3'],
    ['10.0.0.0/99', 'https://10.1.2.3'],
    ['https://a.example', 'https://b.example'],
  ])
    t.false(within(list, address), `${list} ${address}`)
})

test.serial('a proxy may be host and port, and any other value is refused by the name of its variable', (t) => {
  environment(t, {})
  for (const [value, host, origin] of [
    ['proxy:3128 ', 'proxy:3128', 'http://proxy:3128'],
    ['https://me:hunter2@proxy', 'proxy:443', 'https://proxy'],
  ]) {
    process.env.HTTP_PROXY = value
    const found = proxyOf('http://a.example')
    t.deepEqual([found.host, found.origin, found.variable], [host, origin, 'HTTP_PROXY'])
  }
  for (const value of ['no such thing', 'socks5://proxy']) {
    process.env.HTTP_PROXY = value
    t.throws(() => proxyOf('http://a.example'), { message: /^HTTP_PROXY is no address of a proxy/ })
  }
  process.env.HTTP_PROXY = ' '
  t.is(proxyOf('http://a.example'), undefined)
  process.env.HTTP_PROXY = 'proxy'
  t.is(proxyOf('http://127.0.0.1/'), undefined, 'never for this machine')
})
