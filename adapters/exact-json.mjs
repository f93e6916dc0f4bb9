// JSON whose numbers stay as they were written. JavaScript reads 725653563933458432 as 725653563933458400; here such a number is
// read as a mark, a text that nobody else can write, and a mark is written as the number again. All that holds values, copies or
// keeps them in between needs to know nothing of it.

import { randomBytes } from 'node:crypto'

/** Made by chance in each process, so that no text of a server or a client can be one. */
const MARK = `number-${randomBytes(12).toString('hex')}:`
const NUMBER = '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?'
const WHOLE = new RegExp(`^${NUMBER}$`)
const MARKED = new RegExp(`^${MARK}(${NUMBER})$`)
/** A mark as a value, also of JSON within texts of JSON; or anywhere else in a text. */
const WRITTEN = new RegExp(`(\\\\*")${MARK}(${NUMBER})\\1|${MARK}`, 'g')

/** Keys under which all is somebody else's: what the protocol says about its own numbers does not hold there. */
const OPEN = new Set(['arguments', 'structuredContent', 'inputSchema', 'outputSchema', 'requestedSchema'])
/** Keys of the protocol itself whose values tell requests apart, and such as are counted with, where a round number does. */
const IDS = new Set(['id', 'requestId', 'progressToken'])
const COUNTS = new Set([
  ...['progress', 'total', 'ttlMs', 'ttl', 'pollInterval', 'size', 'priority', 'code', 'maxTokens', 'temperature'],
  ...['costPriority', 'speedPriority', 'intelligencePriority'],
])
const OWN = new Set([...IDS, ...COUNTS])
/**
 * Numbers of one text that are marked only for how they are written, as 1.0 is: a mark is much longer than they are, and a table of
 * millions must not take the memory.
 */
const MAX_STYLED = 100_000
/** Numbers of one text that are marked at all; there are such tables, and each number costs half a kilobyte. */
const MAX_MARKED = 200_000
/** Digits of a number that JavaScript may not hold, and a fraction that it does. */
const MANY = 16
const SHORT = /^-?(?=.{3,15}$)(?!0\.0{5})\d+\.\d+$/

const [QUOTE, COLON, MINUS, DOT, ZERO, NINE] = [34, 58, 45, 46, 48, 57]
const [OPENS, CLOSES, OPENS_LIST, CLOSES_LIST, UPPER_E, LOWER_E, PLUS] = [123, 125, 91, 93, 69, 101, 43]
const isDigit = (code) => code >= ZERO && code <= NINE

/** The first character behind a text that begins at `from`, in time that is linear however many are escaped. */
function behindText(json, from) {
  for (let at = json.indexOf('"', from + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0
    while (json.charCodeAt(at - 1 - escapes) === 92) escapes += 1
    if (escapes % 2 === 0) return at + 1
  }
  return json.length
}

/** Digits and exponent of a number, by which two ways to write it are alike. */
function digitsOf(number) {
  const [, sign, whole, part = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const digits = `${whole}${part}`.replace(/^0+/, '')
  const bare = digits.replace(/0+$/, '')
  if (bare === '') return '0'
  return `${sign}${bare}e${BigInt(power) - BigInt(part.length) + BigInt(digits.length - bare.length)}`
}

// Much faster than `String`, which keeps what it was asked last.
const isWrittenSo = (number) => JSON.stringify(Number(number)) === number
/** Whether it is a whole number that JavaScript cannot tell from its neighbours. */
const isBeyond = (number) => /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))
/** Whether JavaScript has the number, however it is written. @param {string} number */
const isHeld = (number) =>
  isWrittenSo(number) || (Number.isFinite(Number(number)) && digitsOf(number) === digitsOf(String(Number(number))))

/** Whether there is any mark in this process. */
let isMade = false

/**
 * JSON with marks for the numbers that JavaScript would change. What it is given need not be JSON.
 *
 * @param {string} json
 * @param {{ isOpen?: boolean }} [options] `isOpen`: nothing in it is of the protocol
 * @returns {string}
 * @throws {RangeError} for more of them than can be kept
 */
