// Runs all systems over all sets and gives figures; nothing here knows how they are shown.

import { interval, resampledMeans, seeded } from './bootstrap.mjs'
import { DEPTH, mean, measure, METRICS } from './metrics.mjs'
import { measureNames, nameRequests } from './names.mjs'

/** The system that the others are compared with: the simplest one that uses both terms and vectors. */
export const REFERENCE = 'weighted'
/** A line of progress after so many requests. */
const PROGRESS_REQUESTS = 500
/** Requests of a kind, at the least, for a row of its own. */
const MIN_KIND = 5

/**
 * @param {import('./sets.mjs').LabelledSet[]} sets
 * @param {object[]} systems `{ id, title, open(set) }` each
 * @param {{ seed: number, resamples: number, say: (line: string) => void }} options
 */
export async function evaluate(sets, systems, { seed, resamples, say }) {
  const results = { seed, resamples, sets: [], systems, kinds: [], names: [] }
  const draws = []
  for (const set of sets) {
    const opened = new Map()
    for (const system of systems) opened.set(system.id, await system.open(set))
    const needed = set.requests.filter(({ gold }) => gold.length > 0)
    const rows = {}
    for (const [id, system] of opened) rows[id] = await rankAll(set, needed, id, system, say)

    const columns = {}
    for (const [id, list] of Object.entries(rows)) {
      for (const metric of METRICS) columns[`${id} ${metric}`] = Float64Array.from(list, (row) => row[metric])
    }
    draws.push(resampledMeans(columns, resamples, seeded(seed, set.name)))
    const { name, hash, tools, requests } = set
    const figures = Object.fromEntries(Object.entries(columns).map(([column, values]) => [column, mean(values)]))
    results.sets.push({ name, hash, tools: tools.length, requests: requests.length, scored: needed.length, figures })
    results.kinds.push(...kindsOf(name, needed, rows))

    results.names.push(...(await namesOf(set, systems, opened, { seed, say })))
  }
  results.mean = meanOverSets(results.sets, draws, systems)
  return results
}

async function rankAll(set, requests, id, system, say) {
  const rows = []
  for (const request of requests) {
    rows.push(measure(request, await system.rank(request.query, DEPTH)))
    if (rows.length % PROGRESS_REQUESTS === 0) say(`${set.name}, ${id}: ${rows.length} of ${requests.length} requests`)
  }
  const percent = (metric) => (100 * mean(rows.map((row) => row[metric]))).toFixed(1)
  say(`${set.name}, ${id}: R@10 ${percent('R@10')}, C@30 ${percent('C@30')}`)
  return rows
}

/** Figures of each kind of request, for sets that tell kinds apart. */
function kindsOf(setName, requests, rows) {
  const kinds = [...new Set(requests.map(({ kind }) => kind))].sort()
  if (kinds.length < 2) return []
  return kinds.flatMap((kind) => {
    const places = requests.flatMap((request, at) => (request.kind === kind ? [at] : []))
    if (places.length < MIN_KIND) return []
    const figures = {}
    for (const [id, list] of Object.entries(rows)) {
      for (const metric of METRICS) figures[`${id} ${metric}`] = mean(places.map((at) => list[at][metric]))
    }
    return [{ set: setName, kind, requests: places.length, figures }]
  })
}

/** The mean over sets, each set counting the same, with intervals and with differences to the reference. */
function meanOverSets(sets, draws, systems) {
  const averageDraws = (column) => draws[0][column].map((_, at) => mean(draws.map((draw) => draw[column][at])))
  const table = {}
  for (const { id } of systems) {
    for (const metric of METRICS) {
      const column = `${id} ${metric}`
      const own = averageDraws(column)
      table[column] = { value: mean(sets.map(({ figures }) => figures[column])), ...interval(own) }
      const other = `${REFERENCE} ${metric}`
      if (!(other in draws[0])) continue
      const reference = averageDraws(other)
      table[column].difference = {
        value: table[column].value - mean(sets.map(({ figures }) => figures[other])),
        ...interval(own.map((value, at) => value - reference[at])),
      }
    }
  }
  return table
}

async function namesOf(set, systems, opened, { seed, say }) {
  const asked = nameRequests(set, seed)
  const rows = []
  // What lives by vectors alone, or by simple ones, is left out: it knows nothing of names, and takes minutes.
  for (const { id } of systems.filter(({ usesVectors }) => !usesVectors)) {
    say(`${set.name}, ${id}: exact names`)
    rows.push({ set: set.name, system: id, shares: await measureNames(asked, opened.get(id)) })
  }
  return rows
}
