// SPDX-License-Identifier: Apache-2.0
//
// The router's session of one client: it finds what is asked for. What the client is shown is kept beside it, since a
// list of the gateway can be shortened and the router's cannot.

/** Scope of the session: the process has one catalogue, and not all of it is this gateway's. */
const OWN_SERVERS = 'gateway'
/** The gateway counts what it lists by itself. */
const NO_LIMIT = 100_000
const NO_BUDGET = 1_000_000_000
/** Names in one question to the session: as many as it reads. */
const AT_ONCE = 100

export class RouterSession {
  #owner
  #session
  /** Names that are attached in the router's session too. */
  #attached = new Set()

  /** @param {import('./protocol/client-session.mjs').ClientSession} owner */
  constructor(owner) {
    this.#owner = owner
  }

  /** A session that nothing is attached in: what is asked there changes nothing for a client. */
  static aside({ router, catalogue, config }) {
    return new RouterSession({ router, catalogue, config, attached: new Map() })
  }

  /** Finds tools as the model asks `mcp_load` for them. @returns {Promise<import('../index.js').LoadResult>} */
  async load(query) {
    const { catalogue } = this.#owner
    const known = (name) => catalogue.find(name)?.name ?? name
    const result = await this.#ask((session) => session.load({ query }))
    return {
      ...result,
      alreadyAttached: result.alreadyAttached.map(known),
      others: result.others.map(known),
      unloaded: result.unloaded.map(known),
      unavailable: result.unavailable.map((each) => (each.near ? { ...each, near: each.near.map(known) } : each)),
    }
  }

  /** Looks for a missing capability. @returns {Promise<import('../index.js').RerouteResult>} */
  reroute(signal) {
    return this.#ask((session) => session.reroute(signal))
  }

  /** Forgets what is attached; the next question begins again. For a list that got shorter, and for other servers. */
  close() {
    this.#session?.close()
    this.#session = undefined
  }

  async #ask(question, again = true) {
    try {
      const result = await question(await this.#inStep())
      for (const { name } of result.loaded) this.#attached.add(name)
      return result
    } catch (error) {
      // Closed by an unload of the same client in the meantime.
      if (error.code === 'ERR_SESSION_NOT_FOUND' && again) return this.#ask(question, false)
      throw error
    }
  }

  /** The session, in which all is attached that is attached here: modules attach without asking it. */
  async #inStep() {
    const session = await this.#open()
    const { attached, catalogue } = this.#owner
    const names = [...attached.values()].map((id) => catalogue.providerName(id)).filter(Boolean)
    const missing = names.filter((name) => !this.#attached.has(name))
    for (let from = 0; from < missing.length; from += AT_ONCE) {
      const names = missing.slice(from, from + AT_ONCE)
      await session.load({ query: names.join(', ') })
      for (const name of names) this.#attached.add(name)
    }
    return session
  }

  async #open() {
    if (this.#session && !this.#session.closed) return this.#session
    const { router, catalogue, config } = this.#owner
    this.#attached.clear()
    const session = router.openSession({
      hostMode: OWN_SERVERS,
      settings: {
        hostModes: { [OWN_SERVERS]: { allowedMcpServers: catalogue.serverNames } },
        searchK: config.settings.searchK,
        // Nothing is attached but what is asked for, and the gateway bounds its list by itself.
        threshold: 0,
        initialK: 0,
        tokenBudget: NO_BUDGET,
        // What a host of the same process has set for its own tasks does not hold here.
        contextShare: 0,
        searchTurns: 1,
        scopeBy: 'tool',
        policy: 'ranking',
        maxTools: NO_LIMIT,
        nativeToolCount: 0,
      },
    })
    this.#session = session
    await session.start('')
    return session
  }
}
