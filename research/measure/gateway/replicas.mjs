// Gateways over one PostgreSQL behind a proxy without memory, one of them killed again and again, with clients of both eras that
// call servers that write each call down; meanwhile keys are made and ended, and changed tools are approved.
//
//   node research/measure/gateway/replicas.mjs [--calls 1000] [--seconds 60] [--kill-every 20] [--gateways 3] [--clients 8]
//
// In full size: --calls 10000 --seconds 420. Needs PostgreSQL, as npm run test:postgres does. Exit code 1 when a call was made
// twice, an answer was wrong, a session, a key or an approval was lost, or the audit lacks a call that was made.

import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

import pg from 'pg'

import { MISSING, startPostgres } from '../../../__test__/helpers/postgres.mjs'
import { Approvals } from '../../../packages/gateway/store/approvals.mjs'
import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { newKey } from '../../../packages/gateway/doors/keys.mjs'
import { readStoreAddress } from '../../../packages/gateway/config/address.mjs'
import { PostgresStore } from '../../../packages/gateway/store/postgres/store.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { LegacyClient, ModernClient, outcomeOf } from './replicas/clients.mjs'
import { configured, Balancer, Replica } from './replicas/world.mjs'

const DOWN_MS = 2_000
const LOOK_MS = 20
/** How long anything may take to be everywhere before it counts as lost. */
const LOST_MS = 30_000
/** How long the row of a call may wait. */
const WRITTEN_MS = 3_000
const SERVERS = ['own', 'one']

const given = readArguments(
  'usage: replicas.mjs [--calls 1000] [--seconds 60] [--kill-every 20] [--gateways 3] [--clients 8]\n',
  {
    calls: { type: 'integer', default: 1_000, least: 1 },
    seconds: { type: 'integer', default: 60, least: 1 },
    'kill-every': { type: 'integer', default: 20, least: 1 },
    gateways: { type: 'integer', default: 3, least: 2 },
    clients: { type: 'integer', default: 8, least: 2 },
  },
)
if (!given) process.exit()
if (MISSING !== undefined) {
  console.error(MISSING)
  process.exit(2)
}
const { values } = given

const counts = { ok: 0, unknown: 0, refused: 0, wrong: 0 }
const outcomes = new Map()
const wrong = []
const lost = []
const spread = { key: [], revoked: [], approval: [] }
let isOver = false
let kills = 0

/** Makes calls one after the other, at a pace that fills the time. */
async function calling(client, share) {
  const everyMs = (values.seconds * 1000) / share
  for (let at = 0; at < share; at++) {
    const began = Date.now()
    const id = `c${outcomes.size}`
    outcomes.set(id, 'under way')
    const answer = await client.call(SERVERS[at % 2], id)
    const outcome = outcomeOf(id, answer)
    outcomes.set(id, outcome)
    counts[outcome] += 1
    if (outcome === 'wrong') wrong.push(`${answer.status} ${String(answer.text).slice(0, 200)}`)
    await pause(Math.max(0, began + everyMs - Date.now()))
  }
  lost.push(...(client.lost ?? []))
}

/** Kills one gateway after the other, and starts it again at its place. */
async function killing(replicas) {
  for (let at = 0; !isOver; at++) {
    for (let left = values['kill-every'] * 1000; left > 0 && !isOver; left -= 200) await pause(200)
    if (isOver) return
    const replica = replicas[at % replicas.length]
    await replica.kill()
    kills += 1
    await pause(DOWN_MS)
    await replica.start()
  }
}

/** Waits until something holds at each gateway that lives through it. @returns {Promise<number>} milliseconds; NaN for lost */
async function everywhere(replicas, holds) {
  const began = Date.now()
  const times = await Promise.all(
    replicas.map(async (replica) => {
      const { life } = replica
      const isSame = () => replica.isUp && replica.life === life
      while (isSame()) {
        if (await holds(replica).catch(() => false)) return Date.now() - began
        if (Date.now() - began > LOST_MS) return Number.NaN
        await pause(LOOK_MS)
      }
      return 0
    }),
  )
  return Math.max(...times)
}

const post = (url, token, body, headers = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })

/** Whether a key opens a gateway. */
async function opens({ url }, key) {
  const { status } = await post(url, key, { jsonrpc: '2.0', id: 1, method: 'ping' })
  return status !== 401
}

/** Makes keys, and ends each when it is known everywhere. */
async function keying(replicas, store) {
  for (let at = 0; !isOver; at++) {
    const { key, hash } = newKey()
    await store.keys.add({ name: `key-${at}`, hash })
    spread.key.push(await everywhere(replicas, (replica) => opens(replica, key)))
    await store.keys.revoke(`key-${at}`)
    spread.revoked.push(await everywhere(replicas, async (replica) => !(await opens(replica, key))))
    await pause(1_000)
  }
  const kept = await store.keys.list()
  if (kept.length !== spread.key.length) lost.push(`${spread.key.length - kept.length} keys`)
}

/** Whether a tool that has changed is on. */
async function isOn({ url }) {
  const { status, text } = await new ModernClient({ fetch: (init) => fetch(url, init) }).callNamed('mcp--own--worded')
  return status === 200 && text === 'worded'
}

