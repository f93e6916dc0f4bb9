// examples/team really run: the commands and probes of its manifests and of compose.yaml, gateways over a real PostgreSQL behind
// the proxy of the example, clients of both eras, and pods that are replaced while they call. The proxy is the nginx of this machine.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'

import { ModernClient, outcomeOf } from '../helpers/raw-clients.mjs'
import * as eras from '../helpers/eras.mjs'
import { folder, LONG_MS, ODD, odd, startCli, until } from '../helpers/gateway.mjs'
import { send } from '../helpers/http-door.mjs'
import { MISSING, sharedPostgres } from '../helpers/postgres.mjs'
import {
  argumentsHere,
  configured,
  environment,
  IMAGE_CLI,
  NO_PROXY,
  PORTS,
  pod,
  SECRETS,
  service,
  TEAM,
} from '../helpers/team.mjs'

const NEEDED = MISSING ?? NO_PROXY
if (NEEDED !== undefined && process.env.TOOL_ROUTER_POSTGRES_NEEDED) throw new Error(NEEDED)
const claim = NEEDED === undefined ? test.serial : test.serial.skip

const server = sharedPostgres(test)
const address = async () => server.addressOf(await server.database())
const nameOf = (store) => new URL(store).pathname.slice(1)
const execute = promisify(execFile)
const LEDGER = fileURLToPath(new URL('../fixtures/ledger-server.mjs', import.meta.url))

/** A client whose requests come over connections of their own, so that each may reach another pod. */
function client(t, era, { url, token }, { keeps = false, ...options } = {}) {
  const headers = { Authorization: `Bearer ${token}`, ...(!keeps && { Connection: 'close' }) }
  const [open, Transport] =
    era === 'modern' ? [eras.modernClient, ModernTransport] : [eras.legacyClient, StreamableHTTPClientTransport]
  return open(t, new Transport(new URL(url), { requestInit: { headers } }), options)
}

const said = (who, tool, args = {}, how) => who.said('call_tool', { name: `mcp--${tool}`, arguments: args }, how)

/** A server that starts when a file is there. */
function waiting(t) {
  const file = path.join(folder(t), 'go')
  const source = `
    import { existsSync } from 'node:fs'
    while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 50))
    await import(${JSON.stringify(ODD)})`
  const entry = { command: process.execPath, args: ['--input-type=module', '-e', source] }
  return { entry, go: () => writeFileSync(file, '') }
}

claim('compose.yaml starts a gateway that its own health check finds when it is ready, and not before', async (t) => {
  t.timeout(LONG_MS)
  const { compose } = TEAM
  const service = compose.services['gateway-1']
  const { entry, go } = waiting(t)
  const store = new URL(await address())
  const env = Object.fromEntries(
    Object.entries(service.environment).map(([name, value]) => [
      name,
      value
        .replace(/^\$\{ROUTER_PASSWORD:.*\}$/, SECRETS['database-password'])
        .replace(/^\$\{ROUTER_TOKEN:.*\}$/, SECRETS['gateway-token'])
        .replace(/^\$\{ROUTER_KEY_SECRET:.*\}$/, SECRETS['key-secret'])
        .replace('database:5432/router', store.host + store.pathname)
        .replace(/^\/tmp$/, folder(t)),
    ]),
  )
  const file = configured(t, { mcpServers: { late: entry } })
  const given = service.command.at(-1)
  t.is(given, `127.0.0.1:${PORTS.gateway}`)
  const gateway = startCli(t, argumentsHere(service.command, file, 0), { env, stdin: 'ignore', cli: IMAGE_CLI })
  const [, url] = await gateway.line(/listening on (\S+)/)
  const [kind, program, ...args] = service.healthcheck.test
  t.deepEqual([kind, program], ['CMD', 'node'])
  const check = () =>
    execute(
      process.execPath,
      args.map((each) => each.replace(`127.0.0.1:${PORTS.gateway}`, new URL(url).host)),
    ).then(
      () => 0,
      ({ code }) => code,
    )
  t.is(await check(), 1)
  go()
  await until(t, async () => (await check()) === 0, 'the check finds it ready')
  // That of the database, with the address and the user of this one.
  const [, ask, ...how] = compose.services.database.healthcheck.test
  const here = [`--host=${store.hostname}`, `--port=${store.port}`]
  await t.notThrowsAsync(execute(server.program(ask), [...how, ...here]))
})

