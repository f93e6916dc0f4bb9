// Resources whose changes modern clients listen to: as long as a stream is open, their servers announce them.

/** The request that opens a stream. */
export const METHOD = 'subscriptions/listen'
/** Addresses of one stream that are looked at; a client that wants more opens another one. */
const MAX_ADDRESSES = 1_000

export class Subscriptions {
  #passthrough
  /** What holds on to the resources of a stream, by the id of its request. */
  #holders = new Map()

  /** @param {import('./passthrough.mjs').Passthrough} passthrough */
  constructor(passthrough) {
    this.#passthrough = passthrough
  }

  /**
   * @param {string | number | object} id of the request
   * @param {import('../calls/caller.mjs').Params} [params] of the request, unchanged
   */
  begin(id, params) {
    const uris = params?.notifications?.resourceSubscriptions
    if (!Array.isArray(uris) || this.#holders.has(id)) return
    const holder = { closed: false, resourceUpdated() {} }
    this.#holders.set(id, holder)
    // An address that nobody has is listened to in vain, as the protocol has it.
    for (const uri of new Set(uris.slice(0, MAX_ADDRESSES)))
      if (typeof uri === 'string') void this.#passthrough.subscribe(holder, uri).catch(() => {})
  }

  end(id) {
    const holder = this.#holders.get(id)
    if (!holder) return
    this.#holders.delete(id)
    holder.closed = true
    this.#passthrough.forget(holder)
  }

  close() {
    for (const id of [...this.#holders.keys()]) this.end(id)
  }
}
