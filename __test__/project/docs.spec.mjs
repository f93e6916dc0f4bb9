// What the documentation shows must run. In README.md and docs/ a block that begins with ```js run or ```ts run is a
// whole program (an ES module); what stands in a comment behind a console.log is what it prints.
import { readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { run } from '../helpers/child.mjs'
import { coded, GUIDES, PAGES, ROOT, read, rows, section } from '../helpers/pages.mjs'
import { router } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'

const README = GUIDES.find(({ name }) => name === 'README.md')
const lineOf = (text, at) => text.slice(0, at).split('\n').length

const fenced = GUIDES.flatMap(({ name, text }) =>
  [...text.matchAll(/^```(js|ts|mjs) run\b[^\n]*\n([\s\S]*?)^```/gm)].map(({ index, 2: source }) => ({
    page: name,
    what: `${name}, line ${lineOf(text, index)}`,
    source,
  })),
)

const DECLARATIONS = read('index.d.ts')
const INTERNAL = read('internal.d.ts')
const examplesOf = (name, text, entry) =>
  [...text.matchAll(/^( *)\* @example\n *\* ```(?:ts|js)\n([\s\S]*?)^ *\* ```/gm)].map(({ index, 2: block }) => {
    const source = block.replace(/^ *\* ?/gm, '')
    const isWhole = source.includes("from '@zoo-code/tool-router")
    return {
      what: `${name}, line ${lineOf(text, index)}`,
      source: isWhole ? source : `import { ToolRouter } from '${entry}'\n${source}`,
    }
  })
const examples = [
  ...examplesOf('index.d.ts', DECLARATIONS, '@zoo-code/tool-router'),
  ...examplesOf('internal.d.ts', INTERNAL, '@zoo-code/tool-router/internal'),
]

/** What a program says that it prints. */
const promised = (source) => [...source.matchAll(/console\.log\(.*\) *\/\/ *(.+)$/gm)].map(([, text]) => text.trim())

/** The package as a program outside the checkout can import it: its exports, by their paths here. */
const imported = (source) =>
  source.replaceAll(
    /(['"])@zoo-code\/tool-router(?:-(gateway|programs))?(\/[\w-]+)?\1/g,
    (_, _quote, part, entry = '') => {
      const folder = part === undefined ? '.' : `packages/${part}`
      const file = JSON.parse(read(`${folder}/package.json`)).exports[`.${entry}`].default
      return JSON.stringify(pathToFileURL(join(ROOT, folder, file)).href)
    },
  )

for (const { what, source } of [...fenced, ...examples]) {
  test(`a documented program runs: ${what}`, async (t) => {
    const folder = tempDir(t)
    const file = join(folder, 'program.mjs')
    writeFileSync(file, imported(source))
    const { code, signal, hung, stdout, stderr } = await run([file], {
      cwd: folder,
      env: { HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') },
    })
    t.deepEqual({ code, signal, hung, stderr }, { code: 0, signal: null, hung: false, stderr: '' })
    const printed = stdout.split('\n')
    for (const text of promised(source)) t.true(printed.includes(text), `expected ${text} among\n${stdout}`)
  })
}

test('README.md and the page of each part have a program that runs and says what it prints', (t) => {
  for (const name of ['README.md', 'docs/sessions.md', 'docs/servers.md', 'docs/curation.md', 'docs/gateway.md'])
    t.true(
      fenced.some(({ page, source }) => page === name && promised(source).length > 0),
      name,
    )
})

test('documented programs have no type error', async (t) => {
  const folder = tempDir(t)
  const files = [...fenced, ...examples].map(({ source }, at) => {
    const name = `program-${at}.mts`
    writeFileSync(join(folder, name), source)
    return name
  })
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        moduleResolution: 'nodenext',
        strict: true,
        noEmit: true,
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules', '@types')],
        paths: {
          '@zoo-code/tool-router': [join(ROOT, 'index.d.ts')],
          '@zoo-code/tool-router/internal': [join(ROOT, 'internal.d.ts')],
          '@zoo-code/tool-router-gateway': [join(ROOT, 'packages', 'gateway', 'index.d.mts')],
          '@zoo-code/tool-router-programs': [join(ROOT, 'packages', 'programs', 'index.d.mts')],
        },
      },
      files,
    }),
  )
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')
  const { code, stdout } = await run([tsc, '--project', folder])
  t.deepEqual({ code, stdout }, { code: 0, stdout: '' })
})

test('README.md is a page of 150 lines of 120 characters that says how to try and test the package', (t) => {
  const lines = README.text.trimEnd().split('\n')
  t.true(lines.length <= 150, `${lines.length} lines`)
  lines.forEach((line, at) => {
    t.true([...line].length <= 120, `line ${at + 1}`)
  })
  for (const command of ['npm run demo', 'npm test', 'npm install']) t.true(README.text.includes(command), command)
  t.true(lines.some((line) => /^\*\*Kill switch: `searchTurns: 0`/.test(line)))
})

