#!/usr/bin/env node
// Ranks labelled queries through the public API, for a scorer.
//
//   node research/measure/ranking/rank.mjs --tools tools.jsonl --queries queries.jsonl --out rankings.jsonl
//                           [--mode auto|lexical|semantic|hybrid|curator] [--top 30] [--cache folder]
//
// tools.jsonl:    {"id","server","name","title"?,"description","inputSchema"?,"annotations"?} a line; an empty server is
//                 one nameless server.
// queries.jsonl:  {"id","query",...} a line.
// rankings.jsonl: {"id","ranked":[tool id, best first]} a line.
// All vectors are ready before the first query. Progress goes to standard error.
import { createReadStream, createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { once } from 'node:events'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf, rankerOf } from '../catalogue.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')

/** The last is a policy of its own: keywords, recent uses and rescue tools. */
const MODES = ['auto', 'lexical', 'semantic', 'hybrid', 'curator']
const USAGE =
  'usage: rank.mjs --tools <tools.jsonl> --queries <queries.jsonl> --out <rankings.jsonl> [--mode auto|lexical|semantic|hybrid|curator] [--top 30] [--cache <folder>]\n'

const given = readArguments(USAGE, {
  tools: { type: 'string', required: true },
  queries: { type: 'string', required: true },
  out: { type: 'string', required: true },
  mode: { type: 'string', default: 'auto', choices: MODES },
  top: { type: 'integer', default: 30, least: 1 },
  cache: { type: 'string' },
})
if (!given) process.exit()
const { top: topK, ...options } = given.values

async function* lines(file) {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line.trim()) yield JSON.parse(line)
  }
}

const tools = []
for await (const tool of lines(options.tools)) tools.push(tool)
const { servers, idOf } = catalogueOf(tools)
const router = ToolRouter.shared()
const change = await router.setServers(servers, { replace: true })
console.error(`${change.added.length} tools of ${servers.length} servers`)
for (const { serverName, toolName, reason } of change.refused)
  console.error(`refused: ${serverName} ${toolName}: ${reason}`)

const isCurator = options.mode === 'curator'
if (isCurator) router.configure({ policy: 'curator' })
else if (options.mode !== 'lexical') {
  await router.loadModel(options.cache ? { cacheDir: options.cache } : {})
  let status
  do {
    status = await router.ready({ timeoutMs: 5000 })
    console.error(`${status.vectorCount} of ${status.toolCount} tools have vectors`)
  } while (status.state === 'loading')
  if (status.state !== 'ready')
    throw new Error(`the model is ${status.state}: ${status.lastError ?? status.degraded?.message}`)
}

const out = createWriteStream(options.out)
let done = 0
let degraded = 0
const started = performance.now()
for await (const { id, query } of lines(options.queries)) {
  const ranking = await router.rank(
    query,
    isCurator ? { topK } : { topK, ranker: rankerOf(options.mode), deadlineMs: 60000 },
  )
  if (ranking.degraded) degraded++
  const ranked = ranking.tools.map(idOf)
  if (!out.write(`${JSON.stringify({ id, ranked })}\n`)) await once(out, 'drain')
  if (++done % 250 === 0) console.error(`${done} queries, ${((performance.now() - started) / done).toFixed(1)} ms each`)
}
out.end()
await once(out, 'finish')
console.error(
  `${done} queries, ${((performance.now() - started) / Math.max(done, 1)).toFixed(1)} ms each; ${degraded} degraded`,
)
