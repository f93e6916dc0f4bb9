#!/usr/bin/env node
// Collects what says how likely a later message needs a tool, read in its task, for research/make/turns.py: over the later messages of
// our labelled tasks, and over small talk said after the first text of a task.
//
//   node research/measure/ranking/turns.mjs --out turns.jsonl [--half tuning|held-out] [--cache folder]
//
// A row per message: what was read, and whether it needs a tool (`needs`). Builds the addon with the feature `ablation` first.

import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { readArguments } from '../../../scripts/arguments.mjs'
import { liveServers } from '../catalogue.mjs'
import { jsonLines } from '../strangers/catalogue.mjs'
import { build } from './ablation/build.mjs'

const USAGE = 'usage: turns.mjs --out <turns.jsonl> [--half tuning|held-out] [--cache <folder>]\n'
const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled')
const given = readArguments(USAGE, {
  out: { type: 'string', required: true },
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  cache: { type: 'string' },
})
if (given) await main(given.values)

async function main({ out, half, cache }) {
  const { ToolRouter } = createRequire(import.meta.url)(build())
  const router = ToolRouter.shared()
  const servers = await liveServers()
  await router.setServers(servers, { replace: true })
  await router.loadModel(cache ? { cacheDir: cache } : {})
  while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
  const tasks = jsonLines(path.join(LABELLED, 'tasks.jsonl')).filter((task) => task.half === half)
  const talk = jsonLines(path.join(LABELLED, 'small-talk.jsonl')).filter((line) => line.half === half)
  const rows = []
  const settings = { threshold: 0, initialK: 30, deadlineMs: 60_000 }
  const record = async (session, id, kind, text, needs) => {
    const signals = JSON.parse(await session.__turnSignals(text))
    if (signals) rows.push({ id, kind, inTask: signals.inTask, needs: needs.length > 0 })
  }
  for (const [at, task] of tasks.entries()) {
    const session = router.openSession({ settings })
    await session.start(task.text)
    // Each line of small talk is said in the task of its turn, before anything else is.
    for (let line = at; line < talk.length; line += tasks.length)
      await record(session, talk[line].id, 'talk', talk[line].text, [])
    for (const step of task.steps) {
      await record(session, task.id, 'step', step.text, step.needs)
      await session.turn(step.text)
    }
    session.close()
  }
  writeFileSync(out, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  console.error(`${rows.length} rows`)
}
