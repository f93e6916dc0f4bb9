// Servers that the registry of a shared database offers and the configuration does not have. They are found and not started,
// except those that the configuration allows by their digests.

import { setTimeout as pause } from 'node:timers/promises'

import { commandLine } from '../base/command-line.mjs'
import { plain } from '../base/errors.mjs'
import { digestOf, fromRegistry } from '../config/registry-entry.mjs'
import { SUMMARY } from '../listing/rendering.mjs'

/** How long an answer waits for a database that hangs. */
const PATIENT_MS = 2_000
const OFFERED = 'The organisation offers this server. Whoever runs the gateway can allow it; this says how:'

/**
 * @typedef {import('../config/registry-entry.mjs').RegistryEntry} RegistryEntry
 */

export class Registry {
  #gateway
  #store
  /** Digests of servers that were started from here, by name. @type {Map<string, string>} */
  #started = new Map()
  /** What was said in the log. */
  #told = new Set()
  #reading = Promise.resolve()
  /** One that has not begun, if there is one. @type {Promise<void> | undefined} */
  #next
  #end
  /** Vectors that are being made, if any. @type {Promise<void> | undefined} */
  #embedding
  /** Of which model all entries had vectors when it was last looked. */
  #embeddedBy

  /**
   * @param {{ catalogue: import('../catalogue/catalogue.mjs').Catalogue, router: import('@zoo-code/tool-router/internal').ToolRouter, log: (line: string) => void,
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

  /** Reads the entries that are allowed, and starts them. While the database is away everything stays as it is. */
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
    const { allowed } = this.#gateway.config.registry
    const entries = await this.#store?.named([...new Set([...allowed.keys(), ...this.#started.keys()])])
    if (entries === undefined || this.#end === undefined) return
    const isThere = (name) => entries.some((entry) => entry.name === name)
    for (const [name, digest] of this.#started) {
      if (isThere(name) && allowed.get(name) === digest) continue
      this.#started.delete(name)
      if (!this.#isOwn(name)) await this.#gateway.catalogue.remove(name)
    }
    for (const entry of entries) this.#take(entry)
    this.embed()
  }

  /** Makes the vectors that entries lack, in the background. Without a model, or a database that keeps vectors, there are none. */
  embed() {
    // What comes while vectors are made is looked for afterwards.
    const made = (this.#embedding ?? Promise.resolve())
      .then(() => this.#embed())
      .catch(() => {})
      .finally(() => {
        if (this.#embedding === made) this.#embedding = undefined
      })
    this.#embedding = made
  }

  async #embed() {
    const { router } = this.#gateway
    const modelId = router.status.embedder?.modelId
    if (this.#store === undefined || modelId === undefined) return
    const embed = (texts) => router.embedTexts(texts)
    while (this.#end !== undefined && (await this.#store.embed(modelId, embed)) > 0);
    this.#embeddedBy = modelId
  }

  /** Whether the configuration has a server of this name, even one that is off. */
  #isOwn(name) {
    const { servers, off, leftOut } = this.#gateway.config
    return servers.has(name) || off.has(name) || leftOut.some((each) => each.kind === 'server' && each.name === name)
  }

  /** What runs goes on as it was allowed. */
  #take(entry) {
    const { name } = entry
    if (this.#isOwn(name)) this.#started.delete(name)
    else if (!this.#started.has(name) && !this.#gateway.catalogue.entries.has(name)) this.#start(entry)
  }

  /** @param {RegistryEntry} entry */
  #start(entry) {
    const { name } = entry
    const { allowed, definitionOf } = this.#gateway.config.registry
    const digest = allowed.get(name)
    if (digest === undefined) return
    try {
      if (digest !== digestOf(entry)) throw new Error('it starts something else than config.gateway.registry allows')
      const definition = definitionOf(name, fromRegistry(entry))
      if (definition === undefined) return
      this.#gateway.catalogue.add(definition)
      this.#started.set(name, digest)
    } catch ({ message }) {
      this.#tell(`${plain(name, 128)} of the registry is not started: ${plain(message, 300)}`)
    }
  }

  #tell(line) {
    if (!this.#told.has(line)) this.#gateway.log(line)
    this.#told.add(line)
  }

  /**
   * Servers that are offered and not started here, nearest to a need first. Nothing while the database is away or hangs.
   *
   * @param {string} need
   * @param {number} most
   * @returns {Promise<{ name: string, connected: false, description?: string, reason: 'offered', detail: string }[]>}
   */
  async near(need, most) {
    if (this.#store === undefined || this.#end === undefined) return []
    const { catalogue, config, router } = this.#gateway
    const own = [...config.servers.keys(), ...config.off, ...config.leftOut.map(({ name }) => name)]
    const without = [...new Set([...own, ...catalogue.entries.keys()])]
    const embedded = router.embedTexts([need]).catch(() => undefined)
    // A model may come later than the entries, or be another than before.
    void embedded.then((made) => {
      if (made && made.modelId !== this.#embeddedBy && this.#embedding === undefined) this.embed()
    })
    const found = this.#store.near(need, { most, without, embedded }).catch(() => [])
    const entries = await Promise.race([found, pause(PATIENT_MS, [], { ref: false })])
    // The database holds a profile to its servers as well, unless its user is a superuser.
    return entries.filter(({ name }) => config.registry.has(name)).map((entry) => offer(entry, config.from))
  }

  /** What a profile is told. @param {(name: string) => boolean} has @returns {Pick<Registry, 'near' | 'embed'>} */
  within(has) {
    const near = async (need, most) => (await this.near(need, most)).filter(({ name }) => has(name))
    return { near, embed: () => this.embed() }
  }

  async close() {
    this.#end?.()
    this.#end = undefined
    await Promise.all([this.#reading, this.#embedding])
  }
}

/** @param {RegistryEntry} entry @param {import('../base/command-line.mjs').From} [from] */
function offer({ name, said: { description } }, from) {
  return {
    name,
    connected: /** @type {const} */ (false),
    ...(description && { description: plain(description, SUMMARY) }),
    reason: /** @type {const} */ ('offered'),
    detail: `${OFFERED} ${commandLine(['registry'], from)}`,
  }
}
