// The gateway's page over HTTP: who comes in, and what changes nothing.
import test from 'ava'
import { configFile, folder, gateway, odd, startCli, unique, until } from '../../helpers/gateway.mjs'
import { serving, send, browserOf, visiting, ticketOf } from '../../helpers/visits.mjs'

const READ = ['overview', 'servers', 'tools', 'sessions', 'calls', 'audit', 'approvals', 'settings']

const ACTS = ['approve', 'call', 'login', 'reload', 'restart', 'search', 'switch']

const TOKEN = 'p'.repeat(40)

test('what everybody gets has no data, runs its own script and style only, and names nothing remote', async (t) => {
  const { endpoint, name } = await serving(t)
  for (const target of ['/ui/', '/ui/page.js', '/ui/page.css', '/ui/icon.svg']) {
    const { status, headers, text } = await send(endpoint, { path: target })
    t.is(status, 200, target)
    const policy = headers['content-security-policy']
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
      t.true(policy.includes(rule), `${target}: ${rule}`)
    t.false(/unsafe|data:|https?:/.test(policy), policy)
    t.is(headers['referrer-policy'], 'no-referrer')
    t.is(headers['x-content-type-options'], 'nosniff')
    t.is(headers['set-cookie'], undefined)
    t.false(text.includes(name), target)
  }
  const { text } = await send(endpoint, { path: '/ui/' })
  t.false(/<script(?![^>]*\bsrc="\/ui\/)|<style|\bon\w+=|https?:\/\//.test(text))
  t.is((await send(endpoint, { path: '/ui' })).headers.location, '/ui/')
})

test('without coming in nothing is read and nothing is done, and neither half of a visit is enough', async (t) => {
  const { endpoint, browser } = await visiting(t)
  const { cookie, key } = browser.visit
  const json = { 'Content-Type': 'application/json' }
  for (const headers of [{}, { cookie }, { 'x-page-key': key }, { cookie, 'x-page-key': `${key}x` }]) {
    for (const what of [...READ, 'tool', 'events'])
      t.is((await send(endpoint, { path: `/ui/data/${what}`, headers })).status, 401, what)
    for (const what of ACTS) {
      const asked = { path: `/ui/data/${what}`, method: 'POST', headers: { ...headers, ...json }, body: '{}' }
      t.is((await send(endpoint, asked)).status, 401, what)
    }
  }
  for (const what of READ) t.is((await browser.ask(`/ui/data/${what}`)).status, 200, what)
})

test('the address that is printed lets one browser in, once, with a cookie that no script reads', async (t) => {
  const { endpoint, browser } = await serving(t)
  const ticket = ticketOf(endpoint)
  const { status, headers } = await browser.enter({ ticket })
  t.is(status, 200)
  t.regex(headers['set-cookie'][0], /^zoo-page-\d+=[\w.-]+; Path=\/ui; HttpOnly; SameSite=Strict$/)
  t.is((await browser.enter({ ticket })).status, 401)
  t.is((await browser.enter({ ticket: 'x'.repeat(43) })).status, 401)
  t.is((await browser.enter({ token: 'x'.repeat(43) })).status, 401)
  t.is((await browser.enter({})).status, 401)
  t.is((await browser.ask('/ui/data/servers')).status, 200)
  t.is((await browser.post('/ui/leave', {})).status, 200)
  t.is((await browser.ask('/ui/data/servers')).status, 401)
  t.is((await browser.enter({ token: endpoint.token })).status, 200)
})

test('foreign hosts, origins and pages of this machine are refused, also with a visit', async (t) => {
  const { endpoint, browser } = await visiting(t)
  for (const headers of [
    { host: 'evil.example' },
    { origin: 'http://evil.example' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    for (const target of ['/ui/', '/ui/data/servers']) t.is((await browser.ask(target, { headers })).status, 403)
    t.is((await browser.post('/ui/data/restart', {}, { headers })).status, 403)
  }
  const { host } = new URL(endpoint.url)
  t.is((await browser.ask('/ui/data/servers', { headers: { origin: `http://${host}` } })).status, 200)
})

test('GET changes nothing, POST reads nothing, and what a form can send is refused', async (t) => {
  const { browser, name } = await visiting(t)
  const pid = async () => (await browser.read('servers')).servers[0].pid
  const before = await pid()
  for (const what of ACTS) {
    const { status, headers } = await browser.ask(`/ui/data/${what}?server=${name}`)
    t.deepEqual([status, headers.allow], [405, 'POST'], what)
  }
  for (const what of READ) t.is((await browser.post(`/ui/data/${what}`, {})).status, 405, what)
  t.is((await browser.ask('/ui/enter')).status, 405)
  t.is((await browser.ask('/ui/leave')).status, 405)
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
    const headers = { 'Content-Type': type }
    t.is((await browser.post('/ui/data/restart', { server: name }, { headers })).status, 415, type)
  }
  t.is(await pid(), before)
})

test('what is sent is bounded, and what is wrong is said without repeating it', async (t) => {
  const { browser } = await visiting(t)
  const marker = 'marker7'
  const wrong = [
    ['search', { query: marker.repeat(10_000) }, 413],
    ['search', { query: marker.repeat(1_000) }, 400],
    ['search', { query: 7 }, 400],
    ['search', [marker], 400],
    ['restart', { server: marker }, 404],
    ['restart', {}, 400],
    ['login', { server: marker }, 404],
    ['call', { server: marker, tool: marker, args: {} }, 404],
    ['approve', { server: marker, tool: marker }, 404],
  ]
  for (const [what, body, status] of wrong) {
    const answer = await browser.post(`/ui/data/${what}`, body)
    t.is(answer.status, status, `${what} ${answer.text}`)
    t.false(answer.text.includes(marker), answer.text)
  }
  const asked = [
    `tools?from=-1`,
    `tools?from=${marker}`,
    `tools?only=${marker}`,
    `tools?text=${marker.repeat(100)}`,
    `tool?server=${marker}&tool=x`,
    `${marker}`,
    '__proto__',
    'constructor',
    `tools?text=${'x'.repeat(5_000)}`,
  ]
  for (const what of asked) {
    const answer = await browser.ask(`/ui/data/${what}`)
    t.true(answer.status >= 400 && answer.status < 500, `${what} ${answer.status}`)
    t.false(answer.text.includes(marker), what)
  }
})

test('a gateway that serves no page has nothing at its address', async (t) => {
  const opened = await gateway(t, { mcpServers: { [unique('odd')]: odd() } }, { ready: false })
  const endpoint = await opened.listen()
  t.is(endpoint.pageUrl, undefined)
  for (const target of ['/ui/', '/ui/page.js', '/ui/data/servers'])
    t.is((await send(endpoint, { path: target })).status, 401)
  const headers = { Authorization: `Bearer ${endpoint.token}` }
  t.is((await send(endpoint, { path: '/ui/', headers })).status, 404)
})

test('only the bearer token of the gateway gets a ticket, by POST, and has the page served', async (t) => {
  const config = { mcpServers: {}, profiles: { mine: { servers: [], token: TOKEN } } }
  const opened = await gateway(t, config, { ready: false })
  const endpoint = await opened.listen()
  const ask = (token, method = 'POST') =>
    send(endpoint, { path: '/ui/ticket', method, headers: token && { Authorization: `Bearer ${token}` } })
  for (const [token, method, status] of [
    [undefined, 'POST', 401],
    [TOKEN, 'POST', 404],
    [endpoint.token, 'GET', 404],
  ])
    t.is((await ask(token, method)).status, status)
  t.is(endpoint.pageUrl, undefined)
  const { path: target } = (await ask(endpoint.token)).json()
  const browser = browserOf(endpoint)
  t.is((await browser.enter({ ticket: target.split('#')[1] })).status, 200)
  t.is((await browser.post('/ui/ticket', {})).status, 403)
  t.is((await ask(TOKEN)).status, 403)
  t.is((await ask(endpoint.token, 'GET')).status, 405)
})

test('gateways that have one token behind one address are one page, and another token or a changed cookie opens none', async (t) => {
  const publicUrl = 'https://tools.example'
  const token = 'o'.repeat(40)
  const open = async (more = {}) => {
    const opened = await gateway(t, {
      mcpServers: {},
      profiles: { mine: { servers: [], token: TOKEN } },
      gateway: { publicUrl },
    })
    return opened.listen({ page: true, token, ...more })
  }
  const [one, two, stranger] = [await open(), await open(), await open({ token: 'q'.repeat(40) })]
  const asks = (endpoint, { cookie, key }) =>
    send(endpoint, { path: '/ui/data/overview', headers: { origin: publicUrl, cookie, 'x-page-key': key } })
  for (const [proof, profiles, elsewhere] of [
    [{ token }, 1, 401],
    // The token of the profile is that of all three.
    [{ token: TOKEN }, 0, 200],
  ]) {
    const browser = browserOf(one)
    t.is((await browser.enter(proof)).status, 200)
    const there = await asks(two, browser.visit)
    t.deepEqual([there.status, there.json().profiles.length], [200, profiles])
    t.is((await asks(stranger, browser.visit)).status, elsewhere)
    const { cookie, key } = browser.visit
    const [said, seal] = cookie.split('=')[1].split('.')
    const all = Buffer.from(JSON.stringify([null, Date.now() + 1e9, '']), 'utf8').toString('base64url')
    for (const forged of [
      `${all}.${seal}`,
      `${said}.`,
      said,
      `${said}.${seal.slice(1)}`,
      '.',
      'x.y',
      `${said}x.${seal}`,
    ])
      t.is((await asks(two, { cookie: `zoo-page-443=${forged}`, key })).status, 401, forged)
    t.is((await asks(two, { cookie, key: 'k'.repeat(43) })).status, 401)
  }
})

test('however many come in by the token of a profile, the owner stays', async (t) => {
  const config = { mcpServers: {}, profiles: { mine: { servers: [], token: TOKEN } } }
  const { endpoint, browser } = await visiting(t, config)
  for (let at = 0; at < 40; at++) t.is((await browserOf(endpoint).enter({ token: TOKEN })).status, 200)
  t.is((await browser.ask('/ui/data/overview')).status, 200)
})

test('the token of a profile opens the page of that profile alone', async (t) => {
  const [one, two] = [unique('odd'), unique('odd')]
  const config = {
    mcpServers: { [one]: odd(), [two]: odd() },
    profiles: { mine: { servers: [one], token: TOKEN }, zebra: { servers: [two] } },
  }
  const { endpoint, browser } = await serving(t, config)
  const { status, text } = await browser.enter({ token: TOKEN })
  t.deepEqual([status, JSON.parse(text).profile], [200, 'mine'])
  await until(t, async () => (await browser.read('servers')).servers[0]?.toolCount > 0, 'its server is asked')
  for (const what of READ) {
    const answer = await browser.ask(`/ui/data/${what}`)
    t.is(answer.status, 200, what)
    t.false(answer.text.includes(two) || answer.text.includes('zebra'), what)
  }
  for (const whose of ['zebra', 'nobody', '%', '__proto__'])
    t.is((await browser.ask(`/ui/of/${whose}/data/servers`)).status, 404, whose)
  t.is((await browser.ask('/ui/of/mine/data/servers')).status, 200)
  const { text: found } = await browser.post('/ui/data/search', { query: `tell the pid of ${two}` })
  t.false(found.includes(`mcp--${two}`), found)
  // Another profile may have the same server.
  const { canAct, canReload, canSwitch } = await browser.read('overview')
  t.deepEqual([canAct, canReload, canSwitch], [false, false, false])
  for (const what of ['restart', 'login', 'approve', 'reload', 'switch'])
    t.is((await browser.post(`/ui/data/${what}`, { server: one, on: false })).status, 403, what)
  const whole = browserOf(endpoint)
  await whole.enter({ token: endpoint.token })
  t.deepEqual(
    (await whole.read('overview')).profiles.map((profile) => profile.name),
    ['mine', 'zebra'],
  )
  const seen = (await whole.ask('/ui/of/mine/data/servers')).json()
  t.deepEqual(
    seen.servers.map((server) => server.name),
    [one],
  )
  t.true((await whole.read('overview')).canAct)
  t.is((await whole.post('/ui/of/mine/data/restart', { server: one })).status, 200)
})

test('--ui wants --http, and prints an address that lets a browser in', async (t) => {
  const file = configFile(t, { mcpServers: {}, gateway: { dir: folder(t) } })
  const without = startCli(t, ['gateway', '--config', file, '--ui'])
  await without.line(/--ui: expected --http beside it/)
  const args = ['gateway', '--config', file, '--lexical', '--http', '127.0.0.1:0', '--ui']
  const [, url] = await startCli(t, args).line(/opens once at (\S+);/)
  const endpoint = { url }
  t.is((await browserOf(endpoint).enter({ ticket: new URL(url).hash.slice(1) })).status, 200)
})

test('behind a proxy the page works under the address that the configuration names, and says what is wrong under another', async (t) => {
  const publicUrl = 'https://tools.example'
  const { endpoint, opened } = await serving(t, { gateway: { publicUrl } })
  const { port } = new URL(endpoint.url)
  const ask = (headers) => send(endpoint, { path: '/ui/page.js', headers: { host: `127.0.0.1:${port}`, ...headers } })
  for (const host of [`127.0.0.1:${port}`, 'tools.example']) {
    const { status } = await ask({ host, origin: publicUrl, 'sec-fetch-site': 'same-origin' })
    t.is(status, 200, `the proxy sends ${host}`)
  }
  for (const origin of ['https://other.example', 'http://tools.example', 'https://tools.example.org']) {
    const { status, text } = await ask({ origin })
    t.is(status, 403, origin)
    t.regex(text, /set gateway\.publicUrl to the address that the browser has/)
  }
  t.is((await ask({ host: 'other.example' })).status, 403)
  const [entrance, ticket] = endpoint.pageUrl.split('#')
  t.is(entrance, `${publicUrl}/ui/`)
  const browser = browserOf(endpoint)
  await browser.enter({ ticket }, { headers: { origin: publicUrl } })
  t.is((await browser.ask('/ui/data/overview', { headers: { origin: publicUrl } })).status, 200)
  t.is(opened.config.settings.publicUrl, publicUrl)
})
