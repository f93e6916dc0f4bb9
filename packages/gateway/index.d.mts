import type { Transport } from '@modelcontextprotocol/server'

import type { ToolRouter } from '@zoo-code/tool-router'

/** The name of a tool of the gateway itself. */
export type MetaTool =
  | 'mcp_load'
  | 'search_mcps'
  | 'describe_tool'
  | 'manage_modules'
  | 'select_mode'
  | 'read_result'
  | 'call_tool_read'
  | 'call_tool_write'
  | 'call_tool_destructive'
  | 'call_tool'
  | 'report_missing_capability'
  | 'run_program'

/** What all servers may have. Unknown fields are ignored: other clients read the file, too. */
export interface ServerScope {
  /** Switches the server off. Nothing else of it is read. @default false */
  disabled?: boolean
  /** The same the other way round, as some clients write it. @default true */
  enabled?: boolean
  /** Tools that are off, whatever else includes them; `*` stands for any characters. */
  disabledTools?: string[]
  /** When not empty, only these tools are on, less `disabledTools`. A name means one tool; `*` stands for any characters. */
  onlyAllow?: string[]
  /** Puts all of its tools, or the named ones, into the first list. */
  alwaysLoad?: boolean | string[]
  /** Whether tools that ask for it (`_meta["anthropic/alwaysLoad"]`) are in the first list, too. @default false */
  ownPins?: boolean
  /** Puts all of its tools into the first list, where the model cannot unload them. @default false */
  essential?: boolean
  /** Starts the server on its first use and stops it when it is unused. Its list is kept. @default false */
  lazy?: boolean
  /** Seconds without word that one call may take, 1 to 3,600; larger ones are milliseconds. @default `gateway.timeout` */
  timeout?: number
  /** Seconds that the server may take to start, 1 to 3,600. @default 60 */
  startTimeout?: number
  /** The era of the protocol that is spoken with it: `modern` is 2026-07-28, `auto` asks the server. @default 'auto' */
  protocolEra?: 'auto' | 'legacy' | 'modern'
  /** What the server is for: shown in answers of the meta tools, and ranked. At most 5,000 characters. */
  description?: string
  /** Tags that say what the server can do. They are indexed and never shown. */
  capabilities?: string[]
  /** Requests that need this server, as a user would write them. They are indexed and never shown. */
  syntheticQueries?: string[]
  /** What tools do, by name, where annotations and names say it wrongly. What makes one more harmless means one tool. */
  toolKinds?: Record<string, 'read' | 'write' | 'destructive'>
  /** Descriptions, by tool name, that replace what models see and what is indexed. */
  toolDescriptionOverrides?: Record<string, string>
  /** Descriptions, by tool name, that are indexed and never shown. */
  searchDescriptions?: Record<string, string>
  [field: string]: unknown
}

/**
 * A server that is a program. In its texts `${NAME}`, `${NAME:-default}` and `${env:NAME}` are replaced by a variable of its
 * own `env` or of the gateway, `${file:path}` by the text of a file, `${workspaceFolder}` and `${userHome}` by folders, and
 * `${input:id}` by the variable `INPUT_ID`. A placeholder that is unknown or not set leaves the server out.
 */
export interface StdioServer extends ServerScope {
  type?: 'stdio' | 'local'
  /** The program. It is started without a shell. */
  command: string
  args?: string[]
  /** Its environment variables. Besides these it gets HOME, PATH and the like, and what `inheritEnv` names. */
  env?: Record<string, string | number | boolean | null>
  /** Variables of the gateway that it gets: all, or those of these names, with `*`. @default `gateway.inheritEnv` */
  inheritEnv?: boolean | string[]
  /** A file of `NAME=value` lines with more variables. `env` wins where both name one. */
  envFile?: string
  /** Its working folder, relative to the folder of the configuration file, or to the project that the file belongs to. */
  cwd?: string
}

/** A server over HTTP: Streamable HTTP, or the older transport over server-sent events, whichever it speaks. */
export interface HttpServer extends ServerScope {
  /** With `sse` the older transport is tried first, otherwise Streamable HTTP. */
  type?: 'http' | 'streamable-http' | 'sse' | 'remote'
  url: string
  headers?: Record<string, string | number | boolean | null>
  /** A command line that prints a JSON object of more headers. It runs before each connection, for at most 10 seconds. */
  headersHelper?: string
  /** How to log in, where the authorization server does not let clients register by themselves. */
  oauth?: OAuthConfig
}

