#!/usr/bin/env node
// What texts of 32 KiB cost, one of each kind: CPU milliseconds of the whole process, the better of two runs. Fails when
// one costs more than a bound.
//
//   node research/measure/cost/hostile.mjs --tools tools.jsonl [--most 50]
//
// tools.jsonl is as for rank.mjs. Nothing is asserted in tests: the figures are those of a machine.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import { readArguments } from '../../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'
import { KINDS } from './hostile-kinds.mjs'

const given = readArguments('usage: hostile.mjs --tools <tools.jsonl> [--most 50]\n', {
  tools: { type: 'string', required: true },
  most: { type: 'integer', default: 50, least: 1 },
})
if (!given) process.exit()

const { ToolRouter } = createRequire(import.meta.url)('../../../index.js')
const router = ToolRouter.shared()
const { servers } = catalogueOf(
  readFileSync(given.values.tools, 'utf8')
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => JSON.parse(line)),
)
await router.setServers(servers)
const { tools } = await router.rank('warm', { topK: 1_000 })
await router.rankServers('warm')
const session = router.openSession({ settings: { threshold: 0 } })
await session.start('warm')

const CALLS = {
  rank: (text) => router.rank(text),
  explain: (text) => router.explain(text, tools[0].name),
  rankServers: (text) => router.rankServers(text),
  curator: (text) => router.curate(names, text),
  // Nothing but white space is refused there.
  load: (text) => session.load({ query: text }).catch(() => {}),
}
const names = servers.flatMap(({ name, tools }) =>
  tools.map((tool) => ({ name: `mcp--${name}--${tool.name}`, description: tool.description })),
)

async function cost(call) {
  const before = process.cpuUsage()
  await call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const rows = []
for (const [kind, text] of Object.entries(KINDS)) {
  const costs = []
  for (const call of Object.values(CALLS)) {
    costs.push(Math.min(await cost(() => call(text)), await cost(() => call(text))))
  }
  rows.push([kind, costs])
}
rows.sort(([, a], [, b]) => Math.max(...b) - Math.max(...a))
console.log('kind'.padEnd(32), ...Object.keys(CALLS).map((name) => name.padStart(12)))
for (const [kind, costs] of rows) console.log(kind.padEnd(32), ...costs.map((ms) => ms.toFixed(1).padStart(12)))
const over = rows.filter(([, costs]) => Math.max(...costs) > given.values.most)
console.log(`${rows.length} kinds over ${names.length} tools; ${over.length} cost more than ${given.values.most} ms`)
process.exitCode = over.length > 0 ? 1 : 0
