// What a model chooses: the same first messages with all tools, with thirty, and with a few tools and a directory. Right is a first
// call of a tool that the person's own session called behind that message.

import { generator } from '../base/random.mjs'
import { shareOf } from './chance.mjs'
import { Spent } from './endpoint.mjs'

/** Requests of one message: searches, and the call. */
const MAX_STEPS = 5

/** @type {Record<string, import('@zoo-code/tool-router/internal').Settings>} */
const ARMS = {
  'all tools': { searchTurns: 0 },
  'thirty tools': { threshold: 0, initialK: 30, directoryTokens: 0 },
  'two tiers': { threshold: 0 },
}

/**
 * @typedef {object} Judged of one message in one arm
 * @property {boolean} isRight
 * @property {number} steps
 * @property {number} tokens
 * @property {number} ms
 *
 * @typedef {object} Arm
 * @property {string} title
 * @property {ReturnType<typeof shareOf>} right
 * @property {ReturnType<typeof shareOf>} more right calls than with all tools, as a share of the messages
 * @property {ReturnType<typeof shareOf>} steps for a message
 * @property {ReturnType<typeof shareOf>} tokens
 * @property {ReturnType<typeof shareOf>} seconds
 */

/** The first message of a task, asked in one arm. */
async function judge(open, endpoint, { text, needs }, settings) {
  const right = new Set(needs.map(([id]) => id))
  const session = open.router.openSession({ settings: { provider: 'openai-chat', delivery: 'append', ...settings } })
  const judged = { isRight: false, steps: 0, tokens: 0, ms: 0 }
  try {
    await session.start(text)
    /** @type {any[]} */
    const messages = [{ role: 'user', content: text }]
    while (judged.steps < MAX_STEPS) {
      const { tools, messages: added } = session.render()
      messages.push(...JSON.parse(added))
      const { message, tokens, ms } = await endpoint.ask(messages, JSON.parse(tools))
      judged.steps += 1
      judged.tokens += tokens
      judged.ms += ms
      const calls = Array.isArray(message.tool_calls) ? message.tool_calls : []
      if (calls.length === 0) break
      messages.push({ role: 'assistant', content: message.content ?? null, tool_calls: calls })
      const call = calls.find((each) => session.selection?.attached.includes(each.function?.name))
      if (call) {
        const tool = session.resolveTool(call.function.name)
        judged.isRight = tool !== null && right.has(open.idOf(tool))
        break
      }
      for (const each of calls) messages.push(...(await answered(session, each)))
    }
    return judged
  } finally {
    session.close()
  }
}

/**
 * What the model reads for a search, and for a call of what is not there.
 *
 * @param {import('@zoo-code/tool-router/internal').Session} session
 * @param {{ id: string, function?: { name?: string, arguments?: string } }} call
 */
async function answered(session, { id, function: called = {} }) {
  try {
    if (called.name === 'mcp_load')
      return JSON.parse(session.answerLoad(await session.load(called.arguments ?? '{}'), { callId: id }))
    const { problem } = await session.checkCall({ name: String(called.name), arguments: called.arguments ?? '{}' })
    return [{ role: 'tool', tool_call_id: id, content: problem?.message ?? 'this tool cannot be called here' }]
  } catch (error) {
    if (error.name !== 'ToolRouterError') throw error
    return [{ role: 'tool', tool_call_id: id, content: error.message }]
  }
}

/**
 * @param {ReturnType<typeof import('./would.mjs').opened>} open
 * @param {import('./endpoint.mjs').Endpoint} endpoint
 * @param {import('./task.mjs').HistoryTask[]} tasks
 * @param {{ seed: number, say: (line: string) => void }} options
 * @returns {Promise<{ name: string, unit: string, messages: number, of: number, spent: number, uncounted: number, stopped?: string,
 * arms: Arm[] }>}
 */
export async function judgedBy(open, endpoint, tasks, { seed, say }) {
  const random = generator(seed)
  const asked = tasks
    .filter(({ text, needs }) => text !== '' && needs.length > 0)
    .map((task) => ({ task, place: random() }))
    .toSorted((a, b) => a.place - b.place)
  /** @type {Judged[][]} a message each, an arm each */
  const rows = []
  let stopped
  for (const { task } of asked) {
    const row = []
    try {
      for (const settings of Object.values(ARMS)) row.push(await judge(open, endpoint, task, settings))
    } catch (error) {
      stopped = error instanceof Spent ? 'the budget would have been passed' : error.message
      break
    }
    rows.push(row)
    say(`${rows.length} of ${asked.length} messages`)
  }
  const { name, unit, spent, uncounted } = endpoint
  return { name, unit, messages: rows.length, of: asked.length, spent, uncounted, stopped, arms: armsOf(rows, seed) }
}

/** @returns {Arm[]} */
function armsOf(rows, seed) {
  if (rows.length === 0) return []
  const ones = rows.map(() => 1)
  const rightOf = (at) => rows.map((row) => Number(row[at].isRight))
  const of = (numbers) => shareOf(numbers, ones, seed)
  return Object.keys(ARMS).map((title, at) => {
    const all = rightOf(0)
    return {
      title,
      right: of(rightOf(at)),
      more: of(rightOf(at).map((right, message) => right - all[message])),
      steps: of(rows.map((row) => row[at].steps)),
      tokens: of(rows.map((row) => row[at].tokens)),
      seconds: of(rows.map((row) => row[at].ms / 1000)),
    }
  })
}
