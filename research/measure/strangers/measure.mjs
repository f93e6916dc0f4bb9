#!/usr/bin/env node
// Measures the router with servers that no data file of the project names (capture.mjs), alone or beside others.
//
//   node research/measure/strangers/measure.mjs [--half tuning|held-out] [--ranker auto|lexical] [--initial-k 30|auto]
//                      [--beside tools.jsonl] [--others] [--cache folder] [--only tasks,searches,code,late,modes]
//                      [--said-again code] [--misses] [--json]
//
// Without --ranker or --initial-k all of them are measured, one row each. --beside sets other servers next to the strangers;
// tools of theirs that do as well as a stranger's count too (beside.json). --others plays tasks alone, over 30 servers more by
// other authors (capture.mjs --servers others.jsonl). --said-again plays 20 tasks of the held-out half in one of 24
// languages. --misses names the lines that fall short, and is refused for the held-out half.
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'
import {
  defaultCache,
  jsonLines,
  OTHERS,
  readLabelled,
  readOthers,
  saidAgain,
  strangerTools,
  unknownLabel,
} from './catalogue.mjs'
import { playCode, playLate, playModes, playSearches, playTasks } from './play.mjs'

const USAGE = `usage: measure.mjs [--half tuning|held-out] [--ranker auto|lexical] [--initial-k 30|auto] [--beside <tools.jsonl>]
                   [--others] [--cache <folder>] [--only tasks,searches,code,late,modes]
                   [--said-again <code>] [--misses] [--json]
`
const PARTS = ['tasks', 'searches', 'code', 'late', 'modes']

/** What the counts of play.mjs are called in the table. */
const TITLES = {
  complete: 'tasks complete with the first text',
  seen: 'tasks that see all they need, as definition or line',
  'first tokens': 'tokens of the first request, mean',
  action: 'needs of the action',
  before: 'needs of what comes before',
  tools: 'tools attached, mean',
  later: 'later messages complete',
  'later needs': 'needs of later messages',
  'load served': 'mcp_load: served needs',
  'load refused': 'mcp_load: served needs refused',
  'load empty': 'mcp_load: nothing serves it, stays empty',
  'short served': 'short needs: served',
  'short refused': 'short needs: refused',
  'code attaches': 'work on code: attaches tools',
  'code tokens': 'work on code: tokens, mean',
  'late, all there': 'late servers: complete if all are there',
  'late, next request': 'late servers: complete with the next request',
  'late, "ok, go on"': 'late servers: complete after "ok, go on"',
  'mode switched': 'mode switched: complete with the next request',
  'mode switched: tools': 'mode switched: tools, mean',
  'mode, begun in it: tools': 'begun in that mode: tools, mean',
}

const given = readArguments(USAGE, {
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  ranker: { type: 'string', choices: ['auto', 'lexical'] },
  'initial-k': { type: 'string' },
  beside: { type: 'string' },
  others: { type: 'boolean' },
  cache: { type: 'string', default: defaultCache },
  only: { type: 'string', default: PARTS.join(',') },
  'said-again': { type: 'string' },
  misses: { type: 'boolean' },
  json: { type: 'boolean' },
})
if (given) await main(given.values)

async function main({ half, ranker, beside, cache, only, misses, json, others, ...options }) {
  if (misses && half === 'held-out') {
    process.stderr.write('--misses: the held-out half is not looked at one by one\n')
    process.exitCode = 2
    return
  }
  const tools = [...strangerTools(cache, others && OTHERS), ...(beside ? jsonLines(beside) : [])]
  const labelled = others ? { tasks: readOthers(half) } : readLabelled({ half, beside: beside !== undefined })
  if (options['said-again']) labelled.tasks = saidAgain(options['said-again'])
  const wrong = unknownLabel(labelled, new Set(tools.map(({ id }) => id)))
  if (wrong) throw new Error(`${wrong}; capture the servers again`)
  const { servers, idOf } = catalogueOf(tools)
  const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
  const router = ToolRouter.shared()
  await router.setServers(servers, { replace: true })
  process.stderr.write(`${tools.length} tools of ${servers.length} servers, ${labelled.tasks.length} tasks\n`)
  const rankers = ranker ? [ranker] : ['lexical', 'auto']
  const sizes = (options['initial-k'] ? [options['initial-k']] : ['30', 'auto']).map((k) =>
    k === 'auto' ? k : Number(k),
  )
  const rows = {}
  for (const one of rankers) {
    const settled = one === 'auto' ? await withModel(router, path.join(cache, 'vectors')) : async () => {}
    for (const initialK of sizes) {
      const settings = { threshold: 0, initialK, deadlineMs: 60_000, ...(one === 'lexical' && { ranker: one }) }
      const note = (id, what) => misses && process.stdout.write(`${one} ${initialK} ${id}: ${what}\n`)
      const stage = { router, servers, idOf, settings, settled, note }
      rows[`${one === 'auto' ? 'vectors' : 'words'}, ${initialK}`] = await playAll(
        stage,
        labelled,
        others ? ['tasks'] : only.split(','),
      )
    }
  }
  if (json) process.stdout.write(`${JSON.stringify(rows)}\n`)
  else console.table(transposed(rows))
}

/** Loads the model; the answer waits until every tool has its vector. */
async function withModel(router, cacheDir) {
  await router.loadModel({ cacheDir })
  const settled = async () => {
    while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
  }
  await settled()
  return settled
}

async function playAll(stage, { tasks, searches, code, late }, parts) {
  return {
    ...(parts.includes('tasks') && (await playTasks(stage, tasks))),
    ...(parts.includes('searches') && (await playSearches(stage, searches))),
    ...(parts.includes('code') && (await playCode(stage, code))),
    ...(parts.includes('late') && (await playLate(stage, late))),
    ...(parts.includes('modes') && (await playModes(stage, late))),
  }
}

/** One row a figure, one column a way of ranking. */
function transposed(rows) {
  const shown = (name, [part, whole]) =>
    TITLES[name].endsWith('mean') ? Number((part / whole).toFixed(1)) : `${part} of ${whole}`
  const there = Object.keys(TITLES).filter((name) => Object.values(rows).some((counts) => counts[name]))
  const row = (name) => Object.entries(rows).map(([column, counts]) => [column, shown(name, counts[name])])
  return Object.fromEntries(there.map((name) => [TITLES[name], Object.fromEntries(row(name))]))
}
