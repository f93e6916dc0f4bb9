#!/usr/bin/env node
// Plays our labelled tasks (research/labelled/tasks.jsonl): which of the needed tools a model can read in the first request, and
// in that of each later message that needs a tool, as definition or line.
//
//   node research/measure/tasks/tasks.mjs [--half tuning|held-out] [--tasks tasks.jsonl] [--tools tools.jsonl] [--ranker lexical|auto]
//                            [--provider openai-chat] [--cache folder] [--misses] [--new-machine [--model folder]]
//
// With --new-machine there is no cache, and nothing waits: first texts are played from the moment the model is asked for, one
// after the other, for ten seconds at most. --model names another folder of the model, one without vectors.bin for example.
// Without --tools, the tools are those that the servers of examples/servers list now. `--misses` says which needs are not
// met; for the held-out half, which nobody looks at one by one, it is refused.
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

import { ModelView } from '../../../__test__/helpers/seen.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'
import { OWN, readSets } from '../ranking/eval/sets.mjs'
import { jsonLines } from '../strangers/catalogue.mjs'

const USAGE = `usage: tasks.mjs [--half tuning|held-out] [--tasks <tasks.jsonl>] [--tools <tools.jsonl>] [--ranker lexical|auto]
                [--provider <provider>] [--cache <folder>] [--misses] [--new-machine [--model <folder>]]
`
/** How long the first moments of a new machine last. */
const FIRST_MS = 10_000
/** Sizes of the first selection that are compared. */
const INITIAL_KS = [30, 'auto']
const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled', 'tasks.jsonl')

const given = readArguments(USAGE, {
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  tasks: { type: 'string', default: LABELLED },
  tools: { type: 'string' },
  ranker: { type: 'string', default: 'lexical', choices: ['lexical', 'auto'] },
  provider: { type: 'string', default: 'openai-chat' },
  cache: { type: 'string' },
  misses: { type: 'boolean' },
  'new-machine': { type: 'boolean' },
  model: { type: 'string' },
})
if (given) await main(given.values)

async function main({ half, tasks: file, tools: listed, ranker, provider, cache, misses, ...options }) {
  if (misses && half === 'held-out') {
    process.stderr.write('--misses: the held-out half is not looked at one by one\n')
    process.exitCode = 2
    return
  }
  const tools = listed ? jsonLines(listed) : (await readSets([OWN], () => {}))[0].tools
  const tasks = jsonLines(file).filter((task) => task.half === half)
  const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
  const router = ToolRouter.shared()
  const { servers, idOf } = catalogueOf(tools)
  await router.setServers(servers, { replace: true })
  if (options['new-machine']) return console.table(await firstMoments(router, idOf, tasks, options.model))
  if (ranker === 'auto') {
    await router.loadModel(cache ? { cacheDir: cache } : {})
    while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
  }
  const rows = []
  for (const initialK of INITIAL_KS) {
    const settings = { provider, threshold: 0, initialK, deadlineMs: 60_000, ...(ranker === 'lexical' && { ranker }) }
    rows.push(await play(router, idOf, tasks, settings, misses))
  }
  console.table(Object.fromEntries(rows.map(({ initialK, ...row }) => [`initialK ${initialK}`, row])))
}

/** The first texts of tasks while the model is loaded and vectors are made. */
async function firstMoments(router, idOf, tasks, modelDir) {
  const rows = INITIAL_KS.map((initialK) => ({ initialK, tasks: 0, complete: 0, needs: 0, met: 0, hybrid: 0 }))
  const listed = await router.listTools()
  const start = performance.now()
  const loading = router.loadModel({ cacheDir: false, modelDir })
  for (const { text, needs } of tasks.filter((task) => task.needs.length > 0)) {
    if (performance.now() - start > FIRST_MS) break
    for (const row of rows) {
      const session = router.openSession({ settings: { threshold: 0, initialK: row.initialK } })
      const { ranker } = await session.start(text)
      const met = needs.filter(isSeen(listed, idOf, new ModelView().read(session.render()))).length
      row.tasks += 1
      row.complete += met === needs.length ? 1 : 0
      row.needs += needs.length
      row.met += met
      row.hybrid += ranker === 'hybrid' ? 1 : 0
      session.close()
    }
    // A person types for a while: the tasks are spread over the first moments.
    await new Promise((resolve) => setTimeout(resolve, FIRST_MS / (2 * tasks.length)))
  }
  const { modelId } = await loading
  const { vectorCount, toolCount, shippedVectors } = router.status
  const seconds = Number(((performance.now() - start) / 1000).toFixed(1))
  const vectors = `${vectorCount} of ${toolCount}, ${shippedVectors?.used ?? 0} shipped`
  return rows.map((row) => ({ ...row, vectors, seconds, modelId }))
}

/** Whether a model can read any of the tools that meet a need. */
function isSeen(listed, idOf, view) {
  const seen = new Set(listed.filter(({ name }) => view.sees(name)).map(idOf))
  return (need) => need.some((id) => seen.has(id))
}

/** Plays every task with some settings; what its texts need is counted once, where it is first needed. */
async function play(router, idOf, tasks, settings, misses) {
  const { initialK } = settings
  const listed = await router.listTools()
  const first = { tasks: 0, complete: 0, needs: 0, met: 0, tools: 0, tokens: 0 }
  const later = { messages: 0, complete: 0, needs: 0, met: 0 }
  let inTheEnd = 0
  for (const task of tasks) {
    const session = router.openSession({ settings })
    const view = new ModelView()
    const count = (sums, what, needs, { added }) => {
      const sees = isSeen(listed, idOf, view)
      const missing = needs.filter((need) => !sees(need))
      sums.complete += missing.length === 0 ? 1 : 0
      sums.needs += needs.length
      sums.met += needs.length - missing.length
      if (misses && missing.length > 0) {
        const gone = missing.map((need) => need[0]).join(', ')
        const news = added.map((name) => name.replace(/^mcp--/, '')).join(' ')
        process.stdout.write(
          `${initialK} ${task.id} ${what}: without ${gone}\n    ${text(task, what)}\n    + ${news}\n`,
        )
      }
    }
    const selection = await session.start(task.text)
    view.read(session.render())
    if (task.needs.length > 0) {
      count(first, 'first', task.needs, selection)
      first.tasks += 1
      first.tools += selection.attached.length
      const { attached, mcpLoad, directory } = selection.tokens
      first.tokens += attached + mcpLoad + directory
    }
    let last = selection
    for (const [at, step] of task.steps.entries()) {
      last = await session.turn(step.text)
      view.read(session.render())
      if (step.needs.length === 0) continue
      count(later, `step ${at + 1}`, step.needs, last)
      later.messages += 1
    }
    inTheEnd += last.attached.length
    session.close()
  }
  const of = (part, whole) => `${part} of ${whole}`
  return {
    initialK,
    'see all': of(first.complete, first.tasks),
    needs: of(first.met, first.needs),
    definitions: Number((first.tools / first.tasks).toFixed(1)),
    tokens: Math.round(first.tokens / first.tasks),
    later: of(later.complete, later.messages),
    'later needs': of(later.met, later.needs),
    'tools in the end': Number((inTheEnd / tasks.length).toFixed(1)),
  }
}

function text(task, what) {
  const said = what === 'first' ? task.text : task.steps[Number(what.slice('step '.length)) - 1].text
  return said.replaceAll('\n', ' ').slice(0, 300)
}