export function withMarks(json, { isOpen = false } = {}) {
  const parts = []
  let [taken, depth] = [0, 0]
  let openSince = isOpen ? 0 : Infinity
  // The last text, and whether it is the key of what comes next.
  let [from, to, isKey] = [0, 0, false]
  const isNamed = (names) => isKey && names.has(json.slice(from + 1, to - 1))
  // The protocol's own readers want a number there.
  const isCounted = (names, number) =>
    openSince > depth && isNamed(names) && (isNamed(COUNTS) ? Number.isFinite(Number(number)) : isHeld(number))
  const isMarked = (number, isOdd) => {
    if (!isOdd) return WHOLE.test(number) && !Number.isSafeInteger(Number(number)) && !isCounted(COUNTS, number)
    const isShort = number.length <= MANY && SHORT.test(number)
    if (isShort ? number.charCodeAt(number.length - 1) !== ZERO : isWrittenSo(number)) return false
    if (!WHOLE.test(number) || isCounted(OWN, number)) return false
    return parts.length < 2 * MAX_STYLED || (!isShort && !isHeld(number))
  }
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      from = at
      at = behindText(json, at)
      to = at
      isKey = false
      continue
    }
    if (code === MINUS || isDigit(code)) {
      const start = at
      // Few numbers need to be looked at: long ones, fractions, powers, and minus nothing.
      let isOdd = code === MINUS && json.charCodeAt(at + 1) === ZERO
      for (at += 1; at < json.length; at += 1) {
        const next = json.charCodeAt(at)
        if (isDigit(next)) continue
        if (next !== DOT && next !== LOWER_E && next !== UPPER_E && next !== PLUS && next !== MINUS) break
        isOdd = true
      }
      if (!isOdd && at - start < MANY) continue
      const number = json.slice(start, at)
      if (!isMarked(number, isOdd)) continue
      if (parts.length === 2 * MAX_MARKED) throw new RangeError(`more than ${MAX_MARKED} numbers beyond JavaScript's`)
      parts.push(json.slice(taken, start), `"${MARK}${number}"`)
      taken = at
      continue
    }
    if (code === OPENS || code === OPENS_LIST) {
      if (openSince === Infinity && isNamed(OPEN)) openSince = depth + 1
      depth += 1
      isKey = false
    } else if (code === CLOSES || code === CLOSES_LIST) {
      depth -= 1
      if (depth < openSince && !isOpen) openSince = Infinity
      isKey = false
    } else if (code === COLON) isKey = true
    else if (code > 32) isKey = false
    at += 1
  }
  if (parts.length === 0) return json
  isMade = true
  parts.push(json.slice(taken))
  return parts.join('')
}

/**
 * Reads JSON; numbers that JavaScript would change are marks.
 *
 * @param {string} json
 * @param {{ isOpen?: boolean }} [options] see {@link withMarks}
 * @returns {any}
 */
export const parse = (json, options) => JSON.parse(withMarks(json, options))

/** JSON in which marks are numbers again, also within texts. @param {string} json */
export const withNumbers = (json) =>
  json.includes(MARK) ? json.replace(WRITTEN, (_, quote, number) => (quote === undefined ? '' : number)) : json

/** Writes JSON; marks are numbers again. @param {unknown} value @param {string | number} [space] */
export function stringify(value, space) {
  const json = JSON.stringify(value, undefined, space)
  return json === undefined ? json : withNumbers(json)
}

/** A value for who takes none with marks: their numbers are what JavaScript makes of them. @template T @param {T} value @returns {T} */
export function withoutMarks(value) {
  if (!isMade) return value
  const json = JSON.stringify(value)
  return json?.includes(MARK) ? JSON.parse(withNumbers(json)) : value
}

/** A text for people or models without marks in it: of a number its digits stay. @param {string} text */
export const plainText = (text) => (text.includes(MARK) ? JSON.parse(withinText(JSON.stringify(text))) : text)
/** The quotes around the whole text are its own. */
const withinText = (json) => `"${withNumbers(json.slice(1, -1))}"`

/** The number that a value is a mark of, as it was written. @param {unknown} value @returns {string | undefined} */
export const numberOf = (value) =>
  typeof value === 'string' && value.startsWith(MARK) ? MARKED.exec(value)?.[1] : undefined

/** Whether a text may have marks in it. @param {string | Uint8Array} text */
export const hasMarks = (text) =>
  typeof text === 'string'
    ? text.includes(MARK)
    : Buffer.from(text.buffer, text.byteOffset, text.byteLength).includes(MARK)

/** What a mark begins with: who reads JSON elsewhere knows them by it. */
export { MARK }

/** A value with JavaScript's numbers where those are the same numbers. Others stay marks. @param {any} value @returns {any} */
export function asNumbers(value) {
  const number = numberOf(value)
  if (number !== undefined) return isHeld(number) && !isBeyond(number) ? Number(number) : value
  if (Array.isArray(value)) return value.map(asNumbers)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asNumbers(each)]))
}

/**
 * Why arguments cannot be given to whoever takes them as values of JavaScript; undefined where they can. A whole number beyond 2^53
 * is not known to be the one that was written: whoever read it before may have changed it.
 *
 * @param {string} json
 * @param {string} [at] how the whole is called
 * @returns {string | undefined}
 */
export function notCarried(json, at = 'arguments') {
  let path
  try {
    const marked = withMarks(json, { isOpen: true })
    path = marked === json ? undefined : firstLost(JSON.parse(marked), at)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    path = at
  }
  return path && `${path} cannot be carried exactly; nothing was called`
}

function firstLost(value, path) {
  const number = numberOf(value)
  if (number !== undefined) return isHeld(number) && !isBeyond(number) ? undefined : path
  if (value === null || typeof value !== 'object') return undefined
  for (const [key, each] of Object.entries(value)) {
    const found = firstLost(each, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}
