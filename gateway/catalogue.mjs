// SPDX-License-Identifier: Apache-2.0
//
// All servers behind a gateway, and what of them is in scope. The router knows the tools; this knows whom to call.

import { EventEmitter } from 'node:events'

import { settled } from './downstream/child-transport.mjs'
import { Downstream } from './downstream/downstream.mjs'
import { Approvals } from './approvals.mjs'
import { plain, routerError } from './errors.mjs'
import { stripped } from './hidden-characters.mjs'
import { readList, writeList } from './list-cache.mjs'
import { OwnNames, SERVER_NAMES } from './naming.mjs'
import { switchesOf, Withholding } from './withheld.mjs'

/** Servers started at the same time: more only slows each of them down on a small machine. */
const STARTED_AT_ONCE = 8
/** How long a client may take to say hello before the servers are started for whoever comes. */
const CLIENT_MS = 5_000
/** How long after its start a server is waited for by who asks for what it may have. */
export const STARTING_MS = 10_000
/** Tools that are left out and named in one line of the log. */
const REFUSED_TOLD = 5
/** Characters of what is suspicious about a server, in the log. */
const MAX_WARNED = 400
/** Characters of what a server says about its use: as many as the router ranks by. Some servers send a manual, or worse. */
const MAX_INSTRUCTIONS = 2_000

/** Servers by name that some gateway of this process has: there is one router per process, and so one catalogue. */
const taken = new Set()

/**
 * @typedef {object} Entry a server and what it offers
 * @property {import('./downstream/downstream.mjs').ServerDefinition} definition
 * @property {Downstream} downstream
 * @property {Map<string, object>} tools as the server listed them, by name
 * @property {Map<string, string>} providerNames names by which the router knows the tools in scope, by tool name, in the
 * server's order
 * @property {Map<string, string>} names names by which clients know them
 * @property {{ tool: string, taken_by: string }[]} refused tools whose names others have
 * @property {Map<string, string>} withheld why one of its tools is withheld, by tool name
 * @property {string} [instructions] what the server says about its use
 * @property {Promise<void>} known settles when its tools were asked for once; `isKnown` says whether it has
 * @property {number} addedAt when it was added
 */

/**
 * Emits `tools` (server name) when a list of tools changed, `listed` (`resources` or `prompts`), `updated` (uri),
 * `ready` (server name) when one was started, and `servers` when one was added or removed.
 */
export class Catalogue extends EventEmitter {
  /** @type {Map<string, Entry>} */
  entries = new Map()
  #router
  #settings
  #options
  #log
  #queue = []
  #starting = 0
  /** Nothing is started before a client has said what it can do, or the time for that is over. */
  #held
  #capabilities
  #naming
  #withholding
  #closed = false

  /** `options`: those of {@link Downstream} that are the same for all servers. */
  constructor({ router, settings, log, ...options }) {
    super()
    this.setMaxListeners(0) // one per session, which are bounded elsewhere
    this.#router = router
    this.#settings = settings
    this.#options = { serverIdleMs: settings.serverIdleMs, capabilities: () => this.#capabilities, ...options }
    this.#log = log
    this.#withholding = new Withholding(settings, new Approvals(settings.approvalDir))
    this.#naming = settings.namespacing === 'none' ? new OwnNames() : SERVER_NAMES
  }

  /** Starts no server yet; see {@link Catalogue.begin}. */
  hold() {
    this.#held = setTimeout(() => this.begin(), CLIENT_MS)
    this.#held.unref()
  }

