// A client's standard streams on one side, a shared gateway over HTTP on the other, and messages of either era in between,
// as they are. When the gateway has gone it is found or started again, and a client of the older era goes on in a new session.

import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { PROTOCOL_VERSION_META_KEY, ProtocolErrorCode } from '@modelcontextprotocol/server'

import { headerParameters, parameterHeaders } from '../downstream/param-headers.mjs'
import { httpStatus } from '../base/errors.mjs'
import { exactFetch } from '../base/exact-fetch.mjs'
import { META_TOOL_NAMES } from '../names/meta-tools.mjs'

const INITIALIZED = 'notifications/initialized'
const CANCELLED = 'notifications/cancelled'
/** The id of what the bridge asks by itself. */
const OWN_ID = 'zoo-tool-router-bridge'

export class Bridge {
  #client
  #reach
  #remote
  /** What the client said when it came, to be said again to another gateway. */
  #hello
  #renewing
  /** Messages wait for the greeting that they come after. */
  #greeted = Promise.resolve()
  /** Requests under way, by id; over HTTP those of the current era are taken back by leaving. */
  #underWay = new Map()
  /** Schemas of the tools that the client was last listed. */
  #schemas = new Map()
  #closed = false

  /**
   * @param {import('@modelcontextprotocol/server').Transport} client
   * @param {() => Promise<{ url: string, token: string }>} reach finds the gateway, or starts it
   */
  constructor(client, reach) {
    this.#client = client
    this.#reach = reach
  }

  async open() {
    this.#remote = await this.#connect()
    this.#client.onmessage = (message) => void this.#take(message)
    await this.#client.start()
  }

  async #connect() {
    const { url, token } = await this.#reach()
    const remote = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
      fetch: exactFetch(),
    })
    remote.onmessage = (message) => this.#give(remote, message)
    remote.onerror = () => {}
    await remote.start()
    return remote
  }

  #give(remote, message) {
    if (message.id === OWN_ID) return
    const { result } = message
    if (this.#hello?.id === message.id && typeof result?.protocolVersion === 'string')
      remote.setProtocolVersion(result.protocolVersion)
    if (Array.isArray(result?.tools)) this.#schemas = new Map(result.tools.map((tool) => [tool.name, tool.inputSchema]))
    if (message.method === undefined) this.#underWay.delete(message.id)
    void this.#client.send(message).catch(() => {})
  }

  async #take(message) {
    const { method, id, params } = message
    const cancelled = method === CANCELLED && this.#underWay.get(params?.requestId)
    if (cancelled?.isModern) return cancelled.leaving.abort()
    if (method === 'initialize') this.#hello = message
    const before = this.#greeted
    const sent = before.then(() => this.#send(message))
    if (method === 'initialize' || method === INITIALIZED) this.#greeted = sent.catch(() => {})
    return sent.catch((error) => this.#fail(method === undefined ? undefined : id, error))
  }

  /** Answers a request that gets no answer any more. */
  #fail(id, error) {
    if (id === undefined || this.#closed || !this.#underWay.delete(id)) return
    const said = rpcErrorOf(error) ?? { code: ProtocolErrorCode.InternalError, message: error.message }
    void this.#client.send({ jsonrpc: '2.0', id, error: said }).catch(() => {})
  }

  async #send(message, isAgain = false) {
    const remote = this.#remote
    try {
      await remote.send(message, this.#optionsOf(message))
    } catch (error) {
      if (isAgain || this.#closed || !hasGone(error)) throw error
      if (remote === this.#remote) this.#renewing ??= this.#renew(message).finally(() => (this.#renewing = undefined))
      await this.#renewing
      if (message.method === 'tools/call' && !isUndone(error)) throw new Error(LOST)
      // The new session was greeted already.
      if (message.method !== INITIALIZED) await this.#send(message, true)
    }
  }

  #optionsOf({ method, id, params }) {
    if (id === undefined || method === undefined) return undefined
    const leaving = new AbortController()
    const isModern = typeof params?._meta?.[PROTOCOL_VERSION_META_KEY] === 'string'
    this.#underWay.set(id, { leaving, isModern })
    // The stream of its answer ended without one.
    const onRequestStreamEnd = () => this.#fail(id, new Error(LOST))
    if (!isModern) return { onRequestStreamEnd }
    const schema = method === 'tools/call' ? this.#schemas.get(params.name) : undefined
    const parameters = schema === undefined ? [] : (headerParameters(schema) ?? [])
    const headers = parameters.length === 0 ? undefined : parameterHeaders(parameters, params.arguments)
    return { requestSignal: leaving.signal, onRequestStreamEnd, ...(headers && { headers }) }
  }

  /** Another gateway, and in it the session of a client that had one. */
  async #renew(message) {
    await this.#remote.close().catch(() => {})
    const remote = await this.#connect()
    if (this.#hello !== undefined && this.#hello !== message) await this.#greet(remote)
    this.#remote = remote
  }

  async #greet(remote) {
    const { result } = await this.#ask(remote, this.#hello)
    if (result) remote.setProtocolVersion(result.protocolVersion)
    await remote.send({ jsonrpc: '2.0', method: INITIALIZED })
    // The new session has nothing attached: what the client has is loaded again, as far as it is there.
    const names = [...this.#schemas.keys()].filter((name) => !META_TOOL_NAMES.includes(name))
    const load = { name: 'mcp_load', arguments: { query: names.join(', ') } }
    if (names.length > 0) await this.#ask(remote, { jsonrpc: '2.0', method: 'tools/call', params: load })
    void this.#client.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }).catch(() => {})
  }

  /** Asks something of the bridge's own. @returns {Promise<any>} its answer, empty where it ends without one */
  async #ask(remote, request) {
    const { onmessage } = remote
    /** @type {Promise<any>} */
    const answered = new Promise((resolve) => {
      remote.onmessage = (answer) => (answer.id === OWN_ID ? resolve(answer) : onmessage(answer))
      const onRequestStreamEnd = () => resolve({})
      remote.send({ ...request, id: OWN_ID }, { onRequestStreamEnd }).catch(() => resolve({}))
    })
    return answered.finally(() => (remote.onmessage = onmessage))
  }

  async close() {
    if (this.#closed) return
    this.#closed = true
    await this.#remote?.terminateSession().catch(() => {})
    await this.#remote?.close().catch(() => {})
    await this.#client.close().catch(() => {})
  }
}

const LOST = 'the gateway has ended during the call. Whether the call took effect is unknown; the gateway runs again'

/** Nobody listens there any more, or nobody who knows the session. */
function hasGone(error) {
  return error instanceof TypeError || httpStatus(error) === 404 ? rpcErrorOf(error) === undefined : false
}

/** Whether nothing was asked: nobody was there, or nobody who knows the session. */
function isUndone(error) {
  return error.cause?.code === 'ECONNREFUSED' || httpStatus(error) === 404
}

/** An error of the protocol that came with a status of HTTP. */
function rpcErrorOf(error) {
  try {
    const { error: said } = JSON.parse(error.data?.text ?? error.text)
    return Number.isInteger(said?.code) && said.code !== -32001 ? said : undefined
  } catch {
    return undefined
  }
}
