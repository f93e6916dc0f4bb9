#!/usr/bin/env node
// How long any single call blocks the event loop, with a large catalogue set server by server, ranked,
// attached, loaded and restored while vectors are being made.
//
//   node research/measure/cost/event-loop.mjs --tools tools.jsonl [--limit 25] [--lexical]
//
// tools.jsonl as in research/measure/ranking/rank.mjs. Two measures: the synchronous part of each call, and the longest delay of the
// loop while promises settle (perf_hooks.monitorEventLoopDelay, less its own resolution). Exits 1 over the limit (ms).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'

const given = readArguments('usage: event-loop.mjs --tools <tools.jsonl> [--limit <ms>] [--lexical]\n', {
  tools: { type: 'string', required: true },
  limit: { type: 'number', default: 25, least: 0 },
  lexical: { type: 'boolean' },
})
if (!given) process.exit()
const { tools: file, limit, lexical } = given.values
const labelled = readFileSync(file, 'utf8').split('\n').filter(Boolean)
const { servers } = catalogueOf(labelled.map((line) => JSON.parse(line)))

const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
const router = ToolRouter.shared()
const cacheDir = mkdtempSync(join(tmpdir(), 'event-loop-'))
if (!lexical) await router.loadModel({ cacheDir })

const RESOLUTION_MS = 1
const worst = new Map()
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
let settleWorst = { ms: 0, during: '' }

/** Times a call's own time on this thread, and the loop's delay until its promise has settled. */
async function timed(label, call) {
  delay.reset()
  delay.enable()
  const started = performance.now()
  const result = call()
  const own = performance.now() - started
  const settled = await result
  await sleep(2) // the results are written out in a turn of their own
  delay.disable()
  const loop = Math.max(0, delay.max / 1e6 - RESOLUTION_MS)
  const before = worst.get(label) ?? { own: 0, loop: 0, calls: 0 }
  worst.set(label, { own: Math.max(before.own, own), loop: Math.max(before.loop, loop), calls: before.calls + 1 })
  if (loop > settleWorst.ms) settleWorst = { ms: loop, during: label }
  return settled
}

const QUERIES = [
  'list the open issues of a repository',
  'send a message to a channel',
  'scale a deployment and check its pods',
  'query a database',
]
for (const [at, server] of servers.entries()) {
  await timed('setServer', () => router.setServer(server))
  if (at % 10 === 0) await timed('rank', () => router.rank(QUERIES[at % QUERIES.length], { topK: 30 }))
}
for (const query of QUERIES) {
  const session = router.openSession()
  await timed('start', () => session.start(query))
  await timed('turn', () => session.turn(QUERIES[1]))
  await timed('load', () => session.load({ query: 'create a pull request' }))
  await timed('tools()', () => session.tools())
  const state = await timed('toJSON', () => JSON.stringify(session))
  await timed('restoreSession', () => router.restoreSession(state))
  await timed('explain', () => router.explain(query, session.selection.attached[0]))
}
const everything = router.openSession({ settings: { searchTurns: 0 } })
await timed('start, everything attached', () => everything.start('anything'))
await timed('tools(), everything attached', () => everything.tools())
await timed('selection, everything attached', () => everything.selection)
const state = await timed('toJSON, everything attached', () => JSON.stringify(everything))
await timed('restoreSession, everything attached', () => router.restoreSession(state))
const scoped = servers.flatMap(({ name, tools }) =>
  tools.map((tool) => ({ serverName: name, toolName: tool.name, description: tool.description })),
)
await timed('attachInitial, all tools given', () => router.attachInitial(QUERIES[0], scoped, 30))
await timed('status', () => router.status)
await timed('setServers, all at once, unchanged', () => router.setServers(servers))

const status = router.status
console.log(`${status.toolCount} tools of ${status.serverCount} servers; ${status.vectorCount} had vectors at the end`)
console.table(
  Object.fromEntries(
    [...worst].map(([label, { own, loop, calls }]) => [
      label,
      { calls, 'own ms, worst': Number(own.toFixed(2)), 'loop delay ms, worst': Number(loop.toFixed(2)) },
    ]),
  ),
)
await router.setEmbedder(null) // nothing writes into the folder any more
rmSync(cacheDir, { recursive: true, force: true })
const blocked = Math.max(...[...worst].filter(([label]) => !label.startsWith('setServers')).map(([, { own }]) => own))
console.log(
  `longest single call: ${blocked.toFixed(1)} ms; longest delay of the loop: ${settleWorst.ms.toFixed(1)} ms (${settleWorst.during}); limit ${limit} ms`,
)
if (blocked > limit) process.exitCode = 1
