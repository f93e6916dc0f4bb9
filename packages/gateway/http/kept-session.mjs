// A session that the gateways over one database have in common: what changes here is written before the answer that tells
// of it, and what changes elsewhere is taken with the next request.

import { merged, stateOf, takeState } from '../protocol/session-state.mjs'

/** When it is tried again to have a server tell of a resource. */
const AGAIN_MS = 1_000

/**
 * @typedef {import('../store/postgres/sessions.mjs').PostgresSessions} Sessions
 * @typedef {import('../store/postgres/sessions.mjs').Row} Row
 * @typedef {import('../protocol/session-state.mjs').SessionState} SessionState
 */

export class KeptSession {
  #sessions
  #id
  #replica
  #session
  #passthrough
  #client
  /** As it stands in the database, as far as is known here. @type {SessionState} */
  #base
  /** Tools that are attached elsewhere and cannot be here. @type {SessionState['attached']} */
  #left = []
  #version = 0
  #isListening = false
  /** Addresses whose changes are told of here. */
  #followed = new Set()
  #isOver = false
  /** @type {Promise<void>} */
  #saving = Promise.resolve()

  /**
   * @param {Sessions} sessions
   * @param {{ id: string, replica: string, session: import('../protocol/client-session.mjs').ClientSession,
   * client: SessionState['client'], passthrough: import('../protocol/passthrough.mjs').Passthrough }} of
   */
  constructor(sessions, { id, replica, session, client, passthrough }) {
    this.#sessions = sessions
    this.#id = id
    this.#replica = replica
    this.#session = session
    this.#passthrough = passthrough
    this.#client = client
    this.#base = stateOf(session, client)
  }

  get id() {
    return this.#id
  }

  /** The version that is known here; 0 while it is known to no other gateway. */
  get version() {
    return this.#version
  }

  /** Whether the client listens to another gateway, or to none. */
  get isElsewhere() {
    return this.#version > 0 && !this.#isListening
  }

  /** Takes what another gateway has made of the session. @param {Row} row */
  take({ version, state }) {
    if (version <= this.#version || state === undefined) return
    this.#left = takeState(this.#session, merged(this.#base, this.#ours, state))
    this.#version = version
    this.#base = state
    this.#follow()
  }

  get #ours() {
    const state = stateOf(this.#session, this.#client)
    return { ...state, attached: [...state.attached, ...this.#left] }
  }

  /** Writes what has changed here. What cannot be written now is written when the database is back. */
  save() {
    this.#saving = this.#saving.then(() => this.#save()).catch(() => {})
    return this.#saving
  }

  async #save() {
    if (this.#isOver) return
    let ours = this.#ours
    const isNew = this.#version === 0
    if (!isNew && JSON.stringify(ours) === JSON.stringify(this.#base)) return
    // Both are read once the row is locked: what was taken meanwhile is in both, and would seem to be gone from one of before.
    const change = (/** @type {SessionState} */ theirs) => {
      ours = this.#ours
      return merged(this.#base, ours, theirs)
    }
    const row = isNew ? await this.#sessions.begin(this.#id, ours) : await this.#sessions.change(this.#id, change)
    if (row === undefined) return
    this.#base = ours
    if (isNew) this.#version = row.version
    else this.take(row)
    if (this.#isListening) await this.#sessions.listens(this.#id, this.#replica)
  }

  /** The client listens here from now on, or does not any more. @param {boolean} isListening */
  async listens(isListening) {
    this.#isListening = isListening
    this.#follow()
    if (this.#version > 0) await this.#sessions.listens(this.#id, this.#replica, isListening).catch(() => {})
  }

  /** Has servers here tell of what the client subscribed to elsewhere. */
  #follow() {
    if (!this.#isListening || this.#session.closed) return
    for (const uri of this.#session.subscribed) {
      if (this.#followed.has(uri)) continue
      this.#followed.add(uri)
      // A server that is still starting has it later.
      void this.#passthrough.subscribe(this.#session, uri).catch(() => {
        this.#followed.delete(uri)
        setTimeout(() => this.#follow(), AGAIN_MS).unref()
      })
    }
    for (const uri of this.#followed) {
      if (this.#session.subscribed.has(uri)) continue
      this.#followed.delete(uri)
      void this.#passthrough.unsubscribe(this.#session, uri).catch(() => {})
    }
  }

  /** The client has ended it. While the database is gone it is forgotten there when nobody has used it for long enough. */
  async end() {
    this.#isOver = true
    await this.#sessions.end(this.#id).catch(() => {})
  }
}
