// SPDX-License-Identifier: Apache-2.0
//
// From the extension's `McpHub` to the router. The hub has no events, so what changed is seen by reference: it replaces a
// server's list of tools when it has fetched one, and never changes it in place. Nothing changed costs a look per server.

import type { McpServer, ServerSource, ToolRouter } from '../../index.js'
import type { HubServer, McpHubLike, ProblemListener } from './host.js'

interface Seen {
  source: ServerSource
  /** What is compared. */
  parts: unknown[]
}

export class HubTools {
  readonly #seen = new Map<string, Seen>()
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
    // The hub leaves disabled servers out before the project's hides the user's; those are set too, as disabled, so that
    // `mcp_load` can say why a tool is not there.
    const enabled = this.hub.getServers()
    const names = new Set(enabled.map(({ name }) => name))
    const disabled = this.hub.getAllServers().filter(({ name }) => !names.has(name))
    const gone = new Map(this.#seen)
    for (const [position, server] of [...enabled, ...disabled].entries()) {
      const { name, source = 'global', config, tools, status } = server
      gone.delete(name)
      const seen = this.#seen.get(name)
      // One that connects again keeps its tools meanwhile: the prompts of running tasks stay as they are.
      const parts = [
        position,
        source,
        config,
        server.disabled,
        tools ?? (status === 'connecting' ? seen?.parts[4] : undefined),
      ]
      if (seen?.parts.every((part, at) => part === parts[at])) continue
      if (seen && seen.source !== source) this.#tell(name, () => this.router.removeServer(name, seen.source))
      this.#seen.set(name, { source, parts })
      this.#tell(name, () =>
        this.router.setServer(toMcpServer(server, source, position, parts[4] as McpServer['tools'])),
      )
    }
    for (const [name, { source }] of gone) {
      this.#seen.delete(name)
      this.#tell(name, () => this.router.removeServer(name, source))
    }
    return this.#done
  }

  #tell(serverName: string, change: () => Promise<unknown>): void {
    this.version++
    this.#done = Promise.all([
      this.#done,
      change().catch((error) => this.onProblem({ where: 'catalogue', serverName, error })),
    ])
  }
}

/** `config` is the text that the user wrote; of it only what is about tools is taken: the rest may be secret. */
function toMcpServer(
  server: HubServer,
  source: ServerSource,
  position: number,
  tools: McpServer['tools'] = [],
): McpServer {
  const { onlyAllow, disabledTools, alwaysLoad, toolDescriptionOverrides } = JSON.parse(server.config || '{}')
  const { name, disabled, instructions } = server
  return {
    name,
    source,
    position,
    tools,
    disabled,
    instructions,
    onlyAllow,
    disabledTools,
    alwaysLoad,
    toolDescriptionOverrides,
  }
}