/** How the gateway logs in to a remote server. Everything is optional if its authorization server registers clients. */
export interface OAuthConfig {
  /** The client id that the gateway is registered under, and its secret if it has one. */
  clientId?: string
  clientSecret?: string
  /** The https address of a client id metadata document for the gateway. */
  clientMetadataUrl?: string
  /** The authorization server that `clientId` belongs to. It is never sent to another one. */
  issuer?: string
  /** The name of an account, where several entries log in to one address: each has a login of its own. */
  account?: string
  /** The scope to ask for, if the server does not name one. */
  scope?: string
  scopes?: string[]
  /** The loopback port that the browser returns to. @default any free port */
  redirectPort?: number
}

/** A tool in a configuration: `server/tool`, or an object where one of the names contains a slash. */
export type ConfiguredTool = string | { serverName: string; toolName: string }

/** A named group of tools. Every server is a module of its own without being listed. */
export interface ModuleConfig {
  description?: string
  /** Servers whose tools all belong to the module. */
  servers?: string[]
  /** Single tools that belong to the module. */
  tools?: ConfiguredTool[]
  /** Puts its tools into the first list, where they cannot be unloaded. @default false */
  essential?: boolean
}

/** A kind of task, and the tools for it. */
export interface ModeConfig {
  /** What kind of task this is. A described task is ranked against it. */
  description: string
  /** Sample tasks of this kind, as a user would write them. */
  examples?: string[]
  /** Tools that are always part of the mode. */
  tools?: ConfiguredTool[]
  /** Modules that are part of the mode. */
  modules?: string[]
  /** Servers. Those of their tools that suit the task become part of the mode. */
  servers?: string[]
  /** What its tools do, in a few words each: the best ones of all servers. Without any, the mode is not selected. */
  needs?: string[]
  /** What the mode fixes and hides, by `server/tool`. */
  parameters?: Record<string, ModeParameters>
  /** `compact`: one sentence, and a schema that accepts the same, without descriptions; `whole`: definitions unchanged. @default 'compact' */
  definitions?: 'compact' | 'whole'
}

/** What a mode fixes and hides of one tool's parameters. */
export interface ModeParameters {
  /** Values that each call gets, whatever the model says. They are not shown. */
  fixed?: Record<string, unknown>
  /** Parameters that are not shown, and not passed on. One that the server requires is still shown. */
  hidden?: string[]
}

/** A named part of a configuration: some servers and tools, under limits of its own. It shares the servers that run. */
export interface ProfileConfig {
  description?: string
  /** Servers with all of their tools that are on. */
  servers?: string[]
  /** Single tools of further servers. */
  tools?: ConfiguredTool[]
  /** Tools that are not there in this profile. */
  disabledTools?: ConfiguredTool[]
  /** Settings that replace those of the configuration. Those of the servers, which profiles share, are refused. */
  gateway?: Pick<
    GatewaySettings,
    'metaTools' | 'mode' | 'era' | 'readOnly' | 'searchK' | 'maxTools' | 'maxResultTokens'
  >
  /** A bearer token that opens this profile alone over HTTP: at least 32 visible ASCII characters, or a placeholder. */
  token?: string
}

