// The JavaScript trees keep to their rooms: the gateway to the table of DESIGN.md, packages to their walls, and no tree has a circle.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { coded, PAGES, ROOT, rows, section } from '../helpers/pages.mjs'
import { against, circleIn, codeOf, importsOf, roomsOf } from '../helpers/rooms.mjs'

const GATEWAY = 'packages/gateway'
const PROGRAMS = 'packages/programs'
/** Trees and what of them is source for another program, or no module. */
const TREES = {
  [GATEWAY]: [],
  [PROGRAMS]: [],
  adapters: [],
  'apps/vscode/src': [],
  'apps/zoo-kit': ['units/', 'story/'],
  research: [],
  scripts: ['loader.cjs'],
}

const DESIGN = PAGES.find(({ name }) => name === 'DESIGN.md')
const TABLE = new Map(
  rows(section(DESIGN, 'The gateway'), 'room').map(([room, , named]) => [coded(room)[0], coded(named)]),
)

const filesOf = (tree) => codeOf(tree, { without: TREES[tree] })
const read = Object.fromEntries(Object.keys(TREES).map((tree) => [tree, importsOf(filesOf(tree))]))

test('the gateway imports as the table of DESIGN.md says', async (t) => {
  t.true(TABLE.size > 20)
  t.deepEqual(against(GATEWAY, TABLE, await read[GATEWAY]), [])
})

for (const [what, file, text, expected] of [
  ['an arrow back', `${GATEWAY}/base/values.mjs`, "import '../cli/usage.mjs'", 'base imports cli'],
  [
    'an arrow back by import()',
    `${GATEWAY}/store/store.mjs`,
    "void import('../gateway/gateway.mjs')",
    'store imports gateway',
  ],
  [
    'an arrow back by a re-export',
    `${GATEWAY}/names/meta-tools.mjs`,
    "export { openStore } from '../store/store.mjs'",
    'names imports store',
  ],
])
  test(`the guard sees ${what}`, async (t) => {
    const imports = await importsOf(filesOf(GATEWAY), { [file]: text })
    t.deepEqual(against(GATEWAY, TABLE, imports), [expected])
  })

test('the guard sees a room that the table does not have, and one that is gone', async (t) => {
  const other = new Map([...TABLE].map(([room, named]) => [room === 'cli' ? 'commands' : room, named]))
  const wrong = against(GATEWAY, other, await read[GATEWAY])
  t.true(wrong.includes('cli is not in the table') && wrong.includes('commands is no room'))
})

for (const tree of Object.keys(TREES))
  test(`no files and no rooms of ${tree} import each other in a circle`, async (t) => {
    const imports = await read[tree]
    t.true(imports.size > 0)
    t.is(circleIn(imports), undefined)
    t.is(circleIn(roomsOf(tree, imports)), undefined)
  })

test('packages know each other by name, and only downwards', async (t) => {
  const outside = (tree, imports) =>
    [...imports].flatMap(([file, targets]) =>
      targets
        .filter(
          (target) =>
            (target.startsWith('@zoo-code/') ? target : target.includes('/')) && !target.startsWith(`${tree}/`),
        )
        .filter((target) => target.startsWith('@zoo-code/') || /\.(mjs|cjs|js|json)$/.test(target))
        .map((target) => [file, target]),
    )
  const named = (tree, imports) => [
    ...new Set(outside(tree, imports).map(([, target]) => target.split('/').slice(0, 2).join('/'))),
  ]
  /** Packages of others that are imported by a path inside them. */
  const others = /^(@modelcontextprotocol|@opentelemetry|rate-limiter-flexible)\//
  const ours = (list) => list.filter((name) => !others.test(name))
  t.deepEqual(ours(named(GATEWAY, await read[GATEWAY])).toSorted(), [
    '@zoo-code/tool-router',
    '@zoo-code/tool-router-programs',
  ])
  t.deepEqual(named(PROGRAMS, await read[PROGRAMS]), ['@zoo-code/tool-router'])
  t.deepEqual(
    named('adapters', await read.adapters).filter((name) => /packages|gateway|programs/.test(name)),
    [],
  )
})