/** As a person does: again, as long as nothing waits. A gateway that starts may have the previous list for a moment. */
async function approved(approvals, definition) {
  for (const until = Date.now() + LOST_MS; Date.now() < until; await pause(LOOK_MS))
    if ((await approvals.approve(definition, 'worded')).length > 0) return
}

/** Changes the words of a tool, and approves it when each gateway withholds it. */
async function approving(replicas, store, { config, wording }) {
  const approvals = new Approvals(store)
  const definitions = readConfig(config).servers
  for (let at = 1; !isOver; at++) {
    // Whole at any moment: a server that reads the file while it is written would list an empty text, which might be approved.
    writeFileSync(`${wording}.new`, `Says it for the time of number ${at}.`)
    renameSync(`${wording}.new`, wording)
    await everywhere(replicas, async (replica) => !(await isOn(replica)))
    for (const name of SERVERS) await approved(approvals, definitions.get(name))
    spread.approval.push(await everywhere(replicas, isOn))
    await pause(3_000)
  }
  const { accepted } = await store.readApprovals(definitions.get('own'))
  const { description } = JSON.parse(accepted.get('worded')?.definition ?? '{}')
  if (description !== readFileSync(wording, 'utf8')) lost.push('the last approval')
}

/** Calls of clients of which the audit knows that they may have been made. */
async function audited(store) {
  // A gateway that makes a call for another has a row of its own.
  const rows = await store.calls.list({ since: 0, most: 1_000_000, is: { tool: 'record' } })
  const made = rows.filter(({ outcome, client }) => outcome !== 'refused' && !client.startsWith('gateway '))
  return { made: made.length, open: made.filter(({ outcome }) => outcome === 'begun').length }
}

function report(ledger, startedAt, audit) {
  const made = new Map()
  for (const id of readFileSync(ledger, 'utf8').split('\n').filter(Boolean)) made.set(id, (made.get(id) ?? 0) + 1)
  const twice = [...made].filter(([, times]) => times > 1).map(([id]) => id)
  const ids = (outcome) => [...outcomes].filter(([, is]) => is === outcome).map(([id]) => id)
  const notMade = ids('ok').filter((id) => !made.has(id))
  const madeAndRefused = ids('refused').filter((id) => made.has(id))
  const ofUnknown = ids('unknown').filter((id) => made.has(id))
  const isLost = Object.entries(spread).flatMap(([what, times]) => (times.some(Number.isNaN) ? [what] : []))
  const shown = (times) => `${times.length}, at most ${Math.max(0, ...times.filter((each) => !Number.isNaN(each)))} ms`
  console.log(
    `${outcomes.size} calls in ${Math.round((Date.now() - startedAt) / 1000)} s over ${values.gateways} gateways, ${kills} killed`,
  )
  console.log(
    `answered ${counts.ok}, outcome unknown ${counts.unknown} (${ofUnknown.length} were made), refused in words ${counts.refused}`,
  )
  console.log(
    `wrong ${counts.wrong}, made twice ${twice.length}, answered and not made ${notMade.length}, refused and made ${madeAndRefused.length}`,
  )
  const total = [...made.values()].reduce((sum, times) => sum + times, 0)
  const isAudited = audit.made >= total
  console.log(`in the ledger ${total}, in the audit ${audit.made}, of which ${audit.open} begun and no more`)
  console.log(`lost sessions, tools, keys and approvals: ${lost.length + isLost.length}`)
  for (const [what, times] of Object.entries(spread)) console.log(`${what} everywhere: ${shown(times)}`)
  for (const line of [...new Set([...wrong, ...lost, ...isLost, ...twice])].slice(0, 20)) console.log(`  ${line}`)
  return (
    counts.wrong + twice.length + notMade.length + madeAndRefused.length + lost.length + isLost.length === 0 &&
    isAudited
  )
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-replicas-'))
const postgres = await startPostgres()
const address = postgres.addressOf(await postgres.database())
const world = configured(folder, address)
const logs = []
const replicas = Array.from({ length: values.gateways }, () => new Replica(world.file, (chunk) => logs.push(chunk)))
const store = new PostgresStore(pg, readStoreAddress(address, 'store'))
try {
  await Promise.all(replicas.map((replica) => replica.start()))
  await everywhere(replicas, isOn)
  const startedAt = Date.now()
  const proxy = new Balancer(replicas)
  const clients = Array.from({ length: values.clients }, (_, at) => new (at % 2 ? ModernClient : LegacyClient)(proxy))
  const others = [killing(replicas), keying(replicas, store), approving(replicas, store, world)]
  await Promise.all(clients.map((client) => calling(client, Math.ceil(values.calls / values.clients))))
  isOver = true
  await Promise.all(others)
  // What has ended is written with others.
  await pause(WRITTEN_MS)
  process.exitCode = report(world.ledger, startedAt, await audited(store)) ? 0 : 1
} finally {
  writeFileSync(path.join(os.tmpdir(), 'tool-router-replicas.log'), Buffer.concat(logs))
  await Promise.all(replicas.filter(({ isUp }) => isUp).map((replica) => replica.kill('SIGTERM')))
  await store.close()
  await postgres.end()
  rmSync(folder, { recursive: true, force: true })
}
