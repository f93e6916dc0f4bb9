// Pages and doc comments keep to the words that CONTRIBUTING.md lists, names to those of the glossary in DESIGN.md.
import test from 'ava'
import { coded, PAGES, read, rows, section } from './helpers/pages.mjs'

const pageOf = (name) => PAGES.find((page) => page.name === name)

const AVOIDED = rows(section(pageOf('CONTRIBUTING.md'), 'Words'), 'we avoid').flatMap(([avoided]) => coded(avoided))

/** What people read of a page: not its programs, nor the list itself. */
function prose({ name, text }) {
  const read = name === 'CONTRIBUTING.md' ? text.replace(section({ name, text }, 'Words'), '') : text
  return read.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '`')
}

/** The comments of a file of declarations. */
function comments(name) {
  return read(name)
    .match(/\/\*\*[\s\S]*?\*\/|\/\/.*/g)
    .map((comment) => comment.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '`'))
    .join('\n')
    .replaceAll(/^\s*(\/\*\*|\*\/|\*|\/\/)/gm, '')
}

/** Where a phrase stands, over line breaks too and in any case. */
function uses(text, phrase) {
  const words = phrase.split(' ').map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return [...text.matchAll(new RegExp(`.{0,40}(?<!\\w)${words.join('\\s+')}(?!\\w).{0,40}`, 'gi'))].map(([found]) =>
    found.replaceAll(/\s+/g, ' ').trim(),
  )
}

test('the list has words to avoid', (t) => {
  t.true(AVOIDED.length > 15)
  t.deepEqual(AVOIDED, [...new Set(AVOIDED)])
})

for (const { name, text } of [
  ...PAGES.map((page) => ({ name: page.name, text: prose(page) })),
  ...['index.d.ts', 'dts-header.d.ts', 'gateway/index.d.mts'].map((name) => ({ name, text: comments(name) })),
]) {
  test(`${name} keeps to the list of words`, (t) => {
    for (const phrase of AVOIDED) t.deepEqual(uses(text, phrase), [], phrase)
  })
}

/** What index.d.ts declares: types, and members as `Type.member`. */
function publicNames() {
  const text = read('index.d.ts').replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
  return [
    ...text.matchAll(/^export (?:declare )?(interface|class|type) (\w+)([\s\S]*?)(?=^export |$(?![\s\S]))/gm),
  ].flatMap(([, kind, type, body]) => [
    type,
    ...(kind === 'type' ? [] : [...body.matchAll(/^ {2}(?:static |get |readonly )*(\w+)\??[(:]/gm)]).map(
      ([, member]) => `${type}.${member}`,
    ),
  ])
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
  t.deepEqual([...new Set(words.map(({ word }) => word))].toSorted(), ['entry', 'mode', 'registry', 'usage', 'use'])
  const declared = publicNames()
  t.true(declared.length > 300, `${declared.length} names`)
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
