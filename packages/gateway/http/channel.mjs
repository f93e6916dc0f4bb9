// One client over a channel of its own: standard streams, or any transport of the SDK. Its first message tells which
// era it is of.

import {
  CLIENT_CAPABILITIES_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

import { withoutMarks } from '@zoo-code/tool-router/exact-json'

import { passedCapabilities } from '../base/extensions.mjs'
import { MODERN } from '../base/raw.mjs'
import { isDeep, MAX_DEPTH } from '../base/values.mjs'
import { ClientSession } from '../protocol/client-session.mjs'
import { Gate } from '../protocol/gate.mjs'
import { METHOD, Subscriptions } from '../protocol/subscriptions.mjs'

/**
 * @typedef {import('../index.d.mts').ClientSession} PublicSession
 * @typedef {import('@modelcontextprotocol/server').JSONRPCMessage} Message
 */

/** @implements {PublicSession} */
export class Channel {
  closed = false
  #gateway
  #transport
  #handle
  #gate = new Gate()
  #subscriptions
  #stopListening = () => {}
  #isMet = false
  #isModern = false

  /**
   * @param {import('../gateway/gateway.mjs').Gateway} gateway
   * @param {import('@modelcontextprotocol/server').Transport} transport not started
   */
  constructor(gateway, transport) {
    this.#gateway = gateway
    this.#transport = transport
    this.#subscriptions = new Subscriptions(gateway.passthrough)
  }

  open() {
    const transport = this.#transport
    const { onclose, onerror, send } = transport
    // Another transport of the SDK writes values as JavaScript does, or hands them on.
    if (!('isExact' in transport))
      transport.send = (message, options) => send.call(transport, withoutMarks(message), options)
    this.#handle = serveStdio(({ era }) => (era === 'legacy' ? this.#legacy() : this.#modern()), {
      transport,
      onerror: (error) => onerror?.(error),
    })
    const [receive, close] = [transport.onmessage, transport.onclose]
    transport.onmessage = (message, extra) => {
      const error = this.#wrong(message)
      if (error !== undefined && message.method !== undefined) {
        if (message.id !== undefined) void transport.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => {})
        return
      }
      this.#look(message)
      // An answer that cannot be passed on is still an answer: somebody waits for it.
      receive(error === undefined ? message : { jsonrpc: '2.0', id: message.id, error }, extra)
    }
    transport.onclose = () => {
      close?.()
      this.#end()
      onclose?.()
    }
  }

  async #legacy() {
    const session = new ClientSession(this.#gateway)
    session.channel = this
    this.#gateway.began(session)
    await session.prepare()
    return session.server
  }

  /** What the SDK does not look for in each message. @returns {object | undefined} the error of the protocol */
  #wrong(message) {
    if (isDeep(message))
      return { code: ProtocolErrorCode.InvalidRequest, message: `a message has at most ${MAX_DEPTH} levels` }
    const version = message.params?._meta?.[PROTOCOL_VERSION_META_KEY]
    // As by a server of the older era alone: a client that can do both goes on with `initialize`.
    if (this.#gateway.config.settings.era === 'legacy' && version !== undefined)
      return { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' }
    const requested = this.#isModern && version
    if (typeof requested !== 'string' || requested === MODERN) return undefined
    const { code, message: text, data } = new UnsupportedProtocolVersionError({ supported: [MODERN], requested })
    return { code, message: text, data }
  }

  async #modern() {
    this.#isModern = true
    await this.#gateway.catalogue.read()
    const product = this.#gateway.modern.server({ peer: this, gate: this.#gate })
    const { server } = product
    this.#stopListening()
    const send = (work) => void work().catch(() => {})
    // The SDK sends these on to whom has asked for them, and to nobody else.
    this.#stopListening = this.#gateway.modern.listen({
      toolsChanged: () => send(() => server.sendToolListChanged()),
      promptsChanged: () => send(() => server.sendPromptListChanged()),
      resourcesChanged: () => send(() => server.sendResourceListChanged()),
      resourceUpdated: (uri) => send(() => server.sendResourceUpdated({ uri })),
    })
    return product
  }

  /** What the SDK does not tell: what the client can do when it comes, and which resources it listens to. */
  #look({ method, id, params }) {
    if (!this.#isMet)
      this.#meet(method === 'initialize' ? params?.capabilities : params?._meta?.[CLIENT_CAPABILITIES_META_KEY])
    if (method === METHOD) this.#subscriptions.begin(id, params)
    if (method === 'notifications/cancelled') this.#subscriptions.end(params?.requestId)
  }

  #meet(capabilities) {
    if (capabilities === null || typeof capabilities !== 'object') return
    this.#isMet = true
    const { roots, sampling, elicitation, extensions } = passedCapabilities(capabilities)
    this.#gateway.catalogue.begin({
      ...(roots && { roots }),
      ...(sampling && { sampling }),
      ...(elicitation && { elicitation }),
      ...(extensions && { extensions }),
    })
  }

  #end() {
    if (this.closed) return
    this.closed = true
    this.#stopListening()
    this.#subscriptions.close()
    this.#gateway.ended(this)
  }

  async close() {
    await this.#handle?.close().catch(() => {})
    this.#end()
  }
}
