#!/usr/bin/env node
// Searches by mcp_load in words that are not the tool's (research/labelled/searches.jsonl), over the servers of
// examples/servers: how many find a tool that serves them, and how many are refused.
//
//   node research/measure/tasks/searches.mjs [--half tuning|held-out] [--ranker auto|lexical] [--cache folder] [--misses]
//
// A tool that stands in a need of a task beside the one that is searched for does as well. Half of a line: by a hash of the
// tool's id. --misses names the lines that fall short, and is refused for the held-out half.
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf, liveServers } from '../catalogue.mjs'
import { halfOf, jsonLines } from '../strangers/catalogue.mjs'
import { playSearches } from '../strangers/play.mjs'

const USAGE = 'usage: searches.mjs [--half tuning|held-out] [--ranker auto|lexical] [--cache <folder>] [--misses]\n'
const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled')

const given = readArguments(USAGE, {
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  ranker: { type: 'string', choices: ['auto', 'lexical'] },
  cache: { type: 'string' },
  misses: { type: 'boolean' },
})
if (given) await main(given.values)

async function main({ half, ranker, cache, misses }) {
  if (misses && half === 'held-out') {
    process.stderr.write('--misses: the held-out half is not looked at one by one\n')
    process.exitCode = 2
    return
  }
  const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
  const router = ToolRouter.shared()
  const live = await liveServers()
  const { servers, idOf } = catalogueOf(live.flatMap(({ name, tools }) => labelled(name, tools)))
  await router.setServers(servers, { replace: true })
  const searches = searchesOf(half)
  const rows = {}
  for (const one of ranker ? [ranker] : ['lexical', 'auto']) {
    if (one === 'auto') {
      await router.loadModel(cache ? { cacheDir: cache } : {})
      while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
    }
    const settings = { threshold: 0, deadlineMs: 60_000, ...(one === 'lexical' && { ranker: one }) }
    const note = (id, what) => misses && process.stdout.write(`${one} ${id}: ${what}\n`)
    const counts = await playSearches({ router, idOf, settings, note }, searches)
    rows[one] = Object.fromEntries(Object.entries(counts).map(([name, [part, all]]) => [name, `${part} of ${all}`]))
  }
  console.table(rows)
}

function labelled(server, tools) {
  return tools.map((tool) => ({ ...tool, id: `${server}::${tool.name}`, server }))
}

function searchesOf(half) {
  const needs = jsonLines(path.join(LABELLED, 'tasks.jsonl')).flatMap((task) =>
    [task, ...task.steps].flatMap((turn) => turn.needs),
  )
  const asGood = (tool) => [...new Set([tool, ...needs.filter((need) => need.includes(tool)).flat()])]
  return jsonLines(path.join(LABELLED, 'searches.jsonl'))
    .filter(({ tool }) => halfOf(tool) === half)
    .map(({ tool, query }) => ({ id: `${tool} "${query}"`, kind: 'search', query, needs: [asGood(tool)] }))
}
