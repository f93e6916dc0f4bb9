// The labelled lines in research/labelled that calibration and the benchmarks of whole tasks use: what a line must hold.
// That the real servers list the tools that it names is in order.spec, which starts them.

import path from 'node:path'

import test from 'ava'

import { jsonLines } from '../../research/measure/strangers/catalogue.mjs'

const folder = path.join(import.meta.dirname, '../..', 'research', 'labelled')

const readLines = (file) => jsonLines(path.join(folder, file))

const FILES = ['small-talk', 'impossible', 'needs', 'tasks']
const tasks = readLines('tasks.jsonl')

/** Lines with a number from here on are a third writing, all of it to learn from (research/labelled/README.md). */
const THIRD_WRITING = 2001
const numberOf = ({ id }) => Number(/\d+$/.exec(id)[0])
/** Every text of a task with what it newly needs. */
const turnsOf = (task) => [task, ...task.steps]
const toolsOfTask = (task) => turnsOf(task).flatMap((turn) => turn.needs.flat())
const twice = (items) => items.filter((item, at) => items.indexOf(item) !== at)

for (const name of FILES) {
  test(`${name}: every line has an id, a text and a language, and half of those that are no third writing are held out`, (t) => {
    const lines = readLines(`${name}.jsonl`)
    for (const line of lines) {
      t.regex(line.id, /^[a-z-]+-\d{3,4}$/)
      t.regex(line.language, /^[a-z]{2}$/, line.id)
      t.true(['held-out', 'tuning'].includes(line.half), line.id)
      for (const { text } of [line, ...(line.steps ?? [])]) t.true(text === text.trim() && text !== '', line.id)
    }
    const isHeld = ({ half }) => half === 'held-out'
    const first = lines.filter((line) => numberOf(line) < THIRD_WRITING)
    t.false(lines.some((line) => isHeld(line) && !first.includes(line)))
    const share = first.filter(isHeld).length / first.length
    t.true(share >= 0.45 && share <= 0.55, `${Math.round(share * 100)} % of ${first.length} are held out`)
  })
}

test('an id is used once, and a text opens one line only', (t) => {
  const all = FILES.flatMap((name) => readLines(`${name}.jsonl`))
  t.deepEqual(twice(all.map(({ id }) => id)), [])
  t.deepEqual(twice(all.map(({ text }) => text.toLowerCase())), [])
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
