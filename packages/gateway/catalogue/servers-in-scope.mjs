// Servers and tools by their names, as far as somebody may use them: all of a gateway, or those of a profile.

import { EventEmitter } from 'node:events'

import { fold } from '../base/near.mjs'
import { settled } from '../base/settled.mjs'
import { withoutClient } from '../config/tool-spelling.mjs'
import { OwnNames, SERVER_NAMES } from './naming.mjs'
import { answered, eventually, startingOf } from './starts.mjs'

/**
 * @typedef {import('./catalogue-entry.mjs').Entry} Entry
 * @typedef {import('./catalogue-entry.mjs').ToolId} ToolId
 * @typedef {import('./catalogue-entry.mjs').ToolInScope} ToolInScope
 */

/**
 * Emits `tools` (server name) when a list of tools changed, `listed` (`resources` or `prompts`, server name), `updated` (uri, server
 * name), `ready` (server name) when one was started, `state` (server name) when it enters a state, `servers` when one came or
 * went, `reloaded` after a reload.
 */
export class ServersInScope extends EventEmitter {
  /** @type {Map<string, Entry>} */
  entries = new Map()
  #router
  #naming

  /** @param {import('@zoo-code/tool-router/internal').ToolRouter} router @param {'server' | 'none'} namespacing */
  constructor(router, namespacing) {
    super()
    this.setMaxListeners(0) // one per session, which are bounded elsewhere
    this.#router = router
    this.#naming = namespacing === 'none' ? new OwnNames() : SERVER_NAMES
  }

  /** Gives tools the names by which clients know them. */
  applyNames() {
    this.#naming.apply(this.entries.values())
  }

  /** Names of all servers that are on, in the order of the configuration. */
  get serverNames() {
    return [...this.entries.keys()]
  }

  /**
   * Servers as the router takes them for a scope: the process has one router, and not all of it is here.
   *
   * @param {string[]} [names]
   * @returns {import('@zoo-code/tool-router/internal').ServerScope[]}
   */
  scopeOf(names = this.serverNames) {
    return names
  }

  /** Names of servers that were not asked yet, without waiting. */
  get starting() {
    return startingOf([...this.entries.values()])
  }

  /** Waits until the servers were asked for their tools once, or a time has passed; names those that were not. */
  async settled(ms) {
    const entries = [...this.entries.values()]
    await settled(Promise.all(entries.map(({ started }) => started)), ms)
    return startingOf(entries)
  }

  /**
   * Waits until servers that were added less than `ms` ago were asked themselves: what they have besides tools is not kept.
   *
   * @returns {Promise<string[]>} names of those that were not
   */
  answered(ms) {
    return answered([...this.entries.values()], ms)
  }

  /**
   * Looks for something until it is there, or until all servers were asked that were added less than `ms` ago.
   *
   * @template T
   * @param {() => T | undefined} look
   */
  eventually(look, ms) {
    return eventually(() => this.entries.values(), look, ms)
  }

  /** The tool behind a name, of the client's or the router's, however its separators are spelt; undefined out of scope. */
  find(name) {
    const id = this.#naming.find(name) ?? this.#router.resolveTool(name)
    return id === null ? undefined : this.tool(id)
  }

  /**
   * Tools that a name may mean as a model writes it, those that are withheld too: a name that two servers have means neither
   * tool while one of them is.
   *
   * @param {string} name
   * @returns {ToolId[]}
   */
  meant(name) {
    if (this.#saysUnlisted(name)) return []
    const isHere = ({ serverName, toolName }) => {
      const { names, withheld } = this.entries.get(serverName) ?? {}
      return names?.has(toolName) || withheld?.has(toolName)
    }
    return this.#router.toolsMeant(name, this.scopeOf()).filter(isHere)
  }

  /** Whether a name says a server whose tools are not known: another's tool with such a name is not meant. */
  #saysUnlisted(name) {
    const unlisted = [...this.entries]
      .filter(([, { listText }]) => listText === undefined)
      .map(([server]) => fold(server))
    if (unlisted.length === 0) return false
    const fronts = withoutClient(name).flatMap((each) =>
      [...each.matchAll(/[./:[]|__|--/g)].map(({ index }) => fold(each.slice(0, index).replace(/^mcp(__|--)/, ''))),
    )
    return fronts.some((front) => unlisted.includes(front))
  }

  /** The router's name for a tool in scope. */
  providerName({ serverName, toolName }) {
    return this.entries.get(serverName)?.providerNames.get(toolName)
  }

  /** A tool in scope by its names. @param {ToolId} id @returns {ToolInScope | undefined} */
  tool({ serverName, toolName }) {
    const entry = this.entries.get(serverName)
    const name = entry?.names.get(toolName)
    return entry && name !== undefined ? { entry, serverName, toolName, name } : undefined
  }
}
