// One row of the ablation: what the router does with what TOOL_ROUTER_OFF leaves of it. Prints counts as JSON.
//
//   node research/measure/ranking/ablation/play.mjs '{"half":"tuning","beside":"tools.jsonl","sets":"folder","cache":"folder","library":"folder"}'

import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

import { catalogueOf, liveServers } from '../../catalogue.mjs'
import { jsonLines, readLabelled, strangerTools } from '../../strangers/catalogue.mjs'
import { idsOf, meets } from '../../strangers/play.mjs'
import { measure } from '../eval/metrics.mjs'
import { readSets } from '../eval/sets.mjs'

const LABELLED = path.join(import.meta.dirname, '..', '..', '..', 'labelled')
const SETTINGS = { threshold: 0, deadlineMs: 60_000 }
/** Of the impossible needs and of small talk, one in so many is enough. */
const EVERY = 4

const { half, beside, sets, cache, library } = JSON.parse(process.argv[2])
const { ToolRouter } = createRequire(import.meta.url)(library)
const router = ToolRouter.shared()
await router.loadModel({ cacheDir: path.join(cache, 'vectors') })

const counts = {}
const lines = (name) => {
  const all = jsonLines(path.join(LABELLED, `${name}.jsonl`))
  return half ? all.filter((line) => line.half === half) : all
}
const strangers = strangerTools(cache)
await among('alone', strangers, readLabelled({ half }))
if (beside) await among('beside', [...strangers, ...jsonLines(beside)], readLabelled({ half, beside: true }))
const own = await liveServers()
const stage = await standing(own)
await playTasks('ours', stage, lines('tasks'))
await playQuiet()
for (const set of sets ? await readSets([sets], () => {}) : []) await playSet(set)
process.stdout.write(`${JSON.stringify(counts)}\n`)

function add(name, value) {
  counts[name] = (counts[name] ?? 0) + Number(value)
}

async function standing(servers, idOf = ({ serverName, toolName }) => `${serverName}::${toolName}`) {
  await router.setServers(servers, { replace: true })
  while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
  return { idOf }
}

/** Strangers: first texts and later messages, what a model searches for, and work on code. */
async function among(where, tools, { tasks, searches, code }) {
  const { servers, idOf } = catalogueOf(tools)
  const stage = await standing(servers, idOf)
  await playTasks(where, stage, tasks)
  for (const { query, needs } of searches) {
    const session = router.openSession({ settings: SETTINGS })
    await session.start('hello')
    const { loaded, next } = await session.load({ query })
    const ids = idsOf(
      stage,
      session,
      [...loaded, ...next].map(({ name }) => name),
    )
    if (needs.length > 0)
      add(
        `${where}: searches served`,
        needs.every((need) => meets(ids, need)),
      )
    else add(`${where}: impossible, empty`, loaded.length === 0)
    session.close()
  }
  for (const { text } of code) add(`${where}: tokens about code`, (await first(text)).tokens / code.length)
}

async function first(text) {
  const session = router.openSession({ settings: SETTINGS })
  const { attached, directory, tokens } = await session.start(text)
  session.close()
  return { shown: attached.length + directory.length, tokens: tokens.attached + tokens.directory }
}

async function playTasks(where, stage, tasks) {
  let sent = 0
  for (const { text, needs, steps } of tasks) {
    const session = router.openSession({ settings: SETTINGS })
    const { attached, directory, tokens } = await session.start(text)
    const [ready, visible] = [idsOf(stage, session, attached), idsOf(stage, session, [...attached, ...directory])]
    if (needs.length > 0) {
      add(
        `${where}: ready`,
        needs.every((need) => meets(ready, need)),
      )
      add(
        `${where}: visible`,
        needs.every((need) => meets(visible, need)),
      )
      sent += tokens.attached + tokens.mcpLoad + tokens.directory
    }
    for (const step of steps ?? []) {
      const { attached, directory } = await session.turn(step.text)
      if (step.needs.length === 0) continue
      const known = idsOf(stage, session, [...attached, ...directory])
      add(
        `${where}: later visible`,
        step.needs.every((need) => meets(known, need)),
      )
    }
    session.close()
  }
  add(`${where}: tokens`, sent / tasks.filter(({ needs }) => needs.length > 0).length)
}

/** Over our servers: talk, needs that nothing serves, and tools by their own names. */
async function playQuiet() {
  for (const { text } of lines('small-talk').filter((_, at) => at % EVERY === 0))
    add('talk, quiet', (await first(text)).shown === 0)
  for (const { text } of lines('impossible').filter((_, at) => at % EVERY === 0)) {
    const session = router.openSession({ settings: SETTINGS })
    await session.start('hello')
    add('impossible, empty', (await session.load({ query: text })).loaded.length === 0)
    session.close()
  }
  for (const { name, tools } of own) {
    for (const tool of tools.filter((_, at) => at % EVERY === 0)) {
      const { tools: ranked } = await router.rank(`use ${tool.name} of ${name}`, { topK: 1, deadlineMs: 60_000 })
      add('names, first', ranked[0]?.toolName === tool.name && ranked[0]?.serverName === name)
    }
  }
}

/** A labelled set, ranked. */
async function playSet({ name, tools, requests }) {
  const { servers, idOf } = catalogueOf(tools)
  await standing(servers, idOf)
  const served = requests.filter(({ gold }) => gold.length > 0)
  for (const request of served) {
    const { tools: ranked } = await router.rank(request.query, { topK: 30, deadlineMs: 60_000 })
    const found = measure(request, ranked.map(idOf))
    for (const metric of ['R@1', 'R@10']) add(`${name}: ${metric}`, (100 * found[metric]) / served.length)
  }
}
