// SPDX-License-Identifier: Apache-2.0
//
// From the extension's `McpHub` to the router. The hub has no events, so what changed is seen by reference: it replaces a
// server's list of tools when it has fetched one, and never changes it in place. Nothing changed costs a look per server.

import type { McpServer, ServerSource, ToolRouter } from '../../index.js'
import type { HubServer, McpHubLike, ProblemListener } from './host.js'

export class HubTools {
  /** What was set last, by server name: its source, and what is compared. */
  readonly #seen = new Map<string, { source: ServerSource; parts: unknown[] }>()
  #done: Promise<unknown> = Promise.resolve()
  /** Counts up with each change, for whoever keeps something that depends on the tools. */
  version = 0

  constructor(
    readonly router: ToolRouter,
    readonly hub: McpHubLike,
    readonly onProblem: ProblemListener,
  ) {}

  /** Looks at the hub, and resolves when the router knows what changed. Call it for every request. */
  refresh(): Promise<unknown> {
    // Disabled servers are set too, so that `mcp_load` can say why a tool is not there; they hide no enabled one.
    const enabled = this.hub.getServers()
    const names = new Set(enabled.map(({ name }) => name))
    const servers = [...enabled, ...this.hub.getAllServers().filter(({ name }) => !names.has(name))]
    const gone = new Map(this.#seen)
    for (const [position, server] of servers.entries()) {
      const { name, source = 'global', config, disabled, status } = server
      const seen = this.#seen.get(name)
      gone.delete(name)
      // One that connects again keeps its tools meanwhile: the prompts of running tasks stay as they are.
      const tools = server.tools ?? (status === 'connecting' ? seen?.parts[0] : undefined)
      const parts = [tools, position, source, config, disabled]
      if (seen?.parts.every((part, at) => part === parts[at])) continue
      if (seen && seen.source !== source) this.#tell(name, () => this.router.removeServer(name, seen.source))
      this.#seen.set(name, { source, parts })
      this.#tell(name, () =>
        this.router.setServer({ ...scopeOf(server), name, source, position, disabled, tools } as McpServer),
      )
    }
    for (const [name, { source }] of gone) this.#tell(name, () => this.router.removeServer(name, source))
    for (const name of gone.keys()) this.#seen.delete(name)
    return this.#done
  }

  #tell(serverName: string, change: () => Promise<unknown>): void {
    this.version++
    const report = (error: Error) => this.onProblem({ where: 'catalogue', serverName, error })
    this.#done = Promise.all([this.#done, Promise.resolve().then(change).catch(report)])
  }
}

/** `config` is the text that the user wrote; of it only what is about tools is taken: the rest may be secret. */
function scopeOf({ config, instructions }: HubServer): Partial<McpServer> {
  const { onlyAllow, disabledTools, alwaysLoad, toolDescriptionOverrides } = JSON.parse(config || '{}')
  return { onlyAllow, disabledTools, alwaysLoad, toolDescriptionOverrides, instructions }
}
