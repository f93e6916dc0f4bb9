// Clients of either era for the random operations: each over its own SDK, in this process or over HTTP by turns, and each
// with what has to hold when it asks for tools.

import { setTimeout as pause } from 'node:timers/promises'

import {
  Client as ModernClient,
  InMemoryTransport as ModernMemory,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

/** How long a client waits that is told to slow down. */
const SLOW_DOWN_MS = 200
/** How long a client waits to be told of a change that it has seen. */
const TOLD_MS = 10_000
const INFO = { name: 'benchmark', version: '0.0.0' }

/** One client at a time in a lane, in this process or over HTTP by turns. */
class Lane {
  constructor(gateway, endpoint, random, result) {
    Object.assign(this, { gateway, endpoint, random, result })
  }

  /** As a client that is told to slow down: it waits and sends again. */
  async #fetch(url, init) {
    for (;;) {
      const response = await fetch(url, init)
      if (response.status !== 429) return response
      this.result.limited += 1
      await response.body?.cancel()
      await pause(SLOW_DOWN_MS)
    }
  }

  /** A new connection by one of two ways. */
  async transport(Memory, Http) {
    const [ours, theirs] = Memory.createLinkedPair()
    const overHttp = this.random(2) === 0
    if (!overHttp) {
      await this.gateway.connect(theirs)
      return ours
    }
    const { url, token } = this.endpoint
    return new Http(new URL(url), {
      fetch: (...request) => this.#fetch(...request),
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    })
  }

  async close() {
    await this.client.transport?.terminateSession?.().catch(() => {})
    await this.client.close()
  }

  async list() {
    return (await this.client.listTools()).tools.map(({ name }) => name)
  }

  use(name, args) {
    return this.client.callTool({ name, arguments: args })
  }

  pick(choices) {
    return choices[this.random(choices.length)]
  }

  /** Asks a meta tool for tools. @returns {Promise<object | undefined>} its answer; undefined when that is an error */
  async answer(name, args) {
    const answer = await this.use(name, args)
    if (!answer.isError) return JSON.parse(answer.content[0].text)
    this.result.wrong.push(`${name}: ${answer.content[0].text.slice(0, 200)}`)
    return undefined
  }

  registered(isRight) {
    this.result.registrations += 1
    if (isRight) this.result.registered += 1
  }
}

class OlderLane extends Lane {
  async open() {
    this.client = new Client(INFO)
    this.client.onerror = () => {}
    this.client.setNotificationHandler(ToolListChangedNotificationSchema, () => (this.changes += 1))
    this.changes = 0
    this.heard = 0
    await this.client.connect(await this.transport(InMemoryTransport, StreamableHTTPClientTransport))
    this.names = await this.list()
  }

  list() {
    this.heard = this.changes
    return super.list()
  }

  /** Changes the list by a meta tool, lists again, and looks whether what was answered is there and was told. */
  async registering(name, args) {
    const before = this.names
    // Since it was listed: what others change may be told before this asks.
    const told = this.heard
    const { loaded = [], tools = [], unloaded = [] } = (await this.answer(name, args)) ?? {}
    const added = [...loaded, ...tools].map((tool) => tool.name)
    this.names = await this.list()
    if (added.length + unloaded.length === 0) return
    // Who lists needs not be told of what others have changed just before.
    const changed = JSON.stringify(before) !== JSON.stringify(this.names)
    if (changed && !(await this.#hears(told))) this.result.untold.push(`${name} ${JSON.stringify(args)}`)
    const listed = new Set(this.names)
    this.registered(added.every((tool) => listed.has(tool)) && unloaded.every((tool) => !listed.has(tool)))
  }

  /** Over HTTP it comes on a stream of its own, so it may come after the answer. */
  async #hears(told) {
    for (let waited = 0; this.changes === told && waited < TOLD_MS; waited += 10) await pause(10)
    return this.changes > told
  }

  async unload(server) {
    await this.registering('manage_modules', { action: 'unload', module: server })
    if (this.names.some((tool) => tool.startsWith(`mcp--${server}--`)))
      this.result.wrong.push(`unload of ${server} left a tool`)
  }
}

class ModernLane extends Lane {
  async open() {
    this.client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    this.client.onerror = () => {}
    await this.client.connect(await this.transport(ModernMemory, ModernHttp))
    this.names = await this.list()
  }

  /** Not from what the client keeps of it. */
  async list() {
    return (await this.client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name)
  }

  /** Asks for tools, and looks whether each is told by its signature, schema or parameters, and the list as it was. */
  async registering(name, args) {
    const { loaded = [], tools = [] } = (await this.answer(name, args)) ?? {}
    const before = JSON.stringify(this.names)
    this.names = await this.list()
    if (JSON.stringify(this.names) !== before)
      this.result.wrong.push(`${name} ${JSON.stringify(args)} changed the list`)
    const told = [...loaded, ...tools]
    if (told.length === 0) return
    this.registered(
      told.every((tool) => tool.name.startsWith('mcp--') && (tool.signature ?? tool.inputSchema ?? tool.parameters)),
    )
  }

  /** Nothing is loaded for good, so there is nothing to take away. */
  async unload(server) {
    const { isError, content } = await this.use('manage_modules', { action: 'unload', module: server })
    if (!isError) this.result.wrong.push(`unload of ${server}: ${content[0].text.slice(0, 200)}`)
  }
}

export const LANES = { legacy: OlderLane, modern: ModernLane }
