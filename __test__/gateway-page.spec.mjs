// The gateway's page over HTTP: who comes in, what changes nothing, what is shown and what never is.
import http from 'node:http'
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { settings } from '../packages/gateway/page/about.mjs'
import { difference } from '../packages/gateway/page/app/difference.mjs'
import { servers } from '../packages/gateway/page/servers.mjs'
import { shownText } from '../packages/gateway/page/shown.mjs'
import { tools } from '../packages/gateway/page/tools.mjs'
import { folder, gateway, inProcess, META_COUNT, odd, startCli, unique, until } from './helpers/gateway.mjs'

const READ = ['overview', 'servers', 'tools', 'sessions', 'calls', 'audit', 'approvals', 'settings', 'recorded']
const ACTS = ['approve', 'login', 'play', 'reload', 'restart', 'search', 'switch']
const TOKEN = 'p'.repeat(40)

async function serving(t, config = {}) {
  const name = unique('odd')
  const opened = await gateway(t, { mcpServers: { [name]: odd() }, ...config })
  const endpoint = await opened.listen({ page: true })
  return { opened, endpoint, name, browser: browserOf(endpoint) }
}

/** A request as any program can send it, and its answer. A stream gives its headers and `next()`. */
function send(endpoint, { method = 'GET', path: target, headers = {}, body, stream = false }) {
  const { port, hostname } = new URL(endpoint.url)
  return new Promise((resolve, reject) => {
    const request = http.request({ method, path: target, port, host: hostname, agent: false, headers })
    request.on('error', reject)
    request.on('response', (response) => {
      const { statusCode: status } = response
      let text = ''
      const waiting = []
      response.on('data', (chunk) => {
        text += chunk
        for (const look of waiting.splice(0)) look()
      })
      const next = (pattern) =>
        new Promise((found) => {
          const look = () => (pattern.test(text) ? found(text) : waiting.push(look))
          look()
        })
      const end = () => resolve({ status, headers: response.headers, text, json: () => JSON.parse(text) })
      if (stream) resolve({ status, headers: response.headers, next, close: () => request.destroy() })
      else response.on('end', end)
      response.on('error', end)
    })
    if (body !== undefined) request.write(body)
    request.end()
  })
}

/** What a browser keeps of its visit, and how its page asks. */
function browserOf(endpoint) {
  const visit = { cookie: '', key: '' }
  const ask = (target, { headers, ...how } = {}) =>
    send(endpoint, { path: target, headers: { cookie: visit.cookie, 'x-page-key': visit.key, ...headers }, ...how })
  const post = (target, value, how = {}) =>
    ask(target, {
      method: 'POST',
      body: JSON.stringify(value),
      ...how,
      headers: { 'Content-Type': 'application/json', ...how.headers },
    })
  const enter = async (proof) => {
    const answer = await post('/ui/enter', proof)
    if (answer.status === 200)
      Object.assign(visit, { cookie: answer.headers['set-cookie'][0].split(';')[0], key: answer.json().key })
    return answer
  }
  return { visit, ask, post, enter, read: async (what) => (await ask(`/ui/data/${what}`)).json() }
}

const ticketOf = (endpoint) => new URL(endpoint.pageUrl).hash.slice(1)

async function visiting(t, config) {
  const served = await serving(t, config)
  await served.browser.enter({ ticket: ticketOf(served.endpoint) })
  return served
}

// --- who comes in -----------------------------------------------------------------------------------

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
  t.regex(headers['set-cookie'][0], /^zoo-page-\d+=[\w-]{43}; Path=\/ui; HttpOnly; SameSite=Strict$/)
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

test('visits by the token of a profile put out visits of that profile, not those of the owner', async (t) => {
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
})

test('--ui wants --http, and prints an address that lets a browser in', async (t) => {
  const file = path.join(folder(t), 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: {}, gateway: { cacheDir: false } }))
  const without = startCli(t, ['gateway', '--config', file, '--ui'])
  await without.line(/--ui: expected --http beside it/)
  const args = ['gateway', '--config', file, '--lexical', '--http', '127.0.0.1:0', '--ui']
  const [, url] = await startCli(t, args).line(/opens once at (\S+);/)
  const endpoint = { url }
  t.is((await browserOf(endpoint).enter({ ticket: new URL(url).hash.slice(1) })).status, 200)
})

