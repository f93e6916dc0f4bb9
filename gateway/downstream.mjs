// SPDX-License-Identifier: Apache-2.0
//
// One server behind the gateway: connected, asked for its tools, called, started again when it dies.

import { setTimeout as pause } from 'node:timers/promises'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ErrorCode,
  McpError,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'

import { childTransport, settled } from './child-transport.mjs'
import { reasonOf } from './errors.mjs'

/** How long a server may take to start: `npx` may fetch a package first. */
const START_MS = 60_000
/** Pages and entries of one list: a cursor that never ends is not followed for ever. */
const MAX_PAGES = 100
const MAX_ENTRIES = 5_000
/** Characters of one list: catalogues of hundreds of servers are smaller. */
const MAX_LIST = 64 * 1024 * 1024
/** Between two looks at a list that changes all the time, and how long an answer waits for it. */
const REFRESH_PAUSE_MS = 100
const REFRESH_WAIT_MS = 1_000
/** Notifications of progress of one call that are passed on. */
const MAX_PROGRESS = 10_000
/** Levels of a result. At some thousands `JSON.stringify` gives up, and the answer to the client would be lost. */
const MAX_DEPTH = 1_000
/** The first pause before a restart; each further one is twice as long, up to the last. */
const FIRST_PAUSE_MS = 250
const LAST_PAUSE_MS = 30_000
/** A server that lived this long has earned the first pause again. */
const STABLE_MS = 10_000
/** How long an HTTP server may take to end a session that nobody needs any more. */
const LEAVE_MS = 1_000
/** How much longer than its time-out a call may take that keeps reporting progress. */
const PROGRESS_FACTOR = 10

/** A call that could not be made or whose answer cannot come. The message is for the model. */
export class Unavailable extends Error {
  name = 'Unavailable'
}

/**
 * @typedef {object} ServerDefinition what `readServer` of config.mjs gives
 * @typedef {'idle' | 'connecting' | 'ready' | 'waiting' | 'closed'} State `idle` starts on use, `waiting` after a pause
 *
 * @typedef {object} Hooks
 * @property {(lists: { tools: object[], instructions?: string }) => Promise<void>} onTools a new list of tools
 * @property {(kind: 'resources' | 'prompts') => void} onListChanged
 * @property {(uri: string) => void} onResourceUpdated
 * @property {(state: State, reason?: string) => void} onState
 */

export class Downstream {
  /** @type {State} */
  state = 'idle'
  /** What the server can do besides tools, as it said in `initialize`. */
  capabilities = {}
  #hooks
  #clientInfo
  #idleMs
  #client
  #transport
  #connecting
  #reason
  #pauses = 0
  #since = 0
  #retryAt = 0
  #retryTimer
  #idleTimer
  #calls = 0
  #learnt = Promise.resolve()
  #refreshing
  #refreshAgain = false

  /**
   * @param {ServerDefinition} definition
   * @param {Hooks} hooks
   * @param {{ clientInfo: { name: string, version: string }, serverIdleMs: number }} options
   */
  constructor(definition, hooks, { clientInfo, serverIdleMs }) {
    this.definition = definition
    this.#hooks = hooks
    this.#clientInfo = clientInfo
    this.#idleMs = serverIdleMs
  }

  get name() {
    return this.definition.name
  }

  /** Why it is not there, for a person. */
  get reason() {
    return this.#reason
  }

  /** The process of a stdio server; `null` while there is none. */
  get pid() {
    return this.#transport?.pid ?? null
  }

  /** Connects unless it is connected. Never rejects: `state` and `reason` say what came of it. */
  async connect() {
    await this.#connected().catch(() => {})
  }

