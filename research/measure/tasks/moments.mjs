#!/usr/bin/env node
// What a task has when its servers connect after its first text, or when its mode is switched. Plays the labelled tasks
// (research/labelled/tasks.jsonl) over the live servers of examples/servers.
//
//   node research/measure/tasks/moments.mjs [--half tuning|held-out] [--ranker lexical|auto] [--cache <folder>] [--most <n>]
//
// The last rows say what first messages about code attach (research/labelled/code.jsonl), which need no tool.
//
// `late`: the servers that a task needs connect after the first text; then the host syncs, or the user says "ok, go on".
// `one by one`: they connect in a random order, with a sync after each. `mode`: the task begins in a host mode without them,
// and is switched to one that has them; `same` counts tasks whose definitions are then those of a task begun in that mode.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { readArguments } from '../../../scripts/arguments.mjs'
import { liveServers } from '../catalogue.mjs'

const USAGE = 'usage: moments.mjs [--half tuning|held-out] [--ranker lexical|auto] [--cache <folder>] [--most <n>]\n'
const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled')
const SMALL_TALK = 'ok, go on'

const given = readArguments(USAGE, {
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  ranker: { type: 'string', default: 'auto', choices: ['lexical', 'auto'] },
  cache: { type: 'string' },
  most: { type: 'string', default: '60' },
})
async function main({ half, ranker, cache, most }) {
  const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
  const router = ToolRouter.shared()
  const all = await liveServers()
  await router.setServers(all, { replace: true })
  if (ranker === 'auto') {
    await router.loadModel(cache ? { cacheDir: cache } : {})
    while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
    while (router.status.vectorCount < router.status.toolCount) await router.ready({ timeoutMs: 5000 })
  }
  const tasks = lines('tasks.jsonl', half).filter(({ needs }) => needs.length > 0)
  const messages = lines('code.jsonl', half)
  const settings = { deadlineMs: 60_000, ...(ranker === 'lexical' && { ranker }) }
  const rows = []
  for (const initialK of [30, 'auto'])
    rows.push(...(await play(router, all, tasks.slice(0, Number(most)), { ...settings, initialK })))
  console.table(rows)
  const costs = []
  for (const initialK of [30, 'auto']) costs.push(await playCode(router, messages, { ...settings, initialK }))
  console.table(costs)
}

function lines(name, half) {
  const all = readFileSync(path.join(LABELLED, name), 'utf8').split('\n').filter(Boolean)
  return all.map((line) => JSON.parse(line)).filter((line) => line.half === half)
}

/** What first messages about code attach. */
async function playCode(router, messages, settings) {
  const row = { initialK: settings.initialK, messages: messages.length, attach: 0, tools: 0, tokens: 0 }
  for (const { text } of messages) {
    const session = router.openSession({ settings })
    const { attached, tokens } = await session.start(text)
    row.attach += attached.length > 0 ? 1 : 0
    row.tools += attached.length / messages.length
    row.tokens += Math.round(tokens.attached / messages.length)
    session.close()
  }
  return row
}

/** The servers of all tools that meet a need of the task. */
const neededServers = ({ needs }) => new Set(needs.flat().map((id) => id.split('::')[0]))

async function play(router, all, tasks, settings) {
  const names = ['all there', 'late, sync', 'late, small talk', 'one by one', 'mode']
  const rows = Object.fromEntries(
    names.map((name) => [name, { initialK: settings.initialK, name, tasks: 0, complete: 0, tools: 0, same: 0 }]),
  )
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  for (const task of tasks) {
    const needed = neededServers(task)
    const early = all.filter(({ name }) => !needed.has(name))
    const late = all.filter(({ name }) => needed.has(name)).toSorted(() => random() - 0.5)
    const open = (hostMode) => router.openSession({ settings, hostMode })
    const whole = open()
    const reference = shown(whole, await whole.start(task.text))
    count(router, rows['all there'], task, reference, reference)
    await router.setServers(early, { replace: true })
    const [synced, talked, stepwise] = [open(), open(), open()]
    for (const session of [synced, talked, stepwise]) await session.start(task.text)
    for (const server of late) {
      await router.setServer(server)
      await stepwise.sync()
    }
    await router.setServers(all, { replace: true })
    count(router, rows['late, sync'], task, shown(synced, await synced.sync()), reference)
    count(router, rows['late, small talk'], task, shown(talked, await talked.turn(SMALL_TALK)), reference)
    count(router, rows['one by one'], task, shown(stepwise, await stepwise.sync()), reference)
    const blockedMcpServers = [...needed]
    router.configure({ hostModes: { plan: { blockedMcpServers }, code: {} } })
    const own = { ...settings, hostModes: { plan: { blockedMcpServers }, code: {} } }
    const switched = router.openSession({ settings: own, hostMode: 'plan' })
    await switched.start(task.text)
    const after = shown(switched, await switched.sync({ hostMode: 'code' }))
    count(router, rows.mode, task, after, reference)
    for (const session of [whole, synced, talked, stepwise, switched]) session.close()
    router.configure({})
  }
  return Object.values(rows).map(({ tools, ...row }) => ({ ...row, tools: Number((tools / row.tasks).toFixed(1)) }))
}

const shown = (session) => JSON.parse(session.tools()).map(({ function: { name } }) => name)

function count(router, row, { needs }, names, reference) {
  const idOf = (name) => {
    const tool = router.resolveTool(name)
    return tool && `${tool.serverName}::${tool.toolName}`
  }
  const ids = new Set(names.map(idOf))
  row.tasks += 1
  row.tools += names.length - 1
  row.complete += needs.every((need) => need.some((id) => ids.has(id))) ? 1 : 0
  row.same += names.length === reference.length && reference.every((name) => names.includes(name)) ? 1 : 0
}

if (given) await main(given.values)
