// A labelled set instead of a history: `tasks.jsonl`, in which a task's needs stand as the calls that it made, or
// `sessions.jsonl`, whose needs count at the end. research/labelled/README.md describes the format.

import path from 'node:path'

import { linesOf, tellEach } from '../pieces.mjs'
import { Telling } from '../told.mjs'

/** `server::tool`, as ids of labelled tools are. */
function callOf(telling, id, place) {
  const [server, tool] = String(id).split('::')
  if (tool !== undefined) telling.called(`${server}/${tool}`, { server, tool, place })
}

/** @param {any} task @returns {{ text: string, needs: string[][] }[]} its messages, each with what is needed from it on */
function stepsOf({ text, needs, query, steps = [], gold = [] }) {
  if (typeof text === 'string') return [{ text, needs }, ...steps]
  const texts = [query, ...steps]
  return texts.map((each, at) => ({ text: each, needs: at === texts.length - 1 ? gold.map((id) => [id]) : [] }))
}

async function* read(file, { program, problems }) {
  /** @type {import('../told.mjs').Session[]} */
  const sessions = []
  const unread = (why) => problems.unread(program, file, why)
  await tellEach(linesOf(file), unread, (value, number) => {
    const telling = new Telling({ program, form: path.basename(file), file, id: String(value.id ?? number) })
    for (const { text, needs } of stepsOf(value)) {
      telling.said(text, number)
      if (Array.isArray(needs)) for (const need of needs) if (Array.isArray(need)) callOf(telling, need[0], number)
    }
    if (!telling.isEmpty) sessions.push(telling.session)
  })
  yield* sessions
}

export const TASK_SET = { form: 'labelled set', files: /^(tasks|sessions)\.jsonl$/, read }
