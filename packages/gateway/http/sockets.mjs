// Who may hold sockets of an endpoint open. A socket belongs to a stranger until a request with the token comes over it;
// strangers make room for each other and take none from clients.

/** Sockets of strangers: a client is one for the moment between its connection and its first request. */
const STRANGERS = 1_024
/** How long one is silent that makes room. Those that come together, as the requests of a team, do not end each other. */
const SILENT_MS = 1_000

export class Sockets {
  /** Since when they are here, in the order in which they came. @type {Map<import('node:net').Socket, number>} */
  #strangers = new Map()
  /** Those that are told to come again: there was no room. */
  #refused = new WeakSet()
  #clients = new Set()
  #mostClients
  /** Answers that are not sent yet. @type {WeakMap<import('node:net').Socket, Set<import('node:http').ServerResponse>>} */
  #unsent = new WeakMap()

  /** @param {number} mostClients sockets that requests with the token came over */
  constructor(mostClients) {
    this.#mostClients = mostClients
  }

  /** Takes a new connection in; the stranger that was silent for long makes room, or else the newest is told to come again. */
  opened(socket) {
    if (this.#strangers.size >= 2 * STRANGERS) return socket.destroy()
    this.#strangers.set(socket, Date.now())
    socket.once('close', () => {
      this.#strangers.delete(socket)
      this.#clients.delete(socket)
      // Node.js tells the answer that is being sent, and none of those behind it.
      for (const response of this.#unsent.get(socket) ?? [])
        if (response.socket === null) response.destroy().emit('close')
    })
    if (this.#strangers.size <= STRANGERS) return
    const [[oldest, since]] = this.#strangers
    if (Date.now() - since < SILENT_MS) return void this.#refused.add(socket)
    this.#strangers.delete(oldest)
    oldest.destroy()
  }

  isRefused(socket) {
    return this.#refused.has(socket)
  }

  /** A request came over it. @param {import('node:net').Socket} socket @param {import('node:http').ServerResponse} response */
  asked(socket, response) {
    const unsent = this.#unsent.get(socket) ?? new Set()
    this.#unsent.set(socket, unsent.add(response))
    response.once('close', () => unsent.delete(response))
  }

  /** A request with the token came over it. @returns {boolean} false when clients hold too many already */
  known(socket) {
    if (this.#clients.has(socket)) return true
    if (this.#clients.size >= this.#mostClients) return false
    this.#strangers.delete(socket)
    this.#clients.add(socket)
    return true
  }
}
