// Which servers the user lets this extension start. Asked once per server and workspace, of the user's own file once for all
// workspaces, and again when its entry has changed.

import * as vscode from 'vscode'

import { type Configured, isEverywhere, markOf, placeOf } from './files'

const KEY = 'allowedServers'

export class Consent {
  /**
   * @param memory that of the workspace: what was allowed in one says nothing in another
   * @param everywhere that of the user, for servers of the user's own file
   */
  constructor(
    readonly memory: vscode.Memento,
    readonly everywhere: vscode.Memento,
  ) {}

  has(server: Configured): boolean {
    const allowed = this.#allowed(server)
    const place = placeOf(server)
    return Object.hasOwn(allowed, place) && allowed[place] === markOf(server)
  }

  async give(servers: readonly Configured[]): Promise<void> {
    for (const server of servers)
      await this.#of(server).update(KEY, { ...this.#allowed(server), [placeOf(server)]: markOf(server) })
  }

  #of(server: Configured): vscode.Memento {
    return isEverywhere(server) ? this.everywhere : this.memory
  }

  #allowed(server: Configured): Record<string, string> {
    return this.#of(server).get<Record<string, string>>(KEY) ?? {}
  }
}

/** Why the editor's settings let no server of a file start; absent where they do. An organisation may set them. */
export function accessDenied(): string | undefined {
  const mcp = vscode.workspace.getConfiguration('chat.mcp')
  const access = mcp.get<string | boolean>('access') ?? 'all'
  if (access === 'none' || access === false || mcp.get('enabled') === false)
    return 'chat.mcp.access lets no MCP server start'
  if (access === 'registry')
    return 'chat.mcp.access allows only servers of a registry, which the editor alone can check; use its tools (toolRouter.source)'
  return undefined
}

/** Entries that were asked about in this window. */
const asked = new Set<string>()

/** Says once per entry that servers wait; nothing starts by itself. */
export function askForConsent(waiting: readonly Configured[]): void {
  const added = waiting.filter((server) => !asked.has(placeOf(server) + markOf(server)))
  if (added.length === 0) return
  for (const server of added) asked.add(placeOf(server) + markOf(server))
  const names = added
    .slice(0, 5)
    .map(({ name }) => name)
    .join(', ')
  const text = `MCP Tool Router: ${added.length === 1 ? 'a server waits' : `${added.length} servers wait`} for your consent: ${names}${added.length > 5 ? ', …' : ''}`
  void vscode.window.showInformationMessage(text, 'Review').then((chosen) => {
    if (chosen) return vscode.commands.executeCommand('toolRouter.allow')
  })
}
