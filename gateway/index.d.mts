// SPDX-License-Identifier: Apache-2.0

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

import type { ToolRouter } from '../index.js'

/** The tools of the gateway itself. */
export type MetaTool = 'mcp_load' | 'search_mcps' | 'manage_modules' | 'select_mode' | 'call_tool' | 'report_missing_capability'

/** What is the same of every server of the configuration. Unknown fields are left alone: other clients read the file too. */
export interface ServerScope {
  /** Leaves the server out. @default false */
  disabled?: boolean
  /** These tools are off. */
  disabledTools?: string[]
  /** When not empty, exactly these tools are on, and `disabledTools` is ignored. */
  onlyAllow?: string[]
  /** Tools that stand in the first list: all, or these. `false` also refuses what a tool asks for itself. */
  alwaysLoad?: boolean | string[]
  /** All of its tools stand in the first list, and the model cannot unload them. @default false */
  essential?: boolean
  /** Starts it on its first use, and stops it when nobody uses it; its list of tools is kept on disk. @default false */
  lazy?: boolean
  /** Seconds that one call may take, 1 to 3,600. Progress begins them anew, ten times at most. @default 60 */
  timeout?: number
  /** What it is for, for the answers of the meta tools and for ranking. At most 5,000 characters. */
  description?: string
  /** Tags of what it can do, indexed and never shown. */
  capabilities?: string[]
  /** Requests that need this server, as a user would write them; indexed and never shown. */
  syntheticQueries?: string[]
  /** Descriptions by tool name that replace what models see and what is indexed. */
  toolDescriptionOverrides?: Record<string, string>
  /** Descriptions by tool name that are indexed and never shown. */
  searchDescriptions?: Record<string, string>
  [field: string]: unknown
}

/** A server that is a program. `${env:NAME}` in its texts stands for a variable of the gateway. */
export interface StdioServer extends ServerScope {
  type?: 'stdio'
  /** The program; no shell reads it. */
  command: string
  args?: string[]
  /** Its variables. Beside them it gets HOME, PATH and the like, and nothing else of the gateway's. */
  env?: Record<string, string>
  /** Its folder, relative to that of the configuration file. */
  cwd?: string
}

/** A server over Streamable HTTP. */
export interface HttpServer extends ServerScope {
  type?: 'http' | 'streamable-http'
  url: string
  headers?: Record<string, string>
}

/** A tool of the configuration: `server/tool`, or its names where one of them holds a slash. */
export type ConfiguredTool = string | { serverName: string; toolName: string }

/** A named group of tools. Every server is a module without being named. */
export interface ModuleConfig {
  description?: string
  /** All tools of these servers. */
  servers?: string[]
  /** These tools. */
  tools?: ConfiguredTool[]
  /** Stands in the first list, and cannot be unloaded. @default false */
  essential?: boolean
}

/** A kind of task, and what it is done with. */
export interface ModeConfig {
  /** What kind of task; the task's description is ranked against it. */
  description: string
  /** Tasks of this kind, as a user would write them. */
  examples?: string[]
  /** Tools that are always part of it. */
  tools?: ConfiguredTool[]
  /** Modules that are part of it. */
  modules?: string[]
  /** Servers of whose tools those that suit the task are part of it. */
  servers?: string[]
}

/** Settings of the gateway. Unknown keys are refused. */
export interface GatewaySettings {
  /** Meta tools that are offered, in this order. @default all but `report_missing_capability` */
  metaTools?: MetaTool[]
  /** Tools that one `mcp_load` attaches, 1 to 100. @default 10 */
  searchK?: number
  /** Tools of a focused set of `select_mode`, 1 to 100; a task of which less is sure gets a quarter more. @default 12 */
  focusK?: number
  /** Tools listed at most, meta tools included, 8 to 10,000. @default 128 */
  maxTools?: number
  /** Tokens of the first list at most. Pinned tools that do not fit wait until they are asked for. @default 2000 */
  initialTokens?: number
  /** Clients of one HTTP endpoint at most, 1 to 900. @default 100 */
  maxSessions?: number
  /** Seconds after which a silent HTTP session ends. @default 1800 */
  sessionIdleS?: number
  /** Seconds after which an unused lazy server is stopped. @default 600 */
  serverIdleS?: number
  /** Folder of tool lists of lazy servers, or `false` for none. @default `zoo-tool-router/gateway` in the user's cache folder */
  cacheDir?: string | false
  /** Passes `outputSchema` of tools on. Off, since one that a client cannot compile costs it the whole list. @default false */
  outputSchemas?: boolean
}

