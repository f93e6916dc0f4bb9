// Twenty minutes of a day: clients of both eras that list, load, call, leave and come back, while servers are killed and the
// configuration file is edited: servers come, go, change and are shown otherwise, and some edits are broken. One server over HTTP
// refuses calls, breaks, forgets sessions and ends streams (faulty-server.mjs): a fault ends the call that it is of, and no other.
// Another wants a login, whose tokens end all the time and whose renewals fail now and then (faulty-login.mjs): it is never lost.
//
//   node research/measure/gateway/soak.mjs [--minutes 20] [--seed 7] [--clients 10] [--pause 200]
//
// Exit code 1 when an answer was lost or wrong, a call was made twice or ended by another's fault, a login was lost, a change was
// not told, an edit had no effect or the wrong one, a process or a session was left, or memory or open files grow.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { lives } from '../../../packages/gateway/base/processes.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { percentile } from '../ranking/eval/metrics.mjs'
import { faultyLogin } from './faulty-login.mjs'
import { faultyServer } from './faulty-server.mjs'
import { LANES } from './gateway-lanes.mjs'
import { configuration, generator, newResult, operate } from './gateway-operations.mjs'

const SERVERS = ['filesystem', 'memory', 'everything', 'sequential-thinking', 'github', 'slack', 'airtable', 'notion']
/** A server that edits add and take away. */
const GUEST = 'guest'
/** Lanes of each era that call the faulty server alone. */
const FAULTY_LANES = 3
/** Between two edits, and how long one may take until it holds. */
const EDIT_MS = 6_000
const HOLDS_MS = 60_000
const SAMPLE_MS = 5_000
/** Before the end the login's faults end, and it has to come back: who calls has it tried after a minute at the latest. */
const CALM_MS = 90_000
/** The share of the time in which caches fill. */
const WARM_UP = 0.25
/** What is taken for no growth, between the first and the last third after it. */
const MOST = { megabytes: 60, files: 20 }

const given = readArguments('usage: soak.mjs [--minutes 20] [--seed 7] [--clients 10] [--pause 200]\n', {
  minutes: { type: 'integer', default: 20, least: 1 },
  seed: { type: 'integer', default: 7 },
  clients: { type: 'integer', default: 10, least: 2 },
  pause: { type: 'integer', default: 200, least: 0 },
})
if (!given) process.exit()
const { values } = given

const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-soak-'))
const configFile = path.join(folder, 'mcp.json')
const config = configuration(folder, SERVERS)
const save = () => writeFileSync(configFile, JSON.stringify(config))
const endsAt = Date.now() + values.minutes * 60_000
const result = {
  ...newResult(),
  edits: 0,
  gone: 0,
  faulty: 0,
  faults: 0,
  recovered: 0,
  guarded: 0,
  renewing: 0,
  twice: [],
}
const faulty = await faultyServer(generator(values.seed + 1_000))
config.mcpServers.faulty = { type: 'http', url: faulty.url }
const login = await faultyLogin('guarded', path.join(folder, 'logins'), generator(values.seed + 1_001))
config.mcpServers.guarded = { type: 'http', url: login.url }
config.gateway = { ...config.gateway, loginDir: login.folder }
const samples = []
/** When each process began, by its number: the system gives a number again. */
const pids = new Map()

