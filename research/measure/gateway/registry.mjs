#!/usr/bin/env node
// A registry of many servers in PostgreSQL: is the right one among the first five, as it is where the router has all in memory,
// how long does search_mcps take over them, and what do they cost a gateway's memory?
//
//   TOOL_ROUTER_POSTGRES=<folder of a PostgreSQL with pgvector> node research/measure/gateway/registry.mjs --sets <folder,folder>
//     [--needs 150] [--model]
//
// Each tool of the sets (tools.jsonl, and queries.jsonl where there are some) stands for a server that is offered: its
// description, and its name as that of its only tool. In memory the same texts are ranked as tools, by words and, with
// `--model`, by vectors too. PostgreSQL is started and ended here; without pgvector words alone are compared.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

import { InMemoryTransport } from '@modelcontextprotocol/client'

import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { connectClient } from '../../../__test__/helpers/gateway.mjs'
import { MISSING, startPostgres } from '../../../__test__/helpers/postgres.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { percentile } from '../ranking/eval/metrics.mjs'
import { jsonLines } from '../strangers/catalogue.mjs'

const USAGE = `usage: registry.mjs --sets <folder,folder> [--needs <n>] [--model]
`
const FIRST = 5
/** Entries that are written together, and servers of the router that has all in memory, which take 5,000 tools at most. */
const TOGETHER = 500
const MOST_OF_SERVER = 4_500
const MAX_NAME = 100
const MAX_TEXT = 4_000
const PATIENT_MS = 5_000
const MEGABYTE = 1024 * 1024

const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
const router = ToolRouter.shared()

const given = readArguments(USAGE, {
  sets: { type: 'string', required: true },
  needs: { type: 'integer', default: 150, least: 1 },
  model: { type: 'boolean', default: false },
})
if (given) await main(given.values)

async function main({ sets, needs: most, model }) {
  if (MISSING !== undefined) throw new Error(MISSING)
  const { entries, needs } = read(sets.split(','), most)
  const server = await startPostgres()
  try {
    const database = await server.database()
    const store = server.addressOf(database)
    const hasVectors =
      (await server.query(database, `select from pg_available_extensions where name = 'vector'`)).length > 0
    if (hasVectors) await server.query(database, 'create extension vector')
    const gateway = await createGateway({ config: { mcpServers: {}, gateway: { store, cacheDir: false } } })
    if (model) await router.loadModel({ cacheDir: false })
    const before = await resting()
    for (let from = 0; from < entries.length; from += TOGETHER)
      await put(server, database, entries.slice(from, from + TOGETHER))
    await server.query(database, 'vacuum analyze')
    const { registry } = gateway.store
    const since = performance.now()
    const info = router.status.embedder
    if (info) while ((await registry.embed(info.modelId, (texts) => router.embedTexts(texts))) > 0);
    const embeddedS = Math.round((performance.now() - since) / 1000)
    process.stdout.write(`${entries.length} servers, ${needs.length} needs; vectors in ${embeddedS} s\n`)
    const took = await searches(gateway, needs)
    process.stdout.write(`search_mcps: median ${percentile(took, 0.5).toFixed(0)} ms, p95 ${percentile(took, 0.95).toFixed(0)} ms
memory of the gateway: ${Math.round(before / MEGABYTE)} MB before, ${Math.round((await resting()) / MEGABYTE)} MB after\n`)
    const near = (embedded) => async (need) => {
      const vectors = embedded ? await router.embedTexts([need]) : undefined
      return (await registry.near(need, { most: FIRST, without: [], embedded: vectors })).map(({ name }) => name)
    }
    const rows = { 'database, words': await reached(needs, near(false)) }
    if (info && hasVectors) rows['database, words and vectors'] = await reached(needs, near(true))
    await gateway.close()
    await inMemory(entries)
    for (const ranker of info ? ['lexical', 'hybrid'] : ['lexical']) {
      const rank = (need) => router.rank(need, { topK: FIRST, ranker, deadlineMs: PATIENT_MS })
      rows[`memory, ${ranker}`] = await reached(needs, async (need) =>
        (await rank(need)).tools.map(({ toolName }) => toolName),
      )
    }
    console.table(rows)
  } finally {
    await server.end()
  }
  process.exit(0)
}

/** Tools as entries, each under a name of its own, and needs with the names that serve them. */
function read(folders, most) {
  const [entries, needs, names] = [[], [], new Set()]
  for (const folder of folders) {
    const byId = new Map()
    for (const { id, server, name, description } of jsonLines(path.join(folder, 'tools.jsonl'))) {
      let own = `${server ? `${server}-` : ''}${name}`.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(0, MAX_NAME)
      while (names.has(own)) own += '_'
      names.add(own)
      byId.set(id, own)
      const said = { description: (description ?? '').replaceAll('\0', ' ').slice(0, MAX_TEXT), tools: [name] }
      entries.push({ name: own, said })
    }
    const queries = path.join(folder, 'queries.jsonl')
    const all = existsSync(queries) ? jsonLines(queries).filter(({ gold }) => gold.length > 0) : []
    const every = Math.max(1, Math.floor(all.length / most))
    for (const { query, gold, alts } of all.filter((_, at) => at % every === 0).slice(0, most)) {
      const ids = gold.flatMap((id) => [id, ...(alts?.[id] ?? [])])
      needs.push({ set: path.basename(folder), text: query, served: new Set(ids.map((id) => byId.get(id))) })
    }
  }
  return { entries, needs }
}

function put(server, database, entries) {
  return server.query(
    database,
    `insert into tool_router.registry (server, start, said) select server, '{"command":"x"}', said
     from unnest($1::text[], $2::json[]) as t (server, said)`,
    [entries.map(({ name }) => JSON.stringify(name).slice(1, -1)), entries.map(({ said }) => JSON.stringify(said))],
  )
}

/** How long a client waits for search_mcps. */
async function searches(gateway, needs) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await gateway.connect(theirs)
  const client = await connectClient(ours)
  const took = []
  for (const { text } of needs) {
    const from = performance.now()
    await client.ask('search_mcps', { query: text.slice(0, MAX_TEXT) })
    took.push(performance.now() - from)
  }
  await client.close()
  return took
}

/** Bytes of this process, some time after the last work. */
async function resting() {
  await pause(PATIENT_MS)
  globalThis.gc?.()
  return process.memoryUsage().rss
}

/** The share of needs that have what serves them among the first, in percent, in all and by set. */
async function reached(needs, find) {
  const counts = {}
  for (const { set, text, served } of needs) {
    const found = await find(text)
    const isThere = found.some((name) => served.has(name)) ? 1 : 0
    for (const key of ['all', set]) counts[key] = [(counts[key]?.[0] ?? 0) + isThere, (counts[key]?.[1] ?? 0) + 1]
  }
  return Object.fromEntries(
    Object.entries(counts).map(([key, [found, of]]) => [key, Number(((100 * found) / of).toFixed(1))]),
  )
}

async function inMemory(entries) {
  const spaced = (name) => name.replaceAll(/[_.-]+|(?<=[a-z])(?=[A-Z])/g, ' ')
  const servers = []
  for (let from = 0; from < entries.length; from += MOST_OF_SERVER) {
    const tools = entries.slice(from, from + MOST_OF_SERVER).map(({ name, said }) => ({
      name,
      description: [said.description, ...said.tools.map(spaced)].join('\n'),
      inputSchema: { type: 'object' },
    }))
    servers.push({ name: `part${servers.length}`, tools })
  }
  await router.setServers(servers, { replace: true })
  await router.ready({ timeoutMs: 3_600_000 })
}
