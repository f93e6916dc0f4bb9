// A connected server, of either era of the protocol: what differs between the eras ends here.

import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  SERVER_INFO_META_KEY,
  SSEClientTransport,
} from '@modelcontextprotocol/client'

import { Unavailable } from '../base/errors.mjs'
import { passedCapabilities, passedExtensions } from '../base/extensions.mjs'
import { ANYTHING } from '../base/raw.mjs'
import { Call } from './calls.mjs'
import { settled } from '../base/settled.mjs'
import { follow } from './follow.mjs'
import { LeftCalls } from './left-calls.mjs'
import { readPages } from './lists.mjs'
import { answered, isPerhapsForgotten, meaningOf } from './meaning.mjs'
import { headerParameters, parameterHeaders } from './param-headers.mjs'
import { sendAsTask } from './tasks.mjs'
import { LOG_LEVELS } from './under-way.mjs'

/** How long an HTTP server may take to end a session that nobody needs any more. */
const LEAVE_MS = 1_000
/** How long a start waits for the stream of announcements to be open, so that none is missed. */
const FOLLOW_MS = 2_000
/** How long a server may take to say that it knows a session. */
const CHECK_MS = 5_000
/** A list that is neither announced nor said to be fresh is asked for again after this time. */
const MIN_FRESH_MS = 60_000
const MAX_FRESH_MS = 86_400_000
/** What a client hears whose call was held by a process that is gone, or that never was. */
const LOST_STATE =
  'the call that this goes on with is not under way here: it took too long, or another process of the gateway has it. ' +
  'Whether it took effect is unknown'
/** The code of a modern server that misses a header. */
const HEADER_MISMATCH = -32020

/**
 * @typedef {object} HowAsked
 * @property {boolean} [asTask] for a tool that only runs as a task of the protocol; the task is waited for
 * @property {() => import('../catalogue/catalogue-entry.mjs').Tool | undefined} [tool] the definition of the tool that is called, as it
 * is known now
 * @property {boolean} [onlyReads] whether it is a call that may be made twice
 * @property {object} [retry] answers to what the server wanted to know first, and its state
 *
 * @typedef {object} Listeners
 * @property {(connection: Connection) => void} onToolsChanged
 * @property {(kind: 'resources' | 'prompts') => void} onListChanged
 * @property {(uri: string) => void} onResourceUpdated
 */

export class Connection {
  #client
  #definition
  #underWay
  #listeners
  #feed
  #resourceFeed
  #uris = new Set()
  #logLevel
  #freshUntil = Infinity
  #uses = 0
  /** @type {(() => void) | undefined} */
  #retired
  /** Whether something came back that a forgotten session may be behind. */
  #isDoubted = false
  /** Whether requests are of a session, which the server may forget. */
  hasSession
  /** @type {Promise<boolean> | undefined} */
  #checking
  /** @type {import('./left-calls.mjs').LeftCalls} */
  #leftCalls

  /**
   * @param {import('@modelcontextprotocol/client').Client} client connected
   * @param {import('./downstream.mjs').ServerDefinition} definition
   * @param {import('./under-way.mjs').UnderWay} underWay
   * @param {Listeners} listeners
   */
  constructor(client, definition, underWay, listeners) {
    this.#client = client
    this.#definition = definition
    this.#underWay = underWay
    this.#listeners = listeners
    const { transport } = client
    // A connection that is left has no transport any more when the last of its requests is refused.
    this.#leftCalls = new LeftCalls(transport, underWay)
    this.hasSession = !this.isModern && (transport?.sessionId !== undefined || transport instanceof SSEClientTransport)
    client.fallbackRequestHandler = ({ method, params }, { mcpReq }) => underWay.ask({ method, params }, mcpReq.signal)
    client.fallbackNotificationHandler = async (notification) => this.#heard(notification)
  }

  get isModern() {
    return this.#client.getProtocolEra() === 'modern'
  }

  /** What the server can do, as it said itself. */
  get capabilities() {
    return this.#client.getServerCapabilities() ?? {}
  }

  /** Those that a gateway can declare to its clients. */
  get extensions() {
    return passedExtensions(this.capabilities.extensions)
  }

  get instructions() {
    return this.#client.getInstructions()
  }

  get transport() {
    return this.#client.transport
  }

