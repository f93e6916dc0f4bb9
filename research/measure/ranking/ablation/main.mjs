// What each mechanism of ranking is worth: every row of the order, every step of reading, and a few others are switched off in turn.
//
//   npm run eval -- ablation [--half tuning|held-out] [--beside <tools.jsonl>] [--sets <folder>] [--only <names>] [--cache <folder>]
//                              [--built]
//
// Builds the addon with the feature `ablation`, under target/ablation; --built takes the last build. play.mjs measures one switch in a
// process of its own. Needs the strangers as research/measure/strangers/capture.mjs keeps them.

import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

import { readArguments } from '../../../../scripts/arguments.mjs'
import { defaultCache } from '../../strangers/catalogue.mjs'
import { build, TARGET } from './build.mjs'

const root = path.join(import.meta.dirname, '..', '..', '..', '..')
const AT_ONCE = Math.max(1, Math.min(4, os.availableParallelism()))
const run = promisify(execFile)

const given = readArguments(
  'usage: npm run eval -- ablation [--half tuning|held-out] [--beside <tools.jsonl>] [--sets <folder>] [--only <names>] [--built]\n',
  {
    half: { type: 'string', choices: ['tuning', 'held-out'] },
    beside: { type: 'string' },
    sets: { type: 'string' },
    only: { type: 'string' },
    built: { type: 'boolean' },
    cache: { type: 'string', default: defaultCache },
  },
  { most: 1 },
)
if (given) await main(given.values)

async function main({ half, beside, sets, only, cache, built }) {
  const options = { half, beside, sets, cache, library: built ? TARGET : build() }
  const play = async (off) => {
    const file = path.join(import.meta.dirname, 'play.mjs')
    const env = { ...process.env, TOOL_ROUTER_OFF: off }
    const { stdout } = await run(process.execPath, [file, JSON.stringify(options)], {
      env,
      maxBuffer: 64 * 1024 * 1024,
    })
    process.stderr.write(`${off || 'nothing'} off\n`)
    return [off || 'nothing', JSON.parse(stdout)]
  }
  // The first makes the vectors that the others find.
  const rows = [await play('')]
  const left = [...new Set(only ? only.split(',') : mechanisms())]
  const work = async () => {
    while (left.length > 0) rows.push(await play(left.shift()))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const order = ['nothing', ...mechanisms()]
  rows.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  print(rows)
}

/** The names of all that can be off, as the sources list them. */
function mechanisms() {
  const read = (...parts) => fs.readFileSync(path.join(root, 'src', ...parts), 'utf8')
  const rows = [...read('order', 'mod.rs').matchAll(/Adjustment \{ name: "([^"]+)"/g)].map(([, name]) => name)
  const steps = [...read('query', 'prepare.rs').matchAll(/^ {4}\("([^"]+)", /gm)].map(([, name]) => name)
  const [, others] = /OTHERS[^=]*=\s*\[([^\]]*)\]/.exec(read('ablation.rs'))
  // Without evidence nothing is decided at all.
  return [
    ...rows.filter((name) => name !== 'evidence'),
    ...steps,
    ...[...others.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
  ]
}

/** A table in Markdown: what is lost or won beside the first row. */
function print(rows) {
  const [[, whole]] = rows
  const columns = Object.keys(whole)
  const lines = [
    ['off', ...columns],
    ['---', ...columns.map(() => '---:')],
  ]
  for (const [name, counts] of rows) {
    const cell = (column) => {
      const difference = counts[column] - whole[column]
      if (name === 'nothing') return `${counts[column]}`
      return difference === 0 ? '' : `${difference > 0 ? '+' : '−'}${Number(Math.abs(difference).toFixed(1))}`
    }
    lines.push([name, ...columns.map(cell)])
  }
  process.stdout.write(`${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`)
}
