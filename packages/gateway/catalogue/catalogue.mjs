// All servers behind a gateway, and what of them is in scope. The router knows the tools; this knows whom to call.

import { setImmediate as turn } from 'node:timers/promises'

import { Downstream } from '../downstream/downstream.mjs'
import { Approvals } from '../store/approvals.mjs'
import { newEntry, noteFindings, registryEntry, routedServer } from './catalogue-entry.mjs'
import * as lines from './catalogue-lines.mjs'
import { unknownNames } from '../config/tool-spelling.mjs'
import { inSameBytes } from '../store/definitions.mjs'
import { stripped, withoutHidden } from '../names/hidden-characters.mjs'
import { assertFree, freeName, takeName } from '../base/names-taken.mjs'
import { kindsOf } from './kinds.mjs'
import { checkNames, providerNames } from './naming.mjs'
import { thereOf } from './parts.mjs'
import { ServersInScope } from './servers-in-scope.mjs'
import { followLists } from '../store/follow-lists.mjs'
import { listed, milestones, noteHung, Starts, startingOf } from './starts.mjs'
import { INSTRUCTIONS, switchesOf, Withholding } from './withheld.mjs'

const STARTING_MS = 10_000
/** Characters of what a server says about its use: as many as the router ranks by. Some servers send a manual, or worse. */
const MAX_INSTRUCTIONS = 2_000

/**
 * @typedef {import('./catalogue-entry.mjs').Entry} Entry
 * @typedef {import('./catalogue-entry.mjs').Tool} Tool
 * @typedef {import('./catalogue-entry.mjs').ToolId} ToolId
 * @typedef {import('./catalogue-entry.mjs').ToolInScope} ToolInScope
 */

