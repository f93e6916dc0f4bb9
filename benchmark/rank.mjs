#!/usr/bin/env node
// Ranks labelled queries through the public API, for a scorer.
//
//   node benchmark/rank.mjs --tools tools.jsonl --queries queries.jsonl --out rankings.jsonl
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
import { parseArgs } from 'node:util'
import { once } from 'node:events'

const { ToolRouter } = createRequire(import.meta.url)('../index.js')

/** The last is a policy of its own: keywords, recent uses and rescue tools. */
const MODES = ['auto', 'lexical', 'semantic', 'hybrid', 'curator']
/** Stands for the nameless server: a name is required, and this one has no letters to match. */
const NAMELESS = '_'

const { values: options } = parseArgs({
  options: {
    tools: { type: 'string' },
    queries: { type: 'string' },
    out: { type: 'string' },
    mode: { type: 'string', default: 'auto' },
    top: { type: 'string', default: '30' },
    cache: { type: 'string' },
  },
})
const topK = Number(options.top)
if (!options.tools || !options.queries || !options.out || !MODES.includes(options.mode) || !(topK >= 1)) {
  console.error('usage: rank.mjs --tools <tools.jsonl> --queries <queries.jsonl> --out <rankings.jsonl> [--mode auto|lexical|semantic|hybrid|curator] [--top 30] [--cache <folder>]')
  process.exit(2)
}

async function* lines(file) {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line.trim()) yield JSON.parse(line)
  }
}

const servers = new Map()
const ids = new Map()
const key = (server, tool) => JSON.stringify([server, tool])
for await (const { id, server, name, title, description, inputSchema, annotations } of lines(options.tools)) {
  const serverName = server || NAMELESS
  if (!servers.has(serverName)) servers.set(serverName, { name: serverName, tools: [] })
  servers.get(serverName).tools.push({ name, title, description, inputSchema, annotations })
  ids.set(key(serverName, name), id)
}

const router = ToolRouter.shared()
const change = await router.setServers([...servers.values()], { replace: true })
console.error(`${change.added.length} tools of ${servers.size} servers`)
for (const { serverName, toolName, reason } of change.refused) console.error(`refused: ${serverName} ${toolName}: ${reason}`)

const isCurator = options.mode === 'curator'
if (isCurator) router.configure({ policy: 'curator' })
else if (options.mode !== 'lexical') {
  await router.loadModel(options.cache ? { cacheDir: options.cache } : {})
  let status
  do {
    status = await router.ready({ timeoutMs: 5000 })
    console.error(`${status.vectorCount} of ${status.toolCount} tools have vectors`)
  } while (status.state === 'loading')
  if (status.state !== 'ready') throw new Error(`the model is ${status.state}: ${status.lastError ?? status.degraded?.message}`)
}

const out = createWriteStream(options.out)
let done = 0
let degraded = 0
const started = performance.now()
for await (const { id, query } of lines(options.queries)) {
  const ranking = await router.rank(query, isCurator ? { topK } : { topK, mode: options.mode, deadlineMs: 60000 })
  if (ranking.degraded) degraded++
  const ranked = ranking.tools.map(({ serverName, toolName }) => ids.get(key(serverName, toolName)))
  if (!out.write(`${JSON.stringify({ id, ranked })}\n`)) await once(out, 'drain')
  if (++done % 250 === 0) console.error(`${done} queries, ${((performance.now() - started) / done).toFixed(1)} ms each`)
}
out.end()
await once(out, 'finish')
console.error(`${done} queries, ${((performance.now() - started) / Math.max(done, 1)).toFixed(1)} ms each; ${degraded} degraded`)
