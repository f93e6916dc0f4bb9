// What a session of the older era and a question of the current one have in common: the parts of the gateway that
// answers of tools are made of.

import { randomUUID } from 'node:crypto'

import { shortHash } from '../base/short-hash.mjs'

/** Characters of what a server says about its use. */
const MAX_INSTRUCTIONS = 1_000

export class Desk {
  #gateway
  /** What an audit calls the session: nothing that opens it. */
  auditId = ''

  /**
   * @param {Pick<import('../gateway/gateway.mjs').Gateway, 'activity' | 'callCheck' | 'catalogue' | 'config' | 'results' | 'router'>} gateway
   * @param {{ id?: string }} [session] its number, where it has one; none for a question
   */
  constructor(gateway, session) {
    this.#gateway = gateway
    if (session) this.auditId = shortHash(session.id ?? randomUUID())
  }

  get config() {
    return this.#gateway.config
  }

  get catalogue() {
    return this.#gateway.catalogue
  }

  /** What servers say about their use, by name. @param {Iterable<string>} names */
  instructionsOf(names) {
    /** @type {Record<string, string>} */
    const told = {}
    for (const name of names) {
      const value = this.catalogue.entries.get(name)?.instructions?.slice(0, MAX_INSTRUCTIONS)
      // A server may be called as a property of every object is.
      if (value !== undefined) Object.defineProperty(told, name, { value, enumerable: true })
    }
    return told
  }

  get router() {
    return this.#gateway.router
  }

  get callCheck() {
    return this.#gateway.callCheck
  }

  get results() {
    return this.#gateway.results
  }

  get activity() {
    return this.#gateway.activity
  }
}