// --- what is shown ------------------------------------------------------------------------------------

test('no view has a secret of the configuration, and none has what calls said', async (t) => {
  const secrets = ['a1Secret7Argument9zzQ', 'b2Secret8Variable1xxR', 'c3Secret9Address2yyS', 'd4Secret0Header3wwT']
  const [argument, variable, address, header] = secrets
  const prints = 'console.error("no", process.argv.at(-1), process.env.SERVICE_TOKEN); process.exit(3)'
  const [works, fails, remote] = [unique('odd'), unique('bad'), unique('far')]
  const { opened, endpoint, browser } = await visiting(t, {
    mcpServers: {
      [works]: odd({ env: { SERVICE_TOKEN: variable } }, '--token', argument),
      [fails]: {
        command: process.execPath,
        args: ['-e', prints, '--', '--token', argument],
        env: { SERVICE_TOKEN: variable },
      },
      [remote]: { url: `http://127.0.0.1:1/${address}/mcp?key=${address}`, headers: { 'X-Api-Key': header } },
    },
  })
  const client = await inProcess(t, opened)
  await client.ask('mcp_load', { query: 'querymark echo' })
  await client.use(`mcp--${works}--echo`, { text: 'argumentmark' })
  await until(t, async () => (await browser.read('calls')).calls.length > 1, 'the calls are there')
  const answers = [...READ, `tool?server=${works}&tool=echo`].map(async (what) => browser.ask(`/ui/data/${what}`))
  for (const { status, text } of await Promise.all(answers)) {
    t.is(status, 200)
    for (const mark of [...secrets, endpoint.token, 'querymark', 'argumentmark'])
      t.false(text.includes(mark), `${mark} in ${text.slice(0, 200)}`)
  }
  let servers
  const failed = async () => {
    servers = (await browser.read('servers')).servers
    const { state, lines } = servers.find((server) => server.name === fails)
    return state === 'waiting' && /no \[hidden\] \[hidden\]/.test(lines.join())
  }
  // Between two tries it is starting.
  await until(t, failed, 'it has failed, and its last lines are there')
  t.regex(servers.find((server) => server.name === remote).reach, /^http:\/\/127\.0\.0\.1:1\/\[hidden\]\/mcp$/)
})

test('a server says its state, why it failed and what it costs, and is started again from the page', async (t) => {
  const { browser, name } = await visiting(t)
  await until(t, async () => (await browser.read('servers')).servers[0].tokens > 0, 'its tools are counted')
  const [before] = (await browser.read('servers')).servers
  t.deepEqual([before.name, before.state, before.toolCount], [name, 'ready', before.scopedCount])
  t.is((await browser.post('/ui/data/restart', { server: name })).status, 200)
  const isBack = async () => {
    const [{ state, pid }] = (await browser.read('servers')).servers
    return state === 'ready' && pid !== before.pid
  }
  await until(t, isBack, 'it runs again in another process')
})

test('the catalogue comes a page at a time, filtered, with costs, kinds and findings', async (t) => {
  const name = unique('odd')
  const { browser } = await visiting(t, { mcpServers: { [name]: odd({ disabledTools: ['echo'] }, '--odd') } })
  const whole = await browser.read('tools')
  t.is(whole.matched, whole.total)
  t.true(whole.tools.length <= whole.page)
  const found = await browser.read('tools?only=findings')
  t.true(found.matched > 0 && found.matched < whole.total)
  const [first] = found.tools
  const { findings, description } = await browser.read(`tool?server=${name}&tool=${first.tool}`)
  t.true(findings[0].text.length > 0)
  t.true(description.length > 0)
  t.deepEqual(
    (await browser.read('tools?text=echo')).tools.map(({ tool, off }) => [tool, off]),
    [['echo', 'the configuration switches it off']],
  )
  t.is((await browser.read(`tools?from=${whole.total}`)).tools.length, 0)
})

