// What tools cost, by server and by tool: the router's own numbers, for as long as its catalogue stays the same.

import type { ToolRouter } from '@zoo-code/tool-router'

import { toolsOn } from '../scope'
import { type HubServer, isHeld } from '../servers/hub'
import { isInMode, mode } from '../settings'

export class Tokens {
  #key = ''
  /** Numbers of before stay until they have been counted again. */
  #areServersCounted = false
  #servers = new Map<string, number>()
  /** By server, and by tool: what is off has none. */
  readonly #tools = new Map<string, Map<string, number>>()
  readonly #counted = new Set<string>()
  /** Definitions by the names of tools, once they were needed. */
  #definitions: Map<string, string> | undefined

  constructor(readonly router: ToolRouter) {}

  ofServer(name: string): number | undefined {
    return this.#servers.get(name)
  }

  ofTool(serverName: string, name: string): number | undefined {
    return this.#tools.get(serverName)?.get(name)
  }

  /** How many tools a task may use, and their tokens. */
  async inScope(servers: readonly HubServer[]): Promise<{ count: number; tokens: number }> {
    await this.ofServers()
    const scope = this.router.settings.hostModes?.[mode() ?? '']
    const used = servers.filter((server) => {
      const { name, source } = server
      const isHidden = source === 'global' && servers.some((other) => other.source === 'project' && other.name === name)
      return !isHidden && !isHeld(server) && isInMode(scope, name)
    })
    const count = used.reduce(
      (sum, server) =>
        sum +
        toolsOn(
          server,
          server.tools.map(({ name }) => name),
        ).length,
      0,
    )
    const tokens = used.reduce((sum, { name }) => sum + (this.#servers.get(name) ?? 0), 0)
    return { count, tokens }
  }

  /** Counts by server. */
  async ofServers(): Promise<void> {
    this.#forget()
    if (this.#areServersCounted) return
    const key = this.#key
    const { servers } = await this.router.contextUsage({})
    if (key !== this.#key) return
    this.#servers = new Map(servers.map(({ name, tokens }) => [name, tokens]))
    this.#areServersCounted = true
  }

  /** Counts the tools of one server: only when somebody looks at them. */
  async ofTools(serverName: string): Promise<void> {
    this.#forget()
    if (this.#counted.has(serverName)) return
    const key = this.#key
    const names = (await this.router.listTools({ servers: [serverName] })).map(({ name }) => name)
    this.#definitions ??= this.#render()
    const counted = await Promise.all(names.map((name) => this.router.countTokens(this.#definitions?.get(name) ?? '')))
    if (key !== this.#key) return
    this.#tools.set(serverName, new Map(names.map((name, at) => [name, counted[at] ?? 0])))
    this.#counted.add(serverName)
  }

  #render(): Map<string, string> {
    const session = this.router.openSession() // before its first text it has all tools
    try {
      const definitions = JSON.parse(session.tools()) as { function?: { name: string }; name?: string }[]
      return new Map(definitions.map((tool) => [tool.function?.name ?? tool.name ?? '', JSON.stringify(tool)]))
    } finally {
      session.close()
    }
  }

  #forget(): void {
    const key = `${this.router.status.generation} ${mode()}`
    if (key === this.#key) return
    this.#key = key
    this.#areServersCounted = false
    this.#counted.clear()
    this.#definitions = undefined
  }
}
