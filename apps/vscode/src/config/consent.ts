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
