// How far a hostile server reaches: one of ten tools comes to those of examples/servers, and the share of 60 ordinary tasks
// is counted whose first selection has one of its tools among definitions, and among lines, with 30 tools and by itself.
//
//   node research/measure/shield/reach.mjs [--half tuning|held-out] [--ranker auto|lexical] [--cache <folder>] [--delivery call] [--uses] [--json]
//
// With --uses each task is played twice: the needed tools are called in between, and the second time is counted.
// hostile-servers.mjs has the servers.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'
import { OWN, readSets } from '../ranking/eval/sets.mjs'
import { hostileServers } from './hostile-servers.mjs'

const USAGE =
  'usage: reach.mjs [--half tuning|held-out] [--ranker auto|lexical] [--cache <folder>] [--delivery call] [--uses] [--json]\n'
const TASKS = 60
const INITIAL_KS = [30, 'auto']

const given = readArguments(USAGE, {
  half: { type: 'string', default: 'tuning', choices: ['tuning', 'held-out'] },
  ranker: { type: 'string', default: 'auto', choices: ['lexical', 'auto'] },
  cache: { type: 'string' },
  delivery: { type: 'string', choices: ['append', 'changes', 'defer', 'call'] },
  uses: { type: 'boolean' },
  json: { type: 'boolean' },
})
if (given) await main(given.values)

async function main({ half, ranker, cache, delivery, uses, json }) {
  const tools = (await readSets([OWN], () => {}))[0].tools
  const file = path.join(import.meta.dirname, '..', '..', 'labelled', 'tasks.jsonl')
  const all = readFileSync(file, 'utf8').split('\n').filter(Boolean).map(JSON.parse)
  const tasks = all.filter((task) => task.half === half && task.needs.length > 0).slice(0, TASKS)
  const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
  const router = ToolRouter.shared()
  const { servers, idOf } = catalogueOf(tools)
  const texts = tasks.map(({ text }) => text)
  const cases = { nobody: null, ...hostileServers(servers, texts) }
  if (ranker === 'auto') await router.loadModel(cache ? { cacheDir: cache } : {})
  const rows = {}
  for (const [what, server] of Object.entries(cases)) {
    await router.setServers(server ? [...servers, server] : servers, { replace: true })
    if (ranker === 'auto') while ((await router.ready({ timeoutMs: 30_000 })).state === 'loading');
    rows[what] = {}
    for (const initialK of INITIAL_KS) {
      await router.forget?.()
      const settings = {
        threshold: 0,
        initialK,
        deadlineMs: 60_000,
        ...(ranker === 'lexical' && { ranker }),
        ...(delivery && { delivery }),
      }
      if (uses) await play(router, tasks, settings, { server, tools, idOf, isCalled: true })
      Object.assign(rows[what], await play(router, tasks, settings, { server, tools, idOf, isCalled: false }))
    }
  }
  if (json) process.stdout.write(`${JSON.stringify(rows)}\n`)
  else console.table(rows)
}

async function play(router, tasks, settings, { server, tools, idOf, isCalled }) {
  const byId = new Map(tools.map((tool) => [tool.id, tool]))
  let [reached, brought, listed, complete] = [0, 0, 0, 0]
  for (const task of tasks) {
    const session = router.openSession({ settings })
    const { attached, directory } = await session.start(task.text)
    const found = attached.map((name) => session.resolveTool(name))
    const own = found.filter(({ serverName }) => serverName === server?.name).length
    reached += own > 0 ? 1 : 0
    brought += own
    listed += directory.some((name) => router.resolveTool(name).serverName === server?.name) ? 1 : 0
    const ids = new Set(found.map(idOf))
    complete += task.needs.every((need) => need.some((id) => ids.has(id))) ? 1 : 0
    for (const [id] of isCalled ? task.needs : []) {
      await session.recordUse({ serverName: byId.get(id).server, toolName: byId.get(id).name })
    }
    session.close()
  }
  const at = settings.initialK
  return {
    [`${at}: reached, %`]: Math.round((100 * reached) / tasks.length),
    [`${at}: in lines, %`]: Math.round((100 * listed) / tasks.length),
    [`${at}: its tools`]: Number((brought / tasks.length).toFixed(1)),
    [`${at}: complete`]: `${complete} of ${tasks.length}`,
  }
}
