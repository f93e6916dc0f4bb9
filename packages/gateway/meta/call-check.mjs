// Arguments of a call against the tool's schema, before its server is asked: the model gets the parameters with the
// refusal. What cannot be compared is left to the server.

import { stringify } from '@zoo-code/tool-router/exact-json'

import { plain } from '../base/errors.mjs'
import { nearest } from '../base/near.mjs'
import { openEmpty } from './router-session.mjs'

/** Names in one refusal. */
const MAX_NAMED = 20

export class CallCheck {
  #gateway
  /** A session in which a tool is attached when it is called first. */
  #session
  /** Provider names of those that it was asked to attach. */
  #asked = new Set()
  #forget = () => this.close()

  /** @param {{ catalogue: import('../catalogue/catalogue.mjs').Catalogue, router: import('@zoo-code/tool-router/internal').ToolRouter, config: import('../config/read.mjs').Config, isStatic: boolean }} gateway */
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
    if (this.#gateway.isStatic) return undefined
    const misnamed = misnamedIn(this.#gateway.catalogue.entries.get(id.serverName)?.tools.get(id.toolName), args)
    if (misnamed !== undefined) return misnamed
    const name = this.#gateway.catalogue.providerName(id)
    const { problem } = await this.#checked(id, { name, arguments: stringify(args) }).catch(() => ({}))
    return problem?.reason === 'invalid-arguments' ? problem.message : undefined
  }

  async #checked(id, call, again = true) {
    try {
      return await (await this.#having(id, call.name)).checkCall(call)
    } catch (error) {
      // The router closes the oldest of many sessions; a change of the catalogue closes this one.
      if (error.code !== 'ERR_SESSION_NOT_FOUND' || !again) throw error
      this.close()
      return this.#checked(id, call, false)
    }
  }

  /** The session with a tool; another one where it is full. What no session takes is not compared. */
  async #having({ serverName, toolName }, name) {
    const attached = async () => {
      const session = await this.#open()
      this.#asked.add(name)
      const { unavailable } = await session.attach([{ serverName, toolName }])
      return { session, isFull: unavailable.length > 0 }
    }
    if (this.#asked.has(name)) return this.#open()
    const isFirst = this.#asked.size === 0
    const { session, isFull } = await attached()
    if (!isFull || isFirst) return session
    this.close()
    return (await attached()).session
  }

  #open() {
    this.#session ??= openEmpty(this.#gateway).begun
    return this.#session
  }

  close() {
    void this.#session?.then((session) => session.close()).catch(() => {})
    this.#session = undefined
    this.#asked.clear()
  }
}

/**
 * Whether arguments have none of the parameters that a tool names: it would be called as if without any, which for some
 * tools means all there is. Such as take what they do not name are left alone.
 *
 * @param {import('../catalogue/catalogue.mjs').Tool | undefined} tool
 * @param {object} args
 * @returns {string | undefined} what is wrong, for the model
 */
function misnamedIn(tool, args) {
  const { properties, patternProperties, additionalProperties, ...more } = /** @type {Record<string, any>} */ (
    tool?.inputSchema ?? {}
  )
  const named = properties !== null && typeof properties === 'object' ? Object.keys(properties) : []
  const isOpen = patternProperties !== undefined || (additionalProperties ?? false) !== false
  const isElsewhere = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if'].some((key) => key in more)
  const given = Object.keys(args)
  if (named.length === 0 || given.length === 0 || isOpen || isElsewhere) return undefined
  if (given.some((key) => named.includes(key))) return undefined
  const near = given.map((key) => nearest(key, named)).filter(Boolean)
  const shown = (keys) =>
    keys
      .slice(0, MAX_NAMED)
      .map((key) => plain(key, 60))
      .join(', ')
  const meant = near.length > 0 ? `; near: ${shown(near)}` : ''
  return `arguments: none of ${shown(given)} is a parameter of ${plain(tool?.name, 100)}${meant}; parameters: ${shown(named)}. Nothing was called`
}