  /** The connected client. A pause after a death is not waited for: the model is told when to try again. */
  async #connected() {
    if (this.state === 'closed') throw new Unavailable(`server ${this.name} was taken out of the gateway`)
    if (this.state === 'waiting' && Date.now() < this.#retryAt) {
      const seconds = Math.max(1, Math.ceil((this.#retryAt - Date.now()) / 1000))
      throw new Unavailable(`server ${this.name} is unavailable: ${this.#reason}. It is started again in ${seconds} s; try again then`)
    }
    if (this.state === 'ready') return this.#client
    this.#connecting ??= this.#open().finally(() => (this.#connecting = undefined))
    return this.#connecting
  }

  async #open() {
    clearTimeout(this.#retryTimer)
    this.#enter('connecting')
    const { definition } = this
    const client = new Client(this.#clientInfo, { capabilities: {} })
    client.onerror = () => {} // what matters ends the connection; the rest is noise of the server
    const transport =
      definition.transport === 'stdio'
        ? childTransport(definition)
        : new StreamableHTTPClientTransport(definition.url, { requestInit: { headers: Object.fromEntries(definition.headers) } })
    this.#transport = transport
    try {
      await client.connect(transport, { timeout: START_MS })
      // Told to end while it was starting.
      if (this.state === 'closed') throw new Unavailable(`server ${this.name} was taken out of the gateway`)
      this.#client = client
      client.onclose = () => this.#lost(client, 'it has ended')
      this.capabilities = client.getServerCapabilities() ?? {}
      this.#listen(client)
      await this.#learn(client)
      if (this.#client !== client) throw new Unavailable(`server ${this.name} ended while it was starting`)
      this.#since = Date.now()
      this.#reason = undefined
      this.#enter('ready')
      this.#rest()
      return client
    } catch (error) {
      client.onclose = undefined
      this.#client = undefined
      await client.close().catch(() => {})
      await transport.close().catch(() => {})
      // Not when it died while it was asked for its tools: then the pause has begun.
      if (this.state === 'connecting') this.#pause(reasonOf(error))
      throw error instanceof Unavailable ? error : new Unavailable(`server ${this.name} cannot be started: ${reasonOf(error)}`)
    }
  }

  #listen(client) {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#refresh(client))
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => this.#hooks.onListChanged('resources'))
    client.setNotificationHandler(PromptListChangedNotificationSchema, () => this.#hooks.onListChanged('prompts'))
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => this.#hooks.onResourceUpdated(params.uri))
  }

  /** Asks for the tools again. While it asks, further announcements lead to one more time, not to many. */
  #refresh(client) {
    this.#refreshAgain = true
    this.#refreshing ??= this.#refreshWhileAnnounced(client).finally(() => {
      this.#refreshing = undefined
      // Announced by a connection that has begun since.
      if (this.#refreshAgain && this.#client && this.#client !== client) this.#refresh(this.#client)
    })
  }

  async #refreshWhileAnnounced(client) {
    while (this.#refreshAgain && this.#client === client) {
      this.#refreshAgain = false
      // When it dies or answers nonsense the list before stays in force.
      await this.#learn(client).catch(() => {})
      if (this.#refreshAgain) await pause(REFRESH_PAUSE_MS, undefined, { ref: false })
    }
  }

  /** Asks for the tools and hands them on, one time after the other: an older list never replaces a newer one. */
  #learn(client) {
    const learnt = this.#learnt.then(async () => {
      const tools = this.capabilities.tools ? await this.#pages(client, 'tools/list', 'tools') : []
      if (this.#client === client) await this.#hooks.onTools({ tools, instructions: client.getInstructions() })
    })
    this.#learnt = learnt.catch(() => {})
    return learnt
  }

