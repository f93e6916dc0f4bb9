// A session of a person as the task that the player plays: its messages, the tools that were called behind each, and the shape of
// its conversation as far as the transcript tells it.

import { breaksOf } from './bill.mjs'
import { STEP_TOKENS, USUAL } from './price.mjs'
import { messagesOf } from './tally.mjs'

/** How ids of labelled tools are written. */
export const idOf = ({ serverName, toolName }) => `${serverName}::${toolName}`

/**
 * @typedef {import('./play.mjs').Task & { session: import('./told.mjs').Session, places: number[][], requests: number[],
 * unknown: number, isMeasured: boolean }} HistoryTask `places`: where each need stands in the file, `requests`: how many each
 * message took, `unknown`: calls of tools that no list has, `isMeasured`: whether the transcript has tokens
 */

/**
 * @param {import('./told.mjs').Session} session
 * @param {import('./called-names.mjs').KnownNames} known
 * @param {{ count: (text: string) => Promise<number>, scoped: number }} of `scoped`: tokens of all tools
 * @returns {Promise<HistoryTask>}
 */
export async function taskOf(session, known, { count, scoped }) {
  const had = new Set()
  const [first, ...later] = messagesOf(session.told)
  // Requests and calls before the first message belong to a conversation whose beginning is elsewhere.
  const messages = first.said === undefined ? later : [first, ...later]
  let unknown = 0
  const places = []
  const steps = messages.map(({ said, calls }) => {
    const own = []
    const needs = []
    for (const called of calls.filter(({ isOwn }) => !isOwn)) {
      const tool = known.find(called)
      if (tool === undefined) unknown += 1
      else if (!had.has(idOf(tool))) {
        had.add(idOf(tool))
        needs.push([idOf(tool)])
        own.push(called.place)
      }
    }
    places.push(own)
    return { text: said?.text ?? '', needs }
  })
  const [{ text, needs }, ...rest] = steps
  const asked = messages.map(({ requests }) => requests)
  const isMeasured = asked.flat().some(({ prompt }) => prompt !== undefined)
  return {
    id: session.id,
    text,
    needs,
    steps: rest,
    ...{ session, places, unknown, isMeasured, requests: asked.map(({ length }) => Math.max(1, length)) },
    shape: await shapeOf(session, asked, steps, { count, scoped }),
  }
}

/** @returns {Promise<import('./price.mjs').Shape>} */
async function shapeOf(session, asked, steps, { count, scoped }) {
  const breaks = breaksOf(session)
  const texts = await Promise.all(steps.map(({ text }) => count(text)))
  const start = asked.flat().find(({ prompt }) => prompt !== undefined)?.prompt
  // A program that keeps tools back until they are searched for sent none, and so did one whose whole prompt was shorter.
  const sent = session.defers || start === undefined || start < scoped ? 0 : scoped
  const system = start === undefined ? USUAL.system : Math.max(0, start - sent - texts[0])
  let before = start
  const shapes = asked.map((requests, turn) => {
    const own = requests.map((each, at) => {
      const isStart = turn === 0 && at === 0
      const cause = breaks.get(each)
      const cold = cause?.isWhole === true && cause.cause !== 'tools' && cause.cause !== 'compacted'
      if (each.prompt === undefined || before === undefined) return { added: isStart ? 0 : STEP_TOKENS, cold }
      const grown = each.prompt - before - (at === 0 && !isStart ? texts[turn] : 0)
      before = each.prompt
      return { added: isStart ? 0 : grown, cold }
    })
    return own.length > 0 ? own : [{ added: turn === 0 ? 0 : STEP_TOKENS }]
  })
  return { system, steps: (turn) => shapes[turn] }
}