/** Classes of a text with more private fields than that, as Rust's structs: tests/architecture.rs. */
const MAX_FIELDS = 15
function wideClasses(text) {
  return [...text.matchAll(/^(?:export )?class (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)].flatMap(([, name, body]) => {
    const fields = new Set([...body.matchAll(/^ {2}#(\w+)(?: =|$)/gm)].map(([, field]) => field))
    return fields.size > MAX_FIELDS ? [`${name} (${fields.size} private fields)`] : []
  })
}

test('no class has more than fifteen private fields', (t) => {
  const wide = (count) => `class Wide {\n${Array.from({ length: count }, (_, at) => `  #f${at} = 0\n`).join('')}}\n`
  t.deepEqual(wideClasses(wide(16)), ['Wide (16 private fields)'])
  t.deepEqual(wideClasses(wide(15)), [])
  const files = Object.keys(TREES).flatMap(filesOf)
  t.deepEqual(
    files.flatMap((file) => wideClasses(readFileSync(path.join(ROOT, file), 'utf8')).map((each) => `${file}: ${each}`)),
    [],
  )
})

/** What opens sessions of a gateway's clients takes all of it; every other part names what it takes. */
const OF_ALL = (
  'gateway/profiles.mjs http/channel.mjs http/http-sessions.mjs http/http.mjs http/served.mjs ' +
  'protocol/client-session.mjs protocol/modern.mjs'
).split(' ')

test('parts of the gateway name what they take of it', (t) => {
  const isWhole = (text) => /\{import\('[^']*gateway\.mjs'\)\.Gateway\}/.test(text)
  t.true(isWhole("/** @param {import('../gateway/gateway.mjs').Gateway} gateway */"))
  t.false(isWhole("/** @param {Pick<import('../gateway/gateway.mjs').Gateway, 'config'>} gateway */"))
  const whole = filesOf(GATEWAY).filter((file) => isWhole(readFileSync(path.join(ROOT, file), 'utf8')))
  t.deepEqual(
    whole.map((file) => file.slice(GATEWAY.length + 1)),
    OF_ALL,
  )
})

test('only one file of packages writes commands, so that all of them are quoted', (t) => {
  const written = [GATEWAY, PROGRAMS].flatMap(filesOf).filter((file) => {
    const code = readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    return /npx @zoo-code/.test(code) || /\bnpx\b.*\$\{/.test(code)
  })
  t.deepEqual(written, [])
  t.regex(readFileSync(path.join(ROOT, GATEWAY, 'base/command-line.mjs'), 'utf8'), /'npx', '@zoo-code/)
})

/** Folders of tests that are no room of src: other trees, and what is about the repository. */
const OTHER_TESTS = ['adapters', 'examples', 'gateway', 'programs', 'project', 'vscode', 'zoo-code']

test('tests lie by room, and no spec has over 400 lines', (t) => {
  const tests = path.join(ROOT, '__test__')
  const specs = readdirSync(tests, { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.spec.mjs'))
  const src = readdirSync(path.join(ROOT, 'src'))
  const wrong = specs.filter((name) => {
    const [folder, room, file] = name.split('/')
    if (folder === 'gateway') return file !== undefined && !TABLE.has(room)
    return file !== undefined || !room || !(src.includes(folder) || OTHER_TESTS.includes(folder))
  })
  t.deepEqual(wrong, [])
  const ofApps = readdirSync(path.join(ROOT, 'apps'), { recursive: true })
    .filter((name) => /\.spec\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => path.join('..', 'apps', name))
  t.true(ofApps.length > 10)
  const linesOf = (name) => readFileSync(path.join(tests, name), 'utf8').split('\n').length - 1
  t.deepEqual(
    [...specs, ...ofApps].filter((name) => linesOf(name) > 400),
    [],
  )
})
