// Servers that the registry of a shared database offers and the configuration does not have. They are found and not started,
// except those that the configuration allows by their digests.

import { plain } from '../base/errors.mjs'
import { digestOf, fromRegistry, offerOf } from '../config/registry-entry.mjs'
import { SUMMARY } from '../listing/rendering.mjs'

const OFFERED =
  'The organisation offers this server. Whoever runs the gateway can allow it: npx @zoo-code/tool-router-gateway registry.'

/**
 * @typedef {import('../config/registry-entry.mjs').RegistryEntry} RegistryEntry
 */

export class Registry {
  #gateway
  #store
  /** @type {Map<string, RegistryEntry>} */
  #offered = new Map()
  /** Digests of servers that were started from here, by name. @type {Map<string, string>} */
  #started = new Map()
  /** What was said in the log. */
  #told = new Set()
  #reading = Promise.resolve()
  /** One that has not begun, if there is one. @type {Promise<void> | undefined} */
  #next
  #end

  /**
   * @param {{ catalogue: import('../catalogue/catalogue.mjs').Catalogue, router: import('@zoo-code/tool-router').ToolRouter, log: (line: string) => void,
   * config: import('../config/read.mjs').Config }} gateway
   * @param {import('../store/postgres/registry.mjs').PostgresRegistry} [store]
   */
  constructor(gateway, store) {
    this.#gateway = gateway
    this.#store = store
    if (store === undefined) return
    this.#end = store.watch(() => void this.read())
    gateway.catalogue.on('reloaded', () => void this.read())
  }

  /** Reads the entries, and starts those that are allowed. While the database is away everything stays as it is. */
  read() {
    // However often it is told meanwhile, it is read once more.
    this.#next ??= this.#reading.then(() => {
      this.#next = undefined
      return this.#read().catch(() => {})
    })
    this.#reading = this.#next
    return this.#reading
  }

  async #read() {
    const all = await this.#store?.list()
    if (all === undefined || this.#end === undefined) return
    // The database holds a profile to its servers as well, unless its user is a superuser.
    const entries = all.filter(({ name }) => this.#gateway.config.registry.has(name))
    const { catalogue } = this.#gateway
    const gone = (names) => [...names].filter((name) => !entries.some((entry) => entry.name === name))
    for (const name of gone(this.#offered.keys())) await this.#withdraw(name)
    const { allowed } = this.#gateway.config.registry
    const isAllowed = (name) => allowed.get(name) === this.#started.get(name)
    const notAllowed = [...this.#started.keys()].filter((name) => !isAllowed(name))
    for (const name of new Set([...gone(this.#started.keys()), ...notAllowed])) {
      this.#started.delete(name)
      if (!this.#isOwn(name)) await catalogue.remove(name)
    }
    for (const entry of entries) await this.#take(entry)
  }

  /** Whether the configuration has a server of this name, even one that is off. */
  #isOwn(name) {
    const { servers, off, leftOut } = this.#gateway.config
    return servers.has(name) || off.has(name) || leftOut.some((each) => each.kind === 'server' && each.name === name)
  }

  /** What runs goes on as it was allowed. */
  async #take(entry) {
    const { name } = entry
    const isOwn = this.#isOwn(name)
    if (isOwn) this.#started.delete(name)
    if (this.#started.has(name)) return
    if (isOwn || this.#gateway.catalogue.entries.has(name)) return void (await this.#withdraw(name))
    if (this.#start(entry)) return void this.#offered.delete(name)
    this.#offered.set(name, entry)
    await this.#gateway.router.setServerEntry(name, offerOf(entry)).catch(() => this.#offered.delete(name))
  }

  /** @param {RegistryEntry} entry @returns {boolean} whether it is started */
  #start(entry) {
    const { name } = entry
    const { allowed, definitionOf } = this.#gateway.config.registry
    const digest = allowed.get(name)
    if (digest === undefined) return false
    try {
      if (digest !== digestOf(entry)) throw new Error('it starts something else than config.gateway.registry allows')
      const definition = definitionOf(name, fromRegistry(entry))
      if (definition === undefined) return false
      this.#gateway.catalogue.add(definition)
      this.#started.set(name, digest)
      return true
    } catch ({ message }) {
      this.#tell(`${plain(name, 128)} of the registry is not started: ${plain(message, 300)}`)
      return false
    }
  }

  async #withdraw(name) {
    if (!this.#offered.delete(name)) return
    if (!this.#gateway.catalogue.entries.has(name)) await this.#gateway.router.setServerEntry(name, null)
  }

  #tell(line) {
    if (!this.#told.has(line)) this.#gateway.log(line)
    this.#told.add(line)
  }

  /** What is told of a server that is offered; nothing of any other. @param {string} name */
  about(name) {
    const entry = this.#offered.get(name)
    if (entry === undefined) return {}
    const { description } = entry.said
    return { ...(description && { description: plain(description, SUMMARY) }), reason: 'offered', detail: OFFERED }
  }

  /** What a profile is told. @param {(name: string) => boolean} has @returns {Pick<Registry, 'about'>} */
  within(has) {
    return { about: (name) => (has(name) ? this.about(name) : {}) }
  }

  async close() {
    this.#end?.()
    this.#end = undefined
    await this.#reading
    for (const name of [...this.#offered.keys()]) await this.#withdraw(name).catch(() => {})
  }
}
