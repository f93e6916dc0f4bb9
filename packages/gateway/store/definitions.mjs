// Definitions of tools and prompts as they are compared: all that a model or a client reads of one, whatever bytes it
// comes in, and what two of them say differently.

import { createHash } from 'node:crypto'

import { parse, plainText, stringify } from '@zoo-code/tool-router/exact-json'

/** Parts that differ and are told one by one. */
const MOST = 1_000

/**
 * @typedef {{ name: string, [part: string]: unknown }} Listed what a server lists
 * @typedef {{ at: string, was: string | undefined, is: string | undefined }} Part a text that differs, by its place; one is
 * missing where the place is
 */

/** A definition as text, without its name: the same JSON is the same text. @param {Listed} listed */
export function textOf({ name: _, ...said }) {
  return stringify(inOrder(said))
}

/** What tells a text from every other one. @param {string} text */
export function hashOf(text) {
  return createHash('sha256').update(text).digest('base64url')
}

/**
 * A list in the bytes that clients have of it already: a tool that says the same in other bytes is the one of before.
 *
 * @template T
 * @param {T[]} tools
 * @param {Map<string, T> | undefined} before by name; undefined where clients get all of it again
 */
export function inSameBytes(tools, before) {
  const isSame = (one, other) => stringify(one) === stringify(other) || textOf(one) === textOf(other)
  return tools.map((tool) => {
    const { name } = /** @type {{ name?: unknown }} */ (tool ?? {})
    const known = typeof name === 'string' ? before?.get(name) : undefined
    return known !== undefined && isSame(known, tool) ? known : tool
  })
}

/** Keys in one order; a name that JSON alone knows, as `__proto__`, stays a key. */
function inOrder(value, key) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const list = value.map((each) => inOrder(each))
    return key === 'required' && list.every((each) => typeof each === 'string') ? list.toSorted() : list
  }
  const made = Object.create(null)
  for (const each of Object.keys(value).toSorted())
    if (value[each] !== undefined) made[each] = inOrder(value[each], each)
  return made
}

/**
 * What two definitions say differently, in the order of the new one. Lists whose lengths differ are one part.
 *
 * @param {string} was
 * @param {string} is
 * @returns {{ parts: Part[], more: number }} `more`: how many there are beside these
 */
export function differences(was, is) {
  const [before, after] = [leaves(was), leaves(is)]
  const places = [...new Set([...after.keys(), ...before.keys()])]
  const parts = places
    .filter((at) => before.get(at) !== after.get(at))
    .map((at) => ({ at, was: before.get(at), is: after.get(at) }))
  return { parts: parts.slice(0, MOST), more: Math.max(0, parts.length - MOST) }
}

/** Texts and values of a definition by their places. What was cut is one text. @returns {Map<string, string>} */
function leaves(text) {
  const found = new Map()
  const walk = (value, at) => {
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
    const isList = Array.isArray(value) && value.some((each) => each !== null && typeof each === 'object')
    const entries = isObject || isList ? Object.entries(value) : []
    // A definition that says nothing, and one that nobody has accepted, has no parts.
    if (entries.length === 0 && at !== '')
      found.set(at, typeof value === 'string' ? plainText(value) : stringify(value))
    for (const [key, each] of entries) walk(each, at === '' ? key : `${at}.${key}`)
  }
  try {
    walk(parse(text), '')
  } catch {
    found.set('', text)
  }
  return found
}
