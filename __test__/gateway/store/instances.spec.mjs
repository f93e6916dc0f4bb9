// A server that one gateway runs for all that share a database: who runs it, who takes over, and that no call is made twice.
import test from 'ava'

import * as eras from '../../helpers/eras.mjs'
import { lives, LONG_MS, odd, progressReceived, until } from '../../helpers/gateway.mjs'
import { MISSING, sharedPostgres } from '../../helpers/postgres.mjs'
import { replica } from '../../helpers/replica.mjs'

// One after the other: some take the database away.
const claim = MISSING === undefined ? test.serial : test.serial.skip
const outage = process.env.TOOL_ROUTER_POSTGRES_NEEDED ? claim : test.serial.skip

const server = sharedPostgres(test)

/** Gateways over a database of their own, with a client each. */
async function served(t, count, mcpServers = { odd: odd({ oneInstance: true }) }, options) {
  const store = server.addressOf(await server.database())
  const replicas = await Promise.all(Array.from({ length: count }, () => replica(t, store, { mcpServers })))
  const clients = await Promise.all(replicas.map((each) => eras.legacyOverHttp(t, each, options)))
  const [name] = Object.keys(mcpServers)
  const call = (client, tool, args, how) => client.use(`mcp--${name}--${tool}`, args, how)
  const said = async (...args) => (await call(...args)).content[0].text
  return { store, replicas, clients, call, said, rows: (text) => server.query(new URL(store).pathname.slice(1), text) }
}

const pidOf = (text) => (/^\d+$/.test(text) ? Number(text) : undefined)

/** The process of the server, once all clients are answered by the same one. */
async function onlyPid(t, clients, said) {
  let pids
  await until(
    t,
    async () => {
      pids = await Promise.all(clients.map(async (client) => pidOf(await said(client, 'tell_pid'))))
      return pids.every((pid) => pid !== undefined)
    },
    'all clients are answered',
  )
  t.is(new Set(pids).size, 1)
  return pids[0]
}

/** Which gateway runs the server: the one whose process is its parent. */
async function holderOf(replicas, pid) {
  const { execFileSync } = await import('node:child_process')
  const parent = Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }))
  return replicas.findIndex(({ child }) => child.pid === parent)
}

claim('one gateway runs the server for all, and another one takes over when that one is killed', async (t) => {
  t.timeout(LONG_MS)
  const { replicas, clients, call, said, rows } = await served(t, 3)
  const first = await onlyPid(t, clients, said)
  const holder = await holderOf(replicas, first)
  const asker = clients[(holder + 1) % 3]
  // Under way at the killed one: nobody makes it again.
  const lost = said(asker, 'never')
  await until(
    t,
    async () => (await rows('select id from tool_router.server_calls where taken_by is not null')).length > 0,
    'it is taken',
  )
  await replicas[holder].kill()
  const left = clients.filter((_, at) => at !== holder)
  const waited = await Promise.all(left.map((client) => said(client, 'tell_pid')))
  t.regex(await lost, /ERR_OUTCOME_UNKNOWN.*unknown.*not made again/)
  const second = await onlyPid(t, left, said)
  t.not(second, first)
  t.deepEqual(
    waited.filter((text) => pidOf(text) !== second && !/ERR_OUTCOME_UNKNOWN|try again/.test(text)),
    [],
  )
  await until(t, () => !lives(first), 'the first process is gone')
  t.like(await call(asker, 'count_calls'), { content: [{ type: 'text' }] })
  t.deepEqual(await rows('select id from tool_router.server_calls'), [])
})

