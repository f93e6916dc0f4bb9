// One question of a modern client to a meta tool. It has the form of a session, and ends with its answer: what is found
// is described in it, and nothing is kept.

import { RouterSession } from './router-session.mjs'
import { Desk } from '../calls/desk.mjs'

/** Servers that are introduced in one answer. */
const MAX_INTRODUCED = 3

/** @typedef {import('../protocol/requests.mjs').Desk} AnyDesk */

/** @implements {AnyDesk} */
export class Inquiry extends Desk {
  isModern = true
  /** Tools that are described in the answer. @type {AnyDesk['attached']} */
  attached = new Map()
  clientName
  /** The client where it is known to be one: what is held for it nobody else reads. */
  holder
  #isMetaTool

  /**
   * @param {Pick<import('../gateway/gateway.mjs').Gateway, 'activity' | 'callCheck' | 'catalogue' | 'config' | 'results' | 'router'>} gateway
   * @param {(name: string) => boolean} isMetaTool
   * @param {{ clientName?: string, peer?: object }} [of] what the client calls itself; the client where it is known to be one
   */
  constructor(gateway, isMetaTool, { clientName, peer = gateway } = {}) {
    super(gateway)
    this.clientName = clientName
    this.#isMetaTool = isMetaTool
    this.holder = peer
    this.search = new RouterSession(this)
  }

  isMetaTool(name) {
    return this.#isMetaTool(name)
  }

  /** @type {AnyDesk['attach']} */
  attach(tools, { shapeOf } = {}) {
    for (const { serverName, toolName, name } of tools)
      this.attached.set(name, { serverName, toolName, shape: shapeOf?.({ serverName, toolName }) })
    return { added: [...new Set(tools.map(({ name }) => name))], already: [], overLimit: [] }
  }

  /** A question has no list. @returns {string[]} */
  detach() {
    return []
  }

  /** What servers whose tools are described say about their use. */
  introduce() {
    const names = new Set([...this.attached.values()].map(({ serverName }) => serverName))
    return this.instructionsOf([...names].slice(0, MAX_INTRODUCED))
  }

  close() {
    this.search.close()
  }
}