test('no page speaks of a method or code that does not exist', (t) => {
  const gateway = readdirSync(join(ROOT, 'packages', 'gateway'), { recursive: true }).filter((name) =>
    name.endsWith('.mjs'),
  )
  const codes = gateway.flatMap((name) => read(join('packages', 'gateway', name)).match(/'ERR_[A-Z_]+'/g) ?? [])
  const known = new Set([
    ...DECLARATIONS.match(/\w+/g),
    ...INTERNAL.match(/\w+/g),
    ...codes.map((code) => code.slice(1, -1)),
  ])
  for (const { name, text } of PAGES) {
    for (const [, code] of text.matchAll(/`(ERR_[A-Z_]+)`/g)) t.true(known.has(code), `${name}: ${code}`)
    for (const [, method] of text.matchAll(/`(?:router|session|ToolRouter|Session)\.(\w+)(?:\([^`]*\))?`/g))
      t.true(known.has(method), `${name}: ${method}`)
  }
})

test('each word behind `cargo t --lib` in CONTRIBUTING.md is that of a file with tests', (t) => {
  const { text } = PAGES.find(({ name }) => name === 'CONTRIBUTING.md')
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true }).map((name) => name.replaceAll('\\', '/'))
  const filters = [...text.matchAll(/`cargo t --lib (\w+)`/g)].map(([, word]) => word)
  t.true(filters.length > 5 && /^t = "test /m.test(read('.cargo/config.toml')))
  for (const word of filters) {
    const tested = sources.filter((name) => name.endsWith('.rs') && name.includes(word))
    t.true(
      tested.some((name) => read(join('src', name)).includes('#[test]')),
      word,
    )
  }
})

test('docs/python.md imports only what the Python package has', (t) => {
  const { text } = GUIDES.find(({ name }) => name === 'docs/python.md')
  const defined = [...read('packages/python/zoo_tool_router.py').matchAll(/^(?:class|def) ((?!_)\w+)/gm)].map(
    ([, name]) => name,
  )
  const imported = [...text.matchAll(/^from zoo_tool_router import (.+)$/gm)].flatMap(([, names]) => names.split(', '))
  t.deepEqual([...new Set(imported), 'pydantic_search'].toSorted(), defined.toSorted())
})

test("docs/settings.md has every setting with its default, and README's table the ten that a host meets first", (t) => {
  router.configure({})
  const defaults = router.settings
  const shown = (value) => {
    if (value === undefined || value === null) return 'unset'
    if (typeof value === 'string') return `\`${value}\``
    if (value.kind === 'top_k') return `top ${value.k}`
    return typeof value === 'object' && Object.keys(value).length === 0 ? 'none' : String(value)
  }
  const [, body] = /export interface Settings \{\n([\s\S]*?)\n\}/.exec(DECLARATIONS)
  const declared = [...body.matchAll(/^ {2}(\w+)\?: /gm)].map(([, name]) => name)
  const listed = rows(GUIDES.find(({ name }) => name === 'docs/settings.md').text, 'setting')
  t.deepEqual(
    listed.map(([name]) => coded(name)[0]),
    declared,
  )
  for (const [name, value] of listed) t.is(value, shown(defaults[coded(name)[0]]), name)
  const first = rows(section(README, 'Library'), 'setting').flatMap(([names, values]) => {
    const given = values.split(', ')
    const codes = coded(names)
    t.is(given.length, codes.length, names)
    return codes.map((name, at) => [name, given[at]])
  })
  t.is(first.length, 10)
  for (const [name] of first) t.true(declared.includes(name), name)
  for (const [name, value] of first) t.is(value, shown(defaults[name]), name)
})

test('docs/inside/claims.md names only tests that are there as those that show a claim', (t) => {
  const { text } = GUIDES.find(({ name }) => name === 'docs/inside/claims.md')
  const shown = [...text.matchAll(/`([\w/-]+)`: ([^|`(.]+)/g)]
    .flatMap(([, spec, titles]) => titles.split(';').map((title) => [spec, title.trim()]))
    .filter(([, title]) => title !== '')
  t.true(shown.length > 50, `${shown.length} tests are named`)
  for (const [spec, title] of shown) {
    // A title in a loop stands behind test( as a template: the line is enough.
    const titles = read(join('__test__', `${spec}.spec.mjs`)).match(/(?<=\btest(\.serial)?\(\s*)\S.*/g) ?? []
    t.true(
      titles.some((line) => line.includes(title)),
      `${spec}: ${title}`,
    )
  }
  for (const source of ['1', '2', '3', '4', '5']) t.true(text.includes(`\n| ${source} |`), source)
})

test('docs/security.md names only tests that are there as those that hold a bound against somebody', (t) => {
  const [, table] = read('docs/security.md').split('| held by |')
  const rows = table.split('\n\n')[0].split('\n').slice(2)
  const named = rows.flatMap((row) => [...row.matchAll(/`([a-z][\w-]*(?:\/[\w-]+)+)`/g)].map(([, spec]) => spec))
  t.true(named.length > 10, `${named.length} tests are named`)
  for (const spec of named) t.notThrows(() => read(join('__test__', `${spec}.spec.mjs`)), spec)
  t.false(/\b[\w-]+\.spec\b/.test(rows.join('\n')), 'a test is named by its room')
})

test('research/evaluation.md says around its figures what its template says', (t) => {
  const text = read('research/evaluation.md')
  let from = 0
  for (const part of read('research/measure/ranking/eval/template.md').split(/\{\{[\w ]+\}\}/)) {
    const at = text.indexOf(part, from)
    t.true(at >= from, part)
    from = at + part.length
  }
})

test('no page says a command of cargo that does not link: tests of the core are `cargo t`', (t) => {
  for (const { name, text } of [...GUIDES, { name: 'CONTRIBUTING.md', text: read('CONTRIBUTING.md') }])
    t.notRegex(text, /cargo test (?!--no-default-features)/, name)
})