claim('a pod is alive before it is ready, and its probes find both through the proxy', async (t) => {
  t.timeout(LONG_MS)
  const { entry, go } = waiting(t)
  const one = await pod(t, await address(), configured(t, { mcpServers: { late: entry } }))
  await until(t, () => one.probe('gateway', 'startup'), 'it has started')
  t.true(await one.probe('gateway', 'liveness'))
  t.is((await fetch(new URL('/ready', one.url))).status, 503)
  t.false(await one.probe('proxy', 'readiness'))
  go()
  await one.ready()
  // The server of the example, by the program that its image has.
  t.is(await said(await client(t, 'modern', one), 'everything--echo', { message: 'hello' }), 'Echo: hello')
})

claim('the job makes the tables as who owns them, and a pod whose user may only use them serves', async (t) => {
  t.timeout(LONG_MS)
  const database = await server.database()
  const [owner, user] = ['router_owner', 'router'].map((name) => `${name}_of_${database}`)
  await server.query(
    database,
    `create role ${owner} login password '${SECRETS['owner-password']}'; create role ${user} login password '${SECRETS['database-password']}';
     alter database ${database} owner to ${owner}`,
  )
  const store = server.addressOf(database)
  const file = configured(t, { mcpServers: { odd: odd() } }, user)
  const one = await pod(t, store, file)
  await until(t, () => one.printed().includes('prepare-store'), 'it says that there are no tables and who makes them')
  const [job] = TEAM.tables.spec.template.spec.containers
  const args = job.args.map((each) => (each === 'router' ? user : each.replace('//router_owner:', `//${owner}:`)))
  const prepare = () =>
    execute(process.execPath, [IMAGE_CLI, ...args], { env: environment(job, store, folder(t)), encoding: 'utf8' })
  const { stdout } = await prepare()
  t.regex(stdout, new RegExp(`have version \\d+\\.\\nThe user ${user} may use them`))
  t.is((await prepare()).stdout, stdout, 'again it changes nothing')
  await one.ready()
  const [key] = one.command('add-key', 'ann').split('\n')
  t.true((await said(await client(t, 'modern', { ...one, token: key }), 'odd--echo', { value: 7 })).includes('7'))
  const owned = `select distinct tableowner from pg_tables where schemaname = 'tool_router'`
  t.deepEqual(await server.query(database, owned), [{ tableowner: owner }])
  for (const sql of ['drop table tool_router.calls', 'insert into tool_router.migrations (version) values (99)'])
    await t.throwsAsync(server.query(database, `set role ${user}; ${sql}`), {
      message: /must be owner|permission denied/,
    })
})

