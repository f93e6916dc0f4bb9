// The tasks that are played: our own, and those of the sets that the caller names.

import fs from 'node:fs'
import path from 'node:path'

import { tasksOf } from '../../ranking/eval/sessions.mjs'
import { OWN } from '../../ranking/eval/sets.mjs'
import { readLabelled } from '../../strangers/catalogue.mjs'

const labelled = path.join(import.meta.dirname, '..', '..', '..', 'labelled')

/** The set of tasks over servers that nothing here knows. */
export const STRANGERS = 'strangers'
/** Tasks of a set whose requests are split into steps: a hundred of each say enough. */
const MOST_DERIVED = 100

let written
/** @returns {Map<string, string>} by tool, what somebody who has not seen its name would search with */
export function searches() {
  written ??= new Map(linesOf('searches.jsonl').map(({ tool, query }) => [tool, query]))
  return written
}

function linesOf(name) {
  const lines = fs.readFileSync(path.join(labelled, name), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** Our tasks, whose needs are said turn by turn. */
function ownTasks() {
  return linesOf('tasks.jsonl')
}

/** A session of a set: needed tools are known for the whole alone. */
function ofSession({ id, query, steps, gold, alts = {} }, isDerived) {
  return {
    id,
    half: 'given',
    text: query,
    needs: gold.map((tool) => [tool, ...(alts[tool] ?? [])]),
    steps: steps.map((text) => ({ text, needs: [] })),
    atEnd: true,
    saysAll: isDerived,
  }
}

/**
 * @param {import('../../ranking/eval/sets.mjs').LabelledSet} set
 * @returns {import('./play.mjs').Task[]}
 */
export function tasksToPlay(set) {
  if (set.name === STRANGERS) return readLabelled().tasks.filter(({ needs }) => needs.length > 0)
  const isOwn = set.name === OWN
  const [{ tasks: sessions }, { tasks: derived }] = tasksOf(set)
  const given = [
    ...sessions.map((session) => ofSession(session, false)),
    // Their steps are parts of the request that opens them.
    ...(isOwn ? [] : derived.slice(0, MOST_DERIVED).map((session) => ofSession(session, true))),
  ]
  return isOwn ? [...ownTasks(), ...given] : given
}

/** Whether the first text of a task names all that it needs. */
export function saysAll({ steps, atEnd, saysAll: known }) {
  return known || (!atEnd && steps.every(({ needs }) => needs.length === 0))
}
