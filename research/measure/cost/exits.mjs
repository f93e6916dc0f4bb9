// Processes that exit at every stage of loading and using a model, on a machine that is busy: whether any of them crashes. A slow
// load is what a crash needs, so others burn the processor meanwhile, and each second process has its freed memory overwritten.
//
//   node research/measure/cost/exits.mjs [--runs 600] [--minutes 10] [--at-once 6] [--busy 4]
//
// Ends with 1 where a process ends by a signal, by another code than its own, or not within two minutes.
import { spawn } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { readArguments } from '../../../scripts/arguments.mjs'

const LIMIT_MS = 120_000
/** The code that a process gives itself: none that Node or a crash would give. */
const OWN_CODE = 42
/** The longest time after which a process exits in a stage; on a busy machine a load takes many seconds. */
const LATEST_MS = { loading: 6_000, embedding: 4_000, ranking: 2_000, replacing: 4_000, worker: 6_000, ready: 500 }

const STAGES = {
  loading: 'router.loadModel({ cacheDir: false }).catch(() => {})',
  embedding: 'await router.loadModel({ cacheDir: false }); router.setServer(many); router.ready().catch(() => {})',
  ranking: `await router.loadModel({ cacheDir: false }); await router.setServer(many)
    for (let at = 0; at < 50; at += 1) router.rank('thing number ' + at, { deadlineMs: 60000 }).catch(() => {})`,
  replacing: `router.loadModel({ cacheDir: false }).catch(() => {})
    setTimeout(() => router.setEmbedder((texts) => texts.map(() => [1, 2])).catch(() => {}), 20)
    setTimeout(() => router.loadModel({ cacheDir: false }).catch(() => {}), 40)`,
  worker: `const { Worker } = require('node:worker_threads')
    new Worker("require(" + JSON.stringify(addon) + ").ToolRouter.shared().loadModel({ cacheDir: false }).catch(() => {})", { eval: true })`,
  ready: 'await router.loadModel({ cacheDir: false }); await router.setServer(many); await router.ready()',
}

const source = (stage, ms) => `
  const addon = ${JSON.stringify(fileURLToPath(new URL('../../../index.js', import.meta.url)))}
  const { ToolRouter } = require(addon)
  const router = ToolRouter.shared()
  const tool = (_, at) => ({ name: 'do_' + at, description: 'Does thing number ' + at + ' of project ' + at * 7 + '.' })
  const many = { name: 'many', tools: Array.from({ length: 300 }, tool) }
  const begin = async () => { ${STAGES[stage]} }
  begin().then(() => setTimeout(() => process.exit(${OWN_CODE}), ${ms}))`

/** How a process ended that exits so many milliseconds after a stage was begun. */
function end(stage, ms, perturbs) {
  return new Promise((resolve) => {
    const env = { ...process.env, ...(perturbs && { MALLOC_PERTURB_: '165' }) }
    const child = spawn(process.execPath, ['-e', source(stage, ms)], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (data) => (said = (said + data).slice(-2_000)))
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      resolve({ stage, ms, perturbs, code, signal, said, isGood: code === OWN_CODE })
    })
  })
}

async function main({ runs, minutes, 'at-once': atOnce, busy }) {
  const burners = Array.from({ length: busy }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  const began = performance.now()
  const ended = []
  let next = 0
  const lane = async () => {
    while (next < runs && performance.now() - began < minutes * 60_000) {
      const at = next++
      const stages = Object.keys(STAGES)
      const stage = stages[at % stages.length]
      const ms = Math.round(Math.random() ** 2 * LATEST_MS[stage])
      ended.push(await end(stage, ms, at % 2 === 1))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  for (const each of burners) each.kill('SIGKILL')
  const rows = {}
  for (const { stage, isGood } of ended) {
    rows[stage] ??= { exits: 0, crashes: 0 }
    rows[stage].exits += 1
    rows[stage].crashes += isGood ? 0 : 1
  }
  console.table(rows)
  const bad = ended.filter(({ isGood }) => !isGood)
  for (const { stage, ms, perturbs, code, signal, said } of bad.slice(0, 10)) {
    console.log(`${stage}, ${ms} ms${perturbs ? ', memory overwritten' : ''}: ${signal ?? code}\n${said}`)
  }
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(`${ended.length} exits in ${seconds} s beside ${busy} busy processes: ${bad.length} crashes`)
  process.exitCode = bad.length === 0 ? 0 : 1
}

const given = readArguments('usage: exits.mjs [--runs 600] [--minutes 10] [--at-once 6] [--busy 4]\n', {
  runs: { type: 'integer', default: 600, least: 1 },
  minutes: { type: 'integer', default: 10, least: 1 },
  'at-once': { type: 'integer', default: 6, least: 1 },
  busy: { type: 'integer', default: 4, least: 0 },
})
if (given) await main(given.values)
