// The router's session of one client: it finds what is asked for. What the client is shown is kept beside it: the list
// of the gateway has names and definitions of its own.

import { fold } from '../base/near.mjs'

/**
 * The budget of the router counts definitions as servers write them. A client's list has them cut, or as short as a mode has
 * them, so the gateway counts what it lists (`maxListBytes`, as much as the router's own budget); and what a client of the
 * current era finds stands in no list.
 */
const NO_BUDGET = 1_000_000_000
const GONE = ['tool-gone', 'server-gone']

/**
 * A session in which nothing is attached but what is asked for. What a host of the same process has set for its own tasks does
 * not hold there.
 *
 * @param {{ router: import('@zoo-code/tool-router/internal').ToolRouter, catalogue: import('../catalogue/catalogue.mjs').Catalogue }} owner
 * @param {import('@zoo-code/tool-router/internal').Settings} [settings]
 */
export function openEmpty({ router, catalogue }, settings) {
  const session = router.openSession({
    servers: catalogue.scopeOf(),
    settings: {
      threshold: 0,
      initialK: 0,
      searchTurns: 1,
      scopeBy: 'tool',
      tokenBudget: NO_BUDGET,
      nativeToolCount: 0,
      ...settings,
    },
  })
  return { session, begun: session.start('').then(() => session) }
}

export class RouterSession {
  #owner
  #session

  /**
   * @param {{ router: import('@zoo-code/tool-router/internal').ToolRouter, catalogue: import('../catalogue/catalogue.mjs').Catalogue,
   * config: import('../config/read.mjs').Config, attached: Map<string, { serverName: string, toolName: string }> }} owner
   */
  constructor(owner) {
    this.#owner = owner
  }

  /** A session that nothing is attached in: what is asked there changes nothing for a client. */
  static aside({ router, catalogue, config }) {
    return new RouterSession({ router, catalogue, config, attached: new Map() })
  }

  /** Finds tools as the model asks `mcp_load` for them. @returns {Promise<import('@zoo-code/tool-router/internal').LoadResult>} */
  async load(query) {
    const { catalogue } = this.#owner
    const known = (name) => catalogue.find(name)?.name ?? name
    const result = await this.#ask((session) => session.load({ query }))
    return {
      ...result,
      alreadyAttached: result.alreadyAttached.map(known),
      others: result.others.map(known),
      next: result.next.map((tool) => ({ ...tool, name: known(tool.name) })),
      unloaded: result.unloaded.map(known),
      unavailable: result.unavailable.map((each) => this.#unavailable(each, known)),
    }
  }

  /** What is out of scope is not there: nobody is told that it is elsewhere. */
  #unavailable(each, known) {
    const { router, catalogue } = this.#owner
    const isElsewhere = each.reason === 'out-of-scope'
    const near = isElsewhere ? router.nearNames(each.name, { servers: catalogue.scopeOf() }) : each.near
    return { ...each, ...(isElsewhere && { reason: 'unknown' }), ...(near && { near: near.map(known) }) }
  }

  /** Why a tool that was here cannot be called any more, with what has come in its place; undefined for any other name. */
  async whyGone(name) {
    if (this.#session === undefined || this.#session.closed) return undefined
    const isMeant = ({ serverName, toolName }) => fold(name) === fold(serverName + toolName)
    const [listed] = [...this.#owner.attached].find(([, id]) => isMeant(id)) ?? [name]
    const { problem } = await this.#session.checkCall({ name: listed }).catch(() => ({ problem: undefined }))
    return GONE.includes(problem?.reason) ? problem.message : undefined
  }

  /** Looks for a missing capability. @returns {Promise<import('@zoo-code/tool-router/internal').RerouteResult>} */
  reroute(signal) {
    return this.#ask((session) => session.reroute(signal))
  }

  /** Takes tools away that the client's list has no more. Nothing waits: a session takes its calls in order. */
  detach(ids) {
    const names = ids.map((id) => this.#owner.catalogue.providerName(id)).filter(Boolean)
    if (names.length > 0) this.#session?.unload(names).catch(() => this.close())
  }

  /** Forgets what is attached; the next question begins again. For other servers. */
  close() {
    this.#session?.close()
    this.#session = undefined
  }

  async #ask(question, again = true) {
    try {
      return await question(await this.#inStep())
    } catch (error) {
      // Closed in the meantime, for other servers.
      if (error.code === 'ERR_SESSION_NOT_FOUND' && again) return this.#ask(question, false)
      throw error
    }
  }

  /** The session, in which all is attached that is attached here: modules attach without asking it. */
  async #inStep() {
    const session = await this.#open()
    const { attached, catalogue } = this.#owner
    // While the session starts it has none; what is attached there stands behind the start.
    const here = new Set(session.selection?.attached)
    const missing = [...attached.values()].filter((id) => !here.has(catalogue.providerName(id)))
    if (missing.length > 0) await session.attach(missing.map(({ serverName, toolName }) => ({ serverName, toolName })))
    return session
  }

  async #open() {
    if (this.#session && !this.#session.closed) return this.#session
    const { searchK, maxTools, metaTools } = this.#owner.config.settings
    // As the list of the client is bounded: `mcp_load` is counted by the router.
    const nativeToolCount = Math.max(0, metaTools.length - 1)
    const { session, begun } = openEmpty(this.#owner, { searchK, maxTools, nativeToolCount })
    this.#session = session
    return begun
  }
}
