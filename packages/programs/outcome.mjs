// The outcome of a program where it is too long for a model: held, as a result of a call is.

/** Characters that a program may print and return where what is too long for the model is held. */
export const MAX_HELD = 4_000_000
/** The least that holding may be asked for, in tokens. */
const MIN_TOKENS = 200
/** Characters that a token has at most in all but odd texts. */
const CHARACTERS_PER_TOKEN = 8

/**
 * @param {import('@zoo-code/tool-router/internal').Session} session may read what is held
 * @param {import('./index.d.mts').ProgramResult} outcome
 * @param {number} most characters for the model
 */
export async function bounded(session, outcome, most) {
  const { ok, text } = outcome
  if (text.length <= most) return outcome
  const result = { content: [{ type: 'text', text }], ...(!ok && { isError: true }) }
  const hold = (maxTokens) => session.holdResult(result, { maxTokens })
  const tokens = Math.max(MIN_TOKENS, Math.floor(most / CHARACTERS_PER_TOKEN))
  // What it did is done, also where its session has been closed meanwhile.
  const held = await hold(tokens)
    .then((known) => known ?? hold(MIN_TOKENS))
    .catch(() => null)
  if (held === null) return { ...outcome, text: text.slice(0, most) }
  return { ...outcome, text: held.text.slice(0, most), handle: held.handle }
}
