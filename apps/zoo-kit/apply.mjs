// Puts units of the kit into a tree of the extension:
//
//   node apps/zoo-kit/apply.mjs <tree> [--smallest | --units 1-session,2-mcp-load]

import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { applyUnit, assertTree, SMALLEST, unitsOf } from './units.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { smallest: { type: 'boolean' }, units: { type: 'string' } },
})
try {
  const [given] = positionals
  if (given === undefined) throw new Error('usage: node apps/zoo-kit/apply.mjs <tree> [--smallest | --units <id>,<id>]')
  const tree = path.resolve(given)
  assertTree(tree)
  const units = unitsOf(values.smallest ? SMALLEST.join() : values.units, tree)
  if (!fs.existsSync(path.join(tree, 'node_modules/.bin/prettier')))
    console.log('prettier is not installed in the tree: run its formatter over the files below before a review')
  for (const unit of units) {
    const { added, kept, edited, removed, lines } = await applyUnit(unit, tree)
    console.log(`${unit.id}: ${added.length + edited.length + removed.length} files, ${lines} lines added`)
    for (const file of added) console.log(`  + ${file}`)
    for (const file of edited) console.log(`  ~ ${file}`)
    for (const file of removed) console.log(`  - ${file}`)
    for (const file of kept) console.log(`  = ${file} is the tree's own`)
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
