// Every way in which tools can reach a model, over all tasks.

import { play } from '../../../../packages/gateway/history/play.mjs'
import { PRICES, priceOf } from '../../../../packages/gateway/history/price.mjs'
import { PAIRS } from '../../../../packages/gateway/history/ways.mjs'
import { saysAll, searches } from './tasks.mjs'

/** Of providers with the same prices one: `bedrock` has the rows of `anthropic`, `gemini` and `vscode` those of Responses. */
const PROVIDERS = /** @type {const} */ (['anthropic', 'openai-responses', 'openai-chat'])
/** First selections: what the router comes with, and a number of definitions alone. */
const selections = (initialK) => ({ 'two tiers': {}, [`${initialK} definitions`]: { initialK, directoryTokens: 0 } })
/** A line of progress after so many tasks. */
const PROGRESS_TASKS = 25

/** The ways to compare for a provider; the first three are what the others are measured against. */
export function waysOf(provider, initialK) {
  const way = (id, delivery, knowsContext, settings) => ({ id, provider, delivery, knowsContext, settings })
  return [
    way('static', 'append', false, { searchTurns: 0, directoryTokens: 0 }),
    way('never', 'append', false, { initialK, turnK: 0, directoryTokens: 0 }),
    // Three more tools with every message, whatever it says: added by name, because no setting does that any more.
    { ...way('window', 'append', false, { initialK: 30, turnK: 0, directoryTokens: 0 }), alwaysAdds: 3 },
    ...PAIRS[provider].flatMap((delivery) =>
      Object.entries(selections(initialK)).map(([name, own]) => way(`${delivery}, ${name}`, delivery, true, own)),
    ),
  ]
}

/** Two ways with one key have the same selections, whatever the shape of their requests. */
function keyOf({ id, provider, delivery }, loads) {
  const { write, read } = PRICES[provider]
  if (id === 'static' || id === 'never' || id === 'window') return `${id} ${loads}`
  if (delivery === 'append') return `${id} ${write} ${read} ${loads}`
  return delivery === 'call' ? `${id} ${loads}` : `${id} ${provider} ${loads}`
}

/**
 * @returns {Promise<object[]>} a row per task, provider and way
 */
export async function billOf(opened, tasks, initialK, say) {
  const rows = []
  const wordsFor = (id) => searches().get(id)
  for (const [at, task] of tasks.entries()) {
    const played = new Map()
    const once = async (way, loads) => {
      const key = keyOf(way, loads)
      if (!played.has(key)) played.set(key, await play(opened, task, way, { loads, wordsFor }))
      return played.get(key)
    }
    for (const provider of PROVIDERS) {
      for (const way of waysOf(provider, initialK)) {
        const alone = await once(way, false)
        // Everything is there already: nothing is searched for.
        const searched = way.id === 'static' ? alone : await once(way, true)
        const { cost, rewrites } = priceOf(alone.turns, PRICES[provider])
        const further = priceOf(searched.turns, PRICES[provider])
        rows.push({
          task: task.id,
          half: task.half,
          saysAll: saysAll(task),
          provider,
          way: way.id,
          cost,
          rewrites,
          covered: alone.covered,
          needed: alone.needed,
          tokens: alone.tokens,
          finallyCovered: searched.covered,
          steps: further.furtherSteps,
          // What the searches brought is read from then on: that is a cost of theirs.
          further: further.cost + further.further - cost,
          turns: task.steps.length + 1,
        })
      }
    }
    if ((at + 1) % PROGRESS_TASKS === 0) say(`${at + 1} of ${tasks.length} tasks`)
  }
  return rows
}
