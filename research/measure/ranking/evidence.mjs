#!/usr/bin/env node
// Collects what the measure of evidence is read off, over our own lines and over labelled sets, for research/make/evidence.py.
//
//   node research/measure/ranking/evidence.mjs --out signals.jsonl [--data <folder of sets>] [--sets catalogue,mcpzero_dev] [--most 300]
//                                              [--strangers 0.5]
//
// Our own lines are ranked over the live servers of examples/servers. A request of a set is ranked with all servers, with
// its own and a few others, with those few others alone, and with all but its own: then little serves it. Some are ranked
// once more over one small server alone, their own and another one: rarity is another there. With --strangers, such a
// share of the servers has names and so vectors that nobody prepared: a measure set with known ones alone is too strict with others.

import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf, liveServers } from '../catalogue.mjs'
import { halfOf, jsonLines as lines } from '../strangers/catalogue.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')

const USAGE =
  'usage: evidence.mjs --out <signals.jsonl> [--data <folder of sets>] [--sets <names>] [--most <requests per set>] [--cache <folder>] [--strangers <share>]\n'
const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled')
/** How many servers stand beside a request's own in the small scopes: a user with one, with a few, with a dozen. */
const BESIDE = [0, 3, 12]
/** How many tools the one server has at most that a request is ranked over by itself. */
const SMALL = [2, 5, 12]
/** One request in so many is ranked over such servers. */
const SMALL_EVERY = 3

const given = readArguments(USAGE, {
  out: { type: 'string', required: true },
  data: { type: 'string' },
  sets: { type: 'string', default: 'catalogue,mcpzero_dev,mcptoolbenchpp' },
  most: { type: 'integer', default: 300, least: 1 },
  cache: { type: 'string' },
  strangers: { type: 'number', default: 0 },
})
if (given) await main(given.values)

/** Random numbers from 0 to 1 that are the same in every run. */
function seeded(seed) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

async function main({ out, data, sets, most, cache, strangers }) {
  const router = ToolRouter.shared()
  await router.loadModel(cache ? { cacheDir: cache } : {})
  const isStranger = (name) => createHash('sha256').update(name).digest()[0] < 256 * strangers
  const called = (id) => (isStranger(id.split('::')[0]) ? `acme-${id}` : id)
  const file = createWriteStream(out)
  // The place of the first tool that would do: a need whose tool no ranking finds is not kept by any measure.
  const placeOf = async (wanted, text, ranker) => {
    const names = new Set(wanted.map(called))
    const { tools } = await router.rank(text, { ranker, topK: 50, deadlineMs: 60_000 })
    const place = tools.findIndex(({ serverName, toolName }) => names.has(`${serverName}::${toolName}`))
    return place + 1 || undefined
  }
  const record = async ({ wanted, ...rest }, text, served, servers) => {
    for (const ranker of ['hybrid', 'lexical']) {
      const signals = JSON.parse(
        await router.__signals(text, { ranker, servers: servers?.map(called), deadlineMs: 60_000 }),
      )
      const place = wanted && (await placeOf(wanted, text, ranker))
      if ((ranker === 'hybrid') !== signals.withVectors) throw new Error(`${rest.id}: no vectors`)
      file.write(
        `${JSON.stringify({ ...rest, ...(strangers > 0 && { strangers }), text, served, scope: servers?.length, ranker, place, signals })}\n`,
      )
    }
  }
  const setServers = (servers) =>
    router.setServers(
      servers.map((server) => ({ ...server, name: called(server.name) })),
      { replace: true },
    )
  const use = async (servers) => {
    await setServers(servers)
    let status
    do {
      status = await router.ready({ timeoutMs: 5000 })
      console.error(`${status.vectorCount} of ${status.toolCount} tools have vectors`)
    } while (status.vectorCount < status.toolCount)
  }
  // A request over its own server alone and over another one, both cut down.
  const overSmall = async (servers, own, wanted, line, text, random) => {
    const cut = ({ name, tools }, keep) => {
      const most = SMALL[Math.floor(random() * SMALL.length)]
      const [kept, rest] = [[], []]
      for (const tool of tools) (keep(`${name}::${tool.name}`) ? kept : rest).push(tool)
      return { name, tools: [...kept, ...rest].slice(0, Math.max(most, kept.length)) }
    }
    const strangers = servers.filter(({ name }) => !own.has(name))
    const other = strangers[Math.floor(random() * strangers.length)]
    const cases = [[[cut(other, () => false)], 0, 'small-taken-out']]
    if (own.size === 1) {
      const [server] = servers.filter(({ name }) => own.has(name))
      cases.push([[cut(server, (id) => wanted.includes(id))], 1, 'small'])
    }
    for (const [list, served, kind] of cases) {
      await setServers(list)
      while ((await router.ready({ timeoutMs: 5000 })).state === 'loading');
      await record({ ...line, kind }, text, served)
    }
  }
  await ownLines(use, record, overSmall)
  for (const set of data ? sets.split(',') : [])
    await labelledSet(set, path.join(data, set), most, use, record, overSmall)
  file.end()
}

