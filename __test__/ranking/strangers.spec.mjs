// The labelled lines for servers that nothing here knows (research/labelled/strangers), as far as they can be checked without
// those servers.

import fs from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { halfOf, OTHERS, readLabelled, readOthers, readStrangers } from '../../research/measure/strangers/catalogue.mjs'

const lines = readLabelled()
const all = Object.values(lines).flat()
const turnsOf = (line) => [line, ...(line.steps ?? [])].filter(({ needs }) => needs !== undefined)
const serverOf = (id) => id.split('::')[0]
const twice = (items) => items.filter((item, at) => items.indexOf(item) !== at)

/** Authors from this one on wrote without the others, and each is of one half. */
const APART = 21

test('an id and a text are used once, and the half of a line is that of its id, or of its author', (t) => {
  t.deepEqual(twice(all.map(({ id }) => id)), [])
  t.deepEqual(twice(all.map(({ text, query }) => text ?? query)), [])
  const halves = new Map()
  for (const { id, half, author } of all) {
    if (author >= APART) halves.set(author, new Set([...(halves.get(author) ?? []), half]))
    else t.is(half, halfOf(id), id)
  }
  t.deepEqual(
    [...halves.values()].map(({ size }) => size),
    [1, 1, 1, 1],
  )
})

test('every need has a role, and names tools of strangers alone', (t) => {
  const names = new Set(readStrangers().map(({ name }) => name))
  for (const line of all) {
    for (const { needs, roles } of turnsOf(line)) {
      t.is(roles.length, needs.length, line.id)
      for (const role of roles) t.true(['action', 'before'].includes(role), line.id)
      for (const need of needs) {
        t.true(need.length > 0, line.id)
        t.deepEqual(twice(need), [], line.id)
        for (const id of need) t.true(names.has(serverOf(id)), `${line.id}: ${id}`)
      }
    }
    for (const name of line.late ?? []) t.true(names.has(name), line.id)
  }
})

test('tasks over the others name tools of these alone, and a half is that of the id', (t) => {
  const names = new Set(readStrangers(OTHERS).map(({ name }) => name))
  t.deepEqual(
    [...names].filter((name) => readStrangers().some((stranger) => stranger.name === name)),
    [],
  )
  t.true(names.size > 0 && readOthers().length > 0)
  for (const { id, half, needs, roles } of readOthers()) {
    t.is(half, halfOf(id), id)
    t.is(roles.length, needs.length, id)
    for (const need of needs.flat()) t.true(names.has(serverOf(need)), `${id}: ${need}`)
  }
})

test('no stranger has a file of knowledge, or is among the servers of the examples', (t) => {
  const root = path.join(import.meta.dirname, '../..')
  const known = fs
    .readdirSync(path.join(root, 'npm', 'model', 'knowledge', 'servers'))
    .map((file) => path.basename(file, '.txt'))
  const texts = known.map((name) =>
    fs.readFileSync(path.join(root, 'npm', 'model', 'knowledge', 'servers', `${name}.txt`), 'utf8'),
  )
  const examples = fs.readFileSync(path.join(root, 'examples', 'servers', 'servers.json'), 'utf8')
  for (const stranger of [...readStrangers(), ...readStrangers(OTHERS)]) {
    t.false(known.includes(stranger.name), stranger.name)
    t.false(
      [examples, ...texts].some((text) => new RegExp(`(?<![\\w/-])${stranger.package}(?![\\w-])`).test(text)),
      stranger.package,
    )
  }
})
