// What of a server's configuration may be a secret, and texts without it. Servers print what they were started with, and
// operating systems repeat a command that they cannot find.

import { HIDDEN, looksRandom, withoutSecretWords } from './secret-words.mjs'

/** Characters of a secret that is looked for: shorter ones are words that any text holds. */
const LEAST = 4
/** Characters of a variable that is looked for although its name is none of a secret. */
const MIN_OF_OTHERS = 8
/** Values of one server that are looked for. */
const MOST = 300
/** Names of options and variables whose value is for nobody. */
const NAMES_A_SECRET = /key|token|secret|pass|pwd|auth|credential|bearer|cookie|session|signature|\bpat\b/i
/** Names of headers that hold a key. */
const KEY_HEADER = /authorization|(^|[-_])(api-?key|key|token|secret|auth|password|pat)$/i

/**
 * Whether an entry brings a key of its own, so that nobody logs in to its server.
 *
 * @param {{ headers?: Map<string, unknown>, headersHelper?: unknown, oauth?: object }} entry
 */
export function hasOwnKey({ headers, headersHelper, oauth = {} }) {
  if (Object.values(oauth).some((value) => value !== undefined)) return false
  return headersHelper !== undefined || [...(headers?.keys() ?? [])].some((name) => KEY_HEADER.test(name))
}

export class Secrets {
  #values

  /** @param {Partial<import('../downstream/downstream.mjs').ServerDefinition>} definition */
  constructor({ command = '', args = [], env, inherited, headers, url, oauth, secrets = [] }) {
    const found = new Set(secrets)
    for (const [name, value] of env ?? [])
      if (NAMES_A_SECRET.test(name) || String(value).length >= MIN_OF_OTHERS) found.add(value)
    for (const [name, value] of inherited ?? []) if (NAMES_A_SECRET.test(name)) found.add(value)
    for (const value of headers?.values() ?? []) found.add(value)
    // `Bearer` and the token may be printed apart.
    for (const value of headers?.values() ?? []) for (const part of String(value).split(/\s+/)) found.add(part)
    for (const value of url?.searchParams.values() ?? []) found.add(value)
    for (const part of url?.pathname.split('/') ?? []) if (looksRandom(decode(part))) found.add(decode(part))
    if (oauth?.clientSecret) found.add(oauth.clientSecret)
    for (const value of ofArguments([...command.split(/\s+/).slice(1), ...args])) found.add(value)
    // A key of several lines is printed line by line.
    const lines = [...found].map(String).flatMap((value) => [value, ...value.split(/\r?\n/)])
    const spelt = lines.flatMap((value) => [value, encode(value), JSON.stringify(value).slice(1, -1), inBase64(value)])
    this.#values = [...new Set(spelt)]
      .filter(
        (value) =>
          value.length >= LEAST &&
          !/^(true|false|null|none|info|debug|error|production|bearer|basic|token)$/i.test(value),
      )
      // A secret that holds another one is taken whole.
      .toSorted((a, b) => b.length - a.length)
      .slice(0, MOST)
  }

  /** A text without the secrets of this server, and without what looks like one. */
  hide(text) {
    let hidden = text
    for (const value of this.#values) hidden = hidden.replaceAll(value, HIDDEN)
    return withoutSecretWords(hidden)
  }
}

/**
 * Values of options that are called a secret, and what looks like one: `--token x`, `--api-key=x`, `-k x`,
 * `-H "Authorization: x"`, `TOKEN=x`.
 */
function ofArguments(args) {
  const found = []
  for (const [at, value] of args.entries()) {
    const [, name, own] = /^([^=:\s]+)\s*[=:]\s*(.+)$/s.exec(value) ?? []
    if (own !== undefined && NAMES_A_SECRET.test(name)) found.push(own, ...own.split(/\s+/))
    // Behind its options, and in the last part of an address.
    for (const part of value.split(/[\s=:,/?&@]+/)) if (looksRandom(part)) found.push(part)
    if (/^-/.test(value) && (NAMES_A_SECRET.test(value) || value === '-k') && !value.includes('=')) {
      const next = args[at + 1]
      if (next !== undefined && !next.startsWith('-')) found.push(next)
    }
  }
  return found
}

/** As `Basic` sends it, without what depends on the texts beside it. */
function inBase64(value) {
  return value.length < MIN_OF_OTHERS ? '' : Buffer.from(value).toString('base64').replace(/.?=+$/, '')
}

function decode(value) {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function encode(value) {
  try {
    return encodeURIComponent(value)
  } catch {
    return value // half a character
  }
}

/** Hides what looks like a secret, of nobody in particular. */
export const NO_SECRETS = new Secrets({})
