// Clients of both eras that say themselves what they send, so that it is known of each call whether it was sent, answered, or cut off.

import { setTimeout as pause } from 'node:timers/promises'

import { TOKEN } from './world.mjs'

const MODERN = '2026-07-28'
const LEGACY = '2025-11-25'
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
/** Calls of one session; then it is ended and another one begins. */
const OF_A_SESSION = 200
/** Answers that say that nothing was done. */
const NOT_DONE = /nothing was done|try again|is started again in|is unavailable|cannot be started|not exist|no tool/i
const UNKNOWN = /ERR_OUTCOME_UNKNOWN|Whether the call took effect is unknown/

/** What became of a call. */
export function outcomeOf(id, { status, text, cut }) {
  if (cut) return 'unknown'
  if (status === 503 || status === 429) return 'refused'
  if (status !== 200) return 'wrong'
  if (text === `recorded ${id}`) return 'ok'
  if (UNKNOWN.test(text)) return 'unknown'
  return NOT_DONE.test(text) ? 'refused' : 'wrong'
}

class Client {
  #proxy
  #token
  #count = 0

  constructor(proxy, token) {
    this.#proxy = proxy
    this.#token = token
  }

  async send(method, params, headers, isNotification = false) {
    this.#count += 1
    const message = { jsonrpc: '2.0', ...(isNotification ? {} : { id: this.#count }), method, params }
    let response
    try {
      response = await this.#proxy.fetch({
        method: 'POST',
        headers: {
          Authorization: `Bearer ${this.#token}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(message),
      })
      return { status: response.status, headers: response.headers, ...answerIn(await response.text(), this.#count) }
    } catch {
      return { cut: true }
    }
  }

  async end(headers) {
    await this.#proxy
      .fetch({ method: 'DELETE', headers: { Authorization: `Bearer ${this.#token}`, ...headers } })
      .catch(() => {})
  }
}

/** The answer to a request in a body, be it JSON or a stream of events. */
function answerIn(body, id) {
  const texts = body.startsWith('{') ? [body] : [...body.matchAll(/^data: (.+)$/gm)].map(([, data]) => data)
  const answer = texts.map((text) => JSON.parse(text)).find((message) => message.id === id)
  if (answer === undefined) return { text: body, cut: body === '' || !body.startsWith('{') }
  const { result, error } = answer
  return { result, text: error?.message ?? result?.content?.[0]?.text ?? '' }
}

export class ModernClient {
  #client

  constructor(proxy, { token = TOKEN } = {}) {
    this.#client = new Client(proxy, token)
  }

  call(server, id) {
    return this.callNamed(`mcp--${server}--record`, { id })
  }

  callNamed(tool, given = {}) {
    return this.ask('call_tool', { name: tool, arguments: given })
  }

  /** Asks a tool of the gateway. */
  ask(name, args) {
    const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': name }
    return this.#client.send('tools/call', { name, arguments: args, _meta: META }, headers)
  }
}

export class LegacyClient {
  /** Sessions or attached tools that were gone. */
  lost = []
  #client
  #servers
  #headers
  #calls = 0

  constructor(proxy, { token = TOKEN, servers = ['own', 'one'] } = {}) {
    this.#client = new Client(proxy, token)
    this.#servers = servers
  }

  async call(server, id) {
    if (this.#calls % OF_A_SESSION === 0) await this.#begin()
    this.#calls += 1
    if (this.#calls % 10 === 0) await this.#look()
    return this.#client.send('tools/call', { name: `mcp--${server}--record`, arguments: { id } }, this.#headers)
  }

  /** Until it is there: a gateway may be killed in the midst. */
  async #begin() {
    if (this.#headers) await this.#client.end(this.#headers)
    for (;;) {
      const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'soak', version: '1' } }
      const { status, headers } = await this.#client.send('initialize', params, {})
      const id = headers?.get('mcp-session-id')
      this.#headers = { 'mcp-session-id': id, 'mcp-protocol-version': LEGACY }
      const isBegun = status === 200 && id && (await this.#attach())
      if (isBegun) return
      await pause(200)
    }
  }

  async #attach() {
    await this.#client.send('notifications/initialized', {}, this.#headers, true)
    const query = this.#servers.map((server) => `mcp--${server}--record`).join(', ')
    await this.#client.send('tools/call', { name: 'mcp_load', arguments: { query } }, this.#headers)
    return (await this.#names()).length === this.#servers.length
  }

  async #names() {
    const { result, status } = await this.#client.send('tools/list', {}, this.#headers)
    if (status === 404) return ['the session']
    return result === undefined
      ? []
      : result.tools.map(({ name }) => name).filter((name) => /^mcp--.*record$/.test(name))
  }

  /** What is attached is attached everywhere. */
  async #look() {
    const { result, status, cut } = await this.#client.send('tools/list', {}, this.#headers)
    if (cut || status === 503) return
    const names = result?.tools.map(({ name }) => name) ?? []
    if (status !== 200 || !this.#servers.every((server) => names.includes(`mcp--${server}--record`)))
      this.lost.push(`${status} ${names.length}`)
  }
}
