#!/usr/bin/env node
// What registry entries do to selections: whether requests that need a server get one of its tools, and whether labelled tasks
// of the tuning half that need no entry keep theirs. The constants of src/order/of_entries.rs are set by it.
//
//   node research/measure/ranking/entries.mjs [--cache folder]

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { readArguments } from '../../../scripts/arguments.mjs'
import { liveServers } from '../catalogue.mjs'

const ROOT = path.join(import.meta.dirname, '..', '..', '..')
const REGISTRY = path.join(ROOT, 'examples', 'just-in-time', 'registry.json')
const REQUESTS = path.join(ROOT, '__test__', 'fixtures', 'server-requests.json')
const TASKS = path.join(ROOT, 'research', 'labelled', 'tasks.jsonl')

const given = readArguments('usage: entries.mjs [--cache <folder>]\n', { cache: { type: 'string' } })
if (given) await main(given.values)

async function main({ cache }) {
  const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
  const router = ToolRouter.shared()
  await router.setServers(await liveServers(), { replace: true })
  await router.loadModel(cache ? { cacheDir: cache } : {})
  while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
  const requests = JSON.parse(readFileSync(REQUESTS, 'utf8'))
  const lines = readFileSync(TASKS, 'utf8').split('\n').filter(Boolean)
  const tasks = lines.map((line) => JSON.parse(line)).filter(({ half, needs }) => half === 'tuning' && needs.length > 0)
  const attached = async (text, settings) => {
    const session = router.openSession({ settings: { threshold: 0, deadlineMs: 60_000, ...settings } })
    const { attached } = await session.start(text)
    session.close()
    return attached.map((name) => router.resolveTool(name))
  }
  const measure = async (settings) => {
    let [served, tools, complete] = [0, 0, 0]
    for (const { request, servers } of requests) {
      const own = (await attached(request, settings)).filter(({ serverName }) => servers.includes(serverName)).length
      served += own > 0 ? 1 : 0
      tools += own
    }
    for (const { text, needs } of tasks) {
      const ids = new Set(
        (await attached(text, settings)).map(({ serverName, toolName }) => `${serverName}::${toolName}`),
      )
      complete += needs.every((need) => need.some((id) => ids.has(id))) ? 1 : 0
    }
    return { served: `${served} of ${requests.length}`, tools, complete: `${complete} of ${tasks.length}` }
  }
  const rows = {}
  for (const entries of ['without', 'with']) {
    if (entries === 'with') await router.loadRegistry(REGISTRY)
    while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
    for (const ranker of ['hybrid', 'lexical'])
      for (const initialK of [30, 10, 'auto'])
        rows[`${entries}, ${ranker}, ${initialK}`] = await measure({ ranker, initialK })
  }
  console.table(rows)
}
