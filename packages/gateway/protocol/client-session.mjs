// One client of the older era: what is attached for it, and what it is told.

import { Server } from '@modelcontextprotocol/server'
import { stringify } from '@zoo-code/tool-router/exact-json'

import { plain } from '../base/errors.mjs'
import { answeredOf, isWork, metaTools, worstOfPrograms } from '../names/meta-tools.mjs'
import { renderAttached, renderTool } from '../listing/rendering.mjs'
import { RouterSession } from '../meta/router-session.mjs'
import { idleCaller, legacyCaller } from '../calls/caller.mjs'
import { Desk } from '../calls/desk.mjs'
import { CAPABILITIES, INSTRUCTIONS } from './face.mjs'
import { Gate } from './gate.mjs'
import { COALESCE_MS, ListNews } from './list-news.mjs'
import { loadAgain } from './loaded-tools.mjs'
import { callTool, passedOn, setLogLevel } from './requests.mjs'

/** How long after its start a server is waited for whose tools must stand in the list. */
const PINS_MS = 5_000
/** Characters of a name that gets a number: with it the name stays within the 64 that model APIs take. */
const NUMBERED = 58

export class ClientSession extends Desk {
  /**
   * Attached tools by provider name, in order. `pinned` ones were there from the start and stay.
   *
   * @type {Map<string, import('./requests.mjs').Attached & { by: string }>}
   */
  attached = new Map()
  /** Searches for tools that are not attached. */
  search
  /** The SDK's side of it, to be connected. */
  server
  /** The least severe log message that the client wants; undefined until it says so. */
  logLevel
  isModern = false
  /** Results are held for this client alone. */
  holder = this
  /** What it is served over, where that is for one client alone. */
  channel
  #gateway
  #metaTools
  #answered
  /** Its text, and by numbers: the list of now, that which the client was told of, and that which it has read. */
  #list = { text: '', version: 0, told: 0, listed: 0 }
  #initialized = false
  #sending = false
  #answering = 0
  #gate = new Gate()
  #timer
  /** Other lists than that of the tools. */
  #news = new ListNews((method) => void this.#notify(method))
  /** Servers whose instructions the client has been given. */
  introduced = new Set()
  /** Keeps what it has loaded, where that outlives the gateway. @type {() => Promise<void>} */
  keep = async () => {}
  #pinning = Promise.resolve()
  #closed = false
  #listeners = []

