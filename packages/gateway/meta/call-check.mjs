// A call as a model wrote it, read by the router against the tool's schema, before its server is asked: the model gets the
// parameters with the refusal. What cannot be compared is left to the server.

import { parse, stringify } from '@zoo-code/tool-router/exact-json'

import { invalid } from '../base/errors.mjs'
import { openEmpty } from './router-session.mjs'

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
   * @param {Record<string, any>} written the call, whatever it names the tool: `{ arguments }`, or as a model wrote it
   * @returns {Promise<{ args?: Record<string, any>, problem?: string }>} what to send, or what is wrong, for the model
   */
  async read(id, written) {
    if (this.#gateway.isStatic) return plainly(written)
    const name = this.#gateway.catalogue.providerName(id)
    const { arguments: sent, problem } = await this.#checked(id, stringify({ ...written, name })).catch(() => ({}))
    if (problem?.reason === 'invalid-arguments') return { problem: problem.message }
    const given = written.arguments ?? undefined
    if (sent === undefined) return plainly(written)
    // What is sent is what was compared.
    return {
      args: sent === stringify(given) || (sent === '{}' && given === undefined) ? given : parse(sent, { isOpen: true }),
    }
  }

  /**
   * The name in a call that has it elsewhere than under `name`.
   *
   * @param {string} by the meta tool that was called
   * @param {Record<string, any>} written
   * @throws {ToolRouterError} the right form, for the model
   */
  async nameIn(by, written) {
    const { tool, problem } = await (await this.#open()).checkCall(stringify(written))
    const name = tool && this.#gateway.catalogue.providerName(tool)
    if (name === undefined) throw invalid(by, `the tool's name and its arguments: ${problem?.message}`, written)
    return name
  }

  async #checked(id, call, again = true) {
    try {
      return await (await this.#having(id)).checkCall(call)
    } catch (error) {
      // The router closes the oldest of many sessions; a change of the catalogue closes this one.
      if (error.code !== 'ERR_SESSION_NOT_FOUND' || !again) throw error
      this.close()
      return this.#checked(id, call, false)
    }
  }

  /** The session with a tool; another one where it is full. What no session takes is not compared. */
  async #having({ serverName, toolName }) {
    const name = this.#gateway.catalogue.providerName({ serverName, toolName })
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
 * The arguments of a call in the one form that needs no reader.
 *
 * @param {Record<string, any>} written
 * @returns {{ args?: Record<string, any>, problem?: string }}
 */
export function plainly({ name, arguments: args, ...more }) {
  const isPlain = args === undefined || args === null || (typeof args === 'object' && !Array.isArray(args))
  if (isPlain && Object.keys(more).length === 0) return { args: args ?? undefined }
  return { problem: 'what the tool takes goes into arguments, an object; nothing was called' }
}