  /**
   * Starts the servers, when they are held.
   *
   * @param {object} [capabilities] what servers are told that clients can do; all that the gateway passes on when left out
   */
  begin(capabilities) {
    if (this.#held === undefined) return
    clearTimeout(this.#held)
    this.#held = undefined
    this.#capabilities = capabilities
    for (const entry of this.entries.values()) entry.addedAt = Date.now()
    this.#next()
  }

  /** Names of all servers that are on, in the order of the configuration. */
  get serverNames() {
    return [...this.entries.keys()]
  }

  /** Takes a server in and starts it in the background, unless it is lazy and its list is known. */
  add(definition) {
    const { name } = definition
    if (taken.has(name)) {
      throw routerError(
        'ERR_INVALID_ARGUMENT',
        `mcpServers: expected names that no other gateway of this process has, got ${JSON.stringify(name)}; rename the server or close the other gateway`,
      )
    }
    taken.add(name)
    const entry = {
      definition,
      addedAt: Date.now(),
      isKnown: false,
      tools: new Map(),
      providerNames: new Map(),
      names: new Map(),
      refused: [],
      withheld: new Map(),
      instructions: undefined,
      listText: undefined,
      setting: Promise.resolve(),
    }
    this.#say(name, registryEntry(definition))
    entry.downstream = new Downstream(definition, this.#hooks(entry), this.#options)
    entry.known = new Promise((resolve) => this.#queue.push({ entry, resolve }))
    this.entries.set(name, entry)
    this.emit('servers')
    this.#next()
  }

  async remove(name) {
    const entry = this.entries.get(name)
    if (!entry) return false
    this.entries.delete(name)
    this.#withholding.forget(entry)
    await entry.downstream.close()
    await this.#router.removeServer(name)
    this.#say(name, registryEntry(entry.definition) && null)
    taken.delete(name)
    this.#nameTools()
    this.emit('servers')
    this.emit('tools', name)
    return true
  }

  #next() {
    while (this.#held === undefined && this.#starting < STARTED_AT_ONCE && this.#queue.length > 0) {
      const { entry, resolve } = this.#queue.shift()
      this.#starting += 1
      void this.#learn(entry).finally(() => {
        this.#starting -= 1
        entry.isKnown = true
        resolve()
        this.#next()
      })
    }
  }

  async #learn(entry) {
    const { definition, downstream } = entry
    const list = definition.lazy ? await readList(this.#settings.cacheDir, definition) : undefined
    // A list on disk that the router does not take is as good as none.
    const isSet =
      list !== undefined &&
      (await this.#set(entry, list).then(
        () => true,
        () => false,
      ))
    if (!isSet) await downstream.connect()
  }

  #hooks(entry) {
    const { name } = entry.definition
    return {
      onTools: async (list) => {
        await this.#set(entry, list)
        if (entry.definition.lazy) await writeList(this.#settings.cacheDir, entry.definition, list)
      },
      onListChanged: (kind) => this.emit('listed', kind),
      onResourceUpdated: (uri) => this.emit('updated', uri),
      onState: (state, reason) => {
        const isTriedAgain = state === 'waiting' && this.#options.restarts !== false
        if (state === 'waiting' || state === 'login')
          this.#log(`server ${name}: ${reason}${isTriedAgain ? '; it is started again' : ''}`)
        if (state !== 'ready') return
        this.#log(`server ${name}: ready, ${entry.names.size} tools in scope`)
        this.emit('ready', name)
        // What it offers besides tools is known from now on.
        for (const kind of ['resources', 'prompts']) if (entry.downstream.capabilities[kind]) this.emit('listed', kind)
      },
    }
  }

