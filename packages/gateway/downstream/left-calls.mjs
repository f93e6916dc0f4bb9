// Calls of one connection that nobody waits for and that the server has not answered.

export class LeftCalls {
  /** Of the request that was sent last. @type {unknown} */
  sentId
  /** By the ids of their requests. @type {Map<unknown, import('./calls.mjs').Call>} */
  #calls = new Map()
  #underWay
  #isClosed = false

  /**
   * @param {import('@modelcontextprotocol/client').Transport | undefined} transport of a client that is connected; the SDK drops
   * answers for which nobody waits
   * @param {import('./under-way.mjs').UnderWay} underWay
   */
  constructor(transport, underWay) {
    this.#underWay = underWay
    if (transport === undefined) return
    const { send, onmessage, onclose } = transport
    transport.send = (message, options) => {
      if ('method' in message && 'id' in message) this.sentId = message.id
      return send.call(transport, message, options)
    }
    transport.onmessage = (message, extra) => {
      if (!('method' in message)) this.#over(message.id)
      onmessage?.call(transport, message, extra)
    }
    transport.onclose = () => {
      this.#isClosed = true
      for (const id of [...this.#calls.keys()]) this.#over(id)
      onclose?.call(transport)
    }
  }

  /** @param {import('./calls.mjs').Call} call */
  add(call) {
    if (this.#isClosed) return
    this.#calls.set(call.id, call)
    this.#underWay.leave(call)
  }

  #over(id) {
    this.#underWay.delete(this.#calls.get(id))
    this.#calls.delete(id)
  }
}
