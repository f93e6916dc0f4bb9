// Instructions of hot paths (research/measure/cost/hot_paths.rs), which no other load on the machine changes, beside those that were
// recorded. Needs cargo and valgrind.

import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..', '..', '..', '..')
const RECORDED = path.join(import.meta.dirname, 'instructions.json')
/** Counts of a run differ by what hash tables are seeded with, by 2 % at most. Growth by more than this is told. */
const MOST_GROWTH = 1.1
/** Times that a path is run: what it costs by itself is the difference of two runs. */
const TIMES = [10, 40]

export const hasTools = () =>
  ['cargo', 'valgrind'].every((tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).status === 0)

function counted(program, pathName, times, tools, queries) {
  const args = ['--tool=callgrind', '--callgrind-out-file=/dev/null', program, pathName, String(times), tools, queries]
  const { stderr, status } = spawnSync('valgrind', args, { encoding: 'utf8' })
  const count = /Collected\s*:\s*(\d+)/.exec(stderr)
  if (status !== 0 || !count) throw new Error(`valgrind failed: ${stderr.slice(-400)}`)
  return Number(count[1])
}

/**
 * @param {object[]} tools
 * @param {string[]} requests
 * @param {string} folder for files that the program reads
 * @returns {{ name: string, millions: number, recorded: number | undefined, hasGrown: boolean }[]}
 */
export function instructions(tools, requests, folder) {
  const build = ['build', '--release', '--example', 'hot_paths', '--no-default-features']
  execFileSync('cargo', build, { cwd: root, stdio: 'ignore' })
  const program = path.join(root, 'target', 'release', 'examples', 'hot_paths')
  const lines = (name, values) => {
    const file = path.join(folder, name)
    fs.writeFileSync(file, values.map((value) => JSON.stringify(value)).join('\n'))
    return file
  }
  const files = [
    lines('hot-tools.jsonl', tools),
    lines(
      'hot-queries.jsonl',
      requests.map((query) => ({ query })),
    ),
  ]
  const recorded = JSON.parse(fs.readFileSync(RECORDED, 'utf8'))
  return ['rank', 'change'].map((name) => {
    const [few, many] = TIMES.map((times) => counted(program, name, times, ...files))
    const millions = (many - few) / (TIMES[1] - TIMES[0]) / 1e6
    const known = recorded.tools === tools.length ? recorded.millions[name] : undefined
    return { name, millions, recorded: known, hasGrown: known !== undefined && millions > known * MOST_GROWTH }
  })
}
