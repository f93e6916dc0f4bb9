// What stands in the database as a call of another gateway may have been written by anybody who may write there. Whoever runs the
// server looks at it by its own configuration, and keeps a row of what it does.

import { switchedTools } from '../config/tool-spelling.mjs'
import { Unavailable } from '../base/errors.mjs'

/** What gateways ask for each other's clients. */
const ASKED = [
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/directory/read',
  'completion/complete',
  'skills/get',
]
/** Lists, by what holds their entries. */
const LISTS = {
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'skills/list': 'skills',
}
/** Why a tool is off for everybody. */
const WITHHELD = ['changed', 'suspicious', 'unchecked']
/** Characters of a name in a message. */
const NAMED = 100

/** @typedef {import('./served-calls.mjs').Request} Request */

export class ServedGuard {
  #gateway

  /** @param {Pick<import('../gateway/gateway.mjs').Gateway, 'catalogue' | 'activity' | 'config'>} gateway */
  constructor(gateway) {
    this.#gateway = gateway
  }

  /**
   * Makes a call that stands in the database, if this gateway's configuration lets it be made.
   *
   * @param {string} server
   * @param {{ asker: string, request: Request }} call
   * @param {(options: { tool?: () => object | undefined }) => Promise<any>} make with the definition that this gateway has
   */
  async made(server, { asker, request }, make) {
    const { method, params, key } = request
    if (key === undefined ? !ASKED.includes(method) : LISTS[method] !== key)
      throw new Unavailable(`no gateway asks another one for ${String(method).slice(0, NAMED)}; nothing was done`)
    if (method !== 'tools/call') return make({})
    const { name: tool, arguments: args } = /** @type {{ name?: unknown, arguments?: unknown }} */ (params ?? {})
    const ended = this.#gateway.activity.served(asker, { server, tool: String(tool), args })
    const refusal = await this.#refusal(server, tool)
    if (refusal !== undefined) {
      ended('refused')
      throw new Unavailable(refusal)
    }
    try {
      const result = await make({ tool: () => listedOf(this.#gateway.catalogue.entries.get(server), String(tool)) })
      ended(result?.isError ? 'error' : 'ok', result)
      return result
    } catch (error) {
      ended(error instanceof Unavailable ? 'unavailable' : 'failed')
      throw error
    }
  }

  /** Why a tool is not called for another gateway. */
  async #refusal(server, tool) {
    const { catalogue, config } = this.#gateway
    const entry = catalogue.entries.get(server)
    const listed = await catalogue.eventually(() => listedOf(entry, tool), catalogue.patienceMs)
    const called = `${server}/${String(tool).slice(0, NAMED)}`
    if (entry === undefined || listed === undefined) return `server ${server} has no tool ${called}; nothing was done`
    // A profile has fewer tools than its server, and may run it for others.
    const { off, only } = switchedTools(entry.definition, entry.list?.tools.map(({ name }) => name) ?? [tool])
    const reason = entry.withheldOfAll.get(tool)
    const isWithheld = WITHHELD.includes(reason) || (reason === 'not-read-only' && config.profile === undefined)
    if (off.has(tool) || only?.has(tool) === false || isWithheld)
      return `${called} is off in the gateway that runs its server; nothing was done`
    return undefined
  }
}

/** A tool as its server lists it, whether it is there for this gateway's clients or not. */
function listedOf(entry, name) {
  return entry?.tools.get(name) ?? entry?.list?.tools.find((tool) => tool?.name === name)
}