claim(
  'a call that somebody writes into the database is made by no gateway that has the tool off, and has a row',
  async (t) => {
    t.timeout(LONG_MS)
    const entry = odd({ oneInstance: true, disabledTools: ['tell_pid'] })
    const { clients, said, rows } = await served(t, 1, { odd: entry })
    await until(t, async () => /^\d+$/.test(await said(clients[0], 'count_calls')), 'the server runs')
    const [{ identity }] = await rows(`select identity from tool_router.leases where server = 'odd'`)
    const forged = async (request) => {
      const [{ id }] = await rows(
        `insert into tool_router.server_calls (id, identity, server, asker, request)
       values (gen_random_uuid(), '${identity}', 'odd', gen_random_uuid(), '${JSON.stringify(request)}') returning id`,
      )
      await rows(`select pg_notify('tool_router', '- called ${identity}')`)
      let outcome
      await until(
        t,
        async () => {
          ;[{ outcome }] = await rows(`select outcome from tool_router.server_calls where id = '${id}'`)
          return outcome !== null
        },
        'it is answered',
      )
      return JSON.stringify(outcome)
    }
    const call = (name, more = {}) => ({ method: 'tools/call', params: { name, arguments: {} }, ...more })
    t.regex(
      await forged(call('tell_pid')),
      /odd\/tell_pid is off in the gateway that runs its server; nothing was done/,
    )
    t.regex(await forged(call('Tell-Pid')), /nothing was done/)
    t.regex(await forged(call('nobody')), /has no tool/)
    t.regex(await forged({ method: 'logging/setLevel', params: { level: 'debug' } }), /no gateway asks another one/)
    t.regex(await forged({ method: 'tools/list', key: 'tools' }), /no gateway asks another one/)
    // What is on could have been called by any client of the team; it is seen that nobody of them did.
    t.regex(await forged(call('count_calls', { options: { tool: { name: 'tell_pid' } } })), /"text":"\d+"/)
    const audit = () => rows(`select tool, outcome from tool_router.calls where client like 'gateway %' order by at`)
    await until(t, async () => (await audit()).length === 4, 'each has a row')
    t.deepEqual(
      (await audit()).map(({ tool, outcome }) => `${tool} ${outcome}`),
      ['tell_pid refused', 'Tell-Pid refused', 'nobody refused', 'count_calls ok'],
    )
  },
)

claim('a gateway that ends by itself hands the server over without a wait', async (t) => {
  t.timeout(LONG_MS)
  const { replicas, clients, said, rows } = await served(t, 2)
  const first = await onlyPid(t, clients, said)
  const holder = await holderOf(replicas, first)
  const [{ holder: before }] = await rows(`select holder from tool_router.leases where server = 'odd'`)
  await replicas[holder].kill('SIGTERM')
  t.false(lives(first))
  const left = [clients[1 - holder]]
  t.not(await onlyPid(t, left, said), first)
  const leases = await rows(`select holder from tool_router.leases where server = 'odd'`)
  t.is(leases.length, 1)
  t.not(leases[0].holder, before)
})

claim(
  'a gateway that is told to end answers what another one has called, and hands the server over then',
  async (t) => {
    t.timeout(LONG_MS)
    const { replicas, clients, call, said } = await served(t, 2)
    const first = await onlyPid(t, clients, said)
    const holder = await holderOf(replicas, first)
    const asker = clients[1 - holder]
    let begun
    const hasBegun = new Promise((resolve) => (begun = resolve))
    const answer = call(asker, 'slow_report', { ms: 4_000, steps: 8 }, { onprogress: begun })
    await hasBegun
    await replicas[holder].kill('SIGTERM')
    t.is((await answer).content[0].text, 'done')
    t.not(await onlyPid(t, [asker], said), first)
  },
)

claim('a gateway that was suspended ends the server that another one has taken over', async (t) => {
  t.timeout(LONG_MS)
  const { replicas, clients, said } = await served(t, 2)
  const first = await onlyPid(t, clients, said)
  const holder = await holderOf(replicas, first)
  replicas[holder].child.kill('SIGSTOP')
  const left = [clients[1 - holder]]
  const isOther = async () => ![undefined, first].includes(pidOf(await said(left[0], 'tell_pid')))
  await until(t, isOther, 'another gateway runs the server')
  replicas[holder].child.kill('SIGCONT')
  await until(t, () => !lives(first), 'the first process ends')
  await onlyPid(t, clients, said)
})