/** Our own lines over live servers. */
async function ownLines(use, record, overSmall) {
  const servers = await liveServers()
  await use(servers)
  for (const [name, served] of [
    ['small-talk', 0],
    ['impossible', 0],
    ['needs', 1],
    ['code', 0],
  ]) {
    for (const { id, text, half, kind, where, language, gold, alts = {} } of lines(
      path.join(LABELLED, `${name}.jsonl`),
    ))
      await record(
        {
          set: name,
          id,
          half,
          kind: kind ?? where,
          language,
          wanted: gold && [...gold, ...Object.values(alts).flat()],
        },
        text,
        served,
      )
  }
  for (const { tool, query } of lines(path.join(LABELLED, 'searches.jsonl')))
    await record(
      { set: 'searches', id: query, half: halfOf(`${tool} "${query}"`), kind: 'search', wanted: [tool] },
      query,
      1,
    )
  for (const { id, half, language, text, needs, steps } of lines(path.join(LABELLED, 'tasks.jsonl'))) {
    await record({ set: 'task', id, half, kind: 'first', language }, text, needs.length > 0 ? 1 : 0)
    for (const step of steps)
      await record({ set: 'task', id, half, kind: 'step', language }, step.text, step.needs.length > 0 ? 1 : 0)
  }
  const random = seeded(20_261_123)
  for (const [at, { id, half, language, text, gold, alts = {} }] of lines(
    path.join(LABELLED, 'needs.jsonl'),
  ).entries()) {
    const wanted = [...gold, ...Object.values(alts).flat()]
    const own = new Set(wanted.map((tool) => tool.split('::')[0]))
    if (at % SMALL_EVERY === 0)
      await overSmall(servers, own, wanted, { set: 'needs-small', id, half, language }, text, random)
  }
}

async function labelledSet(set, folder, most, use, record, overSmall) {
  if (!existsSync(path.join(folder, 'tools.jsonl'))) throw new Error(`${folder} has no tools.jsonl`)
  const tools = lines(path.join(folder, 'tools.jsonl'))
  const { servers } = catalogueOf(tools)
  await use(servers)
  const names = servers.map(({ name }) => name)
  const serverOf = new Map(tools.map(({ id, server }) => [id, server]))
  const nameOf = new Map(tools.map(({ id, name }) => [id, name]))
  const later = []
  const random = seeded(20_261_122)
  const queries = lines(path.join(folder, 'queries.jsonl'))
  const step = Math.max(1, queries.length / most)
  for (let at = 0; at < queries.length; at += step) {
    const { id, query, gold, alts = {}, kind } = queries[Math.floor(at)]
    const half = random() < 0.5 ? 'tuning' : 'held-out'
    const line = { set, id, half, kind: kind ?? 'query' }
    if (gold.length === 0) {
      await record(line, query, 0)
      continue
    }
    const own = new Set([...gold, ...Object.values(alts).flat()].map((tool) => serverOf.get(tool)))
    const others = names.filter((name) => !own.has(name))
    await record(line, query, 1)
    await record({ ...line, kind: 'taken-out' }, query, 0, others)
    const few = others.toSorted(() => random() - 0.5).slice(0, BESIDE[Math.floor(random() * BESIDE.length)])
    await record({ ...line, kind: 'few' }, query, 1, [...own, ...few])
    const strangers = few.length > 0 ? few : others.slice(0, 1)
    await record({ ...line, kind: 'few-taken-out' }, query, 0, strangers)
    later.push([own, [...gold, ...Object.values(alts).flat()], line, query])
  }
  for (const [place, [own, wanted, line, query]] of later.entries()) {
    const ids = wanted.map((tool) => `${serverOf.get(tool)}::${nameOf.get(tool)}`)
    if (place % SMALL_EVERY === 0) await overSmall(servers, own, ids, line, query, random)
  }
}
