#!/usr/bin/env node
// One draw of left-out.mjs, in a process of its own, because what is known of servers is read once a process. Its one argument
// is JSON; it prints JSON: what became of every need.

import { createRequire } from 'node:module'
import process from 'node:process'

import { catalogueOf } from '../catalogue.mjs'
import { jsonLines } from './catalogue.mjs'

/** Ranks that count for a request: among the first ten a need is found, and all of a request within thirty. */
const FOUND = 10
const WITHIN = 30

const { sets, strangers, ranker, cache } = JSON.parse(process.argv[2])
const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
const router = ToolRouter.shared()
const answers = {}
for (const { name, tools: file, tasks, requests } of sets) {
  const tools = jsonLines(file).map((tool) => ({ ...tool, server: nameOf(tool.server) }))
  const { servers, idOf } = catalogueOf(tools)
  await router.setServers(servers, { replace: true })
  if (ranker === 'auto') {
    await router.loadModel({ cacheDir: cache })
    while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
  }
  if (tasks)
    for (const initialK of [30, 'auto']) answers[`${name}, ${initialK}`] = await firstTexts(tasks, initialK, idOf)
  if (requests) answers[name] = await ranked(requests, idOf)
}
const { used = 0 } = router.status.shippedVectors ?? {}
process.stdout.write(JSON.stringify({ answers, shipped: used }))

/** A stranger is called what nobody has heard of, as a company calls its own. */
function nameOf(server) {
  return strangers.includes(server) ? `acme-${server}` : server
}

/** @returns {Promise<[string, boolean][][]>} by task, for each need its server and whether it is met */
async function firstTexts(tasks, initialK, idOf) {
  const settings = { threshold: 0, initialK, deadlineMs: 60_000, ...(ranker === 'lexical' && { ranker }) }
  const rows = []
  for (const { text, needs } of tasks) {
    const session = router.openSession({ settings })
    const { attached } = await session.start(text)
    const ids = new Set(attached.map((name) => idOf(session.resolveTool(name))))
    rows.push(needs.map((need) => [serverOf(need[0]), need.some((id) => ids.has(id))]))
    session.close()
  }
  return rows
}

/** As `firstTexts`, where a need is met among the first ten; a second list says whether all are within thirty. */
async function ranked(requests, idOf) {
  const rows = []
  for (const { query, gold, alts = {} } of requests) {
    const { tools } = await router.rank(query, {
      topK: WITHIN,
      deadlineMs: 60_000,
      ...(ranker === 'lexical' && { ranker }),
    })
    const ids = tools.map(idOf)
    const place = (id) => Math.min(...[id, ...(alts[id] ?? [])].map((one) => ids.indexOf(one)).filter((at) => at >= 0))
    rows.push(gold.map((id) => [serverOf(id), place(id) < FOUND, place(id) < WITHIN]))
  }
  return rows
}

function serverOf(id) {
  return id.split('::')[0]
}
