// How large the repository is, each figure beside its limit: `npm run size`; with `--check` it fails where a limit is passed.
//
// Lines are those of files in git that people write: code and configuration by their endings below, blank lines and comments
// too. Not counted are lock files, data, what a command writes (GENERATED), and prose, which is counted in words: all Markdown,
// tables and code blocks too. The gateway's lines are those of its modules, without the stylesheet and templates of its page.
// Methods are those of the two classes of index.d.ts with their getters, types its exported interfaces and aliases, settings the
// rows of both tables, commands those of the gateway's command line.

import { execFileSync } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { readArguments } from './arguments.mjs'

const CODE = new Set('.rs .mjs .cjs .js .ts .mts .tsx .css .html .py .sh .sql .yml .toml'.split(' '))
const GENERATED = /^(index\.js|(index|internal)\.d\.ts|packages\/gateway\/page\/built\/.*)$/
const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** What is counted, and how much of it there may be. */
const LIMITS = {
  'lines, all': 143_000,
  'lines, src': 46_500,
  'lines, gateway and programs': 28_500,
  'lines, research and scripts': 15_500,
  'lines, tests': Infinity,
  'lines, apps': Infinity,
  'lines, examples': Infinity,
  'lines, index.d.ts': 1_700,
  'words, all': 75_000,
  'words, docs': 42_000,
  methods: 50,
  types: 95,
  settings: 44,
  commands: 20,
  'npm scripts': Infinity,
}

const PLACES = {
  'lines, all': /^/,
  'lines, src': /^src\//,
  'lines, gateway and programs': /^(packages\/(gateway|programs)|adapters)\/.*\.m[jt]s$/,
  'lines, research and scripts': /^(research|scripts)\//,
  'lines, tests': /^(__test__|tests)\//,
  'lines, apps': /^apps\//,
  'lines, examples': /^examples\//,
}

const read = (path) => readFileSync(`${ROOT}${path}`, 'utf8')
const linesOf = (text) => text.split('\n').length - 1
const wordsOf = (text) => text.split(/\s+/).filter(Boolean).length
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0)

/** How often a pattern is in a file, or in what stands between a line and the next `}` at the start of one. */
function count(path, pattern, from) {
  const text = read(path)
  const start = from ? text.indexOf(from) : 0
  if (start < 0) throw new Error(`${path} has no ${from}`)
  const found = text.slice(start, from ? text.indexOf('\n}', start) : undefined).match(pattern)
  if (!found) throw new Error(`${path} has nothing like ${pattern}`)
  return found.length
}

function measure() {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean)
  const present = tracked.filter((path) => lstatSync(`${ROOT}${path}`, { throwIfNoEntry: false })?.isFile())
  const code = present
    .filter((path) => CODE.has(extname(path)) && !GENERATED.test(path))
    .map((path) => ({ path, lines: linesOf(read(path)) }))
  const prose = present.filter((path) => extname(path) === '.md').map((path) => ({ path, words: wordsOf(read(path)) }))

  const rowsOfLibrary = count('src/settings/rows.rs', /^ {4}[a-z_]+ "[A-Za-z]+"/gm)
  const rowsOfGateway = count('packages/gateway/config/settings.mjs', /^ {2}[A-Za-z]+: /gm, 'export const ROWS = {')
  return {
    ...Object.fromEntries(
      Object.entries(PLACES).map(([name, place]) => [
        name,
        sum(code.filter(({ path }) => place.test(path)).map(({ lines }) => lines)),
      ]),
    ),
    'lines, index.d.ts': linesOf(read('index.d.ts')),
    'words, all': sum(prose.map(({ words }) => words)),
    'words, docs': sum(prose.filter(({ path }) => path.startsWith('docs/')).map(({ words }) => words)),
    methods: count('index.d.ts', /^ {2}(static |get )?[a-z]\w*\(/gm),
    types: count('index.d.ts', /^export (interface|type) /gm),
    settings: rowsOfLibrary + rowsOfGateway,
    commands: count('packages/gateway/cli/commands.mjs', /^ {2}[a-z'-]+: \{/gm, 'export const COMMANDS'),
    'npm scripts': Object.keys(JSON.parse(read('package.json')).scripts).length,
  }
}

const given = readArguments('Usage: npm run size -- [--check]\n', { check: { type: 'boolean' } })
if (given) {
  const sizes = measure()
  const shown = (number) => (number === Infinity ? '' : number.toLocaleString('en-US'))
  for (const [name, limit] of Object.entries(LIMITS)) {
    const over = sizes[name] > limit ? '  over' : ''
    console.log(`${name.padEnd(30)}${shown(sizes[name]).padStart(10)}${shown(limit).padStart(10)}${over}`.trimEnd())
  }
  if (given.values.check && Object.keys(LIMITS).some((name) => sizes[name] > LIMITS[name])) process.exitCode = 1
}