test('a search finds what mcp_load attaches, in its order, and attaches nothing', async (t) => {
  const { opened, browser } = await visiting(t)
  const client = await inProcess(t, opened)
  for (const query of ['echo a text back', 'slow report', 'book a flight to Oslo']) {
    const seen = (await browser.post('/ui/data/search', { query })).json()
    t.is((await client.names()).length, META_COUNT, query)
    const fresh = await inProcess(t, opened)
    const answer = await fresh.ask('mcp_load', { query })
    const signed = JSON.stringify(answer.loaded)
    const places = seen.loaded.map(({ name }) => signed.indexOf(name))
    t.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      query,
    )
    t.false(places.includes(-1), query)
    t.is(seen.loaded.length, (await fresh.names()).length - META_COUNT, query)
    t.is(seen.evidence, answer.evidence, query)
    t.is(seen.nothingFits === undefined, answer.nothingFits === undefined, query)
    for (const { rank, score } of seen.loaded) t.true(rank > 0 && Number.isFinite(score))
  }
})

test('sessions say what is attached, by whom, and what it has cost; calls say when and how much', async (t) => {
  const { opened, browser, name } = await visiting(t)
  const client = await inProcess(t, opened)
  await client.ask('mcp_load', { query: 'echo' })
  await client.names()
  await client.use(`mcp--${name}--echo`, { value: 'hello' })
  await client.use('call_tool_read', { name: `mcp--${name}--reword`, arguments: {} })
  const counted = async () => (await browser.read('sessions')).sessions[0].bill.listTokens > 0
  await until(t, counted, 'the list is counted')
  const [session] = (await browser.read('sessions')).sessions
  t.is(session.client, 'test 0.0.0')
  t.true(session.attached.length > 0)
  t.true(session.attached.every(({ by, since }) => by === 'mcp_load' && since <= Date.now()))
  t.deepEqual([session.bill.answers, session.bill.calls], [1, 2])
  const { calls } = await browser.read('calls')
  t.deepEqual(
    calls.map(({ server, tool, outcome }) => [server, tool, outcome]),
    [
      [name, 'reword', 'refused'],
      [name, 'echo', 'ok'],
      ['', 'mcp_load', 'ok'],
    ],
  )
  t.is(calls[1].sent, Buffer.byteLength('{"value":"hello"}'))
  t.true(calls[1].received > 0 && calls[1].ms > 0)
})

test('a changed tool is shown with both texts, and only the text that was read is approved', async (t) => {
  const { opened, browser, name } = await visiting(t, {
    gateway: { changedTools: 'withhold', approvalDir: folder(t) },
  })
  const client = await inProcess(t, opened)
  const waiting = async () => (await browser.read('approvals')).waiting
  t.deepEqual(await waiting(), [])
  await client.use(`mcp--${name}--reword`)
  await until(t, async () => (await waiting()).length === 1, 'it waits')
  const [first] = await waiting()
  t.deepEqual([first.server, first.tool, first.isWhole, first.more], [name, 'tell_pid', true, 0])
  t.deepEqual(
    first.parts.map(({ at }) => at),
    ['description'],
  )
  t.not(first.parts[0].was, first.parts[0].is)
  await client.use(`mcp--${name}--reword`)
  await until(t, async () => (await waiting())[0].hash !== first.hash, 'it says yet something else')
  const approve = (hash) => browser.post('/ui/data/approve', { server: name, tool: 'tell_pid', hash })
  t.is((await approve(first.hash)).status, 409)
  t.is((await waiting()).length, 1)
  t.is((await approve((await waiting())[0].hash)).status, 200)
  await until(t, async () => (await waiting()).length === 0, 'it is approved')
  await until(t, () => opened.catalogue.entries.get(name).withheld.size === 0, 'it is back')
})

test('an open page is told what has changed', async (t) => {
  const { opened, browser, name } = await visiting(t)
  const stream = await browser.ask('/ui/data/events', { stream: true })
  t.is(stream.status, 200)
  t.is(stream.headers['content-type'], 'text/event-stream')
  const client = await inProcess(t, opened)
  await client.use('mcp_load', { query: 'echo' })
  await stream.next(/^data: .*"sessions"/m)
  await stream.next(/^data: .*"calls"/m)
  await browser.post('/ui/data/restart', { server: name })
  await stream.next(/^data: .*"servers"/m)
  stream.close()
  t.pass()
})

