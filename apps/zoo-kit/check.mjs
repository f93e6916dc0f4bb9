// Applies all units to a copy of a tree of the extension and says whether they hold there:
//
//   npm run zoo:check -- <tree> [--units 2-mcp-load] [--together] [--story]
//
// The tree stays as it is, a checkout of git whose dependencies are installed. Each unit must bring no type error and no
// failure into the tree's suites of what it touches, pass the tree's lint and formatting, and its own tests. Units before the ones
// that are named are applied and not checked. With --together all are applied and then checked once, which takes a fraction of the
// time. Exits with 1 where one does not hold.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { copyTree, git } from './copy.mjs'
import { run } from './run.mjs'
import { playStory } from './story/play.mjs'
import { FORMATTED } from './tree.mjs'
import { applyUnit, assertTree, filesOf, UNITS, unitsOf, versionOf } from './units.mjs'

/** What one of their reviewers reads in one sitting. */
const MAX_LINES = 400
const PACKAGES = ['packages/types', 'packages/telemetry', 'packages/build', 'webview-ui', 'src']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { story: { type: 'boolean' }, together: { type: 'boolean' }, units: { type: 'string' } },
})
const [given] = positionals
if (given === undefined) throw new Error('usage: npm run zoo:check -- <tree> [--units <ids>] [--together] [--story]')
const tree = path.resolve(given)
assertTree(tree)
assertNode()
const temporary = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'zoo-check-')))
process.on('exit', () => fs.rmSync(temporary, { recursive: true, force: true }))

const wanted = unitsOf(values.units).map(({ id }) => id)
const copyOf = (name) => copyTree(tree, path.join(temporary, name))
const copy = copyOf('after')
let pristine
console.log(`extension ${versionOf(tree)}, commit ${git(tree, 'rev-parse', 'HEAD') || 'unknown'}`)
const [rows, applied] = [[], []]
for (const unit of UNITS) {
  const done = await applyUnit(unit, copy)
  if (values.story || !wanted.includes(unit.id)) continue
  applied.push({ ...unit, ...done })
  if (values.together && unit.id !== wanted.at(-1)) continue
  const units = applied.splice(0)
  console.error(values.together ? `${units.length} units` : `${unit.id}, ${rows.length + 1} of ${wanted.length}`)
  rows.push(await check(units))
  console.log(`${rows.at(-1).ok ? 'holds' : 'DOES NOT HOLD'}: ${rows.at(-1).cells.join(' | ')}`)
}
console.log('\n| unit | files | lines | translations | new type errors | lint | format | tests passed | new failures |')
console.log('| --- | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: |')
for (const row of rows) console.log(`| ${row.cells.join(' | ')} |`)
const story = wanted.includes('4-words')
  ? await playStory(copy, temporary, bin(copy, 'src', 'vitest'))
  : { ok: true, lines: [] }
for (const line of story.lines) console.log(line)
if (!story.ok) console.log(story.text)
process.exitCode = rows.every(({ ok }) => ok) && story.ok ? 0 : 1

/** The tree's own tools read its configuration in TypeScript, which an older Node cannot. */
function assertNode() {
  const { engines: { node: asked = '' } = {} } = JSON.parse(fs.readFileSync(path.join(tree, 'package.json'), 'utf8'))
  const least = Number(/\d+/.exec(asked)?.[0] ?? 0)
  const own = process.versions.node
  if (Number.parseInt(own, 10) < least)
    throw new Error(
      `the tree asks for Node ${asked}, and this is ${own}; run it again with Node ${least} or later first in PATH`,
    )
}

function bin(root, folder, name) {
  const found = [folder, '.'].map((each) => path.join(root, each, 'node_modules/.bin', name)).find(fs.existsSync)
  if (!found) throw new Error(`${name} is not installed in ${tree}; install the tree's dependencies first`)
  return found
}

/** Type errors without their places, since a file may move. */
async function typeErrors(root, folder) {
  const info = path.join(temporary, `${path.basename(root)}-${folder.replaceAll('/', '-')}.tsbuildinfo`)
  const args = ['--noEmit', '--incremental', '--tsBuildInfoFile', info, '-p', 'tsconfig.json']
  const about = `types of ${folder}`
  const { text } = await run(bin(root, folder, 'tsc'), args, path.join(root, folder), { about })
  return (text.match(/^\S+\(\d+,\d+\): error .*$/gm) ?? []).map((line) => line.replace(/\(\d+,\d+\)/, ''))
}

/** New errors in the packages that a unit touches, and in all where it touches the shared types. */
async function newTypeErrors(files) {
  const isTouched = (folder) => files.some((file) => file.startsWith(`${folder}/`) && /\.tsx?$/.test(file))
  const folders = isTouched('packages/types') ? PACKAGES : PACKAGES.filter(isTouched)
  const fresh = []
  for (const folder of folders) {
    const found = await typeErrors(copy, folder)
    if (found.length === 0) continue
    pristine ??= copyOf('before')
    const known = new Set(await typeErrors(pristine, folder))
    fresh.push(...found.filter((line) => !known.has(line)))
  }
  return fresh
}

