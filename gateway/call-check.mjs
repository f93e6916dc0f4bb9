// SPDX-License-Identifier: Apache-2.0
//
// Arguments of a call against the tool's schema, before its server is asked: the model gets the parameters with the
// refusal. What cannot be compared is left to the server.

/** A session in which all tools are attached: none has to be loaded to be checked. */
const ALL_TOOLS = 100_000

export class CallCheck {
  #gateway
  #session
  #forget = () => this.close()

  /** @param {import('./index.mjs').Gateway} gateway its parts: router, catalogue, config */
  constructor(gateway) {
    this.#gateway = gateway
    gateway.catalogue.on('tools', this.#forget).on('servers', this.#forget)
  }

  /**
   * @param {{ serverName: string, toolName: string }} id a tool in scope
   * @param {object} [args]
   * @returns {Promise<string | undefined>} what is wrong, for the model; undefined where nothing is, or nobody can say
   */
  async problemOf(id, args = {}) {
    if (!this.#gateway.config.settings.checkArguments || this.#gateway.isStatic) return undefined
    const name = this.#gateway.catalogue.providerName(id)
    const { problem } = await this.#checked({ name, arguments: args }).catch(() => ({}))
    return problem?.reason === 'invalid-arguments' ? problem.message : undefined
  }

  async #checked(call, again = true) {
    try {
      return await (await this.#open()).checkCall(call)
    } catch (error) {
      // The router closes the oldest of many sessions; a change of the catalogue closes this one.
      if (error.code !== 'ERR_SESSION_NOT_FOUND' || !again) throw error
      this.close()
      return this.#checked(call, false)
    }
  }

  #open() {
    this.#session ??= this.#start()
    return this.#session
  }

  async #start() {
    const { router, catalogue } = this.#gateway
    const session = router.openSession({
      servers: catalogue.serverNames,
      settings: {
        threshold: ALL_TOOLS,
        contextShare: 0,
        searchTurns: 1,
        policy: 'ranking',
        maxTools: ALL_TOOLS,
        nativeToolCount: 0,
      },
    })
    await session.start('')
    return session
  }

  close() {
    void this.#session?.then((session) => session.close()).catch(() => {})
    this.#session = undefined
  }
}
