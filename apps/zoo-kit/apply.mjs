// Puts units of the kit into a tree of the extension:
//
//   node apps/zoo-kit/apply.mjs <tree> [--smallest | --units 1-session,2-mcp-load]

import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { applyUnits, assertTree, SMALLEST, unitsOf } from './units.mjs'

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
  const said = []
  await applyUnits(units, tree, ({ id }, { added, kept, edited, removed, lines }) => {
    said.push(`${id}: ${added.length + edited.length + removed.length} files, ${lines} lines added`)
    for (const file of added) said.push(`  + ${file}`)
    for (const file of edited) said.push(`  ~ ${file}`)
    for (const file of removed) said.push(`  - ${file}`)
    for (const file of kept) said.push(`  = ${file} is the tree's own`)
  })
  for (const line of said) console.log(line)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