save()
const gateway = await createGateway({ configFile, watch: true })
try {
  await gateway.ready()
  const endpoint = await gateway.listen()
  const lanes = Array.from({ length: values.clients }, (_, at) => {
    const Kind = at % 3 === 2 ? LANES.modern : LANES.legacy
    return new Kind(gateway, endpoint, generator(values.seed + 1 + at), result)
  })
  const besides = Object.values(LANES).flatMap((Kind, era) =>
    Array.from({ length: FAULTY_LANES }, (_, at) => {
      return new Kind(gateway, endpoint, generator(values.seed + 2_000 + 10 * era + at), result)
    }),
  )
  const guarded = Object.values(LANES).map((Kind, era) => {
    return new Kind(gateway, endpoint, generator(values.seed + 3_000 + era), result)
  })
  login.begin()
  await Promise.all([
    ...lanes.map(work),
    ...besides.map(callFaulty),
    ...guarded.map(callGuarded),
    edit(),
    sample(),
    pause(values.minutes * 60_000 - CALM_MS).then(login.end),
  ])
  if (stateOf('guarded') !== 'ready')
    result.wrong.push(`the login ends as ${stateOf('guarded')}: ${reasonOf('guarded')}`)
  result.renewals = login.renewals
  result.faults = faulty.failed.size
  result.twice = [...faulty.done].filter(([, count]) => count > 1).map(([id]) => `${id} ${faulty.failed.get(id) ?? ''}`)
  result.sessions = gateway.sessionCount
} finally {
  await gateway.close()
  faulty.close()
  login.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
await pause(500)
result.left = [...pids].filter(([pid, began]) => lives(pid) && begunAt(pid) === began).map(([pid]) => pid)
report()

async function work(lane) {
  await lane.open()
  while (Date.now() < endsAt) {
    await operate(lane, result, gateway)
    if (values.pause > 0) await pause(lane.random(2 * values.pause))
  }
  await lane.close()
}

/** Calls of the faulty server: each is answered, with its own id or with what went wrong with it. */
async function callFaulty(lane, at) {
  await lane.open()
  for (let call = 0; Date.now() < endsAt; call++) {
    const id = `${at}-${call}`
    result.faulty += 1
    try {
      const answer = await lane.use('call_tool', { name: 'mcp--faulty--note', arguments: { id } })
      const text = answer.content[0].text
      const how = faulty.failed.get(id)
      if (!answer.isError && text === id) result.recovered += how === undefined ? 0 : 1
      else if (answer.isError && how === 'forgotten')
        result.wrong.push(`${id} was not sent again: ${text.slice(0, 200)}`)
      else if (!answer.isError || how === undefined) result.wrong.push(`${id}: ${text.slice(0, 200)}`)
    } catch (error) {
      result.lost.push(`${id}: ${error.message}`)
    }
    if (values.pause > 0) await pause(lane.random(2 * values.pause))
  }
  await lane.close()
}

/** Calls behind the login: each is answered, or told that the login cannot be renewed now; nobody is asked to log in. */
async function callGuarded(lane) {
  await lane.open()
  while (Date.now() < endsAt) {
    result.guarded += 1
    try {
      const answer = await lane.use('call_tool', { name: 'mcp--guarded--read', arguments: {} })
      const text = answer.content[0].text
      if (answer.isError && /cannot be renewed now|is started again|tried again/.test(text)) result.renewing += 1
      else if (answer.isError || text !== 'read done') result.wrong.push(`guarded: ${text.slice(0, 200)}`)
      if (stateOf('guarded') === 'login') result.wrong.push(`the login was lost: ${reasonOf('guarded')}`)
    } catch (error) {
      result.lost.push(`guarded: ${error.message}`)
    }
    if (values.pause > 0) await pause(lane.random(2 * values.pause))
  }
  await lane.close()
}

/** Edits of the file, by turns, and what has to hold when the gateway has read it. */
async function edit() {
  const random = generator(values.seed)
  const { everything, memory } = config.mcpServers
  const edits = [
    [() => (config.mcpServers[GUEST] = everything), () => stateOf(GUEST) === 'ready'],
    [() => (memory.disabledTools = ['delete_entities']), () => scopeOf('memory') === 8],
    [() => (memory.disabledTools = []), () => scopeOf('memory') === 9],
    [() => delete config.mcpServers[GUEST], () => stateOf(GUEST) === undefined],
    [() => (memory.env = { ...memory.env, EDIT: `${random(1e9)}` }), () => stateOf('memory') === 'ready'],
  ]
  for (let at = 0; Date.now() < endsAt; at++) {
    const [change, holds] = edits[at % edits.length]
    if (random(3) === 0) await broken()
    change()
    save()
    await comesAbout(holds, `edit ${at % edits.length}`)
    result.edits += 1
    await pause(EDIT_MS)
  }
}

/** A file that cannot be read changes nothing. */
async function broken() {
  const before = gateway.servers.map(({ name }) => name).join()
  writeFileSync(configFile, '{ "mcpServers": {')
  await comesAbout(() => gateway.config.notes.some((note) => note.includes('is not used')), 'a broken edit is told')
  if (gateway.servers.map(({ name }) => name).join() !== before) result.wrong.push('a broken edit changed servers')
}

async function comesAbout(holds, what) {
  const until = Date.now() + HOLDS_MS
  while (!holds() && Date.now() < until) await pause(50)
  if (!holds()) result.wrong.push(`${what} did not come about`)
}

function reasonOf(name) {
  return gateway.servers.find((server) => server.name === name)?.reason
}

function stateOf(name) {
  return gateway.servers.find((server) => server.name === name)?.state
}

function scopeOf(name) {
  return gateway.servers.find((server) => server.name === name)?.scopedCount
}

async function sample() {
  for (; Date.now() < endsAt; await pause(SAMPLE_MS)) {
    for (const { pid } of gateway.servers) if (pid) pids.set(pid, begunAt(pid))
    samples.push({ megabytes: process.memoryUsage.rss() / 2 ** 20, files: openFiles() })
  }
}

/** In ticks since the machine began (proc(5)); a constant where the system does not say it. */
function begunAt(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')')).split(' ')[20]
  } catch {
    return ''
  }
}

/** Of this process; a constant where the system does not say it. */
function openFiles() {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

function report() {
  // A server may be picked for a load just before an edit takes it away.
  const isGone = (line) => line.includes('expected a module') && line.includes(`"${GUEST}"`)
  result.gone = result.wrong.filter(isGone).length
  result.wrong = result.wrong.filter((line) => !isGone(line))
  const { lost, wrong, untold, twice, left, ...counts } = result
  for (const [name, count] of Object.entries(counts)) console.log(`${name.padEnd(16)} ${count}`)
  console.log(`${'processes'.padEnd(16)} ${pids.size}`)
  for (const [name, list] of Object.entries({ lost, wrong, untold, twice, left })) {
    console.log(`${name.padEnd(16)} ${list.length}`)
    for (const entry of list.slice(0, 10)) console.log(`  ${entry}`)
    if (list.length > 0) process.exitCode = 1
  }
  if (result.sessions > 0) process.exitCode = 1
  const warm = samples.slice(Math.floor(samples.length * WARM_UP))
  const third = Math.ceil(warm.length / 3)
  for (const [what, most] of Object.entries(MOST)) {
    const of = (part) =>
      percentile(
        part.map((each) => each[what]),
        0.5,
      )
    const [first, last] = [of(warm.slice(0, third)), of(warm.slice(-third))]
    console.log(`${what.padEnd(16)} ${Math.round(first)}, then ${Math.round(last)}`)
    if (last - first > most) process.exitCode = 1
  }
}
