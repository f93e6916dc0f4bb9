// What a gateway is made of: the catalogue of its servers, and the clients that it serves.

import { readFileSync } from 'node:fs'

import addon from '@zoo-code/tool-router/internal'
import { CallCheck } from '../meta/call-check.mjs'
import { Catalogue } from '../catalogue/catalogue.mjs'
import { CatalogueView } from '../catalogue/view.mjs'
import { readServer } from '../config/server.mjs'
import { Replica } from '../base/replica.mjs'
import { settled } from '../base/settled.mjs'
import { MAX_TEXT } from '../base/command-line.mjs'
import { invalid, plain } from '../base/errors.mjs'
import { declaredExtensions, passedExtensions } from '../base/extensions.mjs'
import { personOfThisMachine } from '../base/local-person.mjs'
import { whoAsks } from '../calls/asking.mjs'
import { Logins } from '../login/logins.mjs'
import { modulesOf, toolsOf } from '../meta/modules.mjs'
import { Activity } from '../activity/activity.mjs'
import { ProfileGateways } from './profiles.mjs'
import { Keys } from '../doors/keys.mjs'
import { Channel } from '../http/channel.mjs'
import { listenHttp } from '../http/http.mjs'
import { Modern } from '../protocol/modern.mjs'
import { Passthrough } from '../protocol/passthrough.mjs'
import { Reloader } from './reload.mjs'
import { Results } from '../meta/results.mjs'
import { means } from '../config/tool-spelling.mjs'
import { isDown } from '../listing/unavailable.mjs'

export const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** Characters of what one server says about its use. */
const MAX_INSTRUCTIONS = 2_000

/** How the gateway names itself to clients and servers. */
const CLIENT_INFO = { name: 'zoo-tool-router', version }

export class Gateway {
  router = addon.ToolRouter.shared()
  clientInfo = CLIENT_INFO
  /** Clients of the older era. */
  #sessions = new Set()
  /** Those of its profiles too. */
  #everybody = new Set()
  /** Clients with a transport of their own. */
  #channels = new Set()
  #endpoints = new Set()
  #closing
  /** Whose servers it shares, where it is that of a profile. */
  #whole

  /**
   * Made by {@link createGateway}.
   *
   * @param {import('../config/read.mjs').Config} config
   * @param {(line: string) => void} log
   * @param {{ store: import('../store/store.mjs').Store, telemetry?: import('../base/telemetry.mjs').Telemetry, verbose?: boolean, restarts?: boolean, readFile?: () => import('../config/read.mjs').Config,
   * ofProfiles?: ConstructorParameters<typeof ProfileGateways>[1], whole?: Gateway }} options `whole`: whose servers it shares
   */
  constructor(config, log, options) {
    const { store, telemetry, verbose = false, restarts = true, readFile, ofProfiles = {}, whole } = options
    this.config = config
    this.log = (line) => log(plain(line, MAX_TEXT))
    this.store = store
    this.#whole = whole
    const { router, clientInfo } = this
    this.replica = new Replica(config.settings)
    this.logins = whole?.logins ?? new Logins(config.settings.loginDir, this.replica)
    // A view takes no servers in, and nobody asks it to.
    const view = whole && new CatalogueView(whole.catalogue, () => this.config, router)
    this.catalogue = view
      ? /** @type {Catalogue} */ (/** @type {unknown} */ (view))
      : new Catalogue({
          router,
          settings: config.settings,
          store,
          clientInfo,
          log: this.log,
          logins: this.logins,
          restarts,
          onPrinted: verbose ? (name, line) => this.log(`server ${name} says: ${line}`) : undefined,
          onlyClient: () => this.#onlyClient(),
        })
    this.callCheck = new CallCheck(this)
    const { calls } = store
    const own = personOfThisMachine()
    this.activity = new Activity(router, { audit: calls, who: () => whoAsks().person ?? own, telemetry })
    // Profiles share what is watched.
    if (!whole)
      telemetry?.watch({
        servers: () => this.servers.map(({ name, reason }) => ({ name, isUp: reason === undefined })),
        database: () => (config.settings.store === undefined ? undefined : store.away === undefined),
      })
    this.results = new Results(this)
    this.passthrough = new Passthrough(this)
    this.modern = new Modern(this)
    this.profiles = new ProfileGateways(this, ofProfiles, (read, name, its) =>
      this.#ofProfile(read, name, its, telemetry),
    )
    this.keys = new Keys(
      store.keys,
      () => this.config,
      (...used) => this.activity.keyed(...used),
    )
    this.reloader = readFile && new Reloader(this, readFile)
    this.configFile = ofProfiles.configFile
  }

