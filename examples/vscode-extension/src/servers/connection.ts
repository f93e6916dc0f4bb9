// SPDX-License-Identifier: Apache-2.0
//
// One server over the official SDK: connected, listed, listed again when it announces a change, connected again when it dies.

import { Client, SSEClientTransport, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'

import type { Reach } from '../config/entry'
import { messageOf } from '../router'

/** How long a server may take to start or to answer. */
const TIMEOUT_MS = 60_000
/** Pages of one list: a server whose cursor never ends is not asked for ever. */
const MAX_PAGES = 100
/** The first pause before a server that died is started again; each further one is twice as long, up to the last. */
const FIRST_PAUSE_MS = 1_000
const LAST_PAUSE_MS = 60_000
/** A server that lived this long has earned the first pause again. */
const STABLE_MS = 30_000

export type State = 'connecting' | 'connected' | 'failed' | 'closed'

export interface Listener {
  /** What `tools/list` answered. */
  onTools(tools: Tool[], instructions: string | undefined): void
  onState(state: State, reason?: string): void
  log(line: string): void
}

export class Connection {
  #client: Client | undefined
  #pauseMs = FIRST_PAUSE_MS
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    readonly reach: Reach,
    readonly listener: Listener,
  ) {
    void this.#connect()
  }

  async call(toolName: string, args: Record<string, unknown>, signal?: AbortSignal) {
    if (!this.#client) throw new Error('the server is not connected')
    return await this.#client.callTool({ name: toolName, arguments: args }, { timeout: TIMEOUT_MS, signal })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#client?.close().catch(() => {})
    this.listener.onState('closed')
  }

  async #connect(): Promise<void> {
    const since = Date.now()
    this.listener.onState('connecting')
    const client = new Client({ name: 'mcp-tool-router', version: '0.1.0' }, { versionNegotiation: { mode: 'auto' } })
    client.onerror = (error) => this.listener.log(messageOf(error))
    client.onclose = () => {
      if (Date.now() - since > STABLE_MS) this.#pauseMs = FIRST_PAUSE_MS
      if (this.#client === client) this.#again('it has ended')
    }
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#list(client))
    try {
      await client.connect(this.#transport(), { timeout: TIMEOUT_MS })
      if (this.#isClosed) return void client.close()
      this.#client = client
      await this.#list(client)
    } catch (error) {
      await client.close().catch(() => {})
      this.#again(messageOf(error))
    }
  }

  async #list(client: Client): Promise<void> {
    try {
      const tools: Tool[] = []
      let cursor: string | undefined
      for (let page = 0; page < MAX_PAGES; page++) {
        const answer = await client.listTools(cursor === undefined ? undefined : { cursor }, { timeout: TIMEOUT_MS })
        tools.push(...answer.tools)
        cursor = answer.nextCursor
        if (cursor === undefined) break
      }
      if (this.#isClosed || this.#client !== client) return
      this.listener.onTools(tools, client.getInstructions())
      this.listener.onState('connected')
    } catch (error) {
      this.listener.onState('failed', messageOf(error)) // the tools known so far stay
    }
  }

  #again(reason: string): void {
    this.#client = undefined
    if (this.#isClosed) return
    this.listener.onState('failed', reason)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#connect(), this.#pauseMs)
    this.#pauseMs = Math.min(2 * this.#pauseMs, LAST_PAUSE_MS)
  }

  #transport() {
    const { reach } = this
    if (reach.kind === 'http') {
      const options = { requestInit: { headers: reach.headers } }
      const url = new URL(reach.url)
      return reach.sse ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options)
    }
    const { command, args, cwd } = reach
    const env = { ...getDefaultEnvironment(), ...reach.env }
    const transport = new StdioClientTransport({ command, args, cwd, env, stderr: 'pipe' })
    transport.stderr?.on('data', (chunk: Buffer) => this.listener.log(String(chunk).trimEnd()))
    return transport
  }
}
