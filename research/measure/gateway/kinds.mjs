// What `ToolRouter.toolKind` says about the tools of a set, beside what their servers hint:
//
//   node research/measure/gateway/kinds.mjs <tools.jsonl>… [--list]
//
// A line of a file is a tool as a server lists it. `--list` names the tools whose hint of reading is not believed, with the
// beginning of their descriptions: who reads them sees which of them change something.

import { readFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'

import addon from '../../../index.js'

const { values, positionals } = parseArgs({ options: { list: { type: 'boolean' } }, allowPositionals: true })
if (positionals.length === 0) {
  console.error('usage: kinds.mjs <tools.jsonl>… [--list]')
  process.exit(2)
}
const tools = positionals.flatMap((file) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line)),
)
const hintOf = ({ annotations }) =>
  ({ true: 'says that it reads', false: 'says that it does not' })[annotations?.readOnlyHint]
const none = () => ({ read: 0, write: 0, destructive: 0 })
const counts = { 'says that it reads': none(), 'says that it does not': none(), 'says nothing': none() }
for (const tool of tools) {
  const kind = addon.ToolRouter.toolKind(tool)
  counts[hintOf(tool) ?? 'says nothing'][kind] += 1
  if (values.list && tool.annotations?.readOnlyHint === true && kind !== 'read')
    console.log(
      kind.padEnd(12),
      tool.name,
      '|',
      String(tool.description ?? '')
        .slice(0, 80)
        .replaceAll(/\s+/g, ' '),
    )
}
console.table(counts)
