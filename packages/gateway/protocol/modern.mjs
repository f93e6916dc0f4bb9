// Clients of the current era of the protocol (2026-07-28). Each request says all that there is to know of it; between two
// of them nothing is kept, so that any process may answer the next one. The one exception is in exchange.mjs.

import { CLIENT_INFO_META_KEY, McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

import { headerParameters } from '../downstream/param-headers.mjs'
import { modernCaller } from '../calls/caller.mjs'
import { Exchanges } from './exchange.mjs'
import { CAPABILITIES, INSTRUCTIONS } from './face.mjs'
import { FixedList } from './fixed-list.mjs'
import { Gate } from './gate.mjs'
import { Inquiry } from '../meta/inquiry.mjs'
import { callTool, passedOn } from './requests.mjs'

/** How long a client may keep what the gateway says about itself. */
const DISCOVER = { ttlMs: 3_600_000, cacheScope: /** @type {const} */ ('private') }
/** Requests in whose midst a server may ask. */
const ASKS_BACK = new Set(['tools/call', 'prompts/get', 'resources/read'])
/** Requests that are answered here; what else there is, the SDK answers. */
const ANSWERED = new Set([
  ...['tools/list', 'tools/call', 'prompts/list', 'prompts/get', 'completion/complete'],
  ...['resources/list', 'resources/templates/list', 'resources/read'],
])

/** What the SDK asks of a server over HTTP beside its answers. */
class GatewayServer extends McpServer {
  /** @type {(name: string) => Record<string, unknown> | undefined} */
  schemaOf = () => undefined

  /** The SDK checks headers of parameters that this schema asks for. */
  toolInputSchemaJson(name) {
    return this.schemaOf(name)
  }
}

export class Modern {
  #gateway
  #list
  exchanges
  /** Those who pass changes on to clients that listen. */
  #listeners = new Set()
  #on

  /** @param {import('../gateway/gateway.mjs').Gateway} gateway */
  constructor(gateway) {
    this.#gateway = gateway
    this.exchanges = new Exchanges(gateway.replica)
    this.#list = new FixedList(gateway, () => this.#tell('toolsChanged'))
    this.#on = {
      listed: (kind) => this.#tell(kind === 'prompts' ? 'promptsChanged' : 'resourcesChanged'),
      updated: (uri) => this.#tell('resourceUpdated', uri),
    }
    for (const [event, listener] of Object.entries(this.#on)) gateway.catalogue.on(event, listener)
  }

  #tell(what, ...details) {
    for (const listener of this.#listeners) listener[what]?.(...details)
  }

  /**
   * @param {Partial<import('@modelcontextprotocol/server').ServerNotifier>} listener receives changes
   * @returns {() => void} ends it
   */
  listen(listener) {
    void this.#list.watch().catch(() => {})
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * A server of the SDK: for one request over HTTP, for one connection otherwise.
   *
   * @param {{ peer?: object, gate?: Gate, method?: string }} of `peer`: the client where it is known to be one; `method`:
   * of the request where there is but one
   */
  server({ peer, gate = new Gate(), method } = {}) {
    const { clientInfo } = this.#gateway
    const made = new GatewayServer(clientInfo, {
      capabilities: { ...CAPABILITIES, extensions: this.#gateway.extensions },
      instructions: this.#gateway.isStatic ? this.#gateway.instructions : INSTRUCTIONS.modern,
      cacheHints: { 'server/discover': DISCOVER },
    })
    made.schemaOf = (name) => this.#headerSchemaOf(name)
    const { server } = made
    server.onerror = () => {}
    for (const each of ['logging/setLevel', ...ANSWERED]) server.removeRequestHandler(each)
    // The SDK answers what nobody answers with a status of its own, which it knows before it asks.
    if (method === undefined || ANSWERED.has(method))
      server.fallbackRequestHandler = (request, context) => gate.pass(() => this.#answer(request, context, peer))
    return made
  }

  /** Only of a schema that asks for headers in a way that the protocol allows. */
  #headerSchemaOf(name) {
    const schema = this.#list.schemaOf(name)
    return schema !== undefined && headerParameters(schema) !== undefined ? schema : undefined
  }

  async #answer({ method, params = {} }, context, peer) {
    try {
      if (method === 'tools/list') return await this.#list.answer()
      const asking = { clientName: clientNameOf(context) }
      if (!ASKS_BACK.has(method)) return await this.#passOn(method, params, modernCaller(context, params, peer), asking)
      return await this.exchanges.answer({ method, params }, context, peer, (caller) =>
        method === 'tools/call'
          ? this.#callTool(params, caller, context, peer)
          : this.#passOn(method, params, caller, asking, peer),
      )
    } catch (error) {
      throw passedOn(error)
    }
  }

  async #passOn(method, params, caller, asking, peer = this.#gateway) {
    if (!ANSWERED.has(method)) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
    const held = method === 'resources/read' ? await this.#gateway.results.resource(peer, params.uri) : undefined
    return held ?? this.#gateway.passthrough.answer(method, params, caller, asking)
  }

  async #callTool(params, caller, context, peer) {
    const of = { clientName: clientNameOf(context), peer }
    const inquiry = new Inquiry(this.#gateway, (tool) => this.#list.isMetaTool(tool), of)
    try {
      return await callTool(inquiry, params, caller)
    } finally {
      inquiry.close()
    }
  }

  close() {
    this.#list.close()
    this.exchanges.close()
    for (const [event, listener] of Object.entries(this.#on)) this.#gateway.catalogue.off(event, listener)
    this.#listeners.clear()
  }
}

/** What a client calls itself. */
function clientNameOf({ mcpReq }) {
  const { name = '', version = '' } = mcpReq.envelope?.[CLIENT_INFO_META_KEY] ?? {}
  return `${name} ${version}`.trim()
}
