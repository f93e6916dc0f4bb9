// SPDX-License-Identifier: Apache-2.0
//
// One client of the gateway: what is attached for it, what it is told, and its requests.

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'

import { Unavailable } from './downstream.mjs'
import { invalid, passedOn, plain } from './errors.mjs'
import { answerMetaTool } from './meta-answers.mjs'
import { metaTools, readArguments } from './meta-tools.mjs'
import { renderTool } from './rendering.mjs'
import { RouterSession } from './router-session.mjs'

/** How long after its start a server is waited for whose tools must stand in the list. */
const PINS_MS = 5_000
/** Changes within this time are told of once. */
const COALESCE_MS = 20
/** Requests of one client that may be under way. */
const MAX_UNDER_WAY = 256
/** Bytes of a tool's name, as the router bounds it with its server's. */
const MAX_NAME = 1_100

/** Characters of what a server says of its use. */
const MAX_INSTRUCTIONS = 1_000
/** Characters of a name that gets a number: with it the name stays within the 64 that model APIs take. */
const NUMBERED = 58

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
}

const INSTRUCTIONS =
  'A gateway to many MCP servers. Their tools are not listed at first: ask for them with the meta tools, then list again.'

export class ClientSession {
  /** Attached tools by provider name, in order. `pinned` ones were there from the start and stay. */
  attached = new Map()
  /** Searches for tools that are not attached. */
  search
  #gateway
  #server
  #metaTools
  #listText = ''
  #version = 0
  #told = 0
  #listed = 0
  #initialized = false
  #sending = false
  #answering = 0
  #timer
  /** Timers by kind of list. */
  #otherLists = new Map()
  /** Servers whose instructions the client has been given. */
  #introduced = new Set()
  #pinning = Promise.resolve()
  #underWay = 0
  #closed = false
  #listeners = []