async function check(units) {
  const all = (of) => [...new Set(units.flatMap(of))]
  const sum = (of) => units.reduce((total, unit) => total + of(unit), 0)
  const files = all((unit) => [...filesOf(unit), ...unit.edited])
  const fresh = await newTypeErrors(files)
  const lints = await inTurn((folder) => lintOf(folder, files))
  const lint = lints.find(({ ok }) => !ok) ?? { ok: true, text: '' }
  const known = files.filter((file) => FORMATTED.test(file))
  const format = await run(bin(copy, '.', 'prettier'), ['--check', ...known], copy)
  const localeLines = sum((unit) => unit.localeLines)
  const translations = localeLines > 0 ? await newlyMissing() : { ok: true, text: '' }
  const tests = await inTurn((folder) => suites(copy, folder, filtersOf(units, folder)))
  const failures = await newFailures(units, tests)
  const passed = tests.reduce((total, each) => total + each.passed, 0)
  for (const { ok, text } of [lint, format, translations]) if (!ok) console.log(text.slice(-4_000))
  for (const line of [...failures.map((name) => `fails: ${name}`), ...fresh]) console.log(line)
  for (const file of all(({ kept }) => kept)) console.log(`${file} is the tree's own`)
  const word = (...results) => (results.every(({ ok }) => ok) ? 'ok' : 'FAIL')
  const ok =
    units.every(({ lines }) => lines <= MAX_LINES) &&
    fresh.length + failures.length === 0 &&
    passed > 0 &&
    word(lint, format, translations) === 'ok'
  const touched = sum(({ added, edited, removed }) => added.length + edited.length + removed.length)
  const name = units.length === 1 ? units[0].id : `${units.length} units`
  const counts = [touched, sum(({ lines }) => lines), localeLines, fresh.length]
  return { ok, cells: [name, ...counts, word(lint), word(format, translations), passed, failures.length] }
}

/** Something for each package, one after the other: they are large. */
async function inTurn(work) {
  const done = []
  for (const folder of PACKAGES) done.push(await work(folder))
  return done
}

/** The tree's own look at its languages. Some of its translations are missing already. */
async function newlyMissing() {
  const program = ['scripts/find-missing-translations.js', '--area=webview']
  const missing = async (root) => (await run('node', program, root, { about: 'translations' })).text.split('\n')
  pristine ??= copyOf('before')
  const known = new Set(await missing(pristine))
  const text = (await missing(copy)).filter((line) => / - |:/.test(line) && !known.has(line)).join('\n')
  return { ok: text === '', text }
}

async function lintOf(folder, files) {
  const own = files
    .filter((file) => file.startsWith(`${folder}/`) && /\.tsx?$/.test(file))
    .map((file) => path.relative(folder, file))
  if (own.length === 0) return { ok: true, text: '' }
  return run(bin(copy, folder, 'eslint'), ['--max-warnings=0', ...own], path.join(copy, folder))
}

function filtersOf(units, folder) {
  const own = units
    .flatMap(filesOf)
    .filter((file) => file.startsWith(`${folder}/`) && /\.(spec|test)\.tsx?$/.test(file))
    .map((file) => path.relative(folder, file))
  return [...own, ...touchedBy(units, folder)]
}

function touchedBy(units, folder) {
  return [...new Set(units.flatMap(({ touched }) => touched[folder] ?? []))]
}

/** What fails now and did not before: looked up only where something fails. */
async function newFailures(units, tests) {
  const failures = []
  for (const [place, folder] of PACKAGES.entries()) {
    const { failed } = tests[place]
    if (failed.size === 0) continue
    pristine ??= copyOf('before')
    const known = (await suites(pristine, folder, touchedBy(units, folder))).failed
    failures.push(...[...failed].filter((name) => !known.has(name)))
  }
  return failures
}

/** Runs suites and names what fails; a suite that cannot be loaded is one failure. */
async function suites(root, folder, filters) {
  if (filters.length === 0) return { passed: 0, failed: new Set() }
  const report = path.join(temporary, 'report.json')
  const cwd = path.join(root, folder)
  fs.rmSync(report, { force: true })
  const args = ['run', '--reporter=json', `--outputFile=${report}`, ...filters]
  const { text } = await run(bin(root, folder, 'vitest'), args, cwd, { about: `tests of ${folder}` })
  if (!fs.existsSync(report)) throw new Error(`${folder}: vitest gave no report\n${text.slice(-4_000)}`)
  const { testResults, numPassedTests } = JSON.parse(fs.readFileSync(report, 'utf8'))
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = path.relative(cwd, name)
    const tests = assertionResults
      .filter((each) => each.status === 'failed')
      .map(({ fullName }) => `${file}: ${fullName}`)
    if (status === 'failed' && tests.length === 0) console.log(message?.slice(0, 2_000))
    return status === 'failed' && tests.length === 0 ? [file] : tests
  })
  return { passed: numPassedTests, failed: new Set(failed) }
}
