// What fits a need in a value that a program has, by the ranking of held results.

import { Refusal } from './calls.mjs'

/** Tokens of a value that is answered whole: there is nothing to choose in it. */
const WHOLE_TOKENS = 200
/** Characters that are said about a value in which nothing fits. */
const MAX_SAID = 2_000

/**
 * The passages of a text that fit a need best, best first. The text is held for that long only.
 *
 * @param {import('@zoo-code/tool-router/internal').ToolRouter} router
 * @param {string} text
 * @param {string} need
 */
export async function findIn(router, text, need) {
  const session = router.openSession()
  try {
    const held = await session.holdResult(text, { maxTokens: WHOLE_TOKENS })
    if (held === null) return [{ place: 'all', text }]
    const { passages, text: said } = await session.readResult(held.handle, { need })
    if (passages.length === 0) throw new Refusal('not-found', said.slice(0, MAX_SAID))
    return passages.map(({ place, text: passage }) => ({ place, text: passage }))
  } finally {
    session.close()
  }
}
