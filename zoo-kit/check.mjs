// SPDX-License-Identifier: Apache-2.0
//
// Applies all units to a copy of a tree of the extension and says whether they hold there:
//
//   npm run zoo:check -- <tree>
//
// The tree stays as it is. Its dependencies must be installed. Each unit must bring no type error and no
// failure into the tree's suites of what it touches, pass the tree's lint and formatting, and its own tests. Exits with 1
// where one does not.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { applyUnit, assertTree, filesOf, UNITS, versionOf } from './units.mjs'

const MOST_OUTPUT = 256 * 1024 * 1024

const [given] = process.argv.slice(2)
if (given === undefined) throw new Error('usage: npm run zoo:check -- <tree of the extension>')
const tree = path.resolve(given)
assertTree(tree)
const copy = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'zoo-check-')))
process.on('exit', () => fs.rmSync(copy, { recursive: true, force: true }))

const run = (command, args, cwd) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: MOST_OUTPUT })
  return { ok: status === 0, text: `${stdout ?? ''}${stderr ?? ''}${error ? error.message : ''}` }
}
const git = (...args) => run('git', ['-C', tree, ...args]).text.trim()

copyTree()
const src = path.join(copy, 'src')
const bin = (name) => {
  const found = [src, copy].map((root) => path.join(root, 'node_modules', '.bin', name)).find(fs.existsSync)
  if (!found) throw new Error(`${name} is not installed in ${tree}; install the tree's dependencies first`)
  return found
}

console.log(`extension ${versionOf(tree)}, commit ${git('rev-parse', 'HEAD') || 'unknown'}`)
const before = typeErrors()
const failedBefore = suites(UNITS.flatMap(({ touched }) => touched)).failed
const rows = []
for (const unit of UNITS) rows.push(await check(unit))
console.log('\n| unit | files | lines | new type errors | lint | format | tests passed | new failures |')
console.log('| --- | ---: | ---: | ---: | --- | --- | ---: | ---: |')
for (const row of rows) console.log(`| ${row.cells.join(' | ')} |`)
console.log(`\nBefore: ${before.size} type errors, ${failedBefore.size} failures.`)
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1

/** What git knows of the tree, and what it has installed: nothing of it is changed. */
function copyTree() {
  const files = git('ls-files')
    .split('\n')
    .filter((file) => fs.existsSync(path.join(tree, file)))
  for (const file of files) {
    fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true })
    if (fs.lstatSync(path.join(tree, file)).isFile()) fs.copyFileSync(path.join(tree, file), path.join(copy, file))
  }
  for (const folder of new Set([
    '.',
    ...files.filter((file) => path.basename(file) === 'package.json').map(path.dirname),
  ])) {
    const installed = path.join(tree, folder, 'node_modules')
    if (fs.existsSync(installed)) fs.symlinkSync(installed, path.join(copy, folder, 'node_modules'))
  }
}

/** Type errors without their places, since a file may move. */
function typeErrors() {
  const { text } = run(bin('tsc'), ['--noEmit', '-p', 'tsconfig.json'], src)
  return new Set(text.match(/^\S+\(\d+,\d+\): error .*$/gm)?.map((line) => line.replace(/\(\d+,\d+\)/, '')))
}

async function check(unit) {
  const { added, kept, edited, lines } = await applyUnit(unit, copy)
  const own = [...filesOf(unit), ...edited].map((file) => path.relative('src', file))
  const fresh = [...typeErrors()].filter((line) => !before.has(line))
  const lint = run(bin('eslint'), ['--max-warnings=0', ...own], src)
  const format = run(bin('prettier'), ['--check', ...own], src)
  const tests = suites([...own.filter((file) => /\.spec\.ts$/.test(file)), ...unit.touched])
  const failures = [...tests.failed].filter((name) => !failedBefore.has(name))
  for (const { ok, text } of [lint, format]) if (!ok) console.log(text.slice(-4_000))
  for (const name of failures) console.log(`fails: ${name}`)
  for (const line of fresh) console.log(line)
  for (const file of kept) console.log(`${file} is the tree's own`)
  const word = ({ ok }) => (ok ? 'ok' : 'FAIL')
  return {
    ok: fresh.length + failures.length === 0 && tests.passed > 0 && lint.ok && format.ok,
    cells: [
      unit.id,
      added.length + edited.length,
      lines,
      fresh.length,
      word(lint),
      word(format),
      tests.passed,
      failures.length,
    ],
  }
}

/** Runs suites and names what fails; a suite that cannot be loaded is one failure. */
function suites(filters) {
  const report = path.join(copy, 'report.json')
  run(bin('vitest'), ['run', '--reporter=json', `--outputFile=${report}`, ...filters], src)
  const { testResults, numPassedTests } = JSON.parse(fs.readFileSync(report, 'utf8'))
  const failed = testResults.flatMap(({ name, status, assertionResults }) => {
    const file = path.relative(src, name)
    const tests = assertionResults
      .filter((each) => each.status === 'failed')
      .map(({ fullName }) => `${file}: ${fullName}`)
    return status === 'failed' && tests.length === 0 ? [file] : tests
  })
  return { passed: numPassedTests, failed: new Set(failed) }
}
