// SPDX-License-Identifier: Apache-2.0
//
// What a task costs at a provider that caches prefixes, from what happened to its tools turn by turn. In base-token
// equivalents: a token that is neither written to the cache nor read from it counts 1.

/** The system prompt and the host's own tools, in tokens: those of a coding extension. */
export const SYSTEM_TOKENS = 14_000
/** Steps of the model per message of the user, and what each adds to the conversation: a call, its result, some text. */
export const STEPS = 8
export const STEP_TOKENS = 1_500
/** A step in which the model calls `mcp_load` adds the call itself; the answer is counted as it is. */
export const CALL_TOKENS = 60

/** Prices by provider, as src/settings/providers.rs has them. */
export const PRICES = {
  anthropic: { write: 1.25, read: 0.1 },
  bedrock: { write: 1.25, read: 0.1 },
  'openai-responses': { write: 1, read: 0.1 },
  gemini: { write: 1, read: 0.1 },
  vscode: { write: 1, read: 0.1 },
  'openai-chat': { write: 1, read: 0.25 },
}

/**
 * @typedef {object} TurnTrace what a turn, or a load within it, did to the tools
 * @property {number} front tokens of definitions that stand before the system prompt now
 * @property {number} kept of these, tokens in front of the first change; all that stood there when nothing changed
 * @property {boolean} changed whether what stands there changed
 * @property {number} said tokens that were added to the messages: texts, blocks, definitions
 * @property {TurnTrace[]} loads further steps of the model
 */

/** Tokens of everything behind the definitions when a turn begins. */
export function contextBefore(turn) {
  return SYSTEM_TOKENS + turn * STEPS * STEP_TOKENS
}

/**
 * Prices a task.
 *
 * @param {TurnTrace[]} turns
 * @param {{ write: number, read: number }} prices
 * @returns {{ cost: number, rewrites: number, further: number, furtherSteps: number }} `further` is the cost of the steps
 *   that the delivery itself needed, which is not part of `cost`; definitions that they brought are, from then on
 */
export function priceOf(turns, { write, read }) {
  const bill = { cost: 0, rewrites: 0, further: 0, furtherSteps: 0 }
  /** Tokens in the cache: the definitions in front, and what stands behind them. */
  let front = 0
  let behind = 0
  const step = (added) => {
    bill.cost += read * (front + behind) + write * added
    behind += added
  }
  /** The list of tools changed: what stands behind the change is written again, not read, with the next request. */
  const relist = (trace) => {
    if (!trace.changed) return 0
    bill.rewrites += 1
    front = trace.front
    return (write - read) * (front - trace.kept + behind)
  }
  turns.forEach((turn, at) => {
    if (at === 0) {
      ;[front, behind] = [turn.front, SYSTEM_TOKENS + turn.said]
      bill.cost += write * (front + behind)
    } else {
      bill.cost += relist(turn)
      step(turn.said + STEP_TOKENS)
    }
    for (const load of turn.loads) {
      bill.furtherSteps += 1
      bill.further += read * (front + behind) + write * (CALL_TOKENS + load.said)
      behind += CALL_TOKENS + load.said
      bill.further += relist(load)
    }
    for (let more = 1; more < STEPS; more++) step(STEP_TOKENS)
  })
  return bill
}
