#!/usr/bin/env node
// Dumps what a caller observes of rankings, explanations and sessions over labelled sets, to compare two versions of the
// package byte for byte.
//
//   node research/measure/ranking/dump.mjs --data <folder of sets> --out after.jsonl [--package <folder>] [--most 120] [--cache <folder>] [--lexical]
//
// With --lexical no model is loaded, and sessions and explanations are lexical too: a minute for all sets.
// A line per answer; the hash of each kind of answer goes to standard output, so two dumps are compared by eye or `diff`.

import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'

const USAGE =
  'usage: dump.mjs --data <folder of sets> --out <file> [--package <folder>] [--most <requests per set>] [--cache <folder>] [--lexical]\n'
const root = path.join(import.meta.dirname, '..', '..', '..')
const given = readArguments(USAGE, {
  data: { type: 'string', required: true },
  out: { type: 'string', required: true },
  package: { type: 'string', default: root },
  most: { type: 'integer', default: 120, least: 1 },
  cache: { type: 'string', default: path.join(root, '.cache', 'dump') },
  lexical: { type: 'boolean' },
})
if (given) await main(given.values)

async function main({ data, out, package: folder, most, cache, lexical }) {
  const { ToolRouter } = createRequire(import.meta.url)(path.join(path.resolve(folder), 'index.js'))
  const router = ToolRouter.shared()
  const file = openSync(out, 'w')
  const hashes = new Map()
  /** Members in the order of their names, so that both versions write the same. */
  const write = (kind, set, value) => {
    const text = JSON.stringify(value, (_, member) => {
      if (member === null || typeof member !== 'object' || Array.isArray(member)) return member
      return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    })
    if (!hashes.has(kind)) hashes.set(kind, createHash('sha256'))
    hashes.get(kind).update(`${text}\n`)
    writeSync(file, `${JSON.stringify([kind, set])} ${text}\n`)
  }
  if (!lexical) await router.loadModel({ cacheDir: cache })
  const sets = readdirSync(data).filter((name) => existsSync(path.join(data, name, 'queries.jsonl')))
  for (const set of sets.toSorted()) {
    const lines = (name) =>
      readFileSync(path.join(data, set, name), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    const { servers } = catalogueOf(lines('tools.jsonl'))
    write('change', set, await router.setServers(servers, { replace: true }))
    const queries = lines('queries.jsonl').map(({ query }) => query)
    for (const query of queries) write('lexical', set, await router.rank(query, { topK: 30, ranker: 'lexical' }))
    process.stderr.write(`${set}: ${queries.length} lexical rankings of ${servers.length} servers\n`)
    while (!lexical && (await router.ready({ timeoutMs: 30_000 })).state !== 'ready') {
      process.stderr.write(`${set}: ${router.status.vectorCount} of ${router.status.toolCount} tools have vectors\n`)
    }
    await dumpHybrid(router, queries.slice(0, most), (kind, value) => write(kind, set, value))
  }
  closeSync(file)
  for (const [kind, hash] of hashes) process.stdout.write(`${kind.padEnd(10)} ${hash.digest('hex')}\n`)
}

async function dumpHybrid(router, queries, write) {
  const deadlineMs = 60_000
  for (const [at, query] of queries.entries()) {
    const ranking = await router.rank(query, { topK: 30, deadlineMs })
    write('hybrid', ranking)
    if (at % 4 === 0) {
      write('semantic', await router.rank(query, { topK: 10, deadlineMs, ranker: 'semantic' }))
      const { text: _, ...explained } = await router.explain(query, ranking.tools[0].name, { deadlineMs })
      write('explain', explained)
      write('servers', await router.rankServers(query, { topK: 5, deadlineMs }))
    }
    if (at % 8 !== 0) continue
    for (const own of [{}, { initialK: 'auto' }, { scopeBy: 'server' }, { initialK: 5, tokenBudget: 3000 }]) {
      const session = router.openSession({ sessionId: 'dump', settings: { threshold: 10, deadlineMs, ...own } })
      const next = (step) => queries[(at + step) % queries.length]
      write('session', await session.start(query))
      write('session', await session.turn(next(1)))
      write('session', await session.turn('ok, go on'))
      write('session', await session.load({ query: next(2) }))
      write('session', await session.reroute({ originalQuery: query, missingCapability: next(3) }))
      write('session', createHash('sha256').update(session.tools()).digest('hex'))
      const { settings: _, ...state } = JSON.parse(JSON.stringify(session))
      write('session', state)
      session.close()
    }
  }
}
