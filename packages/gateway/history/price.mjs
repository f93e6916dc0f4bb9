// What a task costs at a provider that caches prefixes, from what happened to its tools turn by turn. In base-token
// equivalents: a token that is neither written to the cache nor read from it counts 1.

/** Prices by provider, as src/settings/providers.rs has them. */
export const PRICES = {
  anthropic: { write: 1.25, read: 0.1 },
  bedrock: { write: 1.25, read: 0.1 },
  'openai-responses': { write: 1, read: 0.1 },
  gemini: { write: 1, read: 0.1 },
  vscode: { write: 1, read: 0.1 },
  'openai-chat': { write: 1, read: 0.25 },
}
/** Anthropic's price of a token that is written for an hour. */
export const WRITE_LONG = 2
/** A step in which the model calls `mcp_load` adds the call itself; the answer is counted as it is. */
const CALL_TOKENS = 60

/**
 * @typedef {object} Step a request to the model
 * @property {number} added tokens that stand behind the ones of before; fewer than none where the conversation was condensed
 * @property {boolean} [cold] whether the provider had forgotten what it had cached
 *
 * @typedef {object} Shape a conversation without its tools and without the texts of its messages
 * @property {number} system the system prompt and the host's own tools, in tokens
 * @property {(turn: number) => Step[]} steps of the model after a message: one at least
 */

/** Tokens of a step whose length nobody knows: a call, its result, some text. */
export const STEP_TOKENS = 1_500
/** @type {Shape} a coding extension's, with eight steps for a message */
export const USUAL = { system: 14_000, steps: () => new Array(8).fill({ added: STEP_TOKENS }) }

/**
 * @typedef {object} TurnTrace what a turn, or a load within it, did to the tools
 * @property {number} front tokens of definitions that stand before the system prompt now
 * @property {number} kept of these, tokens in front of the first change; all that stood there when nothing changed
 * @property {boolean} changed whether what stands there changed
 * @property {number} said tokens that were added to the messages: texts, blocks, definitions
 * @property {TurnTrace[]} loads further steps of the model
 */

/** Tokens of everything behind the definitions when a turn begins. @param {number} turn @param {Shape} [shape] */
export function contextBefore(turn, shape = USUAL) {
  let tokens = shape.system
  for (let at = 0; at < turn; at++) for (const { added } of shape.steps(at)) tokens = Math.max(0, tokens + added)
  return tokens
}

/**
 * Prices a task.
 *
 * @param {TurnTrace[]} turns
 * @param {{ write: number, read: number }} prices
 * @param {Shape} [shape]
 * @returns {{ cost: number, rewrites: number, further: number, furtherSteps: number }} `further` is the cost of the steps
 *   that the delivery itself needed, which is not part of `cost`; definitions that they brought are, from then on
 */
export function priceOf(turns, { write, read }, shape = USUAL) {
  const bill = { cost: 0, rewrites: 0, further: 0, furtherSteps: 0 }
  /** Tokens in the cache: the definitions in front, and what stands behind them. */
  let front = 0
  let behind = 0
  const step = ({ added, cold = false }) => {
    const kept = Math.max(0, behind + Math.min(0, added))
    // What was condensed is another text behind the same definitions.
    if (cold) bill.cost += write * (front + kept + Math.max(0, added))
    else if (added < 0) bill.cost += read * front + write * kept
    else bill.cost += read * (front + behind) + write * added
    behind = kept + Math.max(0, added)
  }
  /** The list of tools changed: what stands behind the change is written again, not read, with the next request. */
  const relist = (trace) => {
    if (!trace.changed) return 0
    bill.rewrites += 1
    front = trace.front
    return (write - read) * (front - trace.kept + behind)
  }
  turns.forEach((turn, at) => {
    const [first, ...more] = shape.steps(at)
    if (at === 0) {
      ;[front, behind] = [turn.front, shape.system + turn.said]
      bill.cost += write * (front + behind)
    } else {
      bill.cost += relist(turn)
      step({ ...first, added: turn.said + first.added })
    }
    for (const load of turn.loads) {
      bill.furtherSteps += 1
      bill.further += read * (front + behind) + write * (CALL_TOKENS + load.said)
      behind += CALL_TOKENS + load.said
      bill.further += relist(load)
    }
    for (const each of more) step(each)
  })
  return bill
}