/** The settings of a gateway. Unknown keys are refused. */
export interface GatewaySettings {
  /** The meta tools, in this order. @default all but `call_tool`, `report_missing_capability` and `run_program` */
  metaTools?: MetaTool[]
  /** `legacy` serves all clients as those of the older era, whose lists have what was found. @default 'both' */
  era?: 'both' | 'legacy'
  /** Serves only tools that are known to only read. The others cannot be found, listed or called. @default false */
  readOnly?: boolean
  /** A tool whose definition changes, over restarts, too: it is logged, or off until `approve` is run. @default 'withhold' */
  changedTools?: 'tell' | 'withhold'
  /** A tool or prompt that comes after the others of its server: it is on, or off until `approve` is run. @default 'accept' */
  newTools?: 'accept' | 'withhold'
  /** From which severity of what the shield finds in it a tool is off until `approve` is run. @default 'high' */
  withholdTools?: 'never' | 'high' | 'medium'
  /**
   * A PostgreSQL database (15 to 18) that several gateways share, as `postgres://user:${env:PGPASSWORD}@host:5432/name`.
   * Logins stay in files. @default files in `dir`
   */
  store?: string
  /**
   * The name of this gateway among the replicas over that database, as `tool-router-0`, by which a proxy finds it.
   * @default the variable `ZOO_TOOL_ROUTER_REPLICA`, otherwise none
   */
  replica?: string
  /** Seals keys in that database, 16 characters at least: a row that was not made with it opens nothing. @default none */
  keySecret?: string
  /** Tokens of an issuer of the organisation that open profiles over HTTP. Needs the package `jose`. @default none */
  oidc?: OidcConfig
  /**
   * Metrics and traces of calls, without their contents, by the SDK of this process. Needs `@opentelemetry/api`.
   * @default whether the standard variables (`OTEL_EXPORTER_OTLP_ENDPOINT`) name an endpoint
   */
  telemetry?: boolean
  /** A call of a program that may destroy something. It is refused where the client cannot ask. @default 'ask' */
  programDestroys?: 'ask' | 'refuse' | 'allow'
  /** Tokens of a result that a client gets, 500 to 1,000,000; `read_result` reads the rest. `false`: all. @default 4_000 */
  maxResultTokens?: number | false
  /** The address behind which a proxy serves the gateway, as `https://tools.example`. @default none */
  publicUrl?: string
  /** `static`: every tool from the start and no meta tools, as without a gateway. @default 'dynamic' */
  mode?: 'dynamic' | 'static'
  /** `none`: tools and prompts keep their own names; of two alike the first server's is there. @default 'server' */
  namespacing?: 'server' | 'none'
  /** Seconds that a call may take where its server's entry says nothing, 1 to 3,600. @default 60 */
  timeout?: number
  /** Variables that every server gets whose entry says nothing, as in {@link StdioServer}. @default false */
  inheritEnv?: boolean | string[]
  /** How many tools one call of `mcp_load` attaches, 1 to 100. @default 10 */
  searchK?: number
  /** Maximum number of listed tools, including meta tools, 8 to 10,000. @default 128 */
  maxTools?: number
  /** The folder of what is kept: lists, uses, approvals, logins, an audit. @default `zoo-tool-router` in the state folder */
  dir?: string
  /** Keeps an audit of calls in `dir`, which the command `audit` prints. A `store` has one always. @default false */
  audit?: boolean
}

/** Whose tokens are taken over HTTP, and which profiles the groups of a person open. */
export interface OidcConfig {
  /** The issuer as its tokens and its description have it, to the letter: an https address, or http on loopback. */
  issuer: string
  /** Whom tokens must be for. Issuers that follow the protocol put the address of the gateway there. */
  audience: string
  /** The profiles that a group opens. At `/mcp` a person has what any of these has, at its path what one has. */
  groups: Record<string, string | string[]>
  /** The claim that has the groups. @default 'groups' */
  groupsClaim?: string
  /** Scopes that clients are told to ask the issuer for. @default none */
  scopes?: string[]
  /** The address of the gateway as clients have it. @default `audience` where it is an address, or where the gateway listens */
  resource?: string
}

/** A configuration: the `mcpServers` that MCP clients share, and the gateway's own fields. */
export interface GatewayConfig {
  mcpServers: Record<string, StdioServer | HttpServer>
  modules?: Record<string, ModuleConfig>
  /** Modes by name. `default` is for a task that matches none; `null`, as without modes: the servers that suit it. */
  modes?: Record<string, ModeConfig> & { default?: ModeConfig | string | null }
  /** Named parts of the configuration: a gateway serves one of them, or over HTTP each at a path, as `/mcp/work`. */
  profiles?: Record<string, ProfileConfig>
  gateway?: GatewaySettings
}

/** Options of {@link createGateway}. Either `config` or `configFile` is needed. */
export interface GatewayOptions {
  config?: GatewayConfig
  /** A file as any MCP client writes it: JSON, comments and trailing commas included, TOML or YAML. */
  configFile?: string
  /** What `${workspaceFolder}` stands for. @default the project that the file belongs to, or the current folder */
  workspace?: string
  /** Modes that come with the package, besides those of the configuration. @default none */
  modes?: 'coding'
  /** The profile to serve: nothing else of the configuration is started, listed or found. @default all servers */
  profile?: string
  /** Also logs what servers print on their standard error, without their secrets. @default false */
  verbose?: boolean
  /** Serves one client: servers start when it has said what it can do, and are told exactly that. @default false */
  oneClient?: boolean
  /** Reads `configFile` again when it changes, as {@link Gateway.reload} does. @default false */
  watch?: boolean
  /** Receives a line for each server that starts or stops: names, counts and reasons, never text of tools. @default none */
  log?: (line: string) => void
}

/** Options of {@link Gateway.listen}. */
export interface ListenOptions {
  /** A loopback address. @default '127.0.0.1' */
  host?: '127.0.0.1' | '::1' | 'localhost'
  /** The port. @default 0, any free port */
  port?: number
  /** The bearer token that clients send: at least 32 visible ASCII characters. @default a token of 256 random bits */
  token?: string
  /** Serves a page for a person at `/ui`, for the same token; docs/gateway-page.md. @default false */
  page?: boolean
}