export class Catalogue extends ServersInScope {
  /** How long after its start a server is waited for by who asks for what it may have. */
  patienceMs = STARTING_MS
  #router
  #store
  #options
  #log
  #starts = new Starts()
  #isPatient = false
  #capabilities
  #withholding
  /** Lists that are being made the active ones. */
  #putting = 0
  /** Lists that are being read from the store, and what settles when they are. */
  #reading = new Set()
  kept = () => Promise.all(this.#reading)
  /** What settles when they are read, though not active yet: what servers said about themselves is known then. */
  read = () => Promise.all([...this.entries.values()].map((entry) => entry.read))
  /** Settles when the only client has said hello: its first answer comes before the work on lists. */
  #greeted = Promise.resolve()
  #greet = () => {}
  /** Servers that end when their calls under way are answered. */
  #retiring = new Set()
  #closed = false

  /** `options`: those of {@link Downstream} that are the same for all servers. */
  constructor({ router, settings, store, log, ...options }) {
    super(router, settings.namespacing)
    this.#router = router
    this.#store = store
    followLists(store, this.entries, (entry, list) => this.#set(entry, { ...list, isKept: true }))
    const checkText = (text) => router.checkText(text)
    this.#options = {
      serverIdleMs: settings.serverIdleMs,
      capabilities: () => this.#capabilities,
      checkText,
      ...options,
    }
    this.#log = log
    this.#withholding = new Withholding(settings, new Approvals(store, this.#log), router)
  }

  /** Starts no server yet; see {@link Catalogue.begin}. `isPatient`: not even when no client comes. */
  hold({ isPatient = false } = {}) {
    this.#isPatient = isPatient
    if (!isPatient) this.#greeted = new Promise((resolve) => (this.#greet = () => resolve(turn())))
    this.#starts.hold(() => isPatient || this.begin())
  }

  /** Somebody asks: of servers that wait for whoever comes, these are started. @param {string[]} [names] all when left out */
  asked(names) {
    if (this.#isPatient) this.begin(undefined, names)
  }

  /**
   * Starts the servers, when they are held.
   *
   * @param {object} [capabilities] what servers are told that clients can do; all that the gateway passes on when left out
   * @param {string[]} [names] of those that alone are started; all when left out
   */
  begin(capabilities, names) {
    if (!this.#starts.isHeld) return
    this.#capabilities = capabilities
    if (names === undefined) this.#greet()
    for (const name of this.#starts.release(names) ?? this.serverNames) {
      const entry = this.entries.get(name)
      if (entry?.isStarting) entry.addedAt = Date.now()
    }
  }

  /** Takes a server in and starts it in the background, unless it is lazy and its list is known. */
  add(definition) {
    takeName(definition.name)
    const entry = newEntry()
    this.entries.set(definition.name, entry)
    this.#start(entry, definition)
    this.emit('servers')
  }

  /** Gives an entry a server of this definition, to be started when it is its turn. */
  #start(entry, definition) {
    this.#say(definition.name, registryEntry(definition))
    entry.definition = definition
    entry.addedAt = Date.now()
    const hooks = this.#hooks(entry, () => entry.downstream === downstream)
    const downstream = new Downstream(definition, hooks, this.#options)
    entry.downstream = downstream
    const { isListed, isAsked } = milestones(entry, () => entry.downstream === downstream)
    const isKept = this.#fromStore(entry).then((isSet) => isSet && isListed())
    this.#reading.add(isKept)
    void this.#enqueue(definition.name, { downstream, isAsked, isKept })
    noteHung(entry, this.patienceMs, this.#store)
  }

  async #enqueue(name, { downstream, isAsked, isKept }) {
    const isKnown = await isKept
    // All lists first: to read them takes a moment, to start processes takes seconds.
    await Promise.all(this.#reading)
    this.#reading.delete(isKept)
    // A lazy server that is known is started when it is used.
    const run = isKnown && downstream.definition.lazy ? async () => {} : () => downstream.connect()
    this.#starts.push({ name, run, done: isAsked, isKnown })
  }

  /** @throws {ToolRouterError} when one of these servers has a name that another gateway of this process has */
  assertFree(definitions) {
    for (const { name } of definitions) if (!this.entries.has(name)) assertFree(name)
  }

  /**
   * Changes servers as an edited configuration has it, and tells once. Calls under way are answered by whom they were
   * made to.
   *
   * @param {ReturnType<typeof import('../gateway/reload.mjs').differencesOf>} difference
   */
  async reload({ removed, added, changed, refreshed, order }) {
    for (const name of removed) {
      const entry = this.entries.get(name)
      if (entry) await this.#drop(entry, (downstream) => this.#retire(downstream))
    }
    // A host may have added and removed servers beside the file.
    for (const definition of [...changed, ...added]) {
      const entry = this.entries.get(definition.name)
      if (entry) this.#replace(entry, definition)
      else this.add(definition)
    }
    for (const definition of refreshed) await this.#refresh(definition)
    // In the order of the file, which decides over names and places.
    const entries = [...order, ...this.serverNames].flatMap((name) => this.entries.get(name) ?? [])
    this.entries.clear()
    for (const entry of entries) this.entries.set(entry.definition.name, entry)
    this.#nameTools()
    this.emit('servers')
    for (const name of removed) this.emit('tools', name)
    this.emit('reloaded')
  }

  /** Starts a server, or starts it again; calls under way are answered by whom they were made to. */
  restart(entry) {
    this.begin()
    this.#replace(entry, entry.definition)
    void entry.downstream.connect()
  }

  #replace(entry, definition) {
    this.#retire(entry.downstream)
    this.#start(entry, definition)
  }

  #retire(downstream) {
    this.#retiring.add(downstream)
    void downstream.retire().finally(() => this.#retiring.delete(downstream))
  }

  /** The same server and list, under another definition. */
  async #refresh(definition) {
    const entry = this.entries.get(definition.name)
    if (!entry) return
    entry.definition = definition
    entry.downstream.definition = definition
    this.#say(definition.name, registryEntry(definition) ?? null)
    if (entry.list === undefined) return
    entry.listText = undefined
    // Copies: what was rendered of a tool is kept by the tool.
    await this.#set(entry, { ...entry.list, tools: entry.list.tools.map((tool) => ({ ...tool })) })
  }

  async remove(name) {
    const entry = this.entries.get(name)
    if (!entry) return false
    await this.#drop(entry, (downstream) => downstream.close())
    this.#nameTools()
    this.emit('servers')
    this.emit('tools', name)
    return true
  }

  /** @param {Entry} entry @param {(downstream: Entry['downstream']) => unknown} end */
  async #drop(entry, end) {
    const { name } = entry.definition
    this.entries.delete(name)
    this.#withholding.forget(entry)
    await end(entry.downstream)
    await this.#router.removeServer(name)
    this.#say(name, registryEntry(entry.definition) && null)
    freeName(name)
  }

  /** The list that the server sent last, whenever that was. @returns {Promise<boolean>} whether it exists */
  async #fromStore(entry) {
    entry.read = this.#store.readList(entry.definition)
    const list = await entry.read
    if (list) entry.list ??= list
    await this.#greeted
    // Empty for one that hung: nobody waits for it. A kept list that the router does not take is as good as none.
    if (!list?.tools.length) return list !== undefined
    const set = this.#set(entry, { ...list, isKept: true }).then(() => true)
    return set.catch(() => false)
  }

