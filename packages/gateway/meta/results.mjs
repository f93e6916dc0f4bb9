// Results of tools that are too long for a model. The router holds them, bounded, in a session for each client that is
// known to be one; what a client gets instead says what the result is, shows its beginning, and has a handle for the rest.

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { plainText } from '@zoo-code/tool-router/exact-json'

import { openerOf, whoAsks } from '../calls/asking.mjs'

/** A held result as a resource; `?need=`, `?path=` and `?range=` say which part of it. */
const ADDRESS = 'held-result:'
/** What read_result answers when it does not say how much. */
const READ_TOKENS = 2_000

export class Results {
  #gateway
  /** Sessions of the router, by who may read what they hold. */
  #sessions = new Map()

  /**
   * @param {{ router: import('@zoo-code/tool-router/internal').ToolRouter, catalogue: import('../catalogue/catalogue.mjs').Catalogue,
   * config: import('../config/read.mjs').Config, replica: import('../base/replica.mjs').Replica }} gateway
   */
  constructor(gateway) {
    this.#gateway = gateway
  }

  /** Tokens of a result that a client gets. @param {{ config?: import('../config/read.mjs').Config }} holder */
  #mostFor({ config = this.#gateway.config }) {
    return config.settings.maxResultTokens
  }

  /** Whether results are held at all: without the tool nobody could read the rest. */
  get isOn() {
    const { metaTools, mode, maxResultTokens } = this.#gateway.config.settings
    return maxResultTokens > 0 && mode !== 'static' && metaTools.includes('read_result')
  }

  /**
   * A result as a client gets it: unchanged, if it is short.
   *
   * @param {import('../protocol/requests.mjs').Desk} desk
   * @param {{ resultType?: string, [key: string]: unknown }} result of `tools/call`
   */
  async bounded(desk, result) {
    // Without the tool nobody could read the rest. A question of a server is no result.
    if (this.#mostFor(desk.holder) === 0 || !desk.isMetaTool('read_result') || result?.resultType === 'input_required')
      return result
    const held = await this.#hold(desk.holder, result)
    if (held === null) return result
    return this.#told(desk.holder, { ...held, result: withPlainTexts(held.result) })
  }

  /** What a client gets. One that is not known may come back to any replica: its handle says which one holds the result. */
  #told(holder, { result, handle }) {
    const { replica } = this.#gateway
    if (holder !== this.#gateway || replica.name === undefined) return result
    return JSON.parse(JSON.stringify(result).replaceAll(handle, replica.numbered(handle)))
  }

  async #hold(holder, result, again = true) {
    const options = {
      maxTokens: this.#mostFor(holder),
      // What is held is shared out among people, however many sessions each of them opens.
      client: whoAsks().client,
    }
    try {
      return await this.#session(holder).holdResult(result, options)
    } catch (error) {
      // The router closes the oldest of many sessions.
      if (error.code === 'ERR_SESSION_NOT_FOUND' && again) return this.#hold(holder, result, false)
      throw error
    }
  }

  #session(holder) {
    // Clients that are not known one by one are told apart by their persons.
    const key = (holder === this.#gateway && openerOf()) || holder
    const known = this.#sessions.get(key)
    if (known && !known.closed) return known
    const session = this.#gateway.router.openSession({ servers: this.#gateway.catalogue.scopeOf() })
    this.#sessions.set(key, session)
    return session
  }

  /**
   * An answer to read_result.
   *
   * @param {object} holder
   * @param {{ handle: string, asked: import('@zoo-code/tool-router/internal').ReadResultOptions }} args
   */
  async read(holder, { handle, asked }) {
    const { text } = await this.#reading(holder, handle, asked)
    return { content: [{ type: 'text', text: plainText(text) }] }
  }

  /** A part of a result. */
  #reading(holder, handle, asked) {
    const most = this.#mostFor(holder) || READ_TOKENS
    const maxTokens = Math.min(asked.maxTokens ?? READ_TOKENS, most)
    const own = this.#gateway.replica.ownHandle(handle)
    return this.#session(holder).readResult(own, { ...asked, maxTokens })
  }

  /**
   * A held result as a resource. What is too long for a result is too long for a resource: it has the same parts.
   *
   * @param {object} holder
   * @param {unknown} uri
   * @returns {Promise<object | undefined>} undefined for any other resource
   */
  async resource(holder, uri) {
    if (typeof uri !== 'string' || !uri.startsWith(ADDRESS)) return undefined
    const [handle, query] = uri.slice(ADDRESS.length).split('?', 2)
    const asked = Object.fromEntries(
      [...new URLSearchParams(query)].filter(([key]) => ['need', 'path', 'range'].includes(key)),
    )
    try {
      const { text } = await this.#reading(holder, handle, asked)
      return { contents: [{ uri, mimeType: 'text/plain', text: plainText(text) }] }
    } catch (error) {
      if (error.name !== 'ToolRouterError') throw error
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message)
    }
  }

  /** Ends what was held for somebody who has gone. */
  forget(holder) {
    this.#sessions.get(holder)?.close()
    this.#sessions.delete(holder)
  }

  close() {
    for (const session of this.#sessions.values()) session.close()
    this.#sessions.clear()
  }
}

/** A text is one still where all of it is a number. */
function withPlainTexts(result) {
  if (!Array.isArray(result?.content)) return result
  const content = result.content.map((each) =>
    typeof each?.text === 'string' ? { ...each, text: plainText(each.text) } : each,
  )
  return { ...result, content }
}