  /** @param {import('../gateway/gateway.mjs').Gateway} gateway @param {string} [id] its number over HTTP */
  constructor(gateway, id) {
    super(gateway, { id })
    this.#gateway = gateway
    const { clientInfo } = gateway
    this.search = new RouterSession(this)
    this.#offer()
    const instructions = gateway.isStatic ? undefined : INSTRUCTIONS.legacy
    this.server = new Server(clientInfo, { capabilities: CAPABILITIES, instructions })
    this.server.onerror = () => {}
    // Not a handler for each method: those parse and drop what this version of the SDK does not know, and a gateway
    // passes on what it received.
    this.server.removeRequestHandler('logging/setLevel')
    this.server.fallbackRequestHandler = (request, context) => this.#answer(request, context)
    this.server.fallbackNotificationHandler = async ({ method }) => {
      if (method === 'notifications/roots/list_changed') gateway.rootsChanged(this)
    }
    this.server.oninitialized = () => {
      this.#initialized = true
      gateway.rootsChanged(this)
      void this.#tell()
    }
    this.server.onclose = () => this.#end()
    this.#on('tools', () => void this.#pin().then(() => this.#touch()))
    this.#on('servers', () => this.search.close())
    this.#on('listed', (kind) => this.#news.changed(kind))
    this.#on('reloaded', () => {
      this.#offer()
      this.#touch()
    })
    this.#list.text = this.#render()
  }

  /** The meta tools: fixed between two reloads, so that a list only ever grows at its end. */
  #offer() {
    const { settings, modes } = this.config
    const how = { modes, programs: worstOfPrograms(settings) }
    const names = this.catalogue.serverNames
    this.#metaTools = this.#gateway.isStatic ? [] : metaTools(settings.metaTools, names, how)
    this.#answered = answeredOf(this.#metaTools.map(({ name }) => name))
  }

  /** What the client calls itself. */
  get clientName() {
    const { name = '', version = '' } = this.server.getClientVersion() ?? {}
    return `${name} ${version}`.trim()
  }

  get closed() {
    return this.#closed
  }

  /** Whether requests of the client are being answered. */
  get busy() {
    return this.#gate.isBusy
  }

  /** Whether the client has said hello. */
  get isMet() {
    return this.#initialized
  }

  /** The client outside of its requests. */
  get caller() {
    return idleCaller(this)
  }

  isMetaTool(name) {
    return this.#answered.has(name)
  }

  /**
   * To be awaited before the client is served: attaches what it must find.
   *
   * @param {import('./loaded-tools.mjs').LoadedTool[]} [loaded] what it had loaded in a session that is gone
   */
  async prepare(loaded = []) {
    await (loaded.length > 0 ? this.catalogue.kept() : this.catalogue.read())
    this.server.registerCapabilities({ extensions: this.#gateway.extensions })
    // Known only by now, and the SDK takes none after its start.
    if (this.#gateway.isStatic) Object.assign(this.server, { _instructions: this.#gateway.instructions })
    await this.#pin()
    loadAgain(this, loaded)
    this.#touch()
    // Nothing has been listed yet, so nothing of this has changed for the client.
    clearTimeout(this.#timer)
    this.#list.told = this.#list.version
  }

  async close() {
    await this.server.close().catch(() => {})
    this.#end()
  }

  #end() {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    this.#news.close()
    for (const [event, listener] of this.#listeners) this.catalogue.off(event, listener)
    this.#gateway.passthrough.forget(this)
    this.results.forget(this)
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
    if (this.#gateway.isStatic)
      return this.#gateway
        .allTools()
        .map(({ entry, toolName, name }) => renderTool(name, entry.tools.get(toolName), entry.definition, settings))
    const found = [...this.attached].map(([name, id]) => {
      const tool = this.catalogue.tool(id)
      return tool && renderAttached(name, tool, id, settings)
    })
    return [...this.#metaTools, ...found.filter(Boolean)]
  }

  /** What servers say about their use, once each, when their tools are attached: their own client would know it. */
  introduce() {
    const names = new Set([...this.attached.values()].map(({ serverName }) => serverName))
    const told = this.instructionsOf([...names].filter((name) => !this.introduced.has(name)))
    for (const name of Object.keys(told)) this.introduced.add(name)
    return told
  }

  #render() {
    return stringify(this.tools())
  }

  /**
   * Attaches tools in order; a tool that is attached keeps its place.
   *
   * @param {import('./requests.mjs').ToolInScope[]} tools
   * @param {import('./requests.mjs').Attaching} [how]
   * @returns {{ added: string[], already: string[], overLimit: string[] }} provider names
   */
  attach(tools, { pinned = false, shapeOf, by = 'configuration' } = {}) {
    const added = []
    const already = []
    const overLimit = []
    const { settings } = this.config
    let bytes = Buffer.byteLength(this.#render())
    for (const tool of tools) {
      const { serverName, toolName } = tool
      const name = this.#nameFor({ serverName, toolName }, tool.name)
      if (this.attached.has(name)) {
        already.push(name)
        continue
      }
      const shape = shapeOf?.({ serverName, toolName })
      const more = Buffer.byteLength(stringify(renderAttached(name, tool, { shape }, settings))) + 1
      const isFull = this.#metaTools.length + this.attached.size >= settings.maxTools
      if (isFull || (!pinned && bytes + more > settings.maxListBytes)) {
        overLimit.push(name)
        continue
      }
      bytes += more
      this.attached.set(name, { serverName, toolName, pinned, shape, by, at: Date.now() })
      added.push(name)
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
    const gone = [...new Set(names)].filter((name) => this.attached.get(name)?.pinned === false)
    this.search.detach(gone.map((name) => this.attached.get(name)))
    for (const name of gone) this.attached.delete(name)
    this.#touch()
    return gone
  }

  /** Attaches what must be there from the start, as far as `initialTokens` goes. */
  #pin() {
    const before = this.#pinning.catch(() => {}) // a failure is told of once
    this.#pinning = before.then(async () => {
      if (this.#gateway.isStatic) return
      const wanted = this.#gateway.pins().filter(({ name }) => !this.attached.has(name))
      if (wanted.length === 0 || this.#closed) return
      const { settings } = this.config
      const count = (tools) => this.router.countTokens(stringify(tools))
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
    const { catalogue } = this
    await catalogue.caughtUp(this.#gateway.isStatic ? catalogue.patienceMs : PINS_MS, this.#gateway.pinnedServers())
    await this.#pin()
    this.#list.listed = this.#list.version
    this.#list.told = this.#list.version
    const tools = this.tools()
    this.activity.listed(this, tools)
    return { tools }
  }

  // --- telling of changes ----------------------------------------------------------------------------

  /** Looks whether the list differs from the previous one, and if so has the client told. */
  #touch() {
    const text = this.#render()
    if (text === this.#list.text || this.#closed) return
    this.#list.text = text
    this.#list.version += 1
    this.activity.sessions()
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
    send ??= (notification) => this.server.notification(notification)
    this.#sending = true
    try {
      while (this.#list.told < this.#list.version && !this.#closed) {
        this.#list.told = this.#list.version
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
    if (this.#list.listed === this.#list.version) return
    this.#list.told = Math.min(this.#list.told, this.#list.listed)
    void this.#tell()
  }

  async #notify(method, params) {
    if (this.#initialized && !this.#closed) await this.server.notification({ method, params }).catch(() => {})
  }

  resourceUpdated(uri) {
    void this.#notify('notifications/resources/updated', { uri })
  }

  // --- requests --------------------------------------------------------------------------------------

  #answer({ method, params = {} }, context) {
    return this.#gate.pass(async () => {
      try {
        return await this.#answerTo(method, params, legacyCaller(this, context, params), context)
      } catch (error) {
        throw passedOn(error)
      }
    })
  }

  async #answerTo(method, params, caller, context) {
    const { passthrough } = this.#gateway
    switch (method) {
      case 'tools/list':
        return this.#listTools()
      case 'tools/call':
        return this.isMetaTool(params.name) && !isWork(params.name)
          ? this.#thenTell(() => callTool(this, params, caller), context)
          : callTool(this, params, caller)
      case 'resources/read':
        return (await this.results.resource(this, params.uri)) ?? passthrough.answer(method, params, caller, this)
      case 'resources/subscribe':
        return passthrough.subscribe(this, params.uri)
      case 'resources/unsubscribe':
        return passthrough.unsubscribe(this, params.uri)
      case 'logging/setLevel':
        return setLogLevel(this, params.level)
      default:
        return passthrough.answer(method, params, caller, this)
    }
  }

  /** Answers a meta tool; what it changes is told of over the answer's own stream, before it. */
  async #thenTell(answer, { mcpReq }) {
    this.#answering += 1
    try {
      return await answer()
    } finally {
      await this.keep()
      this.#answering -= 1
      await this.#tell(mcpReq.signal.aborted ? undefined : mcpReq.notify)
    }
  }
}
