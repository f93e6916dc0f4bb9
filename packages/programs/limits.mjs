// How far a program may go, and errors in the one shape of this package.

/** Each limit: its default, and the least and the most that a host may set. */
const ROWS = {
  /** Milliseconds from start to end, time in which somebody is asked not counted: as long as most clients wait for a call. */
  timeMs: [60_000, 100, 3_600_000],
  /** Milliseconds in which somebody who is asked answers: a person reads and thinks, or is not there. */
  askMs: [300_000, 100, 3_600_000],
  /** Milliseconds in which it computes itself. What programs do between calls takes single ones. */
  computeMs: [5_000, 10, 600_000],
  /** Bytes of its memory, results of calls among them. */
  memoryBytes: [64 << 20, 16 << 20, 1 << 30],
  /** Calls, searches and descriptions together. */
  calls: [100, 1, 10_000],
  /** Calls under way at the same time; others wait for their turn. */
  concurrentCalls: [8, 1, 64],
  /** Characters that reach the model, of what it prints and of what it returns: some 4,000 tokens. At least what says
   * that there is more. */
  outputCharacters: [16_000, 1_000, 4_000_000],
  /** Levels of the arguments of a call. */
  argumentDepth: [64, 1, 500],
  /** Characters of the arguments of a call, as JSON. */
  argumentCharacters: [262_144, 100, 16_777_216],
  /** Characters of the result of a call, as JSON. */
  resultCharacters: [8_388_608, 100, 67_108_864],
}

/** Characters of a program: longer ones are not written by a model. */
export const MAX_OF_CODE = 131_072
/** Characters of its parameters, as JSON. */
export const MAX_OF_PARAMETERS = 1_048_576

/** @type {import('./index.d.mts').Limits} */
export const DEFAULT_LIMITS = Object.freeze(
  /** @type {any} */ (Object.fromEntries(Object.entries(ROWS).map(([name, [otherwise]]) => [name, otherwise]))),
)

/** @param {string} code @param {string} message */
export function programError(code, message) {
  return Object.assign(new Error(message), { name: 'ToolRouterError', code })
}

/**
 * @param {string} path
 * @param {string} expected
 * @param {unknown} got
 */
export function invalid(path, expected, got) {
  const isPlain = got === null || !['object', 'function', 'string'].includes(typeof got)
  const shown = isPlain ? String(got) : typeof got === 'string' ? `${got.length} characters` : typeof got
  return programError('ERR_INVALID_ARGUMENT', `${path}: expected ${expected}, got ${shown}`)
}

/** @param {unknown} given @param {string} at */
export function readLimits(given, at) {
  if (given === undefined) return DEFAULT_LIMITS
  if (given === null || typeof given !== 'object') throw invalid(at, 'an object', given)
  const read = { ...DEFAULT_LIMITS }
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(ROWS, name)) throw invalid(at, `only the keys ${Object.keys(ROWS).join(', ')}`, name)
    const [, least, most] = ROWS[name]
    if (value === undefined) continue
    if (!Number.isInteger(value) || value < least || value > most)
      throw invalid(`${at}.${name}`, `an integer from ${least} to ${most}`, value)
    read[name] = value
  }
  return read
}
