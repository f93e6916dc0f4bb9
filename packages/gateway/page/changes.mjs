// Tells open pages what has changed, by server-sent events: names of views, which the page then asks for again.

import { Refused, replyEvents } from './replies.mjs'
import { meetAll } from './sessions.mjs'

/** Pages that listen at most. */
const MOST = 32
/** Changes within this time are told of once. */
const COALESCE_MS = 250
/** How often a silent stream says that it is alive. */
const ALIVE_MS = 20_000
/** Bytes that may wait for a page that does not read. */
const MAX_WAITING = 65_536

/** What the page asks for again after each event of the catalogue. */
const OF_CATALOGUE = {
  tools: ['servers', 'tools', 'approvals', 'sessions'],
  servers: ['servers', 'tools', 'approvals'],
  state: ['servers'],
  reloaded: ['servers', 'tools', 'approvals', 'sessions', 'settings'],
}

export class Changes {
  /** @type {Set<import('node:http').ServerResponse>} */
  #streams = new Set()
  #waiting = new Set()
  #timer
  #alive
  /** @type {[import('node:events').EventEmitter, string, (...args: any[]) => void][]} */
  #listeners = []

  /** @param {import('../activity/activity.mjs').Gateway} gateway */
  constructor(gateway) {
    for (const [event, views] of Object.entries(OF_CATALOGUE))
      this.#on(gateway.catalogue, event, () => this.#changed(views))
    this.#on(gateway.catalogue, 'state', (server) => gateway.activity.entered(server))
    this.#on(gateway.activity, 'change', () => meetAll(gateway))
    this.#on(gateway.activity, 'change', (view) => this.#changed([view]))
    this.#alive = setInterval(() => this.#send(':\n\n'), ALIVE_MS)
    this.#alive.unref()
  }

  #on(emitter, event, listener) {
    emitter.on(event, listener)
    this.#listeners.push([emitter, event, listener])
  }

  /** @param {import('node:http').ServerResponse} response @returns {Promise<void>} settles when its page has gone */
  tell(response) {
    if (this.#streams.size >= MOST) throw new Refused(503, 'too many pages listen; close one', { 'Retry-After': '30' })
    replyEvents(response)
    response.write('retry: 2000\n\n')
    this.#streams.add(response)
    return new Promise((resolve) =>
      response.once('close', () => {
        this.#streams.delete(response)
        resolve()
      }),
    )
  }

  #changed(views) {
    if (this.#streams.size === 0) return
    for (const view of views) this.#waiting.add(view)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#send(`event: changed\ndata: ${JSON.stringify([...this.#waiting])}\n\n`)
      this.#waiting.clear()
    }, COALESCE_MS)
  }

  #send(text) {
    for (const stream of this.#streams) {
      if (stream.writableLength > MAX_WAITING) stream.destroy()
      else stream.write(text)
    }
  }

  close() {
    clearTimeout(this.#timer)
    clearInterval(this.#alive)
    for (const [emitter, event, listener] of this.#listeners) emitter.off(event, listener)
    for (const stream of this.#streams) stream.end()
  }
}