  /** The gateway of a profile that has what it may use of this one. */
  #ofProfile(config, name, readFile, telemetry) {
    const { profile = '' } = config
    const servers = () => [...gateway.config.servers.keys()]
    const gateway = new Gateway(config, (line) => this.log(`profile ${plain(name, 60)}: ${line}`), {
      store: this.store.of({ servers, profile }),
      telemetry,
      readFile,
      whole: this,
    })
    return gateway
  }

  /** The servers and what is known of them. */
  get servers() {
    const taken = [...this.catalogue.entries.values()].map(({ definition, downstream, tools, names }) => ({
      name: definition.name,
      state: downstream.state,
      toolCount: tools.size,
      scopedCount: names.size,
      pid: downstream.pid,
      ...(isDown(downstream) && { reason: downstream.reason }),
    }))
    const leftOut = this.config.leftOut
      .filter(({ kind, name }) => kind === 'server' && !this.catalogue.entries.has(name))
      .map(({ name, reason }) => ({ name, state: 'left-out', toolCount: 0, scopedCount: 0, pid: null, reason }))
    return [...taken, ...leftOut]
  }

  /** Clients of the older era that are connected. */
  get sessions() {
    return [...this.#sessions]
  }

  get sessionCount() {
    return new Set([...this.#sessions, ...this.#channels].map((each) => each.channel ?? each)).size
  }

  /** Waits until each server was asked for its tools once; names those that were not after `timeoutMs`. */
  ready({ timeoutMs = 60_000 } = {}) {
    this.catalogue.asked()
    return this.catalogue.settled(timeoutMs)
  }

  /** Serves one client over a transport of the SDK, until the transport ends. */
  async connect(transport) {
    this.#assertOpen()
    this.catalogue.asked()
    const channel = new Channel(this, transport)
    this.#channels.add(channel)
    channel.open()
    return channel
  }

  /** Takes who serves its clients, to be ended with it. @param {{ drain: (ms: number) => Promise<void>, close: () => Promise<void> }} endpoint */
  serves(endpoint) {
    this.#endpoints.add(endpoint)
  }

  /** Serves clients over Streamable HTTP on the loopback interface. */
  async listen(options = {}) {
    this.#assertOpen()
    const endpoint = await listenHttp(this, options)
    this.#endpoints.add(endpoint)
    return endpoint
  }

  /** Takes a server in: it is found with no other change. */
  addServer(name, entry) {
    this.#assertOpen()
    if (this.catalogue.entries.has(name)) throw invalid('addServer.name', 'a name that no server has', name)
    const { timeout: timeoutS, inheritEnv } = this.config.settings
    this.catalogue.add(readServer(name, entry, { timeoutS, inheritEnv }))
  }

  /** Reads the configuration file again and changes what has changed. */
  async reload() {
    this.#assertOpen()
    if (!this.reloader) throw invalid('reload', 'a gateway with a configFile', 'one without')
    return this.reloader.reload()
  }

  /** Ends a server and forgets its tools; false when there is none of the name. */
  removeServer(name) {
    return this.catalogue.remove(name)
  }

  /** Extensions of the protocol that clients are told of: those of servers that run, or whose list is kept. */
  get extensions() {
    const entries = [...this.catalogue.entries.values()]
    const ofRunning = ({ capabilities }) => passedExtensions(capabilities.extensions)
    return declaredExtensions(entries.map(({ list, downstream }) => ofRunning(downstream) ?? list?.extensions))
  }

  /** What servers say about their use, to the client of a gateway that stands for them without tools of its own. */
  get instructions() {
    const said = [...this.catalogue.entries.values()].map(({ definition, instructions, list }) => {
      const text = (instructions ?? list?.instructions)?.slice(0, MAX_INSTRUCTIONS).toWellFormed().trim()
      return text ? `${definition.name}: ${text}\n` : ''
    })
    return said.join('') || undefined
  }

  /** Tools that stand in the first list: `alwaysLoad` of servers, of tools where `ownPins` allows it, essential modules. */
  pins() {
    const { catalogue, config } = this
    const essential = modulesOf({ catalogue, config }).filter((module) => module.essential)
    const pinned = new Map(
      essential.flatMap((module) => toolsOf({ catalogue }, module)).map((tool) => [tool.name, tool]),
    )
    for (const { definition, names, tools } of catalogue.entries.values()) {
      const { name: serverName, alwaysLoad, ownPins } = definition
      for (const [toolName, name] of names) {
        if (alwaysLoad === false) continue
        const asks = ownPins && tools.get(toolName)?._meta?.['anthropic/alwaysLoad'] === true
        if (asks || alwaysLoad === true || alwaysLoad.some((each) => means(serverName, each, toolName)))
          pinned.set(name, catalogue.tool({ serverName, toolName }))
      }
    }
    return [...pinned.values()]
  }

  /** All tools in scope, in the order of servers and of their lists. */
  allTools() {
    const { catalogue } = this
    return [...catalogue.entries.values()].flatMap(({ definition: { name: serverName }, names }) =>
      [...names.keys()].map((toolName) => catalogue.tool({ serverName, toolName })),
    )
  }

  /** Whether all tools are listed from the start, as without a gateway. */
  get isStatic() {
    return this.config.settings.mode === 'static'
  }

  /** Servers whose tools stand in the first list: it waits for them. */
  pinnedServers() {
    if (this.isStatic) return this.catalogue.serverNames
    const essential = [...this.config.modules.values()].filter((module) => module.essential)
    const names = new Set(
      essential.flatMap(({ servers, tools }) => [...servers, ...tools.map(({ serverName }) => serverName)]),
    )
    for (const { definition } of this.catalogue.entries.values()) {
      const { alwaysLoad } = definition
      if (definition.essential || alwaysLoad === true || (alwaysLoad !== false && alwaysLoad.length > 0))
        names.add(definition.name)
    }
    return [...names]
  }

  /** Called by a session of the older era when it begins. */
  began(session) {
    this.#sessions.add(session)
    ;(this.#whole ?? this).#everybody.add(session)
    this.activity.sessions()
  }

  /** The folders of a client have changed, or are known now. Servers are told where they can only be its. */
  rootsChanged(session) {
    if (this.#whole) return void this.#whole.rootsChanged(session)
    if (this.#onlyClient()?.peer !== session || !session.caller.capabilities?.roots) return
    for (const { downstream } of this.catalogue.entries.values()) downstream.rootsChanged()
  }

  /** The client of the gateway where there is but one: whom a server means that asks outside of a call. */
  #onlyClient() {
    const met = [...this.#everybody].filter(({ isMet }) => isMet)
    return met.length === 1 ? met[0].caller : undefined
  }

  /** Called by a session or a channel when it has ended. */
  ended(client) {
    this.#sessions.delete(client)
    ;(this.#whole ?? this).#everybody.delete(client)
    this.#channels.delete(client)
    this.activity.sessions()
    this.results.forget(client)
  }

  /** Takes no new client over HTTP, and settles when calls under way are answered, at the latest after so many milliseconds. */
  async drain(ms) {
    await settled(Promise.all([...this.#endpoints, this.profiles].map((part) => part.drain(ms))), ms)
  }

  /** Ends clients, endpoints and servers, with all that they started. Idempotent. */
  close() {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close() {
    await Promise.all([...this.#endpoints].map((endpoint) => endpoint.close()))
    await this.profiles.close()
    await Promise.all([...this.#channels, ...this.#sessions].map((client) => client.close()))
    this.modern.close()
    this.callCheck.close()
    this.results.close()
    this.reloader?.close()
    if (!this.#whole) await this.logins.close()
    await this.catalogue.close()
    await this.activity.counted()
    await this.store.close()
  }

  #assertOpen() {
    if (this.#closing) throw invalid('gateway', 'a gateway that is open', 'a closed one')
  }
}
