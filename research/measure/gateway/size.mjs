#!/usr/bin/env node
// What a router costs with very many tools: copies of a catalogue under other names of servers, with other words in them.
//
//   node research/measure/gateway/size.mjs --tools tools.jsonl [--sizes 3522,20000,50000,150000] [--clients 10] [--seconds 10]
//
// Each size has a process of its own: the time until all servers are set, what the process holds then, and how long a search by
// words takes while so many clients search one after the other, as the gateway's answer to `mcp_load` does.

import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'
import { percentile } from '../ranking/eval/metrics.mjs'
import { jsonLines } from '../strangers/catalogue.mjs'
import { grown, numbers } from './grown.mjs'

const USAGE = `usage: size.mjs --tools <tools.jsonl> [--sizes <n,n>] [--clients <n>] [--seconds <n>] [--alone <n>]
`
const MEGABYTE = 1024 * 1024
/** Searches before those that are timed. */
const WARM_SEARCHES = 300
/** Words of a search. */
const SEARCH_WORDS = 6

const given = readArguments(USAGE, {
  tools: { type: 'string', required: true },
  sizes: { type: 'string', default: '3522,20000,50000,150000' },
  clients: { type: 'integer', default: 10, least: 1 },
  seconds: { type: 'integer', default: 10, least: 1 },
  alone: { type: 'integer', least: 1 },
})
if (given) await main(given.values)

async function main({ tools: file, sizes, clients, seconds, alone }) {
  if (alone !== undefined) {
    process.stdout.write(`${JSON.stringify(await measure(jsonLines(file), { size: alone, clients, seconds }))}\n`)
    return
  }
  const rows = sizes.split(',').map((size) => {
    const options = ['--tools', file, '--clients', `${clients}`, '--seconds', `${seconds}`, '--alone', size]
    const printed = execFileSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), ...options])
    return JSON.parse(printed.toString())
  })
  console.table(rows)
}

async function measure(tools, { size, clients, seconds }) {
  const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
  const router = ToolRouter.shared()
  const began = performance.now()
  await router.setServers(catalogueOf(grown(tools, size)).servers, { replace: true })
  await router.rank('search the issues', { ranker: 'lexical' })
  const loadedMs = performance.now() - began
  globalThis.gc?.()
  const held = process.memoryUsage()
  // Some things of a server are worked out when a search first finds it.
  const drawn = numbers(clients + 1)
  const warmFrom = performance.now()
  for (let at = 0; at < WARM_SEARCHES; at++) await router.rank(searchOf(tools, drawn), { topK: 30, ranker: 'lexical' })
  const warmMs = (performance.now() - warmFrom) / WARM_SEARCHES
  const took = []
  const spent = process.cpuUsage()
  const until = performance.now() + 1_000 * seconds
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const draw = numbers(client + 1)
      while (performance.now() < until) {
        const from = performance.now()
        await router.rank(searchOf(tools, draw), { topK: 30, ranker: 'lexical' })
        took.push(performance.now() - from)
      }
    }),
  )
  const { user, system } = process.cpuUsage(spent)
  const ms = (share) => Number(percentile(took, share).toFixed(1))
  return {
    tools: router.status.toolCount,
    'loaded after, s': Number((loadedMs / 1_000).toFixed(1)),
    'resident, MB': Math.round(held.rss / MEGABYTE),
    'of it JavaScript, MB': Math.round((held.heapUsed + held.external) / MEGABYTE),
    'first searches, ms': Number(warmMs.toFixed(1)),
    searches: took.length,
    'CPU of a search, ms': Number(((user + system) / 1_000 / took.length).toFixed(1)),
    'median, ms': ms(0.5),
    'p95, ms': ms(0.95),
    'resident then, MB': Math.round(process.memoryUsage().rss / MEGABYTE),
  }
}

/** Words of some tool's description. */
function searchOf(tools, draw) {
  const words = (tools[draw(tools.length)].description ?? 'list the items').match(/[A-Za-z]{3,}/g) ?? ['items']
  const from = draw(Math.max(1, words.length - SEARCH_WORDS))
  return words.slice(from, from + SEARCH_WORDS).join(' ')
}