claim('Prometheus finds the figures that the rules for alerts name, and no text of a call', async (t) => {
  t.timeout(LONG_MS)
  const down = { command: process.execPath, args: ['-e', 'process.exit(1)'] }
  const one = await pod(t, await address(), configured(t, { mcpServers: { odd: odd(), down } }))
  await one.ready()
  await said(await client(t, 'modern', one), 'odd--echo', { value: 'words-of-somebody' })
  const figures = async () => (await fetch(one.metrics)).text()
  await until(t, async () => (await figures()).includes('tool_router_calls_total'), 'the call is counted')
  const text = await figures()
  const there = new Set([...text.matchAll(/^(\w+)\{/gm)].map(([, name]) => name))
  for (const { alert, expr } of TEAM.alerts) {
    const names = [...expr.matchAll(/tool_router_(?!server\b|outcome\b)\w+/g)].map(([name]) => name)
    t.true(names.length > 0, alert)
    for (const name of names) t.true(there.has(name), `${alert}: ${name}`)
  }
  t.regex(text, /tool_router_server_up\{tool_router_server="odd".*\} 1/)
  t.regex(text, /tool_router_server_up\{tool_router_server="down".*\} 0/)
  t.regex(text, /tool_router_database_up\{.*\} 1/)
  t.false(text.includes('words-of-somebody'))
})

claim(
  'through the proxy a key opens a pod, a stranger and a web page do not, and a long message arrives',
  async (t) => {
    t.timeout(LONG_MS)
    const one = await pod(t, await address(), configured(t, { mcpServers: { odd: odd() } }))
    await one.ready()
    const [key] = one.command('add-key', 'ann').split('\n')
    const statusOf = async (headers) =>
      (await fetch(one.url, { headers: { Accept: 'text/event-stream', ...headers } })).status
    t.is(await statusOf({}), 401)
    t.is(await statusOf({ Authorization: `Bearer ${key}`, Origin: 'https://elsewhere.example' }), 403)
    const ann = await client(t, 'modern', { ...one, token: key })
    const value = 'x'.repeat(5e6)
    t.true((await said(ann, 'odd--echo', { value: value.length })).includes('5000000'))
    const padded = { name: 'mcp_load', arguments: { query: 'echo' }, _meta: { padding: value } }
    t.falsy((await ann.callTool(padded)).isError)
    one.command('revoke-key', 'ann')
    await until(t, async () => (await statusOf({ Authorization: `Bearer ${key}` })) === 401, 'the key has ended')
  },
)

claim('a client without a token finds the issuer through the proxy, by the address that clients have', async (t) => {
  t.timeout(LONG_MS)
  const oidc = { issuer: 'https://login.example', audience: 'https://tools.example/mcp', groups: { all: 'work' } }
  const file = configured(t, { profiles: { work: { servers: ['everything'] } }, gateway: { oidc } })
  const one = await pod(t, await address(), file)
  await one.ready()
  const refused = await fetch(one.url)
  t.is(refused.status, 401)
  const found = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate'))[1]
  t.is(found, 'https://tools.example/.well-known/oauth-protected-resource/mcp')
  const described = await fetch(new URL(new URL(found).pathname, one.url))
  t.like(await described.json(), { resource: oidc.audience, authorization_servers: [oidc.issuer] })
})

claim('events are not held back, and through any proxy a request reaches the pod that can go on with it', async (t) => {
  t.timeout(LONG_MS)
  const store = await address()
  const file = configured(t, { mcpServers: { odd: odd(), asks: eras.asking() } })
  const pods = await Promise.all([1, 2].map(() => pod(t, store, file)))
  await Promise.all(pods.map((each) => each.ready()))
  const front = await service(t, pods)
  for (const [era, answering] of [
    ['legacy', 1],
    ['modern', 2],
  ]) {
    const one = await client(t, era, front, { capabilities: eras.EVERYTHING })
    const pids = new Set()
    for (let at = 0; at < 4; at++) pids.add(await said(one, 'odd--tell_pid'))
    t.is(pids.size, answering, era)
    // The question comes in the answer, which goes on only when it was answered.
    for (let at = 0; at < 3; at++) t.regex(await said(one, 'asks--ask_user'), /blue/, era)
  }
  // What one of them holds is read through the proxy of the other.
  const [here, there] = await Promise.all(pods.map((each) => client(t, 'modern', each)))
  const [handle] = /[\w-]+\.res_\w+/.exec(await said(here, 'odd--write_much', { rows: 2_000 }))
  t.regex(await there.said('read_result', { handle, need: 'the lighthouse' }), /the one with the lighthouse/)
})

claim(
  'a call under way at a pod that is killed is told as unknown, and its sessions are gone at every proxy',
  async (t) => {
    t.timeout(LONG_MS)
    const store = await address()
    const file = configured(t, { mcpServers: { odd: odd() } })
    const [one, other] = await Promise.all([1, 2].map(() => pod(t, store, file)))
    await Promise.all([one, other].map((each) => each.ready()))
    const loaded = 'mcp--odd--tell_pid'
    const first = await client(t, 'legacy', one)
    await first.ask('mcp_load', { query: loaded })
    t.true((await first.names()).includes(loaded))
    const session = first.transport.sessionId
    t.true(session.startsWith(`${one.name}.`))
    const headers = { 'Mcp-Session-Id': session, 'Mcp-Protocol-Version': '2025-11-25' }
    const list = (at) => send(at, { headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
    for (const each of [one, other]) t.is((await list(each)).status, 200)
    // Straight to the pod, and over the proxy of another one.
    const modern = new ModernClient({ fetch: (init) => fetch(one.url, init) }, one)
    const asked = modern.callNamed('mcp--odd--never')
    const calls = async () =>
      (await server.query(nameOf(store), "select outcome from tool_router.calls where tool = 'never'")).length
    await until(t, async () => (await calls()) === 1, 'the call is made')
    one.gateway.child.kill('SIGKILL')
    await one.gateway.ended
    const answer = await asked
    t.is(outcomeOf('never', answer), 'unknown', JSON.stringify(answer))
    // The proxy of the pod is there still, and then it is not.
    for (const each of [one, other]) t.is((await list(each)).status, each === one ? 502 : 404)
    one.front.child.kill('SIGTERM')
    await one.front.ended
    t.is((await list(other)).status, 404)
    const again = await client(t, 'legacy', other)
    t.true((await again.names()).includes(loaded))
    t.is(await said(again, 'odd--count_calls'), '1')
    t.is(await calls(), 1)
  },
)

/** A client of the older era that begins another session when it is told that its own is gone; `lost` collects what is not there again. */
async function renewing(t, front, { loads, lost, ...options }) {
  let who = await client(t, 'legacy', front, options)
  const has = async () => (await who.names()).includes(loads)
  await who.ask('mcp_load', { query: loads })
  return {
    said: (...args) =>
      who.said(...args).catch(async (error) => {
        if (error.code !== 404) throw error
        who = await client(t, 'legacy', front, options)
        if (!(await has())) lost.push(loads)
        return who.said(...args)
      }),
  }
}

/** Calls by one client until it is told to stop; what became of each is in `outcomes`. */
async function calling(who, name, { outcomes, wrong, isOver }) {
  for (let at = 0; !isOver(); at++) {
    const id = `${name}-${at}`
    const text = await said(who, 'own--record', { id }, { timeout: 60_000 }).catch(() => undefined)
    const outcome = outcomeOf(id, text === undefined ? { cut: true } : { status: 200, text })
    outcomes.set(id, outcome)
    if (outcome === 'wrong') wrong.push(`${id}: ${text}`)
    await pause(20)
  }
}

claim(
  'pods are replaced one after the other while clients call: all is answered, nothing wrong or twice',
  async (t) => {
    t.timeout(2 * LONG_MS)
    const store = await address()
    const place = folder(t)
    const [ledger, wording] = ['ledger', 'wording'].map((name) => path.join(place, name))
    writeFileSync(ledger, '')
    writeFileSync(wording, 'Says it.')
    const own = { command: process.execPath, args: [LEDGER, ledger, wording] }
    const file = configured(t, { mcpServers: { own, odd: odd() } })
    const start = async (name) => {
      const started = await pod(t, store, file, name)
      await started.ready()
      return started
    }
    const front = await service(t, [await start(), await start()])
    let isOver = false
    const seen = { outcomes: new Map(), wrong: [], isOver: () => isOver }
    const lost = []
    const clients = await Promise.all(
      ['modern', 'legacy', 'modern', 'legacy'].map((era, at) =>
        era === 'modern'
          ? client(t, era, front, { keeps: at > 1 })
          : renewing(t, front, { keeps: at > 1, loads: 'mcp--own--record', lost }),
      ),
    )
    const all = clients.map((who, at) => calling(who, `c${at}`, seen))
    for (const ending of [...front.endpoints]) {
      // Under way at the one that ends, for longer than its end begins.
      const long = []
      for (const era of ['modern', 'legacy']) {
        let begun
        const hasBegun = new Promise((resolve) => (begun = resolve))
        const how = { onprogress: begun }
        long.push(said(await client(t, era, ending), 'odd--slow_report', { ms: 4_000, steps: 8 }, how))
        await hasBegun
      }
      front.remove(ending)
      await ending.end()
      t.deepEqual(await Promise.all(long), ['done', 'done'])
      front.endpoints.push(await start(ending.name))
    }
    await pause(1_000)
    isOver = true
    await Promise.all(all)
    const made = readFileSync(ledger, 'utf8').split('\n').filter(Boolean)
    const counts = (outcome) => [...seen.outcomes].filter(([, each]) => each === outcome).map(([id]) => id)
    t.log(Object.fromEntries(['ok', 'unknown', 'refused'].map((each) => [each, counts(each).length])))
    t.deepEqual(seen.wrong, [])
    t.deepEqual(lost, [])
    t.is(new Set(made).size, made.length)
    t.deepEqual(
      counts('ok').filter((id) => !made.includes(id)),
      [],
    )
    t.deepEqual(
      counts('refused').filter((id) => made.includes(id)),
      [],
    )
    t.true(counts('ok').length > 20)
    // A connection that a client kept may end in the moment in which it sends: that is the client's to tell.
    t.true(counts('unknown').length <= 2, counts('unknown').join(' '))
  },
)
