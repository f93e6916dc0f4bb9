// SPDX-License-Identifier: Apache-2.0
//
// Puts units of the kit into a tree of the extension:
//
//   node zoo-kit/apply.mjs <tree> [--units 1-ranker]

import path from 'node:path'
import { parseArgs } from 'node:util'

import { applyUnit, assertTree, UNITS } from './units.mjs'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { units: { type: 'string' } } })
const [tree] = positionals
if (tree === undefined) throw new Error('usage: node zoo-kit/apply.mjs <tree> [--units <id>,<id>]')
const wanted = values.units?.split(',') ?? UNITS.map(({ id }) => id)
const unknown = wanted.filter((id) => !UNITS.some((unit) => unit.id === id))
if (unknown.length > 0)
  throw new Error(`--units: expected ${UNITS.map(({ id }) => id).join(', ')}; got ${unknown.join()}`)
assertTree(path.resolve(tree))
for (const unit of UNITS.filter(({ id }) => wanted.includes(id))) {
  const { added, kept, edited, removed, lines } = await applyUnit(unit, path.resolve(tree))
  console.log(`${unit.id}: ${added.length + edited.length + removed.length} files, ${lines} lines added`)
  for (const file of added) console.log(`  + ${file}`)
  for (const file of edited) console.log(`  ~ ${file}`)
  for (const file of removed) console.log(`  - ${file}`)
  for (const file of kept) console.log(`  = ${file} is the tree's own`)
}