  /** `isCurrent`: whether the server is still the one of the entry. */
  #hooks(entry, isCurrent) {
    const { name } = entry.definition
    return {
      onTools: async (list) => {
        if (!isCurrent()) return
        await this.#set(entry, list)
        this.#tell(lines.cutLine(entry, 'tools', list.cut))
        await this.#store.writeList(entry.definition, list)
      },
      onListChanged: (kind) => this.emit('listed', kind, name),
      onResourceUpdated: (uri) => this.emit('updated', uri, name),
      onState: (state, reason) => {
        if (!isCurrent()) return
        this.emit('state', name)
        this.#tell(lines.stateLine(entry, state, reason, this.#options))
        if (state !== 'ready') return
        this.emit('ready', name)
        // What it offers besides tools is known from now on.
        for (const kind of ['resources', 'prompts'])
          if (entry.downstream.capabilities[kind]) this.emit('listed', kind, name)
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
    const before = entry.listText === undefined ? undefined : entry.tools
    /** @type {Tool[]} */
    const shown = list.tools.map(withoutHidden)
    const tools = inSameBytes(thereOf(definition, shown), before)
    const { instructions: given = '' } = list
    // The router refuses lone surrogates, which a server may send or the cut may leave.
    const bounded = stripped(given).slice(0, MAX_INSTRUCTIONS).toWellFormed()
    const withheldOfAll = await this.#withholding.of(definition, list.tools, list.isKept, bounded)
    const there = new Set([INSTRUCTIONS, ...tools.map((tool) => tool?.name)])
    const withheld = new Map([...withheldOfAll].filter(([tool]) => there.has(tool)))
    const instructions = withheld.has(INSTRUCTIONS) ? '' : bounded
    const switches = switchesOf(definition, withheld, shown)
    const listText = JSON.stringify([tools, instructions, [...withheld], switches])
    entry.list = list
    entry.kinds = kindsOf(definition, shown)
    if (listText === entry.listText) return
    this.#putting += 1
    const set = this.#router.setServer(routedServer(definition, { tools, instructions, switches }))
    const change = await set.finally(() => (this.#putting -= 1))
    if (change.refused.length > 0)
      this.#log(`server ${name}: ${change.refused.length} tools cannot be used and are left out`)
    noteFindings(entry, change)
    this.#tell(lines.warningLine(name, [...change.warnings, ...lines.suspicions(change.findings)]))
    entry.unknownNames = unknownNames(definition, shown)
    for (const each of entry.unknownNames) this.#log(lines.unknownLine(name, each))
    const names = await providerNames(this.#router, name)
    if (this.entries.get(name) !== entry) return
    // The first of a name counts, as in the router.
    const named = tools.toReversed().filter((tool) => typeof tool?.name === 'string')
    entry.tools = new Map(named.map((tool) => [tool.name, tool]))
    const inOrder = [...new Set(tools.map((tool) => tool?.name))].filter((tool) => names.has(tool))
    entry.providerNames = new Map(inOrder.map((tool) => [tool, names.get(tool)]))
    entry.instructions = instructions.trim() ? instructions : undefined
    entry.listText = listText
    this.#tell(lines.withheldLine(entry, withheld))
    entry.withheld = withheld
    entry.withheldOfAll = withheldOfAll
    await this.#withholding.watch(entry, () => void this.#approved(entry, list).catch(() => {}))
    // Once for lists that come together: each name of each server is looked up.
    if (this.#putting === 0) await checkNames(this.#router, this.entries.values(), entry)
    this.#nameTools()
    this.emit('tools', name)
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
    this.applyNames()
    for (const [{ definition, refused }, count] of before) {
      if (refused.length !== count && refused.length > 0) this.#log(lines.refusedLine({ definition, refused }))
    }
    if (this.#putting > 0) return
    for (const [name, line] of lines.posingLines(this.entries.values())) {
      const entry = this.entries.get(name)
      if (entry && entry.posing !== line) this.#log(line)
      if (entry) entry.posing = line
    }
  }

  #tell(line) {
    if (line !== undefined) this.#log(line)
  }

  /**
   * Waits for what is about to be known: servers of which no list is known and that were added less than `ms` ago, and
   * lists that servers have announced. One that hangs while it starts is waited for once, not by each question.
   *
   * @param {number} ms
   * @param {string[]} [names] of the servers that matter
   * @param {() => boolean} [isEnough] whether no other list is needed
   * @returns {Promise<string[]>} names of servers that are still starting
   */
  async caughtUp(ms, names = this.serverNames, isEnough = undefined) {
    const entries = names.flatMap((name) => this.entries.get(name) ?? [])
    await Promise.all(entries.map(({ downstream }) => downstream.refreshed()))
    await listed(entries, ms, isEnough)
    return startingOf(entries)
  }

  async close() {
    if (this.#closed) return
    this.#closed = true
    const [names, entries] = [this.serverNames, [...this.entries.values()]]
    this.entries.clear()
    for (const entry of entries) this.#withholding.forget(entry)
    this.#starts.close()
    const servers = [...entries.map(({ downstream }) => downstream), ...this.#retiring]
    await Promise.all(servers.map((downstream) => downstream.close()))
    for (const name of names) await this.#router.removeServer(name)
    for (const { definition } of entries) this.#say(definition.name, registryEntry(definition) && null)
    for (const name of names) freeName(name)
    this.removeAllListeners()
  }
}
