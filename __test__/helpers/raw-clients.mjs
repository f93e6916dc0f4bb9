// Clients of both eras that say themselves what they send, so that it is known of each call whether it was sent, answered, or cut off.

import { setTimeout as pause } from 'node:timers/promises'

import { TOKEN } from './replica.mjs'

const MODERN = '2026-07-28'
const LEGACY = '2025-11-25'
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
/** Calls of one session; then it is ended and another one begins. */
const OF_A_SESSION = 200
const AGAIN_MS = 200
/** Answers that say that nothing was done. */
const NOT_DONE = /nothing was done|try again|is started again in|is unavailable|cannot be started|not exist|no tool/i
const UNKNOWN = /ERR_OUTCOME_UNKNOWN|Whether the call took effect is unknown/

/** What became of a call. */
export function outcomeOf(id, { status, text, cut }) {
  if (cut || UNKNOWN.test(text)) return 'unknown'
  if (status === 503 || status === 429 || status === 404) return 'refused'
  if (status !== 200) return 'wrong'
  if (text === `recorded ${id}`) return 'ok'
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
  /** How often it was told that its session is gone, and began another. */
  again = 0
  #client
  #servers
  #name
  #headers
  #calls = 0

  constructor(proxy, { token = TOKEN, servers = ['own'], name = 'test' } = {}) {
    this.#client = new Client(proxy, token)
    this.#servers = servers
    this.#name = name
  }

  async call(server, id) {
    if (this.#calls % OF_A_SESSION === 0) await this.#begin()
    this.#calls += 1
    if (this.#calls % 10 === 0) await this.#look()
    const asked = () =>
      this.#client.send('tools/call', { name: `mcp--${server}--record`, arguments: { id } }, this.#headers)
    const answer = await asked()
    // Nobody who knows the session was asked.
    if (answer.status !== 404) return answer
    await this.#beginAgain()
    return asked()
  }

  /** A session with its tools, until it is there: a replica may be killed in the midst. */
  async #begin() {
    if (this.#headers) await this.#client.end(this.#headers)
    const query = this.#servers.map((server) => `mcp--${server}--record`).join(', ')
    for (;;) {
      await this.#greet()
      await this.#client.send('tools/call', { name: 'mcp_load', arguments: { query } }, this.#headers)
      if (this.#hasAll(await this.#list())) return
      await pause(AGAIN_MS)
    }
  }

  /** Another session instead of one that is gone: what was loaded is there, without another search. */
  async #beginAgain() {
    this.again += 1
    for (;;) {
      await this.#greet()
      const listed = await this.#list()
      if (listed.status === 404) continue
      if (!this.#hasAll(listed)) this.lost.push('what was loaded, after a kill')
      return
    }
  }

  async #greet() {
    for (;;) {
      const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: this.#name, version: '1' } }
      const { status, headers } = await this.#client.send('initialize', params, {})
      const id = headers?.get('mcp-session-id')
      this.#headers = { 'mcp-session-id': id, 'mcp-protocol-version': LEGACY }
      if (status === 200 && id) break
      await pause(AGAIN_MS)
    }
    await this.#client.send('notifications/initialized', {}, this.#headers, true)
  }

  /** The list of tools, when somebody answers. */
  async #list() {
    for (;;) {
      const answer = await this.#client.send('tools/list', {}, this.#headers)
      if (!answer.cut && answer.status !== 503) return answer
      await pause(AGAIN_MS)
    }
  }

  #hasAll({ result }) {
    const names = (result?.tools ?? []).map(({ name }) => name)
    return this.#servers.every((server) => names.includes(`mcp--${server}--record`))
  }

  /** What is loaded stays. */
  async #look() {
    const listed = await this.#list()
    if (listed.status === 404) await this.#beginAgain()
    else if (!this.#hasAll(listed)) this.lost.push(`what was loaded: ${listed.status}`)
  }
}