claim('calls that other gateways pass on are whole: results, errors, progress and cancelling', async (t) => {
  t.timeout(LONG_MS)
  const { replicas, clients, call, said } = await served(t, 2)
  const holder = await holderOf(replicas, await onlyPid(t, clients, said))
  const asker = clients[1 - holder]
  const value = { 'a b': [null, 1e300, 'nul\u0000', '\ud800'], __proto__: 1 }
  t.deepEqual((await call(asker, 'echo', { value })).structuredContent.arguments, { value })
  t.like(await call(asker, 'fail_politely'), { isError: true, content: [{ text: 'no such city' }] })
  await t.throwsAsync(call(asker, 'fail_by_protocol'), { code: -32050, message: /out of paper/ })
  const seen = progressReceived(asker)
  t.is((await call(asker, 'slow_report', { steps: 3 }, { onprogress() {} })).content[0].text, 'done')
  // Of what comes at once the first is passed on.
  t.is(seen[0], 1)
  t.deepEqual(seen, seen.toSorted())
  const over = new AbortController()
  const cancelled = call(asker, 'slow_report', { ms: LONG_MS, steps: 1 }, { signal: over.signal })
  setTimeout(() => over.abort(), 300)
  await t.throwsAsync(cancelled)
  await until(t, async () => (await said(asker, 'count_cancelled')) === '1', 'the server is told')
  const counted = Number(await said(asker, 'count_calls'))
  await Promise.all(Array.from({ length: 100 }, () => call(asker, 'echo', {})))
  t.is(Number(await said(clients[holder], 'count_calls')), counted + 101)
})

for (const [era, open] of [
  ['older', eras.legacyOverHttp],
  ['current', eras.overHttp],
])
  claim(`a server asks clients of the ${era} era at any gateway, and has the answer of each`, async (t) => {
    t.timeout(LONG_MS)
    const asks = eras.asking({ oneInstance: true })
    const { replicas, rows } = await served(t, 2, { asks })
    const known = await Promise.all(
      replicas.map(async (each, at) => {
        const answers = eras.answering({ elicit: `colour ${at}`, sample: `hello ${at}` })
        return { at, answers, client: await open(t, each, { capabilities: eras.EVERYTHING, answers }) }
      }),
    )
    const call = (client, tool) => client.said('call_tool', { name: `mcp--asks--${tool}`, arguments: {} })
    for (const { client, at, answers } of known) {
      await until(t, async () => /^\d+$/.test(await call(client, 'calls')), 'the server has started')
      // One after the other: of two calls under way nobody could say which one asks.
      t.deepEqual(JSON.parse(await call(client, 'ask_user')), { action: 'accept', content: { value: `colour ${at}` } })
      t.is(JSON.parse(await call(client, 'ask_model')).content.text, `hello ${at}`)
      t.is(JSON.parse(await call(client, 'ask_both')).length, 2)
      t.is(answers.asked.length, 4)
    }
    t.deepEqual(await rows('select id from tool_router.server_calls'), [])
  })

claim('a server is told in words when the client of another gateway cannot be asked, or has left', async (t) => {
  t.timeout(LONG_MS)
  const asks = eras.asking({ oneInstance: true })
  const { clients, replicas, said, call } = await served(t, 2, { asks })
  for (const client of clients) {
    await until(t, async () => /^\d+$/.test(await said(client, 'calls')), 'the server has started')
    t.regex(JSON.parse(await said(client, 'ask_user')).message, /does not have elicitation/)
  }
  // Each asks a user who does not answer, and takes the call back. Nobody is left behind.
  for (const each of replicas) {
    let asked
    const isAsked = new Promise((resolve) => (asked = resolve))
    const answers = { 'elicitation/create': () => new Promise(asked) }
    const client = await eras.legacyOverHttp(t, each, { capabilities: eras.EVERYTHING, answers })
    const taken = new AbortController()
    const answer = call(client, 'ask_user', {}, { signal: taken.signal }).catch((error) => error)
    await isAsked
    taken.abort()
    t.true((await answer) instanceof Error)
  }
  for (const client of clients) t.regex(await said(client, 'calls'), /^\d+$/)
})

outage('while the database is gone nobody else runs the server, and all is as before when it is back', async (t) => {
  t.timeout(LONG_MS)
  const { replicas, clients, call, said } = await served(t, 2)
  const first = await onlyPid(t, clients, said)
  const holder = await holderOf(replicas, first)
  await server.stop()
  for (const each of replicas) await each.line(/cannot be reached/)
  t.like(await call(clients[1 - holder], 'tell_pid'), { isError: true })
  await until(t, () => !lives(first), 'the lease ends, and with it the process')
  t.regex(await said(clients[holder], 'tell_pid'), /runs in one gateway for all, and the database .* cannot be reached/)
  await server.start()
  for (const each of replicas) await each.line(/is back/)
  t.not(await onlyPid(t, clients, said), first)
})