test('settings have their names, values and defaults', async (t) => {
  const registry = [`wiki@${'0'.repeat(32)}`, `crm@${'1'.repeat(32)}`]
  const { browser } = await visiting(t, { gateway: { searchK: 7, sessionIdleS: 60, registry } })
  const { settings } = await browser.read('settings')
  const changed = settings
    .filter(({ isChanged }) => isChanged)
    .map(({ name, value, default: was }) => [name, value, was])
  for (const row of [
    ['searchK', '7', '10'],
    ['sessionIdleS', '60', '1800'],
    ['registry', registry.join(', '), 'none'],
  ])
    t.true(
      changed.some((each) => each.join() === row.join()),
      JSON.stringify(changed),
    )
})

test('rows stand in the order that is asked for, and what wants a person comes first where none is', async (t) => {
  const [here, gone] = [unique('a'), unique('z')]
  const opened = await gateway(t, { mcpServers: { [here]: odd(), [gone]: { command: 'no-such-program' } } })
  const shown = (view, sort) => view(opened, new URLSearchParams({ sort }))
  const names = (sort) => shown(servers, sort).servers.map(({ name }) => name)
  await until(t, () => names('')[0] === gone, 'the one that failed is first')
  for (const [sort, order] of [
    ['server', [here, gone]],
    ['-server', [gone, here]],
    ['-tools', [here, gone]],
    ['state', [gone, here]],
  ])
    t.deepEqual(names(sort), order, sort)
  const rows = (sort) => shown(tools, sort).tools
  await until(t, () => rows('').every(({ tokens }) => tokens !== null), 'tokens are counted')
  const byTokens = rows('').map(({ tokens }) => tokens)
  t.deepEqual(
    rows('tokens').map(({ tokens }) => tokens),
    byTokens.toSorted((one, two) => one - two),
  )
  t.deepEqual(
    rows('-tokens').map(({ tokens }) => tokens),
    byTokens.toSorted((one, two) => two - one),
  )
  const kinds = rows('-kind').map(({ kind }) => ['destructive', 'write', 'read'].indexOf(kind))
  t.deepEqual(kinds, kinds.toSorted())
  for (const sort of ['none', '-', 'constructor', '--tokens'])
    t.throws(() => shown(tools, sort), { message: /^sort: expected one of tool, server/ }, sort)
})

test('a setting that is an address is shown without its user, its password and what is behind ?', (t) => {
  const shown = settings({
    config: { settings: { store: 'postgres://me:s3cretword@db.example/tools?password=otherword' } },
  })
  t.deepEqual(
    shown.settings.map(({ name, value }) => [name, value]),
    [['store', 'postgres://db.example/tools']],
  )
})

test('what is invisible in a text of a server is made visible', (t) => {
  t.is(shownText('a\u200bb\u202ec\nd\te\u0007', 100), 'a⟨U+200B⟩b⟨U+202E⟩c\nd\te⟨U+7⟩')
  t.is(shownText('x'.repeat(50), 10), `${'x'.repeat(9)}…`)
  t.is(shownText(7, 10), '')
})

test('two texts differ in the words that they do not share', (t) => {
  const marked = (parts) => parts.map(({ text, isOther }) => (isOther ? `[${text}]` : text)).join('')
  const cases = [
    ['Lists open issues.', 'Lists all issues.', 'Lists [open] issues.', 'Lists [all] issues.'],
    ['a b c', 'a b c', 'a b c', 'a b c'],
    ['', 'new', '', '[new]'],
    ['a b', 'a x b y', 'a b', 'a [x ]b[ y]'],
  ]
  for (const [was, is, before, after] of cases) t.deepEqual(difference(was, is).map(marked), [before, after])
  const long = (word) => Array.from({ length: 5_000 }, (_, at) => `${word}${at}`).join(' ')
  for (const [was, is] of [
    [long('a'), long('b')],
    [long('a'), `${long('a')} more`],
  ])
    t.deepEqual(
      difference(was, is).map((parts) => parts.map(({ text }) => text).join('')),
      [was, is],
    )
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

test('an address of a proxy is an origin and nothing more', async (t) => {
  for (const publicUrl of [
    'tools.example',
    'https://tools.example/mcp',
    'ftp://tools.example',
    'https://a@tools.example',
    5,
  ])
    await t.throwsAsync(serving(t, { gateway: { publicUrl } }), { message: /config\.gateway\.publicUrl: expected/ })
})