  /** What the configuration says about a server is known before the server is: it may be the one that would serve a need. */
  #say(name, registry) {
    if (registry !== undefined) void this.#router.setServerEntry(name, registry).catch(() => {})
  }

  /** Makes lists of tools the active one, one after the other. */
  #set(entry, list) {
    const set = entry.setting.then(() => this.#put(entry, list))
    entry.setting = set.catch(() => {})
    return set
  }

  /** The same list again, as after a restart, changes nothing. */
  async #put(entry, list) {
    const { definition } = entry
    const { name } = definition
    if (this.entries.get(name) !== entry) return
    const tools = this.#withholding.shown(list.tools)
    const withheld = await this.#withholding.of(definition, list.tools)
    const said = this.#settings.hiddenCharacters === 'keep' ? list.instructions : stripped(list.instructions ?? '')
    // The router refuses lone surrogates, which a server may send or the cut may leave.
    const instructions = said?.slice(0, MAX_INSTRUCTIONS).toWellFormed()
    const listText = JSON.stringify([tools, instructions, [...withheld]])
    if (listText === entry.listText) return
    const change = await this.#router.setServer({
      name,
      tools,
      instructions,
      ...switchesOf(definition, withheld, tools),
      toolDescriptionOverrides: Object.fromEntries(definition.toolDescriptionOverrides),
      searchDescriptions: Object.fromEntries(definition.searchDescriptions),
      entry: registryEntry(definition),
    })
    if (change.refused.length > 0)
      this.#log(`server ${name}: ${change.refused.length} tools cannot be used and are left out`)
    this.#warn(name, change.warnings)
    const names = await this.#namesOf(name)
    if (this.entries.get(name) !== entry) return
    // The first of a name counts, as in the router.
    entry.tools = new Map(
      tools
        .toReversed()
        .filter((tool) => typeof tool?.name === 'string')
        .map((tool) => [tool.name, tool]),
    )
    entry.providerNames = new Map(
      [...new Set(tools.map((tool) => tool?.name))]
        .filter((tool) => names.has(tool))
        .map((tool) => [tool, names.get(tool)]),
    )
    entry.instructions = instructions?.trim() ? instructions : undefined
    entry.listText = listText
    this.#tellWithheld(entry, withheld)
    entry.withheld = withheld
    await this.#withholding.watch(entry, () => void this.#approved(entry, list).catch(() => {}))
    await this.#checkNames(entry)
    this.#nameTools()
    this.emit('tools', name)
  }

  #tellWithheld({ definition: { name }, withheld: before }, withheld) {
    const fresh = [...withheld].filter(([tool, reason]) => reason === 'changed' && !before.has(tool))
    if (fresh.length === 0) return
    const told = fresh.slice(0, REFUSED_TOLD).map(([tool]) => tool)
    this.#log(
      `server ${name}: ${fresh.length} tools have changed and are off until you run zoo-tool-router approve: ${told.join(', ')}`,
    )
  }

  async #approved(entry, list) {
    const waited = [...entry.withheld.keys()]
    await this.#set(entry, list)
    // Where the host of the process has the router itself withhold what changes.
    const { name: serverName } = entry.definition
    for (const toolName of waited)
      if (!entry.withheld.has(toolName)) await this.#router.acknowledge({ serverName, toolName }).catch(() => {})
  }

  #nameTools() {
    const before = new Map([...this.entries.values()].map((entry) => [entry, entry.refused.length]))
    for (const entry of this.entries.values()) entry.names = entry.providerNames
    this.#naming.apply(this.entries.values())
    for (const [{ definition, refused }, count] of before) {
      if (refused.length === count || refused.length === 0) continue
      const told = refused.slice(0, REFUSED_TOLD).map(({ tool, taken_by: owner }) => `${tool} (${owner} has it)`)
      this.#log(
        `server ${definition.name}: ${refused.length} tools are left out, since names are alike: ${told.join(', ')}`,
      )
    }
  }

  /** Says what is suspicious about a server, by codes and names: what a tool says goes into no log. */
  #warn(name, warnings) {
    if (warnings.length === 0) return
    const told = warnings
      .slice(0, REFUSED_TOLD)
      .map(({ code, toolName }) => (toolName ? `${code} (${toolName})` : code))
    const more = warnings.length > told.length ? ` and ${warnings.length - told.length} more` : ''
    this.#log(`server ${name}: ${plain(told.join(', '), MAX_WARNED)}${more}`)
  }

  /** Two tools whose provider names are alike are told apart by a suffix, and which one gets it depends on both. */
  async #checkNames(changed) {
    for (const entry of this.entries.values()) {
      const { name } = entry.definition
      const isSame = ([toolName, providerName]) => {
        const id = this.#router.resolveTool(providerName)
        return id?.serverName === name && id.toolName === toolName
      }
      if (entry === changed || [...entry.providerNames].every(isSame)) continue
      const names = await this.#namesOf(name)
      entry.providerNames = new Map(
        [...entry.providerNames.keys()].filter((tool) => names.has(tool)).map((tool) => [tool, names.get(tool)]),
      )
    }
  }

  /** Provider names of a server's tools that are in scope, in its order. */
  async #namesOf(name) {
    const tools = await this.#router.listTools({ servers: [name] })
    return new Map(tools.map((tool) => [tool.toolName, tool.name]))
  }

  /** Waits until the servers were asked for their tools once, or a time has passed; names those that were not. */
  async settled(ms, names = this.serverNames) {
    const entries = names.map((name) => this.entries.get(name)).filter(Boolean)
    await settled(Promise.all(entries.map(({ known }) => known)), ms)
    return entries.filter(({ isKnown }) => !isKnown).map(({ definition }) => definition.name)
  }

  /**
   * Waits for what is about to be known: servers that were added less than `ms` ago, and lists that servers have
   * announced. One that hangs while it starts is waited for once, not by each question.
   *
   * @returns {Promise<string[]>} names of servers that are still starting
   */
  async caughtUp(ms, names = this.serverNames) {
    const entries = names.map((name) => this.entries.get(name)).filter(Boolean)
    await Promise.all(entries.map(({ downstream }) => downstream.refreshed()))
    const youngest = Math.max(0, ...entries.filter(({ isKnown }) => !isKnown).map(({ addedAt }) => addedAt))
    return this.settled(Math.max(0, youngest + ms - Date.now()), names)
  }

  /**
   * Looks for something until it is there, or until all servers were asked that were added less than `ms` ago: who
   * asks in the first seconds is not told that it does not exist.
   *
   * @template T
   * @param {() => T | undefined} look
   * @returns {Promise<T | undefined>}
   */
  async eventually(look, ms) {
    for (;;) {
      const found = look()
      const starting = [...this.entries.values()].filter(({ isKnown }) => !isKnown)
      const waitMs = Math.max(0, ...starting.map(({ addedAt }) => addedAt + ms - Date.now()))
      if (found !== undefined || waitMs === 0) return found
      await settled(Promise.race(starting.map(({ known }) => known)), waitMs)
    }
  }

  /** The tool behind a name, of the client's or the router's, however its separators are spelt; undefined out of scope. */
  find(name) {
    const id = this.#naming.find(name) ?? this.#router.resolveTool(name)
    return id === null ? undefined : this.tool(id)
  }

  /** The router's name for a tool in scope. */
  providerName({ serverName, toolName }) {
    return this.entries.get(serverName)?.providerNames.get(toolName)
  }

  /** A tool in scope by its names. */
  tool({ serverName, toolName }) {
    const entry = this.entries.get(serverName)
    return entry?.names.has(toolName) ? { entry, serverName, toolName, name: entry.names.get(toolName) } : undefined
  }

  async close() {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#held)
    const names = this.serverNames
    const entries = [...this.entries.values()]
    this.entries.clear()
    for (const entry of entries) this.#withholding.forget(entry)
    for (const { resolve } of this.#queue.splice(0)) resolve()
    await Promise.all(entries.map((entry) => entry.downstream.close()))
    for (const name of names) await this.#router.removeServer(name)
    for (const { definition } of entries) this.#say(definition.name, registryEntry(definition) && null)
    for (const name of names) taken.delete(name)
    this.removeAllListeners()
  }
}

/** What the configuration says about a server; undefined when it says nothing, so that an entry of the host's stays. */
function registryEntry({ description, capabilities, syntheticQueries }) {
  const isEmpty = description === undefined && capabilities.length === 0 && syntheticQueries.length === 0
  return isEmpty ? undefined : { description, capabilities, syntheticQueries }
}
