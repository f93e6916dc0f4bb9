// SPDX-License-Identifier: Apache-2.0
//
// What tools cost, by server and by tool: the router's own numbers, for as long as its catalogue stays the same.

import type { ToolRouter } from '@zoo-code/tool-router'

import { toolsOn } from '../scope'
import { type HubServer, isHeld } from '../servers/hub'
import { isInMode, mode } from '../settings'

export class Tokens {
  #key = ''
  #servers = new Map<string, number>()
  #tools = new Map<string, number>()
  /** Definitions by the names of tools, once they were needed. */
  #definitions: Map<string, string> | undefined

  constructor(readonly router: ToolRouter) {}

  ofServer(name: string): number | undefined {
    return this.#servers.get(name)
  }

  ofTool(name: string): number | undefined {
    return this.#tools.get(name)
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
    if (this.#servers.size > 0) return
    const key = this.#key
    const { servers } = await this.router.contextUsage({})
    if (key === this.#key) this.#servers = new Map(servers.map(({ name, tokens }) => [name, tokens]))
  }

  /** Counts the tools of one server: only when somebody looks at them. */
  async ofTools(serverName: string): Promise<void> {
    this.#forget()
    const names = (await this.router.listTools({ servers: [serverName] })).map(({ name }) => name)
    const missing = names.filter((name) => !this.#tools.has(name))
    if (missing.length === 0) return
    this.#definitions ??= this.#render()
    const counted = await Promise.all(
      missing.map((name) => this.router.countTokens(this.#definitions?.get(name) ?? '')),
    )
    for (const [at, name] of missing.entries()) this.#tools.set(name, counted[at] ?? 0)
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
    this.#servers = new Map()
    this.#tools = new Map()
    this.#definitions = undefined
  }
}
