// Twenty minutes of a day: clients of both eras that list, load, call, leave and come back, while servers are killed and the
// configuration file is edited: servers come, go, change and are shown otherwise, and some edits are broken.
//
//   node research/measure/gateway/soak.mjs [--minutes 20] [--seed 7] [--clients 10] [--pause 200]
//
// Exit code 1 when an answer was lost or wrong, a change was not told, an edit had no effect or the wrong one, a process or a
// session was left, or memory or open files grow.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { lives } from '../../../packages/gateway/base/processes.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { percentile } from '../ranking/eval/metrics.mjs'
import { LANES } from './gateway-lanes.mjs'
import { configuration, generator, newResult, operate } from './gateway-operations.mjs'

const SERVERS = ['filesystem', 'memory', 'everything', 'sequential-thinking', 'github', 'slack', 'airtable', 'notion']
/** A server that edits add and take away. */
const GUEST = 'guest'
/** Between two edits, and how long one may take until it holds. */
const EDIT_MS = 6_000
const HOLDS_MS = 60_000
const SAMPLE_MS = 5_000
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
const result = { ...newResult(), edits: 0, gone: 0 }
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
  await Promise.all([...lanes.map(work), edit(), sample()])
  result.sessions = gateway.sessionCount
} finally {
  await gateway.close()
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
  const { lost, wrong, untold, left, ...counts } = result
  for (const [name, count] of Object.entries(counts)) console.log(`${name.padEnd(16)} ${count}`)
  console.log(`${'processes'.padEnd(16)} ${pids.size}`)
  for (const [name, list] of Object.entries({ lost, wrong, untold, left })) {
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
