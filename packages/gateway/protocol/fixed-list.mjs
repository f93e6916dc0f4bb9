// The list of tools of modern clients. It depends on the configuration and on the servers, never on what a client did
// before, so that every process of a gateway answers every client alike: meta tools, pinned tools, and what calls tools.

import { stringify } from '@zoo-code/tool-router/exact-json'

import { answeredOf, CALLS_BY_KIND, isCall, metaTools, SHOWN, worstOfPrograms } from '../names/meta-tools.mjs'
import { renderTool } from '../listing/rendering.mjs'

/** How long after its start a server is waited for whose tools must stand in the list. */
const PINS_MS = 5_000
/** How long a client may keep the list without asking: a change of it is announced. */
const FRESH_MS = 300_000
/** Changes within this time are told of once. */
const COALESCE_MS = 20

export class FixedList {
  #gateway
  #meta = []
  #calls = []
  #answered = new Set()
  /** Tokens of a rendered tool by its JSON. */
  #tokens = new Map()
  #pinned
  #text
  #timer
  #onChanged
  #look = () => {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#compare(), COALESCE_MS)
    this.#timer.unref()
  }

  /**
   * @param {Pick<import('../gateway/gateway.mjs').Gateway, 'allTools' | 'catalogue' | 'config' | 'isStatic' | 'pinnedServers' | 'pins' | 'router'>} gateway
   * @param {() => void} onChanged
   */
  constructor(gateway, onChanged) {
    this.#gateway = gateway
    this.#onChanged = onChanged
    this.#name()
    gateway.catalogue.on('tools', this.#look).on('servers', () => {
      this.#name()
      this.#look()
    })
  }

  /** Meta tools name the servers of the configuration. */
  #name() {
    const { config, catalogue, isStatic } = this.#gateway
    if (isStatic) return
    const { metaTools: offered } = config.settings
    const names = offered.some(isCall)
      ? offered
      : [...offered, ...(config.settings.readOnly ? CALLS_BY_KIND.slice(0, 1) : CALLS_BY_KIND)]
    const programs = worstOfPrograms(config.settings)
    const tools = metaTools(names, catalogue.serverNames, { isModern: true, modes: config.modes, programs })
    this.#meta = tools.filter(({ name }) => !isCall(name))
    this.#calls = tools.filter(({ name }) => isCall(name))
    this.#answered = answeredOf(names)
  }

  isMetaTool(name) {
    return this.#answered.has(name)
  }

  /** Schema of a tool in the list; undefined for any other. */
  schemaOf(name) {
    return this.#pinned?.find((tool) => tool.name === name)?.inputSchema
  }

  /** @returns {Promise<object[]>} */
  async tools() {
    const { config, router, isStatic } = this.#gateway
    const render = ({ entry, toolName, name }) =>
      renderTool(name, entry.tools.get(toolName), entry.definition, config.settings, true)
    if (isStatic) {
      this.#pinned = this.#gateway.allTools().map(render)
      return this.#pinned
    }
    const count = async (tool) => {
      const text = stringify(tool)
      if (!this.#tokens.has(text)) this.#tokens.set(text, await router.countTokens(text))
      return this.#tokens.get(text)
    }
    const own = [...this.#meta, ...this.#calls]
    let spent = (await Promise.all(own.map(count))).reduce((sum, tokens) => sum + tokens, 0)
    const pinned = []
    for (const rendered of this.#gateway.pins().map(render)) {
      const tool = { ...rendered, _meta: { ...rendered._meta, ...SHOWN } }
      const tokens = await count(tool)
      if (spent + tokens > config.settings.initialTokens) continue
      spent += tokens
      pinned.push(tool)
    }
    this.#pinned = pinned
    return [...this.#meta, ...pinned, ...this.#calls]
  }

  /** An answer to `tools/list`. */
  async answer() {
    const { catalogue, isStatic } = this.#gateway
    const starting = await catalogue.caughtUp(isStatic ? catalogue.patienceMs : PINS_MS, this.#gateway.pinnedServers())
    const tools = await this.tools()
    this.#text ??= stringify(tools)
    return { tools, ttlMs: starting.length === 0 ? FRESH_MS : 0, cacheScope: 'private' }
  }

  /** From now on somebody is to be told of changes. */
  async watch() {
    this.#text ??= stringify(await this.tools())
  }

  async #compare() {
    // Nobody has asked for it.
    if (this.#text === undefined) return
    const text = stringify(await this.tools())
    if (text === this.#text) return
    this.#text = text
    this.#onChanged()
  }

  close() {
    clearTimeout(this.#timer)
  }
}