  /** @param {import('./index.mjs').Gateway} gateway its parts: router, catalogue, passthrough, config, log */
  constructor(gateway) {
    this.#gateway = gateway
    const { catalogue, config, clientInfo } = gateway
    // Fixed for the life of the session, so that a list only ever grows at its end.
    this.search = new RouterSession(this)
    this.#metaTools = metaTools(config.settings.metaTools, catalogue.serverNames)
    this.#server = new Server(clientInfo, { capabilities: CAPABILITIES, instructions: INSTRUCTIONS })
    this.#server.onerror = () => {}
    // Not a handler for each method: those parse and drop what this version of the SDK does not know, and a gateway
    // passes on what came.
    this.#server.fallbackRequestHandler = (request, extra) => this.#answer(request, extra)
    this.#server.oninitialized = () => {
      this.#initialized = true
      void this.#tell()
    }
    this.#server.onclose = () => this.#end()
    this.#on('tools', () => void this.#pin().then(() => this.#touch()))
    this.#on('servers', () => this.search.close())
    this.#on('listed', (kind) => this.#otherListChanged(kind))
    this.#listText = this.#render()
  }

  get config() {
    return this.#gateway.config
  }

  get catalogue() {
    return this.#gateway.catalogue
  }

  get router() {
    return this.#gateway.router
  }

  get closed() {
    return this.#closed
  }

  /** Whether requests of the client are being answered. */
  get busy() {
    return this.#underWay > 0
  }

  /** Serves a client over a transport of the SDK, until the transport ends. */
  async connect(transport) {
    await this.#pin()
    // Nothing has been listed yet, so nothing of this has changed for the client.
    clearTimeout(this.#timer)
    this.#told = this.#version
    await this.#server.connect(transport)
  }

  async close() {
    await this.#server.close().catch(() => {})
    this.#end()
  }

  #end() {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    for (const timer of this.#otherLists.values()) clearTimeout(timer)
    for (const [event, listener] of this.#listeners) this.catalogue.off(event, listener)
    this.#gateway.passthrough.forget(this)
    this.search.close()
    this.#gateway.ended(this)
  }

  #on(event, listener) {
    this.catalogue.on(event, listener)
    this.#listeners.push([event, listener])
  }

  // --- the list of tools ---------------------------------------------------------------------------

  /** What the client is shown: meta tools, then attached tools whose server still lists them. */
  tools() {
    const { settings } = this.config
    const found = [...this.attached].map(([name, { serverName, toolName }]) => {
      const tool = this.catalogue.tool({ serverName, toolName })
      return tool && renderTool(name, tool.entry.tools.get(toolName), tool.entry.definition, settings)
    })
    return [...this.#metaTools, ...found.filter(Boolean)]
  }

  /** What servers say of their use, once each, when tools of theirs are attached: a client of theirs would know it. */
  introduce() {
    const told = {}
    for (const { serverName } of this.attached.values()) {
      const instructions = this.catalogue.entries.get(serverName)?.instructions
      if (instructions === undefined || this.#introduced.has(serverName)) continue
      this.#introduced.add(serverName)
      Object.defineProperty(told, serverName, { value: instructions.slice(0, MAX_INSTRUCTIONS), enumerable: true })
    }
    return told
  }

  #render() {
    return JSON.stringify(this.tools())
  }

  /**
   * Attaches tools in order; a tool that is attached keeps its place.
   *
   * @param {{ serverName: string, toolName: string, name: string }[]} tools
   * @returns {{ added: string[], already: string[], overLimit: string[] }} provider names
   */
  attach(tools, { pinned = false } = {}) {
    const added = []
    const already = []
    const overLimit = []
    const room = () => this.#metaTools.length + this.attached.size < this.config.settings.maxTools
    for (const { serverName, toolName, name: wanted } of tools) {
      const name = this.#nameFor({ serverName, toolName }, wanted)
      if (this.attached.has(name)) already.push(name)
      else if (!room()) overLimit.push(name)
      else {
        this.attached.set(name, { serverName, toolName, pinned })
        added.push(name)
      }
    }
    this.#touch()
    return { added, already, overLimit }
  }

  /** A tool keeps the name it was attached by; a name that another one was attached by meanwhile gets a number. */
  #nameFor({ serverName, toolName }, wanted) {
    const holds = (name) => {
      const id = this.attached.get(name)
      return id === undefined || (id.serverName === serverName && id.toolName === toolName)
    }
    let name = wanted
    for (let number = 2; !holds(name); number++) name = `${wanted.slice(0, NUMBERED)}_${number}`
    return name
  }

  /** Takes tools out of the list: the one thing that shortens it. @returns {string[]} those that were attached */
  detach(names) {
    const gone = names.filter((name) => this.attached.get(name)?.pinned === false && this.attached.delete(name))
    // In the router's session they are attached for good; a new one begins with the next question.
    if (gone.length > 0) this.search.close()
    this.#touch()
    return gone
  }

  /** Attaches what must be there from the start, as far as `initialTokens` goes. */
  #pin() {
    const before = this.#pinning.catch(() => {}) // a failure is told of once
    this.#pinning = before.then(async () => {
      const wanted = this.#gateway.pins().filter(({ name }) => !this.attached.has(name))
      if (wanted.length === 0 || this.#closed) return
      const { settings } = this.config
      const count = (tools) => this.router.countTokens(JSON.stringify(tools))
      const pinned = [...this.attached].filter(([, { pinned }]) => pinned).map(([name]) => name)
      const standing = this.tools().filter(({ name }) => pinned.includes(name) || !this.attached.has(name))
      let spent = await count(standing)
      for (const tool of wanted) {
        const { entry, toolName, name } = tool
        const cost = await count(renderTool(name, entry.tools.get(toolName), entry.definition, settings))
        if (spent + cost > settings.initialTokens || this.#closed) continue
        spent += cost
        this.attach([tool], { pinned: true })
      }
    })
    return this.#pinning.catch((error) => this.#gateway.log(`pinned tools: ${plain(error.message)}`))
  }

  async #listTools() {
    await this.catalogue.caughtUp(PINS_MS, this.#gateway.pinnedServers())
    await this.#pin()
    this.#listed = this.#version
    this.#told = this.#version
    return { tools: this.tools() }
  }

  // --- telling of changes ----------------------------------------------------------------------------

  /** Looks whether the list differs from the one before, and if so has the client told. */
  #touch() {
    const text = this.#render()
    if (text === this.#listText || this.#closed) return
    this.#listText = text
    this.#version += 1
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#tell(), COALESCE_MS)
    this.#timer.unref()
  }

  /**
   * Tells the client that the list has changed, once for all changes so far. While one notification waits for a slow
   * client the next ones become one; none is dropped.
   *
   * @param {(notification: object) => Promise<void>} [send] over the answer to a request, which reaches the client also
   * when it listens to nothing else
   */
  async #tell(send) {
    // The request that made the change tells of it, before its answer; and before the handshake nobody is told.
    if (this.#answering > 0 || this.#sending || (send === undefined && !this.#initialized)) return
    send ??= (notification) => this.#server.notification(notification)
    this.#sending = true
    try {
      while (this.#told < this.#version && !this.#closed) {
        this.#told = this.#version
        await send({ method: 'notifications/tools/list_changed' })
      }
    } catch {
      // The transport has ended, and the session with it.
    } finally {
      this.#sending = false
    }
  }

  /** For a client that has only now begun to listen: tells again of what it may have missed. */
  listens() {
    if (this.#listed === this.#version) return
    this.#told = Math.min(this.#told, this.#listed)
    void this.#tell()
  }

  async #notify(method, params) {
    if (this.#initialized && !this.#closed) await this.#server.notification({ method, params }).catch(() => {})
  }

  /** Other lists than that of the tools: one notification for all servers that come at once. */
  #otherListChanged(kind) {
    if (this.#otherLists.has(kind)) return
    const timer = setTimeout(() => {
      this.#otherLists.delete(kind)
      void this.#notify(`notifications/${kind}/list_changed`)
    }, COALESCE_MS)
    this.#otherLists.set(kind, timer.unref())
  }

  resourceUpdated(uri) {
    void this.#notify('notifications/resources/updated', { uri })
  }

  // --- requests --------------------------------------------------------------------------------------

  async #answer({ method, params = {} }, extra) {
    if (this.#underWay >= MAX_UNDER_WAY) {
      throw new McpError(ErrorCode.InvalidRequest, `more than ${MAX_UNDER_WAY} requests of one client at once; wait for answers`)
    }
    this.#underWay += 1
    try {
      if (method === 'tools/list') return await this.#listTools()
      if (method === 'tools/call') return await this.#callTool(params, extra)
      return await this.#gateway.passthrough.answer(this, method, params, this.#options(params, extra))
    } catch (error) {
      throw passedOn(error instanceof Unavailable ? new McpError(ErrorCode.InternalError, error.message) : error)
    } finally {
      this.#underWay -= 1
    }
  }

  async #callTool(params, extra) {
    const { name } = params
    if (typeof name !== 'string' || name.length > MAX_NAME) throw invalidParams(invalid('tools/call.name', `text of at most ${MAX_NAME} characters`, name))
    if (!this.#metaTools.some((tool) => tool.name === name)) return this.#callServer(params, extra)
    try {
      const args = readArguments(name, params.arguments)
      if (name === 'call_tool') return await this.#callServer({ ...params, name: args.name, arguments: args.args }, extra)
      return await this.#answerMetaTool(name, args, extra)
    } catch (error) {
      if (error.name !== 'ToolRouterError') throw error
      return failed(error.message)
    }
  }

  async #answerMetaTool(name, args, extra) {
    this.#answering += 1
    try {
      return await answerMetaTool(this, name, args)
    } finally {
      this.#answering -= 1
      await this.#tell(extra.signal.aborted ? undefined : extra.sendNotification)
    }
  }

  /** Calls a tool of a server: arguments and result go through as they are. */
  async #callServer({ name, arguments: args, _meta }, extra) {
    const tool = this.#find(name)
    if (!tool) return failed(`unknown tool ${plain(name, 100)}; find tools with mcp_load or search_mcps`)
    const { entry, serverName, toolName } = tool
    const params = { name: toolName, ...(args !== undefined && { arguments: args }) }
    try {
      const asTask = entry.tools.get(toolName).execution?.taskSupport === 'required'
      const options = { ...this.#options({ _meta }, extra), asTask }
      const result = await entry.downstream.request('tools/call', withMeta(params, _meta), options)
      void this.router.recordUse({ serverName, toolName }).catch(() => {})
      return result
    } catch (error) {
      if (error instanceof Unavailable) return failed(error.message)
      throw error
    }
  }

  /** A tool in scope by the name that the client knows it by, attached or not. */
  #find(name) {
    const id = this.attached.get(name)
    return id ? this.catalogue.tool(id) : this.catalogue.find(name)
  }

  /** Cancellation and progress of a request, for the request that is made for it. */
  #options({ _meta }, extra) {
    const progressToken = _meta?.progressToken
    const pass = (progress) =>
      void extra.sendNotification({ method: 'notifications/progress', params: { ...progress, progressToken } }).catch(() => {})
    return { signal: extra.signal, onprogress: progressToken === undefined ? undefined : pass }
  }
}

/** A failure that the model can read and act on. */
export function failed(text) {
  return { content: [{ type: 'text', text }], isError: true }
}

function invalidParams(error) {
  return new McpError(ErrorCode.InvalidParams, error.message)
}

/** `_meta` as it came, less what names things of this connection. */
function withMeta(params, meta) {
  if (meta === null || typeof meta !== 'object') return params
  const { progressToken, 'io.modelcontextprotocol/related-task': task, ...rest } = meta
  return Object.keys(rest).length === 0 ? params : { ...params, _meta: rest }
}
