// What a session of the older era was sent last, for a client whose stream broke and who comes back to it. Its numbers say which
// log they are of, and which requests the stream answers: when its gateway has ended, another one can say what is unknown.

import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

import { parse, stringify } from '@zoo-code/tool-router/exact-json'

/** Events and bytes that are kept: those of the moment in which a connection is lost. */
const MAX_EVENTS = 512
const MAX_BYTES = 4 * 1024 * 1024
/** Characters of the numbers of requests in the number of an event: a client sends it back in a header. */
const MAX_IDS = 1_024

/** Numbers of the requests of a client whose answers begin within. */
const answering = new AsyncLocalStorage()

/** Does something for requests of these numbers. @template T @param {(string | number)[]} ids @param {() => T} work */
export function forRequests(ids, work) {
  return answering.run(ids, work)
}

/** The requests of the stream of an event, whoever's event it is: none for the stream that the client only listens to. */
export function requestsOf(eventId) {
  const [, , ids = ''] = String(eventId).split('.')
  try {
    const read = parse(Buffer.from(ids, 'base64url').toString('utf8'))
    return Array.isArray(read) ? read.filter((id) => typeof id === 'string' || Number.isInteger(id)) : []
  } catch {
    return []
  }
}

/** @typedef {import('@modelcontextprotocol/server').EventStore} EventStore */

/** @implements {EventStore} */
export class EventLog {
  /** `{ streamId, message, bytes }` by id, in order. */
  #events = new Map()
  #bytes = 0
  #count = 0
  #name = randomUUID()
  /** What the numbers of a stream end with. */
  #ends = new Map()

  /** Whether an event is of this log, be it kept or not. */
  isOwn(id) {
    return String(id).startsWith(`${this.#name}.`)
  }

  #endOf(streamId) {
    const ids = answering.getStore()
    if (ids !== undefined && ids.length > 0 && !this.#ends.has(streamId)) {
      const end = Buffer.from(stringify(ids)).toString('base64url')
      this.#ends.set(streamId, end.length > MAX_IDS ? '' : `.${end}`)
      if (this.#ends.size > MAX_EVENTS) this.#ends.delete(this.#ends.keys().next().value)
    }
    return this.#ends.get(streamId) ?? ''
  }

  async storeEvent(streamId, message) {
    this.#count += 1
    const id = `${this.#name}.${this.#count}${this.#endOf(streamId)}`
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
