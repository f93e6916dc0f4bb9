// What requests of a transcript cost, and where a provider had to read again what it had cached. In base tokens: a token that is
// neither written to a cache nor read from it counts 1.

import { PRICES, WRITE_LONG } from './price.mjs'
import { PROGRAMS } from './programs.mjs'

/** How long a provider keeps what it was sent last. */
const KEPT_MS = 5 * 60_000
const KEPT_LONG_MS = 60 * 60_000
/** A cache is broken where more is read again than providers leave out at the end of a prompt. */
const MIN_TOKENS = 1_024
const MIN_SHARE = 0.2
/** From here on the whole prompt counts as read again. */
const COLD_SHARE = 0.5

/** @type {[RegExp, import('@zoo-code/tool-router/internal').Provider][]} whose prices a model has */
const MODELS = [
  [/claude/i, 'anthropic'],
  [/gemini/i, 'gemini'],
]

/** @param {import('./told.mjs').Session} session */
export function providerOf({ program, told }) {
  const model = told.find((each) => each.kind === 'asked' && each.model !== '')
  const name = model?.kind === 'asked' ? model.model : ''
  return MODELS.find(([pattern]) => pattern.test(name))?.[1] ?? PROGRAMS[program].provider
}

/** Base tokens of a request; undefined where the transcript does not say how long it was. */
export function costOf({ prompt, read, written, writtenLong }, provider) {
  if (prompt === undefined) return undefined
  const { write, read: price } = PRICES[provider]
  const plain = Math.max(0, prompt - read - written)
  // Who does not count what is written pays for it as for the rest.
  const long = Math.min(writtenLong, written)
  return plain + price * read + write * (written - long) + WRITE_LONG * long
}

/** What may have broken a cache, in the words of a report. */
export const CAUSES = {
  compacted: 'the conversation was condensed',
  model: 'another model',
  tools: 'another system prompt or list of tools',
  resumed: 'the conversation was taken up again',
  pause: 'a pause longer than the cache is kept',
  unknown: 'the transcript does not say',
}

/**
 * @typedef {object} Break
 * @property {keyof typeof CAUSES} cause
 * @property {number} tokens that were in the cache and were read again
 * @property {boolean} isWhole whether nearly all of it was
 * @property {number} place
 */

/** @param {import('./told.mjs').Asked} before @param {import('./told.mjs').Asked} asked @param {Set<string>} between */
function causeOf(before, asked, between) {
  for (const what of /** @type {const} */ (['compacted', 'tools', 'resumed'])) if (between.has(what)) return what
  if (before.model !== asked.model && before.model !== '' && asked.model !== '') return 'model'
  const kept = before.writtenLong > 0 ? KEPT_LONG_MS : KEPT_MS
  if (before.at !== undefined && asked.at !== undefined && asked.at - before.at > kept) return 'pause'
  return 'unknown'
}

/**
 * Where caches were broken. A session of which nothing was ever cached has none.
 *
 * @param {import('./told.mjs').Session} session
 * @returns {Map<import('./told.mjs').Asked, Break>}
 */
export function breaksOf({ told }) {
  const breaks = new Map()
  if (!told.some((each) => each.kind === 'asked' && each.read + each.written > 0)) return breaks
  let before
  const between = new Set()
  for (const each of told) {
    if (each.kind === 'changed') between.add(each.what)
    if (each.kind !== 'asked' || each.prompt === undefined) continue
    const tokens = before === undefined ? 0 : Math.min(before.prompt, each.prompt) - each.read
    if (tokens > Math.max(MIN_TOKENS, MIN_SHARE * (before?.prompt ?? 0)))
      breaks.set(each, {
        cause: causeOf(before, each, between),
        tokens,
        isWhole: each.read < COLD_SHARE * before.prompt,
        place: each.place,
      })
    before = each
    between.clear()
  }
  return breaks
}
