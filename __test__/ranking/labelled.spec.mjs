// The labelled lines in research/labelled that calibration and the benchmarks of whole tasks use: what a line must
// hold, and that it names tools that the real servers list.

import fs from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { readDefinitions, RunningServers } from '../../examples/demo/servers.mjs'

const folder = path.join(import.meta.dirname, '../..', 'research', 'labelled')

const readLines = (file) =>
  fs
    .readFileSync(path.join(folder, file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** By file: the least number of lines and of languages, the field that divides it into kinds, and the kinds. */
const FILES = {
  'small-talk.jsonl': { lines: 300, languages: 12, field: 'where', kinds: ['later-turn', 'first-message'] },
  'impossible.jsonl': { lines: 200, languages: 12, field: 'kind', kinds: ['far', 'near-miss', 'nonsense'] },
  'needs.jsonl': {
    lines: 250,
    languages: 12,
    field: 'kind',
    kinds: ['user', 'model-query', 'typo', 'vague', 'multilingual', 'long'],
  },
  'tasks.jsonl': { lines: 90, languages: 10 },
  'mode-tasks.jsonl': { lines: 25, languages: 1 },
}
const sets = Object.fromEntries(Object.keys(FILES).map((file) => [file, readLines(file)]))
const { 'tasks.jsonl': tasks, 'needs.jsonl': needs } = sets

/** Lines with a number from here on are a third writing, all of it to learn from (research/labelled/README.md). */
const THIRD_WRITING = 2001
/** Tasks from this number on are a second writing: nobody has written them again. */
const SECOND_TASKS = 114
const numberOf = ({ id }) => Number(/\d+$/.exec(id)[0])
const isOfThird = (line) => numberOf(line) >= THIRD_WRITING
const heldOut = (lines) => lines.filter(({ half }) => half === 'held-out')
const modeTasks = sets['mode-tasks.jsonl']
const textsOf = (line) => [line, ...(line.steps ?? [])].map(({ text }) => text)
/** Every text of a task with what it newly needs. */
const turnsOf = (task) => [task, ...task.steps]
const toolsOfNeed = ({ gold, alts = {} }) => [gold, ...Object.entries(alts).flat(2)].flat()
const toolsOfTask = (task) => turnsOf(task).flatMap((turn) => turn.needs.flat())
const twice = (items) => items.filter((item, at) => items.indexOf(item) !== at)

for (const [file, { lines: least, languages, field, kinds }] of Object.entries(FILES)) {
  const lines = sets[file]

  test(`${file}: every line has an id, a text, a language and a half`, (t) => {
    t.true(lines.length >= least, `${lines.length} lines`)
    for (const line of lines) {
      t.regex(line.id, /^[a-z-]+-\d{3,4}$/)
      t.regex(line.language, /^[a-z]{2}$/, line.id)
      t.true(['held-out', 'tuning'].includes(line.half), line.id)
      for (const text of textsOf(line)) t.true(typeof text === 'string' && text === text.trim() && text !== '', line.id)
    }
    t.true(new Set(lines.map(({ language }) => language)).size >= languages)
  })

  test(`${file}: the halves are of one size and hold the same kinds`, (t) => {
    const [third, lines] = [sets[file].filter(isOfThird), sets[file].filter((line) => !isOfThird(line))]
    t.deepEqual(heldOut(third), [])
    const balanced = (part, from, to) => {
      const share = heldOut(part).length / part.length
      t.true(share >= from && share <= to, `${Math.round(share * 100)} % of ${part.length} are held out`)
    }
    balanced(lines, 0.45, 0.55)
    if (field === undefined) return
    t.deepEqual([...new Set(lines.map((line) => line[field]))].sort(), [...kinds].sort())
    // A small kind of odd size cannot be nearer.
    for (const kind of kinds) {
      const part = lines.filter((line) => line[field] === kind)
      balanced(part, 0.4, 0.6)
    }
  })
}

test('an id is used once, and a text opens one line only', (t) => {
  const all = Object.values(sets).flat()
  t.deepEqual(twice(all.map(({ id }) => id)), [])
  t.deepEqual(twice(all.map(({ text }) => text.toLowerCase())), [])
})

test('less than half of the small talk is English, and most of the served needs are', (t) => {
  const share = (lines) => lines.filter(({ language }) => language === 'en').length / lines.length
  const smallTalk = share(sets['small-talk.jsonl'])
  t.true(smallTalk > 0.33 && smallTalk < 0.5, `${smallTalk}`)
  t.true(share(needs) < 0.85)
  const others = 1 - share(tasks)
  t.true(others > 0.12 && others < 0.25, `${others}`)
})

test('a task that is asked for again has other words and is asked for once', (t) => {
  const again = readLines('tasks-again.jsonl')
  t.deepEqual(twice(again.map(({ id }) => id)), [])
  const first = tasks.filter((task) => numberOf(task) < SECOND_TASKS)
  const texts = new Map(first.filter((task) => task.needs.length > 0).map(({ id, text }) => [id, text]))
  t.deepEqual(new Set(again.map(({ id }) => id)), new Set(texts.keys()))
  for (const { id, text } of again) t.true(text.trim() === text && text !== '' && text !== texts.get(id), id)
})

test('alternatives stand under a needed tool and are not needed themselves', (t) => {
  for (const { id, gold, alts = {} } of needs) {
    t.true(gold.length > 0, id)
    t.deepEqual(twice(gold), [], id)
    for (const [tool, others] of Object.entries(alts)) {
      t.true(gold.includes(tool), id)
      t.deepEqual(twice([tool, ...others]), [], id)
    }
  }
})

test('a task has two to five steps, and a step repeats no need', (t) => {
  for (const task of tasks) {
    t.true(task.steps.length >= 2 && task.steps.length <= 5, task.id)
    t.true(toolsOfTask(task).length > 0, task.id)
    const asked = turnsOf(task).flatMap((turn) => turn.needs)
    for (const need of asked) {
      t.true(need.length > 0, task.id)
      t.deepEqual(twice(need), [], task.id)
    }
    t.deepEqual(twice(asked.map((need) => [...need].sort().join())), [], task.id)
  }
  t.true(tasks.some(({ steps }) => steps.some((step) => step.needs.length === 0)))
})

test('every tool that a line names is listed by its server, and all 19 servers are needed', async (t) => {
  t.timeout(180_000)
  const running = new RunningServers()
  const listed = new Set()
  const definitions = readDefinitions()
  try {
    await running.startAll(definitions, ({ name, tools, reason }) => {
      t.is(reason, undefined, `the server ${name} did not start`)
      for (const tool of tools ?? []) listed.add(`${name}::${tool.name}`)
    })
  } finally {
    await running.close()
  }
  for (const [lines, toolsOf] of [
    [needs, toolsOfNeed],
    [tasks, toolsOfTask],
    [modeTasks, ({ needs }) => needs.flat()],
  ]) {
    for (const line of lines) {
      const unknown = toolsOf(line).filter((tool) => !listed.has(tool))
      t.deepEqual(unknown, [], line.id)
    }
  }
  const serversOf = (lines, toolsOf) => new Set(lines.flatMap(toolsOf).map((tool) => tool.split('::')[0]))
  t.is(serversOf(needs, toolsOfNeed).size, definitions.length)
  for (const half of ['held-out', 'tuning']) {
    const part = tasks.filter((task) => task.half === half)
    t.true(serversOf(part, toolsOfTask).size >= 12, half)
  }
})

test('every tool that a task needs first has words to search with, and they are not its name', (t) => {
  const searches = readLines('searches.jsonl')
  t.deepEqual(twice(searches.map(({ tool }) => tool)), [])
  const sessions = readLines('sessions.jsonl')
  const first = [
    ...tasks.flatMap((task) => turnsOf(task).flatMap((turn) => turn.needs.map(([tool]) => tool))),
    ...sessions.flatMap(({ gold }) => gold),
  ]
  t.deepEqual(searches.map(({ tool }) => tool).sort(), [...new Set(first)].sort())
  const words = (text) =>
    text
      .split('::')
      .at(-1)
      .toLowerCase()
      .match(/[a-z]{3,}/g) ?? []
  for (const { tool, query } of searches) {
    const name = words(tool.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' '))
    t.false(
      name.every((word) => words(query).includes(word)),
      `${tool}: ${query}`,
    )
  }
})
