// The catalogue as a profile has it: the same servers, which run once for all, and of them what the profile may use. What it may
// not use has no entry, no name and no event here.

import { thereOf } from './parts.mjs'
import { ServersInScope } from './servers-in-scope.mjs'

/** Events of one server, and where its name stands among what they tell. */
const OF_A_SERVER = { tools: 0, ready: 0, state: 0, listed: 1, updated: 1 }

/** @typedef {import('./catalogue-entry.mjs').Entry} Entry */

export class CatalogueView extends ServersInScope {
  #whole
  #config
  /** @type {[string, (...told: any[]) => void][]} */
  #listeners = []

  /**
   * @param {import('./catalogue.mjs').Catalogue} whole
   * @param {() => import('../config/read.mjs').Config} config of the profile
   * @param {import('@zoo-code/tool-router/internal').ToolRouter} router
   */
  constructor(whole, config, router) {
    super(router, config().settings.namespacing)
    this.#whole = whole
    this.#config = config
    this.#look()
    // What is here is changed before anybody is told of it.
    for (const event of ['tools', 'servers']) this.#on(event, () => this.#follow())
    for (const [event, at] of Object.entries(OF_A_SERVER))
      this.#on(event, (...told) => this.entries.has(told[at]) && this.emit(event, ...told))
  }

  #on(event, listener) {
    this.#whole.on(event, listener)
    this.#listeners.push([event, listener])
  }

  get patienceMs() {
    return this.#whole.patienceMs
  }

  kept = () => this.#whole.kept()
  read = () => this.#whole.read()

  /** Of a server only a part may be used: then it stands with its tools. @param {string[]} [names] */
  scopeOf(names = this.serverNames) {
    return names.map((name) => {
      const entry = this.entries.get(name)
      return entry?.definition.parts === undefined ? name : { name, tools: [...entry.providerNames.keys()] }
    })
  }

  /** Looks, and tells when the scope is another one. */
  #follow() {
    const [names, scope] = [this.serverNames, JSON.stringify(this.scopeOf())]
    this.#look()
    if (JSON.stringify(this.scopeOf()) === scope) return
    this.emit('servers')
    for (const name of names) if (!this.entries.has(name)) this.emit('tools', name)
  }

  /** Takes over what the whole catalogue has now. */
  #look() {
    const entries = [...this.#whole.entries.values()].flatMap((entry) => this.#entryOf(entry) ?? [])
    this.entries = new Map(entries.map((entry) => [entry.definition.name, entry]))
    this.applyNames()
  }

  /** @returns {Entry | undefined} undefined for a server that the profile does not have */
  #entryOf(entry) {
    const { definition } = entry
    const config = this.#config()
    const narrowed = config.servers.has(definition.name) ? config.narrowed(definition) : undefined
    if (narrowed === undefined) return undefined
    return narrowed === definition
      ? asWhole(entry)
      : partOf(entry, narrowed, thereOf(narrowed, [...entry.tools.values()]))
  }

  /** Somebody asks: of servers that wait for whoever comes, his are started. */
  asked() {
    this.#whole.asked(this.serverNames)
  }

  begin() {
    this.asked()
  }

  async caughtUp(ms, names = this.serverNames, isEnough = undefined) {
    return this.#whole.caughtUp(ms, names, isEnough)
  }

  restart({ definition: { name } }) {
    const entry = this.#whole.entries.get(name)
    if (entry) this.#whole.restart(entry)
  }

  assertFree() {}

  /** The configuration of the profile was read again. */
  async reload({ added, changed, refreshed, removed }) {
    this.#look()
    this.emit('servers')
    const names = [...added, ...changed, ...refreshed].map(({ name }) => name)
    for (const name of [...names, ...removed]) this.emit('tools', name)
    this.emit('reloaded')
  }

  async close() {
    for (const [event, listener] of this.#listeners) this.#whole.off(event, listener)
    this.removeAllListeners()
  }
}

/** Clients of each profile know its tools by names of their own. @param {Entry} entry @returns {Entry} */
function asWhole(entry) {
  return Object.assign(Object.create(entry), { names: entry.providerNames, refused: [] })
}

/** @param {Entry} entry @param {Entry['definition']} definition @param {{ name: string }[]} there @returns {Entry} */
function partOf(entry, definition, there) {
  const names = new Set(there.map(({ name }) => name))
  const only = (map) => new Map([...map].filter(([name]) => names.has(name) || name === ''))
  const { tools, providerNames, withheld, findings } = entry
  const own = { tools, providerNames, withheld, findings }
  const parts = Object.fromEntries(Object.entries(own).map(([key, map]) => [key, only(map)]))
  return Object.assign(Object.create(entry), parts, {
    definition,
    names: parts.providerNames,
    refused: [],
    unknownNames: [],
  })
}