  /** Does something with the server for a client. @template T @param {(connection: Connection) => Promise<T>} work */
  async use(work) {
    this.#uses += 1
    try {
      const result = await work(this)
      this.#isDoubted = isPerhapsForgotten(/** @type {any} */ (result))
      return result
    } catch (error) {
      const { done, kind } = this.meaningOf(error)
      // Some servers say no more than 400 of a session that they have forgotten.
      this.#isDoubted = done === 'unknown' || kind === 'refused'
      throw error
    } finally {
      this.#uses -= 1
      this.#endUnused()
    }
  }

  meaningOf(error) {
    const { hasSession, isModern } = this
    return meaningOf(error, { definition: this.#definition, hasSession, isModern })
  }

  /** Whether the session still exists: asked where the last answer makes one doubt it, and once for all who wait. */
  isAlive() {
    if (!this.#isDoubted || !this.hasSession) return true
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
    return this.#checking
  }

  async #check() {
    const asked = this.#client.request({ method: 'ping' }, ANYTHING, { timeout: CHECK_MS })
    const kind = await asked.then(
      () => 'answer',
      (error) => this.meaningOf(error).kind,
    )
    this.#isDoubted = false
    // One that is slow, or does not know the question, still knows who asks.
    return ['answer', 'late'].includes(kind)
  }

  /** Nobody new uses it; it ends when those who do have their answers. @returns {Promise<void>} settles then */
  retire() {
    void this.#feed?.close()
    return new Promise((resolve) => {
      this.#retired = () => void this.close().then(resolve, resolve)
      this.#endUnused()
    })
  }

  #endUnused() {
    if (this.#uses === 0) this.#retired?.()
  }

  /** Called once when the connection is gone although nobody closed it. */
  set onclose(listener) {
    this.#client.onclose = listener
  }

  /** @param {{ method: string, params?: Record<string, unknown> }} notification */
  #heard({ method, params = {} }) {
    switch (method) {
      case 'notifications/tools/list_changed':
        return this.#listeners.onToolsChanged(this)
      case 'notifications/resources/list_changed':
        return this.#listeners.onListChanged('resources')
      case 'notifications/prompts/list_changed':
        return this.#listeners.onListChanged('prompts')
      case 'notifications/resources/updated':
        return this.#listeners.onResourceUpdated(String(params.uri))
      case 'notifications/message':
        return this.#underWay.log(params)
      case 'notifications/elicitation/complete':
        return this.#underWay.tell({ method, params })
    }
  }

  /** Asks for announcements, where they must be asked for. */
  async begin() {
    if (!this.isModern) return
    const { tools, prompts, resources } = this.capabilities
    const filter = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
    }
    if (Object.keys(filter).length === 0) return
    this.#feed = follow(this.#client, filter)
    await settled(this.#feed.opened, FOLLOW_MS)
  }

  /** Its tools, and where the list was cut. Those that the protocol forbids over its transport are left out. */
  async tools() {
    if (!this.capabilities.tools) return { tools: [] }
    const { entries, ttlMs, cut } = await readPages(this.#client, 'tools/list', 'tools')
    // Of an older server nothing says how fresh a list is; it announces changes or has none.
    const isAnnounced = !this.isModern || this.capabilities.tools.listChanged === true
    const freshMs = Math.min(MAX_FRESH_MS, Math.max(MIN_FRESH_MS, ttlMs ?? 0))
    this.#freshUntil = isAnnounced ? Infinity : Date.now() + freshMs
    if (!this.isModern || this.#definition.transport === 'stdio') return { tools: entries, cut }
    return { tools: entries.filter(({ inputSchema }) => headerParameters(inputSchema) !== undefined), cut }
  }

  /** Whether the list of tools should be asked for again, since nobody says when it changes. */
  get isStale() {
    return Date.now() > this.#freshUntil
  }

  pages(method, key) {
    return readPages(this.#client, method, key)
  }

  /**
   * Sends a request of a client.
   *
   * @param {string} method
   * @param {object} params
   * @param {import('../calls/caller.mjs').Caller} caller
   * @param {HowAsked} options
   */
  async request(method, params, caller, { asTask, tool, retry }) {
    if (retry && !this.isModern) throw new Unavailable(LOST_STATE)
    await this.#wantLogs(caller.logLevel)
    const call = new Call(caller, this.#definition.timeoutMs)
    this.#underWay.add(call)
    try {
      const request = { method, params: this.isModern ? onBehalfOf({ ...params, ...retry }, caller) : params }
      if (asTask && !this.isModern) return await sendAsTask(this.#client, request, call)
      return withoutServerInfo(await this.#underWay.shown(await this.#send(request, call, tool)))
    } finally {
      this.#underWay.delete(call)
      if (call.isLeft && !this.isModern) this.#leftCalls.add(call)
      call.end()
    }
  }

  async #send(request, call, tool) {
    const options = () => ({ ...call.options, headers: this.#headersOf(request, tool), allowInputRequired: true })
    try {
      const asked = this.#client.request(request, ANYTHING, options())
      call.id = this.#leftCalls.sentId
      return await asked
    } catch (thrown) {
      const error = answered(thrown)
      if (error.code !== HEADER_MISMATCH || !tool) throw error
      // Its schema says something else by now; nothing has been done.
      await this.#listeners.onToolsChanged(this)
      return this.#client.request(request, ANYTHING, options())
    }
  }

  #headersOf({ method, params }, tool) {
    if (!this.isModern || method !== 'tools/call' || this.#definition.transport === 'stdio') return undefined
    const parameters = headerParameters(tool?.()?.inputSchema) ?? []
    return parameters.length === 0 ? undefined : parameterHeaders(parameters, params.arguments)
  }

  /** A server of the older era sends logs of one level to all; it is told the most talkative that anybody wants. */
  async #wantLogs(level) {
    if (this.isModern || !this.capabilities.logging || !LOG_LEVELS.includes(level)) return
    if (LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(this.#logLevel)) return
    this.#logLevel = level
    await this.#client.request({ method: 'logging/setLevel', params: { level } }, ANYTHING).catch(() => {})
  }

  /** Has the server announce changes of a resource. */
  async subscribe(uri) {
    if (!this.isModern) return this.#client.request({ method: 'resources/subscribe', params: { uri } }, ANYTHING)
    this.#uris.add(uri)
    await this.#followResources()
    return {}
  }

  async unsubscribe(uri) {
    if (!this.isModern) return this.#client.request({ method: 'resources/unsubscribe', params: { uri } }, ANYTHING)
    if (this.#uris.delete(uri)) await this.#followResources()
    return {}
  }

  /** One stream for all addresses: a new one is opened before the previous one is closed. */
  async #followResources() {
    const before = this.#resourceFeed
    this.#resourceFeed =
      this.#uris.size === 0 ? undefined : follow(this.#client, { resourceSubscriptions: [...this.#uris] })
    if (this.#resourceFeed) await settled(this.#resourceFeed.opened, FOLLOW_MS)
    await before?.close()
  }

  /** The folders of the only client have changed. */
  async rootsChanged() {
    if (!this.isModern) await this.#client.notification({ method: 'notifications/roots/list_changed' }).catch(() => {})
  }

  close() {
    return this.#client.close()
  }

  /** Ends it politely: an HTTP server may forget the session, a process is ended by its transport. */
  async leave() {
    void this.#feed?.close()
    void this.#resourceFeed?.close()
    const told = this.transport?.terminateSession?.().catch(() => {})
    if (told) await settled(told, LEAVE_MS)
    await this.#client.close().catch(() => {})
  }
}

/**
 * What a modern server is told of the client for which it works: it asks for nothing that the client does not have.
 *
 * @param {Record<string, any>} params
 * @param {import('../calls/caller.mjs').Caller} caller
 */
function onBehalfOf(params, { capabilities, logLevel }) {
  const meta = { [CLIENT_CAPABILITIES_META_KEY]: passedCapabilities(capabilities) }
  if (logLevel !== undefined && LOG_LEVELS.includes(logLevel)) meta[LOG_LEVEL_META_KEY] = logLevel
  return { ...params, _meta: { ...params._meta, ...meta } }
}

/** To its client the gateway is the server. */
function withoutServerInfo(result) {
  if (result?._meta?.[SERVER_INFO_META_KEY] === undefined) return result
  const { [SERVER_INFO_META_KEY]: server, ...meta } = result._meta
  const { _meta, ...rest } = result
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}