/** An address where clients reach the gateway. */
export interface HttpEndpoint {
  /** The URL, such as `http://127.0.0.1:49152/mcp`. */
  readonly url: string
  /** The token that clients send as `Authorization: Bearer …`. */
  readonly token: string
  /** An address that opens the page in one browser, within an hour; undefined without `page`. A new one for each read. */
  readonly pageUrl?: string
  /** How many clients have a session. */
  readonly sessionCount: number
  /** Ends its sessions and stops listening. Closing twice is fine. */
  close(): Promise<void>
}

/** A server behind the gateway. */
export interface ServerStatus {
  name: string
  /** `idle`: it starts on its first use; `waiting`: it failed and is tried again; `left-out`: its entry cannot be read. */
  state: 'idle' | 'connecting' | 'ready' | 'waiting' | 'login' | 'closed' | 'left-out'
  /** How many tools it lists. */
  toolCount: number
  /** How many of its tools are in scope. */
  scopedCount: number
  /** The process id of a running stdio server. */
  pid: number | null
  /** Why the server is `waiting`, in `login`, or `left-out`. */
  reason?: string
}

/** What {@link Gateway.reload} has changed. */
export interface ReloadResult {
  /** Servers that were added, that were started again because they are reached otherwise, and that were removed. */
  added: string[]
  changed: string[]
  removed: string[]
  /** Servers whose entry can no longer be read: they go on as they were. */
  kept: string[]
  /** Settings that hold from now on. */
  settings: string[]
  /** Settings that hold with the next start. */
  nextStart: string[]
}

/** One client of the gateway. */
export interface ClientSession {
  readonly closed: boolean
  /** Ends the session and its transport. */
  close(): Promise<void>
}

/**
 * Many MCP servers as one, with few tools at first. Get one from {@link createGateway}. While it is open, its servers are in the
 * catalogue of the process's router, by their names.
 */
export interface Gateway {
  /** The router of the process; call `loadModel` on it for ranking by meaning. */
  readonly router: ToolRouter
  /** The servers, in the order of the configuration. */
  readonly servers: ServerStatus[]
  /** How many clients are connected. */
  readonly sessionCount: number
  /**
   * Waits until each server has listed its tools once, or has failed to.
   *
   * @param options - how long to wait; by default a minute
   * @returns the names of servers that are still starting
   */
  ready(options?: { timeoutMs?: number }): Promise<string[]>
  /**
   * Serves one client over a transport of the SDK, until the transport ends.
   *
   * @param transport - the server's side of the transport, not started yet
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT` after {@link Gateway.close}
   */
  connect(transport: Transport): Promise<ClientSession>
  /**
   * Serves clients over Streamable HTTP on the loopback interface.
   *
   * @param options - see {@link ListenOptions}
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also for a port that is in use
   */
  listen(options?: ListenOptions): Promise<HttpEndpoint>
  /**
   * Adds a server. It can be found once it has listed its tools.
   *
   * @param name - a name that no server has yet
   * @param entry - the server, as in `mcpServers`
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
   */
  addServer(name: string, entry: StdioServer | HttpServer): void
  /**
   * Reads the configuration file again and changes what has changed: servers are added, removed, or started again, with
   * one notification to each client. Calls under way are answered.
   *
   * @returns what has changed
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_CONFIG_INVALID`: the file cannot be read, and nothing has
   * changed
   */
  reload(): Promise<ReloadResult>
  /**
   * Stops a server and forgets its tools.
   *
   * @param name - the server's name
   * @returns false when there is no such server
   */
  removeServer(name: string): Promise<boolean>
  /**
   * Ends clients, endpoints and servers, and everything that the servers started, in up to 5 seconds. Closing twice is
   * fine.
   */
  close(): Promise<void>
}

/**
 * Makes a gateway and starts its servers in the background. Needs the MCP SDK, which are the
 * peer dependencies of this package.
 *
 * @param options - the configuration, or the file that holds it
 * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, naming the field, what was expected and what was received; also
 * when another gateway of the process has a server of the same name; `ERR_CONFIG_INVALID` for a file that is not JSON
 * @example
 * ```ts
 * import { createGateway } from '@zoo-code/tool-router-gateway'
 *
 * const gateway = await createGateway({ configFile: 'mcp.json' })
 * const { url, token } = await gateway.listen()
 * console.log(url, token.length)
 * await gateway.close()
 * ```
 */
export declare function createGateway(options: GatewayOptions): Promise<Gateway>
