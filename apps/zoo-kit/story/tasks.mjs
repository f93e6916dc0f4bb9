// The labelled tasks that the kit is measured by.

import fs from 'node:fs'
import path from 'node:path'

const LABELLED = path.join(import.meta.dirname, '../../../research/labelled')
const lines = (file) =>
  fs
    .readFileSync(path.join(LABELLED, file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

function all() {
  const words = new Map(lines('searches.jsonl').map(({ tool, query }) => [tool, query]))
  const wordsOf = (need) => words.get(need.find((id) => words.has(id)))
  return lines('tasks.jsonl')
    .filter(({ half, needs }) => half === 'tuning' && needs.every((need) => wordsOf(need) !== undefined))
    .map(({ text, needs }) => ({ text, needs: needs.map((ids) => ({ ids, words: wordsOf(ids) })) }))
}

/** The first text brings tools, then the model searches for each need that is not met. */
export const fixedTasks = (count) => all().slice(0, count)

/** One server of each task is not there at its first text. */
export const lateTasks = (count) =>
  all()
    .filter(({ needs }) => needs.length > 0)
    .map((task) => ({ ...task, late: task.needs[0].ids[0].split('::')[0] }))
    .slice(0, count)
