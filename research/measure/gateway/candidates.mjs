#!/usr/bin/env node
// Would candidates from a database do where a catalogue is too large for memory? Full text of PostgreSQL proposes tools, and
// what the router ranks first among all is looked for among them.
//
//   node research/measure/gateway/candidates.mjs --set <folder> [--sizes 3522,150000] [--most 300,1000,3000] [--clients 10]
//
// The folder has tools.jsonl and queries.jsonl. For the tools as they are: the share of the router's first thirty, by words,
// that stands among so many candidates, and the share that comes back when the router ranks the candidates alone, whose
// frequencies of words are others than those of the catalogue. For each size: how long a proposal takes beside so many clients,
// and how large the table is. PostgreSQL is started and ended here (`apt-get install postgresql`).

import { createRequire } from 'node:module'
import path from 'node:path'

import pg from 'pg'

import { MISSING, startPostgres } from '../../../__test__/helpers/postgres.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'
import { percentile } from '../ranking/eval/metrics.mjs'
import { jsonLines } from '../strangers/catalogue.mjs'
import { grown } from './grown.mjs'

const USAGE = `usage: candidates.mjs --set <folder> [--sizes <n,n>] [--most <n,n>] [--clients <n>]
`
/** What a search is compared by. */
const FIRST = 30
/** Tools that are written to the table together. */
const TOGETHER = 500
const MEGABYTE = 1024 * 1024

const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
const router = ToolRouter.shared()
const numbersOf = (text) => text.split(',').map(Number)

/** Names as words, as a reader of them would split them. */
const spaced = (name) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^A-Za-z0-9]+/g, ' ')
const withoutNul = (text) => text.replaceAll('\0', ' ')

const given = readArguments(USAGE, {
  set: { type: 'string', required: true },
  sizes: { type: 'string', default: '3522,150000' },
  most: { type: 'string', default: '300,1000,3000' },
  clients: { type: 'integer', default: 10, least: 1 },
})
if (given) await main(given.values)

async function main({ set, sizes, most, clients }) {
  if (MISSING !== undefined) throw new Error(MISSING)
  const tools = jsonLines(path.join(set, 'tools.jsonl'))
  const queries = jsonLines(path.join(set, 'queries.jsonl')).map(({ query }) => query)
  const server = await startPostgres()
  try {
    const rows = []
    for (const size of sizes.split(',').map(Number)) {
      const pool = new pg.Pool({ connectionString: server.addressOf(await server.database()), max: clients })
      // The server may end before a connection has.
      pool.on('error', () => {})
      try {
        const all = [...grown(tools, size)]
        await fill(pool, all)
        if (size <= tools.length) rows.push(...(await agreements(pool, all, queries, numbersOf(most))))
        for (const limit of numbersOf(most)) rows.push(await times(pool, { size, limit, queries, clients }))
      } finally {
        await pool.end()
      }
    }
    for (const kind of [...new Set(rows.map((row) => Object.keys(row).length))])
      console.table(rows.filter((row) => Object.keys(row).length === kind))
  } finally {
    await server.end()
  }
}

async function fill(pool, tools) {
  await pool.query('create table tools (at integer primary key, names text, description text, parameters text)')
  for (let from = 0; from < tools.length; from += TOGETHER) {
    const part = tools.slice(from, from + TOGETHER)
    const parameters = ({ inputSchema }) =>
      Object.keys(inputSchema?.properties ?? {})
        .map(spaced)
        .join(' ')
    await pool.query('insert into tools select * from unnest($1::integer[], $2::text[], $3::text[], $4::text[])', [
      part.map((_, at) => from + at),
      part.map(({ server, name, title }) => withoutNul(`${spaced(server)} ${spaced(name)} ${title ?? ''}`)),
      part.map(({ description }) => withoutNul(description ?? '')),
      part.map((tool) => withoutNul(parameters(tool))),
    ])
  }
  await pool.query(`alter table tools add column words tsvector generated always as (
    setweight(to_tsvector('english', names), 'A') || setweight(to_tsvector('english', description), 'B')
    || setweight(to_tsvector('english', parameters), 'C')) stored`)
  await pool.query('create index on tools using gin (words)')
  await pool.query('vacuum analyze tools')
}

/** Places of tools that have any of the words, those with the most and weightiest of them first. */
async function proposed(pool, query, limit) {
  const { rows } = await pool.query(
    `select at from tools, (select replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery as q) as asked
     where words @@ q order by ts_rank(words, q, 1) desc, at limit $2`,
    [query, limit],
  )
  return rows.map(({ at }) => at)
}

/** The ids of the first thirty among some tools. */
async function firstOf(tools, queries) {
  const { servers, idOf } = catalogueOf(tools)
  await router.setServers(servers, { replace: true })
  const found = []
  for (const query of queries)
    found.push((await router.rank(query, { topK: FIRST, ranker: 'lexical' })).tools.map(idOf))
  return found
}

async function agreements(pool, tools, queries, limits) {
  const whole = await firstOf(tools, queries)
  const rows = []
  for (const limit of limits) {
    let [expected, among, again, complete] = [0, 0, 0, 0]
    for (const [at, query] of queries.entries()) {
      const candidates = (await proposed(pool, query, limit)).map((place) => tools[place])
      const ids = new Set(candidates.map(({ id }) => id))
      const [alone] = await firstOf(candidates, [query])
      const ranked = new Set(alone)
      const isThere = whole[at].filter((id) => ids.has(id)).length
      expected += whole[at].length
      among += isThere
      again += whole[at].filter((id) => ranked.has(id)).length
      complete += isThere === whole[at].length ? 1 : 0
    }
    const percent = (share) => Number((100 * share).toFixed(1))
    rows.push({
      tools: tools.length,
      candidates: limit,
      'first 30 among them, %': percent(among / expected),
      'queries with all, %': percent(complete / queries.length),
      'first 30 of them alone, %': percent(again / expected),
    })
  }
  return rows
}

async function times(pool, { size, limit, queries, clients }) {
  const took = []
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let at = client; at < queries.length * 2; at += clients) {
        const from = performance.now()
        await proposed(pool, queries[at % queries.length], limit)
        took.push(performance.now() - from)
      }
    }),
  )
  const { rows } = await pool.query(`select pg_total_relation_size('tools')::float8 as bytes`)
  const ms = (share) => Number(percentile(took, share).toFixed(1))
  return {
    tools: size,
    candidates: limit,
    'proposal, median, ms': ms(0.5),
    'proposal, p95, ms': ms(0.95),
    'table and index, MB': Math.round(rows[0].bytes / MEGABYTE),
    clients,
  }
}
