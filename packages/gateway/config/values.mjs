// Values that only a configuration has. Values of variables and headers are never shown.

import { invalid, shown } from '../base/errors.mjs'
import { list as bounded, MAX_TEXT, record, text } from '../base/values.mjs'

/** Entries of one list in the configuration. */
const MAX_LIST = 5_000
/** Characters of a name: what the router takes is 512 bytes, and 128 characters may be that. */
const MAX_NAME = 128

/** Text as a program takes it: it may be empty, and a number or a switch is one written without quotes. */
export function argument(value, at) {
  const written = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return written === '' ? '' : text(written, at)
}

export function readName(value, at) {
  // Control and format characters would let a name change what a person sees in a log.
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME || /[\p{Cc}\p{Cf}]/u.test(value)) {
    throw invalid(at, `a name of 1 to ${MAX_NAME} visible characters`, value)
  }
}

/** An array; none when nothing is given. */
export function list(value, at, most = MAX_LIST) {
  return bounded(value, at, most)
}

export function names(value, at, { entries = MAX_LIST, characters = MAX_TEXT } = {}) {
  return list(value, at, entries).map((name, index) => text(name, `${at}[${index}]`, characters))
}

/**
 * An object of texts as a Map: whatever its keys are called, `__proto__` included. Numbers and switches are texts without
 * quotes; `null` is what a client writes for a variable that is not set. Values are never shown.
 *
 * @param {(value: string, at: string) => string} [expand] what is done with each value
 */
export function texts(value, at, expand = (entry) => entry) {
  const found = new Map()
  for (const [key, entry] of Object.entries(record(value ?? {}, at))) {
    const where = `${at}[${shown(key)}]`
    if (entry === null) continue
    const written = typeof entry === 'number' || typeof entry === 'boolean' ? String(entry) : entry
    if (typeof written !== 'string' || written.length > MAX_TEXT || written.includes('\0'))
      throw invalid(where, 'text', typeof entry)
    found.set(key, expand(written, where))
  }
  return found
}

export function readUrl(value, at) {
  let url
  try {
    url = new URL(value)
  } catch {
    throw invalid(at, 'an http or https URL', 'text that is not one')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalid(at, 'an http or https URL', url.protocol)
  if (url.username || url.password) throw invalid(at, 'a URL without user and password; use headers', 'one with them')
  return url
}
