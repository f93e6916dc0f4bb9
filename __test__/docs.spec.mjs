// What the documentation shows must run. In README.md a block that begins with ```js run or ```ts run is a whole
// program (an ES module); what stands in a comment behind a console.log is what it prints.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import test from 'ava'
import { run } from './helpers/child.mjs'
import { ADDON } from './helpers/router.mjs'
import { tempDir } from './helpers/temp.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const read = (name) => (existsSync(join(ROOT, name)) ? readFileSync(join(ROOT, name), 'utf8') : '')
const README = read('README.md')
const lineOf = (text, at) => text.slice(0, at).split('\n').length

const fenced = [...README.matchAll(/^```(js|ts|mjs) run\b[^\n]*\n([\s\S]*?)^```/gm)].map(({ index, 2: source }) => ({ what: `README.md, line ${lineOf(README, index)}`, source }))

const DECLARATIONS = read('index.d.ts')
const examples = [...DECLARATIONS.matchAll(/^( *)\* @example\n *\* ```(?:ts|js)\n([\s\S]*?)^ *\* ```/gm)].map(({ index, 2: block }) => {
  const source = block.replace(/^ *\* ?/gm, '')
  const isWhole = source.includes("from '@zoo-code/tool-router'")
  return { what: `index.d.ts, line ${lineOf(DECLARATIONS, index)}`, source: isWhole ? source : `import { ToolRouter } from '@zoo-code/tool-router'\n${source}` }
})

/** What a program says that it prints. */
const promised = (source) => [...source.matchAll(/console\.log\(.*\) *\/\/ *(.+)$/gm)].map(([, text]) => text.trim())

for (const { what, source } of [...fenced, ...examples]) {
  test(`a documented program runs: ${what}`, async (t) => {
    const folder = tempDir(t)
    const file = join(folder, 'program.mjs')
    writeFileSync(file, source.replaceAll(/(['"])@zoo-code\/tool-router\1/g, JSON.stringify(pathToFileURL(ADDON).href)))
    const { code, signal, hung, stdout, stderr } = await run([file], { cwd: folder, env: { HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') } })
    t.deepEqual({ code, signal, hung, stderr }, { code: 0, signal: null, hung: false, stderr: '' })
    const printed = stdout.split('\n')
    for (const text of promised(source)) t.true(printed.includes(text), `expected ${text} among\n${stdout}`)
  })
}

test('README.md has a program that runs', (t) => {
  t.true(fenced.length > 0, 'no block begins with ```js run')
})

test('index.d.ts has an example for each class', (t) => {
  t.true(examples.length >= 2)
  t.true(examples.every(({ source }) => source.length > 50))
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
        target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', strict: true, noEmit: true, types: ['node'],
        typeRoots: [join(ROOT, 'node_modules', '@types')], paths: { '@zoo-code/tool-router': [join(ROOT, 'index.d.ts')] },
      },
      files,
    }),
  )
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const { code, stdout } = await run([tsc, '--project', folder], { limit: 120_000 })
  t.deepEqual({ code, stdout }, { code: 0, stdout: '' })
})

test('README.md speaks of no option, method or code that does not exist', (t) => {
  if (README === '') return t.fail('there is no README.md')
  const known = new Set(DECLARATIONS.match(/\w+/g))
  for (const [, code] of README.matchAll(/`(ERR_[A-Z_]+)`/g)) t.true(known.has(code), code)
  for (const [, method] of README.matchAll(/`(?:router|session|ToolRouter|Session)\.(\w+)(?:\([^`]*\))?`/g)) t.true(known.has(method), method)
  return undefined
})

test('README.md names only tests that are there as those that show a claim', (t) => {
  const [section] = README.slice(README.indexOf('## Claims of the five designs')).split(/\n(?=## )/)
  const shown = [...section.matchAll(/`([\w-]+)`: ([^|`(.]+)/g)].flatMap(([, spec, titles]) => titles.split(';').map((title) => [spec, title.trim()])).filter(([, title]) => title !== '')
  t.true(shown.length > 50, `${shown.length} tests are named`)
  for (const [spec, title] of shown) {
    // A title in a loop stands behind test( as a template: the line is enough.
    const titles = read(join('__test__', `${spec}.spec.mjs`)).match(/(?<=\btest(\.serial)?\().*/g) ?? []
    t.true(titles.some((line) => line.includes(title)), `${spec}: ${title}`)
  }
  for (const source of ['1', '2', '3', '4', '5']) t.true(section.includes(`\n| ${source} |`), source)
})
