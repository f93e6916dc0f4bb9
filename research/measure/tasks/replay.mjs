#!/usr/bin/env node
// What is learned from use: our labelled tasks are played and their tools called; then the same tasks are asked for again, in
// other words (research/labelled/tasks-again.jsonl), and tasks of the other half, which nobody asked for before.
//
//   node research/measure/tasks/replay.mjs [--half tuning|held-out] [--ranker lexical|auto] [--times <n>] [--cache <folder>]
//
// --times says how often each task was done before; 1 by default.

import { createRequire } from 'node:module'
import path from 'node:path'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'
import { OWN, readSets } from '../ranking/eval/sets.mjs'
import { jsonLines } from '../strangers/catalogue.mjs'

const USAGE = 'usage: replay.mjs [--half tuning|held-out] [--ranker lexical|auto] [--times <n>] [--cache <folder>]\n'
const INITIAL_KS = [30, 10, 'auto']
const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled')

const given = readArguments(USAGE, {
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  ranker: { type: 'string', default: 'lexical', choices: ['lexical', 'auto'] },
  times: { type: 'integer', default: 1, least: 1 },
  cache: { type: 'string' },
})
if (given) await main(given.values)

async function main({ half, ranker, times, cache }) {
  const tools = (await readSets([OWN], () => {}))[0].tools
  const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
  const router = ToolRouter.shared()
  const { servers, idOf } = catalogueOf(tools)
  await router.setServers(servers, { replace: true })
  if (ranker === 'auto') {
    await router.loadModel(cache ? { cacheDir: cache } : {})
    while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
  }
  const settings = { threshold: 0, deadlineMs: 60_000, ...(ranker === 'lexical' && { ranker }) }
  const inOtherWords = new Map(jsonLines(path.join(LABELLED, 'tasks-again.jsonl')).map(({ id, text }) => [id, text]))
  const tasks = jsonLines(path.join(LABELLED, 'tasks.jsonl')).filter((task) => task.needs.length > 0)
  const known = tasks.filter((task) => task.half === half && inOtherWords.has(task.id))
  const again = known.map((task) => ({ ...task, text: inOtherWords.get(task.id) }))
  const others = tasks.filter((task) => task.half !== half)

  const rows = {}
  const measure = async (when) => {
    for (const initialK of INITIAL_KS) {
      const at = { ...settings, initialK }
      rows[`asked again, ${initialK} tools, ${when}`] = await firstTurns(router, idOf, again, at)
      rows[`other tasks, ${initialK} tools, ${when}`] = await firstTurns(router, idOf, others, at)
    }
  }
  await measure('before')
  const byId = new Map(tools.map(({ id, server, name }) => [id, { serverName: server, toolName: name }]))
  const toolFor = (id) => byId.get(id)
  for (let time = 0; time < times; time += 1) {
    for (const task of known) await teach(router, task, { settings, toolFor })
  }
  await measure('after')
  console.table(Object.fromEntries(Object.entries(rows).sort(([one], [two]) => (one < two ? 1 : -1))))
}

/** Does a task once more, so that the router learns of it: each text is said, and what it led to is called. */
async function teach(router, task, { settings, toolFor }) {
  const session = router.openSession({ settings })
  try {
    for (const [at, { text, needs }] of [task, ...task.steps].entries()) {
      await (at === 0 ? session.start(text) : session.turn(text))
      for (const [id] of needs) await session.recordUse(toolFor(id))
    }
  } finally {
    session.close()
  }
}

async function firstTurns(router, idOf, tasks, settings) {
  const sums = { complete: 0, needs: 0, met: 0, tools: 0 }
  for (const task of tasks) {
    const session = router.openSession({ settings })
    const { attached } = await session.start(task.text)
    const ids = new Set(attached.map((name) => idOf(session.resolveTool(name))))
    const met = task.needs.filter((need) => need.some((id) => ids.has(id))).length
    sums.complete += met === task.needs.length ? 1 : 0
    sums.needs += task.needs.length
    sums.met += met
    sums.tools += attached.length
    session.close()
  }
  return {
    complete: `${sums.complete} of ${tasks.length}`,
    needs: `${sums.met} of ${sums.needs}`,
    tools: Number((sums.tools / tasks.length).toFixed(1)),
  }
}
