// SPDX-License-Identifier: Apache-2.0
//
// What is needed of the extension, in its own shapes: `McpServer` and `McpTool` of its package `types`, `McpHub` of its
// `services/mcp`. `__test__/zoo-code.spec.mjs` checks them against the published types.

/** A tool as the hub holds it. */
export interface HubTool {
  name: string
  description?: string
  inputSchema?: object
  alwaysAllow?: boolean
  enabledForPrompt?: boolean
}

/** A server as the hub holds it. */
export interface HubServer {
  name: string
  /** What the user wrote about it in mcp.json, as JSON text. */
  config: string
  status: 'connected' | 'connecting' | 'disconnected'
  /** What `tools/list` answered last. */
  tools?: HubTool[]
  disabled?: boolean
  source?: 'global' | 'project'
  instructions?: string
}

/** What is needed of `McpHub`. */
export interface McpHubLike {
  /** Enabled servers; of two of one name the project's. */
  getServers(): HubServer[]
  /** All of them. */
  getAllServers(): HubServer[]
}

/** A task of the host. */
export interface TaskLike {
  taskId: string
  /** The slug of its mode now: it may be another one for each request. */
  mode?: string
}

/** Where the host keeps what belongs to a task, beside its messages. */
export interface TaskStore {
  read(taskId: string): Promise<string | undefined>
  write(taskId: string, state: string): Promise<void>
}

/** A tool as a chat completion request takes it. */
export interface FunctionTool {
  type: 'function'
  function: { name: string; description?: string; parameters?: Record<string, unknown> }
}

/** What did not work while the host went on without it. */
export interface Problem {
  /** `catalogue`: the tools of a server; the others: of a task. */
  where: 'catalogue' | 'state' | 'store' | 'turn'
  serverName?: string
  taskId?: string
  error: Error
}

export type ProblemListener = (problem: Problem) => void
