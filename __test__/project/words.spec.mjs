// Pages and comments keep to the words that CONTRIBUTING.md lists, names to those of the glossary in DESIGN.md.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import test from 'ava'

import { coded, PAGES, ROOT, read, rows, section } from '../helpers/pages.mjs'

const pageOf = (name) => PAGES.find((page) => page.name === name)
const AVOIDED = rows(section(pageOf('CONTRIBUTING.md'), 'Words'), 'we avoid').flatMap(([avoided]) => coded(avoided))

/** What people read of a page: not its programs, nor the list itself. */
function prose({ name, text }) {
  const read = name === 'CONTRIBUTING.md' ? text.replace(section({ name, text }, 'Words'), '') : text
  return read.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '`')
}

/** The comments of a text of Rust or JavaScript, one after the other, without programs and code in them. */
function comments(text) {
  // Literals first: what looks like a comment in one is none.
  const literals = /r#"[\s\S]*?"#|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/
  const found = [...text.matchAll(new RegExp(`${literals.source}|(/\\*[\\s\\S]*?\\*/|//.*)`, 'g'))]
  return found
    .flatMap(([, comment]) => comment ?? [])
    .map((comment) => comment.replaceAll(/^\s*(\/\/[/!]?|\/\*\*?|\*\/|\*)|\*\/$/gm, ''))
    .join('\n')
    .replaceAll(/```[\s\S]*?```/g, '')
    .replaceAll(/`[^`\n]*`/g, '`')
}

/** The source files of a folder, as names from the root. */
const sources = (folder, ending) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .toSorted()

const TREES = ['packages/gateway', 'packages/programs', 'adapters', 'scripts', 'apps/zoo-kit', 'apps/vscode/src']
const isOurs = (name) => !/\/(built|node_modules|units|story)\//.test(name)
const SOURCES = [
  ...sources('src', '.rs'),
  ...TREES.flatMap((tree) => ['.mjs', '.jsx', '.ts', '.py'].flatMap((ending) => sources(tree, ending))).filter(isOurs),
]
const SPECS = sources('__test__', '.spec.mjs')

/** What programs say: their literals of several words. What stands in them is put in at run time. */
function literals(text) {
  const found = text.matchAll(/'((?:\\.|[^'\\\n])*)'|`((?:\\[\s\S]|[^`\\])*)`|"((?:\\[\s\S]|[^"\\\n])*)"/g)
  return [...found]
    .map(([, single, template, double]) => single ?? template ?? double)
    .filter((literal) => literal.split(' ').length > 3)
    .map((literal) => literal.replaceAll(/\$\{[^}]*\}/g, '…'))
    .join('\n·\n')
}

/** The titles of the tests of a spec. */
const titles = (text) =>
  [...text.matchAll(/^\s*[\w.]+\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,\s*(?:async )?\(?t\b/gm)]
    .map(([, , title]) => title.replaceAll(/\$\{[^}]*\}/g, '…'))
    .join('\n·\n')

function pattern(phrase) {
  const words = phrase.split(' ').map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return `(?<!\\w)${words.join('\\s+')}(?!\\w)`
}

/** Where a phrase stands, over line breaks too and in any case. */
function uses(text, phrase) {
  return [...text.matchAll(new RegExp(`.{0,40}${pattern(phrase)}.{0,40}`, 'gi'))].map(([found]) =>
    found.replaceAll(/\s+/g, ' ').trim(),
  )
}

test('the list has words to avoid', (t) => {
  t.true(AVOIDED.length > 15)
  t.deepEqual(AVOIDED, [...new Set(AVOIDED)])
})

for (const { name, text } of [
  ...PAGES.map((page) => ({ name: page.name, text: prose(page) })),
  ...['index.d.ts', 'src/binding/header.d.ts', 'packages/gateway/index.d.mts'].map((name) => ({
    name,
    text: comments(read(name)),
  })),
]) {
  test(`${name} keeps to the list of words`, (t) => {
    for (const phrase of AVOIDED) t.deepEqual(uses(text, phrase), [], phrase)
  })
}

test('comments of all trees keep to the list of words', (t) => {
  t.true(SOURCES.length > 200, `${SOURCES.length} files`)
  const any = new RegExp(AVOIDED.map((phrase) => pattern(phrase)).join('|'), 'i')
  const found = SOURCES.flatMap((name) => {
    const text = comments(read(name))
    return any.test(text) ? AVOIDED.flatMap((phrase) => uses(text, phrase).map((use) => `${name}: ${use}`)) : []
  })
  t.deepEqual(found, [])
})

test('what programs say, and titles of tests, keep to the list of words', (t) => {
  const any = new RegExp(AVOIDED.map((phrase) => pattern(phrase)).join('|'), 'i')
  const found = [...SOURCES.filter((name) => !name.endsWith('.rs')), ...SPECS].flatMap((name) => {
    const text = SPECS.includes(name) ? titles(read(name)) : literals(read(name))
    return any.test(text) ? AVOIDED.flatMap((phrase) => uses(text, phrase).map((use) => `${name}: ${use}`)) : []
  })
  t.deepEqual(found, [])
})

test('a phrase in a comment is found, over line ends too, and in code or a literal it is not', (t) => {
  const text = [
    '//! Nothing is in force here.',
    'const A = "in force"; // told anew',
    '/// The settings in',
    '/// force.',
    '/** Kept in\n * force. */',
    "fn life<'a>() -> char { '\"' } // one in force",
    '// `in force` is code',
  ].join('\n')
  t.is(uses(comments(text), 'in force').length, 4)
  t.is(uses(comments(text), 'anew').length, 1)
})

/** What the types declare: types and functions, members as `Type.member`, and values as `Type.member.value`. */
function publicNames() {
  const text = ['index.d.ts', 'packages/gateway/index.d.mts']
    .map(read)
    .join('\n')
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
  const declared = /^export (?:declare )?(interface|class|type|function) (\w+)([\s\S]*?)(?=^export |$(?![\s\S]))/gm
  return [...text.matchAll(declared)].flatMap(([, kind, type, body]) => {
    const values = (of, at) => [...of.matchAll(/'(\w+)'/g)].map(([, value]) => `${at}.${value}`)
    if (kind === 'type' || kind === 'function') return [type, ...values(body, type)]
    const members = [...body.matchAll(/^ {2}(?:static |get |readonly )*(\w+)\??[(:](.*)/gm)]
    return [type, ...members.flatMap(([, name, of]) => [`${type}.${name}`, ...values(of, `${type}.${name}`)])]
  })
}

const last = (name) => name.split('.').at(-1)
const parts = (name) =>
  last(name)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')

test('a word of the glossary that could mean several things is in no other public name', (t) => {
  const words = rows(section(pageOf('DESIGN.md'), 'Glossary'), 'word')
    .filter(([, , names]) => names !== '')
    .map(([word, , names]) => ({ word: word.split(' ').at(-1), names: coded(names) }))
  t.is([...new Set(words.map(({ word }) => word))].toSorted().join(), 'compact,entry,mode,module,usage,use')
  const declared = publicNames()
  t.true(declared.length > 500, `${declared.length} names`)
  for (const { word } of words) {
    const allowed = words.filter((row) => row.word === word).flatMap(({ names }) => names)
    const found = declared.filter((name) => parts(name).some((part) => part === word || part === `${word}s`))
    const others = found.filter((name) => !allowed.includes(name) && !allowed.includes(last(name)))
    t.deepEqual(others.toSorted(), [], word)
    for (const name of allowed)
      t.true(
        found.some((one) => one === name || last(one) === name),
        `${name} is not public`,
      )
  }
})