/** A configuration: the `mcpServers` that MCP clients share, and what is the gateway's own. */
export interface GatewayConfig {
  mcpServers: Record<string, StdioServer | HttpServer>
  modules?: Record<string, ModuleConfig>
  modes?: Record<string, ModeConfig>
  gateway?: GatewaySettings
}

/** Options of {@link createGateway}: one of `config` and `configFile`. */
export interface GatewayOptions {
  config?: GatewayConfig
  configFile?: string
  /** Hears of servers that start and end: names, counts and reasons, never text of tools. @default nobody */
  log?: (line: string) => void
}

/** Options of {@link Gateway.listen}. */
export interface ListenOptions {
  /** A loopback address. @default '127.0.0.1' */
  host?: '127.0.0.1' | '::1' | 'localhost'
  /** @default 0, any that is free */
  port?: number
  /** What clients send as bearer token: at least 32 visible ASCII characters. @default one of 256 random bits */
  token?: string
}

/** An address that clients reach the gateway under. */
export interface HttpEndpoint {
  /** As in `http://127.0.0.1:49152/mcp`. */
  readonly url: string
  /** What clients send as `Authorization: Bearer …`. */
  readonly token: string
  /** Clients that have a session. */
  readonly sessionCount: number
  /** Ends its sessions and stops listening. Idempotent. */
  close(): Promise<void>
}

/** A server behind the gateway. */
export interface ServerStatus {
  name: string
  /** `idle` starts on its first use; `waiting` has died or failed and is started again after a pause. */
  state: 'idle' | 'connecting' | 'ready' | 'waiting' | 'closed'
  /** Tools that it lists. */
  toolCount: number
  /** Those of them that are in scope. */
  scopedCount: number
  /** The process of a stdio server that runs. */
  pid: number | null
  /** Why it is `waiting`. */
  reason?: string
}

/** One client of the gateway. */
export interface ClientSession {
  readonly closed: boolean
  /** Ends the session and its transport. */
  close(): Promise<void>
}

/**
 * Many MCP servers as one, with few tools at first. Get one from {@link createGateway}.
 *
 * It uses the router of the process: its servers are in that catalogue, by their names, as long as it is open.
 */
export interface Gateway {
  /** The router of the process; call `loadModel` on it for ranking by meaning. */
  readonly router: ToolRouter
  /** The servers, in the order of the configuration. */
  readonly servers: ServerStatus[]
  /** Clients that are connected. */
  readonly sessionCount: number
  /**
   * Waits until each server was asked for its tools once, or could not be.
   *
   * @param options - how long to wait; a minute when left out
   * @returns names of servers that are still starting
   */
  ready(options?: { timeoutMs?: number }): Promise<string[]>
  /**
   * Serves one client over a transport of the SDK, until the transport ends.
   *
   * @param transport - a server's side of it, not started
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT` after {@link Gateway.close}
   */
  connect(transport: Transport): Promise<ClientSession>
  /**
   * Serves clients over Streamable HTTP on the loopback interface.
   *
   * @param options - see {@link ListenOptions}
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also for a port that is taken
   */
  listen(options?: ListenOptions): Promise<HttpEndpoint>
  /**
   * Takes a server in; from its first list of tools on it is found.
   *
   * @param name - a name that no server has
   * @param entry - as in `mcpServers`
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
   */
  addServer(name: string, entry: StdioServer | HttpServer): void
  /**
   * Ends a server and forgets its tools.
   *
   * @param name - its name
   * @returns false when there is none
   */
  removeServer(name: string): Promise<boolean>
  /** Ends clients, endpoints and servers, with all that the servers started. Idempotent; takes up to 5 seconds. */
  close(): Promise<void>
}

/**
 * Makes a gateway and starts its servers in the background. Needs the package `@modelcontextprotocol/sdk`.
 *
 * @param options - the configuration, or the file that holds it
 * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT` that names the field, what was expected and what came; also when
 * another gateway of the process has a server of the same name; `ERR_CONFIG_INVALID` for a file that is no JSON
 * @example
 * ```ts
 * import { createGateway } from '@zoo-code/tool-router/gateway'
 *
 * const gateway = await createGateway({ configFile: 'mcp.json' })
 * const { url, token } = await gateway.listen()
 * console.log(url, token.length)
 * await gateway.close()
 * ```
 */
export declare function createGateway(options: GatewayOptions): Promise<Gateway>
