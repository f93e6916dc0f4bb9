// SPDX-License-Identifier: Apache-2.0
//
// What a session of the older era was sent last, for a client whose stream broke and who comes back to it.

// @ts-nocheck

/** Events and bytes that are kept: those of the moment in which a connection is lost. */
const MAX_EVENTS = 512
const MAX_BYTES = 4 * 1024 * 1024

/** @implements {import('@modelcontextprotocol/server').EventStore} */
export class EventLog {
  /** `{ streamId, message, bytes }` by id, in order. */
  #events = new Map()
  #bytes = 0
  #count = 0

  async storeEvent(streamId, message) {
    this.#count += 1
    const id = String(this.#count)
    const bytes = JSON.stringify(message).length
    this.#events.set(id, { streamId, message, bytes })
    this.#bytes += bytes
    for (const [oldest, event] of this.#events) {
      if (this.#events.size <= MAX_EVENTS && this.#bytes <= MAX_BYTES) break
      this.#events.delete(oldest)
      this.#bytes -= event.bytes
    }
    return id
  }

  async getStreamIdForEventId(id) {
    return this.#events.get(id)?.streamId
  }

  async replayEventsAfter(lastId, { send }) {
    const { streamId } = this.#events.get(lastId) ?? {}
    if (streamId === undefined) throw new Error('the event is not kept any more')
    let isAfter = false
    for (const [id, event] of [...this.#events]) {
      // The first one of a stream says only that there is one.
      if (isAfter && event.streamId === streamId && event.message.jsonrpc) await send(id, event.message)
      isAfter ||= id === lastId
    }
    return streamId
  }
}