  async #pages(client, method, key) {
    const entries = []
    let size = 0
    let cursor
    for (let page = 0; page < MAX_PAGES && entries.length < MAX_ENTRIES; page++) {
      const params = cursor === undefined ? {} : { cursor }
      const answer = await client.request({ method, params }, ResultSchema, { timeout: START_MS })
      if (!Array.isArray(answer[key])) throw new Error(`${method} answered without ${key}`)
      size += JSON.stringify(answer[key]).length
      if (size > MAX_LIST) throw new Error(`${method} answered more than ${MAX_LIST} characters`)
      for (const entry of answer[key]) entries.push(entry)
      if (typeof answer.nextCursor !== 'string' || answer.nextCursor === cursor) break
      cursor = answer.nextCursor
    }
    return entries.slice(0, MAX_ENTRIES)
  }

  /** Settles when a list of tools that it announced was asked for, or soon when it announces without end. */
  async refreshed() {
    if (this.#refreshing) await settled(this.#refreshing, REFRESH_WAIT_MS)
  }

  /** A list of a server that can be asked for it: resources, their templates, prompts. Empty when it cannot. */
  async list(method, key, capability) {
    if (this.state !== 'ready' || !this.capabilities[capability]) return []
    try {
      return (await this.#pages(this.#client, method, key)).filter((entry) => entry !== null && typeof entry === 'object')
    } catch {
      return [] // one server that fails does not cost the lists of the others
    }
  }

  /**
   * Sends a request to the server and gives its result as it came.
   *
   * @param {string} method
   * @param {object} params
   * @param {{ signal?: AbortSignal, onprogress?: (progress: object) => void, asTask?: boolean }} [options] `asTask`: for a
   * tool that only runs as a task of the protocol; the task is waited for
   * @throws {Unavailable} when it cannot be reached, ended, or took too long; otherwise what the server answered
   */
  async request(method, params, { signal, onprogress, asTask = false } = {}) {
    const client = await this.#connected()
    signal?.throwIfAborted()
    const { timeoutMs } = this.definition
    let progresses = 0
    const options = {
      signal,
      onprogress: onprogress && ((progress) => (progresses += 1) <= MAX_PROGRESS && onprogress(progress)),
      timeout: timeoutMs,
      resetTimeoutOnProgress: true,
      maxTotalTimeout: timeoutMs * PROGRESS_FACTOR,
    }
    this.#calls += 1
    clearTimeout(this.#idleTimer)
    try {
      const result = await (asTask ? this.#runTask : this.#send).call(this, client, { method, params }, options)
      if (isDeep(result)) throw new Unavailable(`server ${this.name} answered what is nested deeper than ${MAX_DEPTH}; it was dropped`)
      return result
    } catch (error) {
      throw this.#failed(client, error, signal)
    } finally {
      this.#calls -= 1
      this.#rest()
    }
  }

  async #send(client, request, options) {
    try {
      return await client.request(request, ResultSchema, options)
    } catch (error) {
      // An HTTP server that was started again does not know the session, and has done nothing: once more, in a new one.
      if (!(error instanceof StreamableHTTPError) || error.code !== 404) throw error
      this.#pauses = 0
      this.#lost(client, 'it has forgotten the session')
      this.#retryAt = 0
      return (await this.#connected()).request(request, ResultSchema, options)
    }
  }

  /** Runs a request as a task of the protocol and waits for its result, for clients that know of none. */
  async #runTask(client, request, { signal, timeout, maxTotalTimeout }) {
    const { tasks } = client.experimental
    const late = AbortSignal.timeout(maxTotalTimeout)
    const either = signal ? AbortSignal.any([signal, late]) : late
    let taskId
    try {
      for await (const message of tasks.requestStream(request, ResultSchema, { signal: either, timeout, task: {} })) {
        if (message.type === 'taskCreated') taskId = message.task.taskId
        if (message.type === 'result') return message.result
        if (message.type === 'error') throw message.error
      }
      throw new Error('the task ended without a result')
    } finally {
      if (either.aborted && taskId !== undefined) void tasks.cancelTask(taskId).catch(() => {})
    }
  }

  /** What a failed request means: an answer of the server, or that none can come. */
  #failed(client, error, signal) {
    if (signal?.aborted || error instanceof Unavailable) return error
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
      return new Unavailable(`server ${this.name} did not answer within ${this.definition.timeoutMs / 1000} s; the call was cancelled`)
    }
    const ended = error instanceof McpError && error.code === ErrorCode.ConnectionClosed
    if (error instanceof McpError && !ended) return error
    // A session that the server forgot, or a server that is not there: connect again on the next call.
    const gone = error instanceof StreamableHTTPError || error instanceof TypeError
    if (gone) this.#lost(client, reasonOf(error))
    const what = ended ? 'ended during the call' : `could not be reached: ${reasonOf(error)}`
    return new Unavailable(`server ${this.name} ${what}. Whether the call took effect is unknown; the server is started again`)
  }

  /** The connection is gone although nobody closed it. */
  #lost(client, reason) {
    if (this.#client !== client) return
    this.#client = undefined
    client.onclose = undefined
    void client.close().catch(() => {})
    if (this.state === 'closed') return
    if (Date.now() - this.#since > STABLE_MS) this.#pauses = 0
    this.#pause(reason)
  }

  #pause(reason) {
    this.#reason = reason
    const most = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#pauses)
    this.#pauses += 1
    // Servers that died together do not all come back in the same moment.
    const waitMs = most * (0.75 + Math.random() / 4)
    this.#retryAt = Date.now() + waitMs
    this.#enter('waiting')
    clearTimeout(this.#retryTimer)
    // A lazy server comes back when it is used.
    if (this.definition.lazy) return
    this.#retryTimer = setTimeout(() => {
      // A timer of a busy event loop may come a little before the clock has got there.
      this.#retryAt = 0
      void this.connect()
    }, waitMs)
    this.#retryTimer.unref()
  }

  /** A lazy server that nobody uses is stopped after a while. */
  #rest() {
    clearTimeout(this.#idleTimer)
    if (!this.definition.lazy || this.#calls > 0 || this.state !== 'ready') return
    this.#idleTimer = setTimeout(() => void this.#stop(), this.#idleMs)
    this.#idleTimer.unref()
  }

  async #stop() {
    const client = this.#client
    if (!client || this.#calls > 0) return
    this.#client = undefined
    client.onclose = undefined
    this.#enter('idle')
    await this.#leave(client)
  }

  /** Ends a connection politely: an HTTP server may forget the session, a process is ended by its transport. */
  async #leave(client) {
    const { transport } = client
    const told = transport?.terminateSession?.().catch(() => {})
    if (told) await settled(told, LEAVE_MS)
    await client.close().catch(() => {})
  }

  #enter(state) {
    if (this.state === 'closed' || this.state === state) return
    this.state = state
    this.#hooks.onState(state, this.#reason)
  }

  /** Ends the server for good, with all that it started. */
  async close() {
    const client = this.#client
    this.#enter('closed')
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#idleTimer)
    this.#client = undefined
    if (client) client.onclose = undefined
    if (client) await this.#leave(client)
    // One that is still starting: its transport ends, and `#open` sees the state.
    const starting = this.#connecting
    if (!starting) return
    await this.#transport?.close().catch(() => {})
    await settled(starting.catch(() => {}), START_MS)
  }
}

/** Whether a parsed value is nested deeper than {@link MAX_DEPTH}; without recursion, for the same reason. */
function isDeep(value) {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((each) => Object.values(each)).filter((each) => each !== null && typeof each === 'object')
  }
  return false
}
