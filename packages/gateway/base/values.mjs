// Readers of values that come from outside: configuration, options, arguments of meta tools. Each returns the value, or
// throws `ERR_INVALID_ARGUMENT` with its path, what was expected and what was received.

import { invalid } from './errors.mjs'

/** Characters of a text: what the router reads of a query, and more than any description or argument has. */
export const MAX_TEXT = 32_768

/** Levels of a message, of clients and of servers. At some thousands `JSON.stringify` gives up, and nothing is passed on. */
export const MAX_DEPTH = 1_000

/** Characters of a bearer token at least: 128 bits in hexadecimal digits. */
const MIN_TOKEN = 32

/** Empty, or a NUL inside, which no path, argument or variable can hold. */
const EMPTY_OR_NUL = /^$|\0/

/** No array, not null. @returns {value is Record<string, any>} */
export const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)

/** @returns {any} the same value, when it is an object */
export function record(value, at) {
  if (!isObject(value)) throw invalid(at, 'an object', value)
  return value
}

/** An object with no other keys than these. */
export function known(value, at, keys) {
  for (const key of Object.keys(record(value, at)))
    if (!keys.includes(key)) throw invalid(at, `only the keys ${keys.join(', ')}`, key)
  return value
}

/** Text of 1 to `most` characters. `unusable` matches texts that are as good as none. */
export function text(value, at, most = MAX_TEXT, unusable = EMPTY_OR_NUL) {
  if (typeof value !== 'string' || value.length > most || unusable.test(value)) {
    throw invalid(
      at,
      `text of 1 to ${most} characters`,
      typeof value === 'string' ? `${value.length} characters` : value,
    )
  }
  return value
}

/** A bearer token. It is never shown. */
export function readToken(value, at) {
  if (typeof value !== 'string' || value.length < MIN_TOKEN || !/^[\x21-\x7e]+$/.test(value)) {
    throw invalid(
      at,
      `at least ${MIN_TOKEN} visible ASCII characters`,
      typeof value === 'string' ? `${value.length} characters` : typeof value,
    )
  }
  return value
}

/** An array of at most `most` entries; none when nothing is given. `what` names the entries in the message. */
export function list(value, at, most, what = '') {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > most) throw invalid(at, `an array of at most ${most}${what}`, value)
  return value
}

/** True or false; false when nothing is given. */
export function flag(value, at) {
  if (value !== undefined && typeof value !== 'boolean') throw invalid(at, 'true or false', value)
  return value ?? false
}

/** Those of some options that are given, with their names. @param {Record<string, string | undefined>} options */
export function given(options) {
  return Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
}

/** The same as an object. @param {Record<string, string | undefined>} options */
export function onlyGiven(options) {
  return Object.fromEntries(given(options).map(({ name, value }) => [name, value]))
}

/** An integer from `least` to `most`; `otherwise`, when there is one, stands for a value that is not given. */
export function integer(value, at, least, most, otherwise) {
  if (value === undefined && otherwise !== undefined) return otherwise
  if (!Number.isInteger(value) || value < least || value > most) {
    throw invalid(at, `an integer from ${least} to ${most}`, value)
  }
  return value
}

/** One of a few values. */
export function oneOf(value, at, choices) {
  if (!choices.includes(value)) throw invalid(at, `one of ${choices.join(', ')}`, value)
  return value
}

/** Whether a parsed value is nested deeper than {@link MAX_DEPTH}; without recursion, which gives up there as well. */
export function isDeep(value) {
  const nested = (each) => each !== null && typeof each === 'object'
  let level = [value].filter(nested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((each) => Object.values(each)).filter(nested)
  }
  return false
}
