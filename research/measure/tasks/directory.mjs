#!/usr/bin/env node
// Definitions or signatures: what first selections of several mixes cost and hold.
//
//   node research/measure/tasks/directory.mjs [--half tuning|held-out] [--ranker lexical|auto] [--cache folder]
//                            [--strangers [folder]] [--beside tools.jsonl] [--language en|other]
//
// A tool is ready where its definition is attached, and visible where its definition or its signature is there. Tokens are all
// that is sent: definitions, mcp_load and the directory. The tasks are ours (research/labelled/tasks.jsonl, over the servers of examples/servers); with --strangers, those of research/labelled/strangers.
// --language keeps tasks in English, or in any other language.
import { createRequire } from 'node:module'
import path from 'node:path'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'
import { OWN, readSets } from '../ranking/eval/sets.mjs'
import { defaultCache, jsonLines, readLabelled, strangerTools } from '../strangers/catalogue.mjs'

const USAGE = `usage: directory.mjs [--half tuning|held-out] [--ranker lexical|auto] [--cache <folder>]
                     [--strangers] [--captured <folder>] [--beside <tools.jsonl>] [--language en|other]
`
const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled', 'tasks.jsonl')
/** Thirty definitions alone, what a task has by default, the same with other deliveries, and shorter or longer directories. */
const MIXES = [
  { initialK: 30, directoryTokens: 0 },
  { initialK: 'auto', directoryTokens: 0 },
  { initialK: 'auto', directoryTokens: 1_000 },
  {},
  { delivery: 'call' },
  { initialK: 30 },
  { initialK: 12 },
]

const given = readArguments(USAGE, {
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  ranker: { type: 'string', default: 'lexical', choices: ['lexical', 'auto'] },
  cache: { type: 'string' },
  strangers: { type: 'boolean' },
  captured: { type: 'string', default: defaultCache },
  beside: { type: 'string' },
  language: { type: 'string', choices: ['en', 'other'] },
})
if (given) await main(given.values)

async function main({ half, ranker, cache, strangers, captured, beside, language }) {
  const own = strangers ? strangerTools(captured) : (await readSets([OWN], () => {}))[0].tools
  const { servers, idOf } = catalogueOf([...own, ...(beside ? jsonLines(beside) : [])])
  const labelled = strangers
    ? readLabelled({ half, beside: beside !== undefined }).tasks
    : jsonLines(LABELLED).filter((task) => task.half === half)
  const isSaid = (task) => language === undefined || (task.language === 'en') === (language === 'en')
  const tasks = labelled.filter((task) => task.needs.length > 0 && isSaid(task))
  const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
  const router = ToolRouter.shared()
  await router.setServers(servers, { replace: true })
  if (ranker === 'auto') {
    await router.loadModel(cache ? { cacheDir: cache } : {})
    while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
  }
  const stage = {
    router,
    idOf,
    tasks,
    settings: { threshold: 0, deadlineMs: 60_000, ...(ranker === 'lexical' && { ranker }) },
  }
  const rows = []
  for (const mix of MIXES) rows.push(await play(stage, mix))
  console.table(rows)
}

/** First texts alone: what a person's first request has at hand. */
async function play({ router, idOf, tasks, settings }, mix) {
  const sums = {
    ready: 0,
    visible: 0,
    needsReady: 0,
    needsVisible: 0,
    needs: 0,
    definitions: 0,
    signatures: 0,
    nothing: 0,
    tokens: 0,
  }
  for (const { text, needs } of tasks) {
    const session = router.openSession({ settings: { ...settings, ...mix } })
    const { attached, directory, tokens } = await session.start(text)
    const ids = (names) => names.map((name) => idOf(router.resolveTool(name)))
    const ready = new Set(attached.map((name) => idOf(session.resolveTool(name))))
    const visible = new Set([...ready, ...ids(directory)])
    const met = (known) => needs.filter((need) => need.some((id) => known.has(id))).length
    const [isReady, isVisible] = [met(ready), met(visible)]
    sums.ready += isReady === needs.length ? 1 : 0
    sums.visible += isVisible === needs.length ? 1 : 0
    sums.needsReady += isReady
    sums.needsVisible += isVisible
    sums.needs += needs.length
    sums.definitions += attached.length
    sums.signatures += directory.length
    sums.nothing += visible.size === 0 ? 1 : 0
    sums.tokens += tokens.attached + tokens.mcpLoad + tokens.directory
    session.close()
  }
  const each = (sum) => Number((sum / tasks.length).toFixed(1))
  return {
    mix: Object.entries(mix).flat().join(' ') || 'the default',
    tasks: tasks.length,
    ready: sums.ready,
    visible: sums.visible,
    'needs ready': `${sums.needsReady} of ${sums.needs}`,
    'needs visible': `${sums.needsVisible} of ${sums.needs}`,
    definitions: each(sums.definitions),
    signatures: each(sums.signatures),
    nothing: sums.nothing,
    tokens: each(sums.tokens),
  }
}
