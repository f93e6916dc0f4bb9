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
  mode: string
  /** Tokens of the system prompt and the conversation so far: what the provider has in its cache. */
  contextTokens?: number
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

/** A message of the router, to be sent behind the newest one. */
export interface TextMessage {
  role: 'user'
  content: string
}

/** What the next request has of the router. */
export interface TaskRequest {
  tools: FunctionTool[]
  messages: TextMessage[]
}

/** The answer to the model's `mcp_load`. */
export interface LoadAnswer {
  /** What the model reads. */
  text: string
  /** The tools that it has now, for the host's chat. */
  loaded: { serverName: string; toolName: string }[]
}

/** What a call of the model means: a tool with its arguments, or what to tell the model. */
export type Call =
  | { tool: { serverName: string; toolName: string }; arguments: Record<string, unknown> }
  | { problem: string }

/** What did not work while the host went on without it. */
export interface Problem {
  /** `catalogue`: the tools of a server; the others: of a task. */
  where: 'catalogue' | 'state' | 'store' | 'turn'
  serverName?: string
  taskId?: string
  error: Error
}

export type ProblemListener = (problem: Problem) => void
