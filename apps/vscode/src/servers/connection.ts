// One server over the official SDK: connected, listed, listed again when it announces a change, connected again when it dies.

import {
  Client,
  SdkHttpError,
  SSEClientTransport,
  type StandardSchemaV1,
  StreamableHTTPClientTransport,
  type Tool,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'

import type { Reach } from '../config/entry'
import { messageOf } from '../router'

/** How long a server may take to start or to answer. */
const TIMEOUT_MS = 60_000
/** How long it may take to say which era of the protocol it speaks; then it is asked as an older one. */
const PROBE_MS = 10_000
/** How many connect at a time: all together would hold up the thread that all extensions share. */
const AT_ONCE = 2
const LANE_MS = 2_000
/** Others work between two of them. */
const PAUSE_MS = 10
/** Pages of one list: a server whose cursor never ends is not asked for ever. */
const MAX_PAGES = 100
/** The first pause before a server that died is started again; each further one is twice as long, up to the last. */
const FIRST_PAUSE_MS = 1_000
const LAST_PAUSE_MS = 60_000
/** A server that lived this long has earned the first pause again. */
const STABLE_MS = 30_000

/**
 * Lists are taken as they are sent. The SDK would check each schema on the thread that all extensions share, and refuse the
 * whole list for one tool; the router refuses that tool alone.
 */
const UNCHECKED: StandardSchemaV1<unknown, { tools?: Tool[]; nextCursor?: string }> = {
  '~standard': { version: 1, vendor: 'mcp-tool-router', validate: (value) => ({ value: value as { tools?: Tool[] } }) },
}

export type State = 'connecting' | 'connected' | 'failed' | 'login' | 'closed'

export interface Listener {
  /** What `tools/list` answered. */
  onTools(tools: Tool[], instructions: string | undefined): void
  onState(state: State, reason?: string): void
  log(line: string): void
}

const lanes = Array.from({ length: AT_ONCE }, () => Promise.resolve())
let next = 0

/** Works in one of the lanes, behind what is there; a slow server holds up its lane no longer than {@link LANE_MS}. */
function turn(work: () => Promise<void>): Promise<void> {
  const lane = next++ % AT_ONCE
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS))
  const done = (lanes[lane] ?? Promise.resolve()).then(pause).then(work)
  const released = new Promise<void>((resolve) => setTimeout(resolve, LANE_MS))
  lanes[lane] = Promise.race([done, released]).catch(() => {})
  return done
}

export class Connection {
  #client: Client | undefined
  /** One that is not connected yet: its process runs already. */
  #starting: Client | undefined
  #pauseMs = FIRST_PAUSE_MS
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    readonly reach: Reach,
    readonly listener: Listener,
  ) {
    this.listener.onState('connecting')
    void turn(() => this.#connect())
  }

  async call(toolName: string, args: Record<string, unknown>, signal?: AbortSignal) {
    if (!this.#client) throw new Error('the server is not connected')
    return await this.#client.callTool({ name: toolName, arguments: args }, { timeout: TIMEOUT_MS, signal })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all([this.#client, this.#starting].map((client) => client?.close().catch(() => {})))
    this.listener.onState('closed')
  }

  async #connect(): Promise<void> {
    const since = Date.now()
    if (this.#isClosed) return
    this.listener.onState('connecting')
    const client = new Client(
      { name: 'mcp-tool-router', version: '0.1.0' },
      { versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_MS } } },
    )
    client.onerror = (error) => this.listener.log(messageOf(error))
    client.onclose = () => {
      if (Date.now() - since > STABLE_MS) this.#pauseMs = FIRST_PAUSE_MS
      if (this.#client === client) this.#again('it has ended')
    }
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#list(client))
    this.#starting = client
    try {
      await client.connect(this.#transport(), { timeout: TIMEOUT_MS })
      if (this.#isClosed) return void client.close()
      this.#client = client
      await this.#list(client)
    } catch (error) {
      await client.close().catch(() => {})
      if (wantsLogin(error)) this.#wait()
      else this.#again(messageOf(error))
    } finally {
      this.#starting = undefined
    }
  }

  async #list(client: Client): Promise<void> {
    try {
      const tools: Tool[] = []
      let cursor: string | undefined
      for (let page = 0; page < MAX_PAGES; page++) {
        const params = cursor === undefined ? {} : { cursor }
        const answer = await client.request({ method: 'tools/list', params }, UNCHECKED, { timeout: TIMEOUT_MS })
        if (!Array.isArray(answer?.tools)) throw new Error('tools/list: expected a list of tools')
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

  /** Asking again would not help: somebody has to log in. */
  #wait(): void {
    if (this.#isClosed) return
    this.listener.onState('login', 'it wants a login; the editor logs in to it with toolRouter.source: editor')
  }

  #again(reason: string): void {
    this.#client = undefined
    if (this.#isClosed) return
    this.listener.onState('failed', reason)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void turn(() => this.#connect()), this.#pauseMs)
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

/** Whether a server refuses whoever has not logged in; the reason may lie within another one. */
function wantsLogin(error: unknown): boolean {
  for (let inner = error; inner instanceof Error; inner = inner.cause)
    if (inner instanceof UnauthorizedError || (inner instanceof SdkHttpError && inner.status === 401)) return true
  return false
}
