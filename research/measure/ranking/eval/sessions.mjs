// Whole tasks: which needed tools get attached over all turns, and what that costs.

import { mean } from './metrics.mjs'
import { openRouter } from './systems/router.mjs'

/** Sizes of the first selection that are compared. `auto` is skipped by an addon that does not know it. */
export const INITIAL_KS = [10, 20, 30, 40, 'auto']

/** Words that a part of a request must have to be a step: shorter ones are "and then" and the like. */
const STEP_WORDS = 3

/**
 * The parts of a request, in place of step texts that a set does not have: sentences and clauses.
 *
 * @returns {string[]} one part at least
 */
export function stepsOf(query) {
  const clauses = query.split(/[\n;:]+|[.!?。！？]+(?=\s|$)|,?\s+(?:and then|then|and|after that|also)\s+|,\s+/giu)
  const steps = clauses.map((clause) => clause.trim()).filter((clause) => clause.split(/\s+/).length >= STEP_WORDS)
  return steps.length > 1 ? steps : [query]
}

/** The tasks of a set: those with steps of their own, and its requests that need several tools, split into steps. */
export function tasksOf({ requests, sessions }) {
  const several = requests.filter(({ gold }) => gold.length > 1)
  return [
    { derived: false, tasks: sessions },
    { derived: true, tasks: several.map((request) => ({ ...request, steps: stepsOf(request.query) })) },
  ]
}

/**
 * Plays sessions: the request first, then each step as a message.
 *
 * @param {import('./sets.mjs').LabelledSet} set
 * @param {import('./sets.mjs').TaskSession[]} sessions
 * @param {number | 'auto'} initialK
 * @returns {Promise<object | undefined>} means over the tasks: `first` and `covered`, shares of needed tools attached
 *   after the first turn and after the last; `firstTools` and `tools`, how many those are; `tokens` attached in the end;
 *   `scoped` tokens of the catalogue. And `most`, the most tools that a task had. Nothing when the addon does not know
 *   this value.
 */
export async function playSessions(set, sessions, initialK, say) {
  const { router, idOf } = await openRouter(set, { say })
  const rows = []
  for (const task of sessions) {
    let session
    try {
      session = router.openSession({ settings: { threshold: 0, initialK, deadlineMs: 60_000 } })
    } catch (error) {
      if (error.code === 'ERR_INVALID_ARGUMENT' && initialK === 'auto') return undefined
      throw error
    }
    const covered = ({ attached }) => {
      const ids = new Set(attached.map((name) => idOf(session.resolveTool(name))))
      const has = (id) => [id, ...(task.alts?.[id] ?? [])].some((each) => ids.has(each))
      return task.gold.filter(has).length / task.gold.length
    }
    let selection = await session.start(task.query)
    const [first, firstTools] = [covered(selection), selection.attached.length]
    for (const step of task.steps) selection = await session.turn(step)
    const { attached, mcpLoad, scoped } = selection.tokens
    rows.push({
      first,
      firstTools,
      covered: covered(selection),
      tools: selection.attached.length,
      tokens: attached + mcpLoad,
      scoped,
    })
    session.close()
  }
  const means = Object.keys(rows[0]).map((column) => [column, mean(rows.map((row) => row[column]))])
  return { ...Object.fromEntries(means), most: Math.max(...rows.map(({ tools }) => tools)) }
}
