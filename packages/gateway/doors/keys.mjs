// Keys of clients in a shared store, at the door: whose key it is, and what it opens.

import { createHash, createHmac, randomBytes } from 'node:crypto'

import { plain } from '../base/errors.mjs'
import { ALL, isEqual } from './door.mjs'

/** Random bytes of a key. */
const BYTES = 32
/** What marks one, so that programs that look for secrets in files can find it. */
const PREFIX = 'zoo_'
/** Keys that are remembered, and how long before they are looked up again: a key that ends is told of as well. */
const KEPT = 1_000
const FRESH_MS = 30_000
/** Characters of a key's name in the audit. */
const NAMED = 120

/** Instead of what a key opens: nobody can be asked now. */
export const AWAY = Symbol('away')

/** A new key, and the hash by which it is found. It has 256 random bits, so that a hash without salt tells nothing. */
export function newKey() {
  const key = PREFIX + randomBytes(BYTES).toString('base64url')
  return { key, hash: hashOf(key) }
}

/**
 * What tells a row of the table from one that somebody has written who may write there and nothing else.
 *
 * @param {string} secret
 * @param {{ name: string, hash: string, profile?: string, expiresAt?: Date }} key
 */
export function sealOf(secret, { name, hash, profile, expiresAt }) {
  const said = JSON.stringify([name, hash, profile ?? null, expiresAt?.toISOString() ?? null])
  return createHmac('sha256', secret).update(said).digest('base64url')
}

/**
 * @param {string | undefined} secret without which all rows are believed
 * @param {{ name: string, hash: string, profile?: string, expiresAt?: Date, seal?: string }} key
 */
export function isSealed(secret, { seal = '', ...key }) {
  if (secret === undefined) return true
  return isEqual(seal, sealOf(secret, key))
}

function hashOf(key) {
  return createHash('sha256').update(key).digest('base64url')
}

export class Keys {
  #store
  #config
  #audit
  /** @type {Map<string, { key: import('../store/postgres/keys.mjs').Key, at: number }>} by hash */
  #known = new Map()
  /** Hashes of what was a key the last time. @type {Set<string>} */
  #good = new Set()

  /**
   * @param {import('../store/store.mjs').Store['keys']} store nothing is a key without one
   * @param {() => Pick<import('../config/read.mjs').Config, 'profiles' | 'settings'>} config
   * @param {(person: string, outcome: 'ok' | 'refused') => void} [audit] called when a key begins to open something
   */
  constructor(store, config, audit) {
    this.#store = store
    this.#config = config
    this.#audit = audit
    store?.watch(() => this.#known.clear())
  }

  /**
   * What a key opens, as far as it was looked up lately.
   *
   * @param {string} token as it was sent
   * @returns {string | typeof ALL | undefined} the name of a profile, or all
   */
  known(token) {
    return this.#fresh(hashOf(token))
  }

  /** Whether it was a key the last time, whatever it opens by now: its client does not wait among strangers. @param {string} token */
  wasGood(token) {
    return this.#good.has(hashOf(token))
  }

  #fresh(hash) {
    const known = this.#known.get(hash)
    return known !== undefined && Date.now() - known.at < FRESH_MS ? this.#opens(known.key) : undefined
  }

  /** What a key opens. While the store is out of reach keys that were used before open what they did. @param {string} token */
  async guestOf(token) {
    return token.startsWith(PREFIX) ? this.#found(hashOf(token)) : undefined
  }

  /** What a key opens that has let somebody in. @param {string} hash */
  async stillOpens(hash) {
    return this.#fresh(hash) ?? this.#found(hash)
  }

  async #found(hash) {
    if (this.#store === undefined) return undefined
    try {
      const key = await this.#store.find(hash)
      const isNew = !this.#known.delete(hash)
      this.#good.delete(hash)
      if (key === undefined) return undefined
      const isGood = isSealed(this.#config().settings.keySecret, { ...key, hash })
      if (isNew || !isGood) this.#record(key, isGood ? 'ok' : 'refused')
      if (!isGood) return undefined
      this.#known.set(hash, { key, at: Date.now() })
      this.#good.add(hash)
      for (const kept of [this.#known, this.#good]) if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? '')
      return this.#opens(key)
    } catch {
      const known = this.#known.get(hash)
      return known === undefined ? AWAY : this.#opens(known.key)
    }
  }

  /** Whose key it is, of one that was looked up lately. @param {string} token */
  askerOf(token) {
    const hash = hashOf(token)
    const known = this.#known.get(hash)
    return known && { client: hash, person: plain(`key ${known.key.name}`, NAMED) }
  }

  /** A profile that the configuration does not have is nothing. @param {import('../store/postgres/keys.mjs').Key} key */
  #opens({ profile, expiresAt }) {
    if (expiresAt !== undefined && expiresAt.getTime() <= Date.now()) return undefined
    if (profile === undefined) return ALL
    return this.#config().profiles.has(profile) ? profile : undefined
  }

  /** @param {import('../store/postgres/keys.mjs').Key} key @param {'ok' | 'refused'} outcome */
  #record({ name }, outcome) {
    this.#audit?.(plain(`key ${name}`, NAMED), outcome)
  }
}
