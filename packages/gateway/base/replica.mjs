// The name of this gateway among the replicas that serve the same over one database. It begins the number of whatever this one alone
// can go on with, so that a proxy can send a request there. What stands in a body a proxy does not read: it is told.

import { randomUUID } from 'node:crypto'

import { shortHash } from './short-hash.mjs'

/** A label of a host name: a proxy finds the replica by it. */
export const REPLICA_NAME = /^[a-z](?:[a-z\d-]{0,61}[a-z\d])?$/
/** What begins the state of a call that waits for an answer of its client: the replica, and those that it is one of. */
const STATE = /^zoo:([a-z][a-z\d-]{0,62})\.([\w-]{22})\./
/** A handle of a held result, or an address with one, behind the name of the replica that holds it. */
const HANDLE = /^(?:held-result:)?([a-z][a-z\d-]{0,62})\.res_/

export class Replica {
  name
  #team

  /** @param {{ replica?: string, store?: object }} settings */
  constructor({ replica, store } = {}) {
    this.name = replica
    this.#team = shortHash(String(store))
  }

  /** The number of something that this replica alone has. */
  numbered(id = randomUUID()) {
    return this.name === undefined ? id : `${this.name}.${id}`
  }

  /** What begins the states of this process. Those of gateways behind it begin with something else. */
  stateMark() {
    return this.name === undefined ? `zoo:${randomUUID()}:` : `zoo:${this.name}.${this.#team}.${randomUUID()}:`
  }

  /** A handle as this replica holds the result. @param {string} handle */
  ownHandle(handle) {
    return handle.startsWith(`${this.name}.`) ? handle.slice(`${this.name}.`.length) : handle
  }

  /**
   * The other replica at which a request of the current era goes on: its call waits there, or the result that it reads is held there.
   *
   * @param {any} message of the request, as it was sent
   */
  elsewhere(message) {
    const { requestState, name, arguments: args, uri } = message?.params ?? {}
    const [, waits, team] = STATE.exec(requestState) ?? []
    const [, holds] = HANDLE.exec(name === 'read_result' ? args?.handle : uri) ?? []
    const replica = team === this.#team ? waits : holds
    return replica === undefined || replica === this.name ? undefined : { replica, isCall: replica === waits }
  }
}
