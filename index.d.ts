/** What every failing call throws or rejects with. Switch on `code`; `message` names the field and both values. */
export interface ToolRouterError extends Error {
  name: 'ToolRouterError'
  code: ToolRouterErrorCode
}

/** The codes of {@link ToolRouterError}; README says what to do about each. */
export type ToolRouterErrorCode =
  | 'ERR_INVALID_ARGUMENT'
  | 'ERR_TOOL_NOT_FOUND'
  | 'ERR_OUT_OF_SCOPE'
  | 'ERR_SESSION_NOT_FOUND'
  | 'ERR_STATE_INVALID'
  | 'ERR_STATE_VERSION'
  | 'ERR_CONFIG_INVALID'
  | 'ERR_MODEL_NOT_FOUND'
  | 'ERR_MODEL_INVALID'
  | 'ERR_RUNTIME_NOT_FOUND'
  | 'ERR_EMBEDDING_FAILED'
  | 'ERR_BUSY'
  | 'ERR_INTERNAL'

/** How tools are ranked: both ways once vectors are there (`auto`), by terms, by vectors, by both. */
export type RankingMode = 'auto' | 'lexical' | 'semantic' | 'hybrid'

/** Which ranker gave an answer. */
export type Ranker = 'lexical' | 'semantic' | 'hybrid'

/** Why an answer is lexical although vectors were asked for. */
export type DegradedReason =
  | 'model-not-loaded'
  | 'model-loading'
  | 'vectors-pending'
  | 'embedding-failed'
  | 'deadline-exceeded'

/** Where a server was configured. A project's server hides a global one of the same name. */
export type ServerSource = 'project' | 'global'

/** JSON as text, or as a plain object that is turned to text once (`JSON.stringify` keeps its order of keys). */
export type JsonInput = string | Record<string, unknown>

/** One tool, as `tools/list` answers it. Unknown fields are ignored: a tool can be passed as it came. */
export interface McpTool {
  /** Its name, 1 to 512 bytes. */
  name: string
  title?: string
  /** At most 256 KiB. */
  description?: string
  /** Kept byte by byte when it is text. At most 4 MiB. Absent means no input. */
  inputSchema?: JsonInput
  /** Only `readOnlyHint` is read. */
  annotations?: { readOnlyHint?: boolean; [hint: string]: unknown }
  /** Only `"anthropic/alwaysLoad": true` is read: the tool asks to be attached always. */
  _meta?: Record<string, unknown>
  /** Attach it to every dynamic selection. @default false */
  alwaysLoad?: boolean
  /** `false` keeps it from models. @default true */
  enabledForPrompt?: boolean
  /** Indexed in place of the description and never shown. */
  searchDescription?: string
  [field: string]: unknown
}

/**
 * What a registry says of a server, beside what its tools say themselves: how people speak of it. All of it is indexed
 * and never shown to a model.
 */
export interface ServerEntry {
  /** Its name for people. At most 512 bytes. */
  name?: string
  /** What it is for. At most 16 KiB. */
  description?: string
  /** Tags of what it can do: at most 100, of at most 200 bytes. */
  capabilities?: string[]
  /**
   * Requests as a user would write them that need this server: at most 100, of at most 1,000 bytes. They raise how
   * often it is found most of all.
   */
  syntheticQueries?: string[]
}

/** One server with its tools. Setting it again replaces it; unchanged tools keep their vectors and counts. */
export interface McpServer {
  /** Its name, 1 to 512 bytes. */
  name: string
  /** What `tools/list` answered: at most 5,000 tools. */
  tools: McpTool[]
  /** @default 'global' */
  source?: ServerSource
  /** Keeps all of its tools off. @default false */
  disabled?: boolean
  /** What the server says about itself in `initialize`. */
  instructions?: string
  /** When not empty, exactly these tools are on, and `disabledTools` is ignored. */
  onlyAllow?: string[]
  /** These tools are off. */
  disabledTools?: string[]
  /** Tools attached to every dynamic selection: all, or these. */
  alwaysLoad?: boolean | string[]
  /** Descriptions by tool name that replace what models see and what is indexed. */
  toolDescriptionOverrides?: Record<string, string>
  /** Descriptions by tool name that are indexed and never shown. */
  searchDescriptions?: Record<string, string>
  /** As in {@link ToolRouter.setServerEntry}; left out, the entry that is there stays. */
  registry?: ServerEntry
  [field: string]: unknown
}

/** Which servers a mode of the host may use. `allowedMcpServers`, even when empty, wins over `blockedMcpServers`. */
export interface ModeScope {
  allowedMcpServers?: string[]
  blockedMcpServers?: string[]
}

/** How many MCP tools curation keeps. */
export interface Curation {
  /** `top_k` (the default): the best `k` of each turn. `off`: all of them. */
  kind?: 'top_k' | 'off'
  /** 1 to 1,000. @default 15 */
  k?: number
  /** Names of tools that come first whatever the message says. @default Read, Grep, Glob, Edit, Write, Bash */
  rescue?: string[]
}

/** Settings. Each has a default; unknown keys are refused. */
export interface Settings {
  /** Scoped tools at or under this count are all attached. 0 to 100,000. @default 50 */
  threshold?: number
  /** The model's context in tokens, for `contextShare` and {@link ToolRouter.contextUsage}. */
  contextWindow?: number
  /** Scoped definitions under this share of `contextWindow` are all attached; 0 is off. 0 to 1. @default 0 */
  contextShare?: number
  /**
   * Tools that the first selection attaches, pins not counted. 1 to 1,000; or `'auto'`: as many as the ranking has
   * evidence for, from 8 to 14. Later turns then attach what their ranking has evidence for, at most `turnK` each, and
   * while fewer than 22 tools are attached, pins not counted; tools that the message names are attached all the same.
   * @default 30
   */
  initialK?: number | 'auto'
  /** New tools that a later turn may attach; 0 turns the rolling window off. 0 to 1,000. @default 3 */
  turnK?: number
  /** Tools that one `mcp_load` may attach. 1 to 1,000. @default 10 */
  searchK?: number
  /** Turns that are ranked; 0 attaches everything (kill switch). 0 to 1,000. @default 7 */
  searchTurns?: number
  /** The most tools the model's API takes, `nativeToolCount` and `mcp_load` included. */
  maxTools?: number
  /** Tools of its own that the host sends. @default 0 */
  nativeToolCount?: number
  /** The most tokens of attached definitions in a dynamic first selection. */
  tokenBudget?: number
  /** @default 'auto' */
  rankingMode?: RankingMode
  /** BM25's saturation of term frequency. 0 to 10. @default 1.5 */
  k1?: number
  /** BM25's normalisation by length. 0 to 1. @default 0.75 */
  b?: number
  /** How long a ranking waits for the query's vector, in milliseconds. 0 to 60,000. @default 400 */
  deadlineMs?: number
  /** The most tokens of the list of servers in `mcp_load`. 0 to 10,000. @default 200 */
  serverListTokens?: number
  /** Missing-capability signals of a task that are looked for, 1 to 10. @default 3 */
  maxReroutes?: number
  /**
   * `server`: a turn ranks servers first and attaches tools of the best ones alone. The first one attaches `focusK`
   * tools in place of `initialK`. @default 'tool'
   */
  scopeBy?: 'tool' | 'server'
  /** With `scopeBy: 'server'`: servers that are chosen, 1 to 1,000. @default 5 */
  focusServers?: number
  /** With `scopeBy: 'server'`: tools of the first selection, 1 to 1,000. @default 15 */
  focusK?: number
  /**
   * By which rule tools are chosen: by terms and vectors, as `rankingMode` says, or by keywords, recent uses and rescue
   * tools, as `curation` says. With `curator` a first selection attaches `curation.k` tools, and all of them when there
   * are no more; `mcp_load`, {@link ToolRouter.rankServers} and {@link ToolRouter.explain} go by terms and vectors all
   * the same. @default 'auto'
   */
  policy?: 'auto' | 'curator'
  /** How the policy `curator` and {@link ToolRouter.curate} choose. */
  curation?: Curation
  /** Scope by mode of the host, by slug. */
  modes?: Record<string, ModeScope>
}

/** Options of {@link ToolRouter.setServers}. */
export interface SetServersOptions {
  /** Removes every server that is not given. @default false */
  replace?: boolean
}

/** Options of {@link ToolRouter.rank} and {@link ToolRouter.explain}. */
export interface RankOptions {
  /** 1 to 1,000. @default `settings.searchK` */
  topK?: number
  /** @default `settings.rankingMode` */
  mode?: RankingMode
  /** A mode of the host, whose scope holds. */
  hostMode?: string
  /** Only these servers, within the scope. */
  servers?: string[]
  /** @default `settings.deadlineMs` */
  deadlineMs?: number
}

/** Options of {@link ToolRouter.rankServers}. */
export interface ServerRankOptions {
  /** Servers to answer with, 1 to 1,000. @default 5 */
  topK?: number
  /** @default `settings.rankingMode` */
  mode?: RankingMode
  /** A mode of the host, whose scope holds. */
  hostMode?: string
  /** Only these servers, within the scope. */
  servers?: string[]
  /** @default `settings.deadlineMs` */
  deadlineMs?: number
  /** Tools of each server to answer with, 0 to 1,000. @default 5 */
  toolsPerServer?: number
}

/** Options of {@link ToolRouter.loadModel}. */
export interface LoadModelOptions {
  /** Folder with `model.onnx`, `tokenizer.json` and `model.json`. @default that of the model package */
  modelDir?: string
  /** The ONNX Runtime library. @default the one beside the addon */
  runtimePath?: string
  /** Folder for vectors, or `false` for none. @default `zoo-tool-router` in the user's cache folder */
  cacheDir?: string | false
  /** Threads of one embedding, 1 to 64. @default 1 */
  threads?: number
}

/** A vector of an {@link Embedder}. */
export type EmbedderVector = number[] | Float32Array | Float64Array

/** Turns texts into vectors, one each, in order, all of one length. */
export type Embedder = (texts: string[]) => Promise<EmbedderVector[]> | EmbedderVector[]

/** Options of {@link ToolRouter.setEmbedder}. */
export interface EmbedderOptions {
  /** Names the model and its version; with it vectors are kept on disk under `cacheDir`. */
  modelId?: string
  /** Folder for vectors; needs `modelId`. @default none */
  cacheDir?: string
  /** Texts in one call, 1 to 1,000. @default 32 */
  batchSize?: number
  /** How long one call may take, in milliseconds, 1 to 600,000. @default 30000 */
  timeoutMs?: number
}

/** Options of {@link ToolRouter.ready}. */
export interface ReadyOptions {
  /** 0 to 3,600,000. @default 600000 */
  timeoutMs?: number
}

/** Options of {@link ToolRouter.openSession}. */
export interface SessionOptions {
  /** An id of the host's choice. @default one of ours */
  sessionId?: string
  /** A mode of `settings.modes`, whose scope holds for the task. */
  hostMode?: string
  /** Settings that differ from the router's for this task. */
  settings?: Settings
}

/** A tool by its server's and its own name. */
export interface ToolRef {
  serverName: string
  toolName: string
}

/** A tool given in the call of {@link ToolRouter.attachInitial} or {@link ToolRouter.search}. */
export interface ScopedTool extends ToolRef {
  description?: string
}

/** What the model called `mcp_load` with: its arguments as an object, or as the JSON text that the model wrote. */
export type LoadArgs = { query: string } | string

/**
 * What a model cannot do with the tools it has. In the JSON text of a model the names may be written with `_` too, and
 * `attempted_mcps` for `attemptedServers`. At most 256 KiB.
 */
export interface MissingCapability {
  /** What marks the signal; may be left out. */
  status?: 'MISSING_CAPABILITY'
  /** What the user asked for. */
  originalQuery: string
  /** Servers whose tools were tried: left out, unless one of their other tools fits best of all. */
  attemptedServers?: string[]
  /** What is done already; comes back in the answer. */
  completedSteps?: string[]
  /** Where to go on from; comes back as it is. At most 64 KiB. */
  checkpoint?: string
  /** What is missing, in a few words: what is looked for. At most 2,000 bytes. */
  missingCapability: string
  /** Why the model thinks so. Not looked for: it names what was tried. */
  reasoning?: string
}

/**
 * A function for {@link ToolRouter.curate}: as OpenAI's API takes it, or with `name` and `description` at the top, or a
 * bare name, whose description is then the catalogue's.
 */
export type CuratedFunction =
  | string
  | { name: string; description?: string; [field: string]: unknown }
  | { function: { name: string; description?: string; [field: string]: unknown }; [field: string]: unknown }

/** Options of {@link ToolRouter.curate}. */
export interface CurateOptions {
  /** What differs from `settings.curation`. */
  curation?: Curation
  /** Recent uses by name, fractions too, in place of those that {@link ToolRouter.recordUse} remembers. */
  recentUses?: Record<string, number>
}

/** Files of {@link ToolRouter.loadCuration}. */
export interface CurationFiles {
  /** For all projects. */
  globalPath?: string
  /** Overrides the global one, key by key. */
  projectPath?: string
}

/** Options of {@link ToolRouter.contextUsage}. */
export interface ContextUsageOptions {
  /** Counts the tools attached to this session. @default all tools that are on */
  sessionId?: string
  /** What shares refer to. @default `settings.contextWindow`, or the total */
  contextWindow?: number
}

/** What a listener of {@link ToolRouter.onTelemetry} receives. Counts and names of states only. */
export type TelemetryEvent =
  | { event: 'dynamic_tools.task_start'; sessionId: string; scopedCount: number; attachedCount: number; tokensSaved: number; ranker: Ranker }
  | { event: 'dynamic_tools.mcp_load_invoked'; sessionId: string; loadedCount: number; alreadyAttachedCount: number; unavailableCount: number; turn: number }
  | { event: 'dynamic_tools.rolling_window_step'; sessionId: string; turn: number; addedCount: number; attachedCount: number }
  | { event: 'dynamic_tools.ranker_fallback'; sessionId: string; reason: DegradedReason }

/** The state of a session as JSON: `JSON.stringify(session)` is what {@link ToolRouter.restoreSession} reads. */
export interface SessionState {
  version: number
  sessionId: string
  [field: string]: unknown
}

/**
 * The state of one task: which tools are attached, and how many turns are still ranked.
 *
 * Get one from {@link ToolRouter.openSession}. Calls of one session are done in the order in which they are made.
 *
 * @example
 * ```ts
 * const session = ToolRouter.shared().openSession()
 * const selection = await session.start('List the open issues of acme/web')
 * const tools = JSON.parse(session.tools())
 * ```
 */
export declare class Session {
  private constructor()
  /** Its id: the host's, or one of ours. */
  get id(): string
  /** Whether it was closed, evicted by a thousand later sessions, or replaced by a restored one. */
  get closed(): boolean
  /**
   * Takes the first turn: passes the gate and attaches the first tools.
   *
   * Costs one ranking, a few milliseconds, and waits at most `settings.deadlineMs` for the text's vector.
   *
   * @param taskText - what the user asked for; 32 KiB of it are read
   * @returns what was attached, and what it costs
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also when started before; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
   */
  start(taskText: string): Promise<Selection>
  /**
   * Takes a later turn. In the first `settings.searchTurns` turns the message is ranked and up to `settings.turnK`
   * new tools are attached; afterwards only {@link Session.load} attaches. Tools are only ever appended, so the
   * rendered definitions of a turn are a prefix of the next one's.
   *
   * @param message - the latest message
   * @returns what is attached now, and what this turn added
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
   */
  turn(message: string): Promise<Selection>
  /**
   * Answers the model's call of `mcp_load`. The query is free text, exact tool names in any number, or a server's
   * name. What is attached already stays as it is; what cannot be had comes with its reason.
   *
   * @param args - the arguments of the call, as an object or as the JSON text that the model wrote
   * @returns what was attached, what was attached before, and what cannot be had
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
   */
  load(args: LoadArgs): Promise<LoadResult>
  /**
   * Answers a model that says what it cannot do with the tools it has: looks for the missing capability among tools
   * that are not attached, and attaches up to `settings.searchK` of them. Servers that were tried are left out, unless
   * a tool of theirs that is not attached fits best of all. What is attached stays. Every signal counts, and after `settings.maxReroutes` none is looked for, so a task that
   * signals in a circle ends. The count is part of the session's state.
   *
   * @param signal - the signal as an object, or as the JSON text that the model wrote
   * @returns `CONTINUE` with the checkpoint and what was attached, `INCOMPLETE` with what is missing, or
   * `MAX_REROUTES_EXCEEDED`
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`;
   * nothing is changed or counted then
   */
  reroute(signal: MissingCapability | string): Promise<RerouteResult>
  /**
   * Remembers that a tool was called; it is preferred a little in later rankings of tools that the query speaks for.
   *
   * @param tool - the tool by its names, or by the provider name that the model called
   * @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
   */
  recordUse(tool: ToolRef | string): Promise<void>
  /** The last selection; `null` before the first turn. */
  get selection(): Selection | null
  /**
   * The function definitions to send, as the JSON text of an array: `mcp_load` first, then the attached tools in
   * order. Schemas stand as their servers sent them. A tool whose server is gone is left out and returns to its
   * place when the server does. Costs a copy of the text.
   *
   * @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`
   */
  tools(): string
  /**
   * The tool behind a provider name that the model called, whether it wrote `-` or `_`; `null` when there is none.
   *
   * @param name - the name, as in `mcp--github--create_issue`
   */
  resolveTool(name: string): ToolId | null
  /**
   * The state for the host's task history: `JSON.stringify(session)` is what {@link ToolRouter.restoreSession}
   * reads. It holds names and settings, never what a user or model said.
   *
   * @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`
   */
  toJSON(): SessionState
  /** Forgets the session. Closing twice is fine; every other call fails afterwards. */
  close(): void
}

/**
 * Decides which MCP tools a task gets. One a process, shared by all worker threads.
 *
 * Methods that return promises are done on a thread of ours, in the order in which they are called, so a ranking sees
 * every server that was set before it, awaited or not. They reject with {@link ToolRouterError}.
 *
 * @example
 * ```ts
 * import { ToolRouter } from '@zoo-code/tool-router'
 *
 * const router = ToolRouter.shared()
 * await router.setServer({
 *   name: 'github',
 *   tools: [{ name: 'create_issue', description: 'Create a new issue in a repository' }],
 * })
 * const { tools } = await router.rank('file a bug report')
 * console.log(tools[0].name) // mcp--github--create_issue
 * ```
 */
export declare class ToolRouter {
  private constructor()
  /**
   * Leaves MCP tools that a message does not need out of a list of functions: the best `k` stay, and everything that
   * is no MCP tool (by the prefix `mcp--` or `mcp__`) stays, all in its place. A tool's score is 10 for each word of
   * the message, of four characters or more, that stands in its description, 0.5 for each recent use, and 100 for a
   * rescue tool. Nothing is unregistered: the next message is curated from all of them again.
   *
   * @param functions - the functions of a request: MCP tools and the host's own
   * @param message - the user's message
   * @param options - what differs from `settings.curation`
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  curate(functions: CuratedFunction[], message: string, options?: CurateOptions): Promise<Curated>
  /**
   * Reads `settings.curation` from TOML files: `[mcp]`, then `curation = { kind = "top_k", k = 15 }` or
   * `curation = { kind = "off" }`, and `rescue`, a list of names. A project's file overrides the global one key by
   * key; what neither says has its default; a file that is not there says nothing. Anything else in the files is
   * left alone. Open sessions keep their settings.
   *
   * @param files - where the files are
   * @returns the curation now in force
   * @throws {ToolRouterError} `ERR_CONFIG_INVALID` naming file, line and column; `ERR_INVALID_ARGUMENT`; `ERR_BUSY`;
   * nothing is changed then
   */
  loadCuration(files: CurationFiles): Promise<Curation>
  /**
   * Keeps what {@link ToolRouter.recordUse} remembers in a file, across restarts: the last 500 uses, tool names
   * alone, written anew and renamed into place with each use. Uses that the file holds count as earlier ones. A
   * damaged file is read as empty, with a warning. Of two processes with one file the last writer wins.
   *
   * @param file - the file, or `null` to keep uses in memory alone
   * @returns how many uses are remembered now, and a warning
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  persistUses(file: string | null): Promise<UseHistory>
  /**
   * Ranks the servers in scope for a query: by their best tools, and by their names, instructions and registry
   * entries. Costs what {@link ToolRouter.rank} costs, and about a millisecond more for a hundred servers.
   *
   * @param query - what a user or model asks for; 32 KiB of it are read
   * @param options - see {@link ServerRankOptions}
   * @returns the best servers with their best tools, and why
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  rankServers(query: string, options?: ServerRankOptions): Promise<ServerRanking>
  /**
   * Sets what the registry says of a server, in place of the entry before. It holds for the server of this name,
   * whether it is set already or later, and stays when the server goes. Nothing else has to change: from the next
   * ranking on, the server is found by it. Its texts are embedded in the background.
   *
   * @param serverName - the server's name
   * @param entry - the entry, or `null` for none
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed then
   */
  setServerEntry(serverName: string, entry: ServerEntry | null): Promise<void>
  /**
   * What the registry says of a server, set already or not; `null` when it says nothing.
   *
   * @param serverName - the server's name
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  serverEntry(serverName: string): Promise<ServerEntry | null>
  /**
   * Sets the registry entries of a JSON file: one document or an array of them, each with `mcp_id` (the server's
   * name), and `name`, `description`, `capabilities`, `synthetic_queries`. Other fields are ignored; entries of
   * servers that are not in the file stay.
   *
   * @param file - the file
   * @returns the names of its servers, set already or not
   * @throws {ToolRouterError} `ERR_CONFIG_INVALID` naming file, line and column; `ERR_INVALID_ARGUMENT`; `ERR_BUSY`;
   * nothing is changed then
   */
  loadRegistry(file: string): Promise<string[]>
  /**
   * What to ask a language model, of the host's choice, for synthetic queries of a server: 15 to 20 requests as
   * people would make them. What server and tools say of themselves stands in it as data, in bounded single lines.
   *
   * @param serverName - a server that is set
   * @returns the prompt
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  syntheticQueryPrompt(serverName: string): Promise<string>
  /**
   * Reads what a model answered to {@link ToolRouter.syntheticQueryPrompt}, for
   * {@link ToolRouter.setServerEntry}: a JSON array of strings, bare or in one code fence, 1 to 100 of at most 1,000
   * bytes. Requests that differ in case and spacing alone are taken once. Anything else is refused.
   *
   * @param text - the answer
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
   */
  parseSyntheticQueries(text: string): string[]
  /**
   * Says whether routing pays for the catalogue as it is: the tokens of all definitions against those of a first
   * selection, of `mcp_load` and of one call of it; and from how many tools of this size on it does. Counts each new
   * tool once.
   *
   * @throws {ToolRouterError} `ERR_BUSY`
   */
  advise(): Promise<Advice>
  /** The router of this process. Worker threads get the same one. */
  static shared(): ToolRouter
  /**
   * Replaces the settings: what is not given returns to its default. Open sessions keep theirs.
   *
   * @param settings - see {@link Settings}
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`; nothing is changed then
   */
  configure(settings: Settings): void
  /** The settings in force, with all defaults. */
  get settings(): Settings
  /**
   * Sets a server, in place of the one of its name and source: call it when a server connects, reconnects, or
   * announces `list_changed`. Unchanged tools keep their terms, vectors and token counts. A tool that cannot be used
   * is refused alone, with its reason in the answer.
   *
   * Costs about 0.3 ms a tool on our thread. The JavaScript thread only hands over the text; schemas given as
   * objects are turned to text there, at most 5 ms in one turn of the event loop, so leave them as they are until
   * the promise settles.
   *
   * @param server - the server with what `tools/list` answered
   * @returns what was added, changed, removed and refused
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed then
   */
  setServer(server: McpServer): Promise<CatalogueChange>
  /**
   * Sets several servers at once: all of them, or none when one cannot be read.
   *
   * @param servers - each name at most once a source
   * @param options - `replace` removes every other server
   * @returns what was added, changed, removed and refused
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed then
   */
  setServers(servers: McpServer[], options?: SetServersOptions): Promise<CatalogueChange>
  /**
   * Removes a server. Sessions keep its tools in their place and stop rendering them. Removing what is not there
   * changes nothing.
   *
   * @param name - the server's name
   * @param source - only the project's or only the global one; both when left out
   * @returns what was removed
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  removeServer(name: string, source?: ServerSource): Promise<CatalogueChange>
  /**
   * Loads the local model and puts it in force; vectors of tools are then made in the background, one text after
   * the other, and kept on disk. Until they are there, ranking answers lexically and says so.
   *
   * Takes about a second on our threads. Calling it again replaces the model; the ONNX Runtime is loaded once a process.
   *
   * @param options - where things are; the packages installed beside this one when left out
   * @returns the model in force
   * @throws {ToolRouterError} `ERR_MODEL_NOT_FOUND`, `ERR_MODEL_INVALID`, `ERR_RUNTIME_NOT_FOUND`; the embedder before
   * stays in force then
   */
  loadModel(options?: LoadModelOptions): Promise<EmbedderInfo>
  /**
   * Puts a function of the host's in the place of the local model, for a host that has an embedding service. It is
   * called from then on with texts of tools, in batches, and with single queries, under the same deadline, checks and
   * fallback. Its first call is made at once, to learn how long vectors are. It does not keep the process alive.
   *
   * @param embedder - the function, or `null` to rank lexically
   * @param options - see {@link EmbedderOptions}
   * @returns the embedder in force, or `null`
   * @throws {ToolRouterError} `ERR_EMBEDDING_FAILED` when the first call throws, rejects, does not settle, or answers
   * with the wrong count or with what are no vectors; the embedder before stays in force then
   */
  setEmbedder(embedder: Embedder | null, options?: EmbedderOptions): Promise<EmbedderInfo | null>
  /**
   * Waits until every vector that can be made is made; at once without a model. Rankings need not wait for it.
   *
   * @param options - how long to wait
   * @returns the state then
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  ready(options?: ReadyOptions): Promise<Status>
  /** The state for an indicator. Costs a look at each tool's vector, a millisecond for thousands of tools. */
  get status(): Status
  /**
   * Ranks the tools in scope for a query. Costs about a millisecond for 3,500 tools, and 5 to 20 ms more for the
   * query's vector. With `settings.policy` `curator` and no `mode` it ranks by the curator's score.
   *
   * @param query - what a user or model asks for; 32 KiB of it are read
   * @param options - see {@link RankOptions}
   * @returns the best tools, what they were ranked by, and why not by more
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  rank(query: string, options?: RankOptions): Promise<Ranking>
  /**
   * Says which terms, which cosine and which boosts make a tool's score for a query.
   *
   * @param query - as for {@link ToolRouter.rank}
   * @param tool - the tool by its names, or by its provider name
   * @param options - as for {@link ToolRouter.rank}; `topK` is ignored
   * @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  explain(query: string, tool: ToolRef | string, options?: RankOptions): Promise<Explanation>
  /**
   * Opens a session, one a task.
   *
   * @param options - an id, a mode of the host, and settings that differ from the router's
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also for an id that is open
   */
  openSession(options?: SessionOptions): Session
  /**
   * Opens a session from its saved state: the same tools attached, the same turn, the same `mcp_load`. An open
   * session of the same id is closed by it.
   *
   * @param state - what `JSON.stringify(session)` gave
   * @throws {ToolRouterError} `ERR_STATE_INVALID`, `ERR_STATE_VERSION`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is
   * changed then
   */
  restoreSession(state: string): Promise<Session>
  /**
   * An open session by its id, also from another worker thread.
   *
   * @param sessionId - its id
   * @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`, `ERR_INVALID_ARGUMENT`
   */
  session(sessionId: string): Session
  /**
   * Ranks tools given in the call for a task's first text. The same tools given again cost no new index.
   *
   * @param taskText - what the user asked for
   * @param scopedTools - the tools to choose from
   * @param k - how many to attach, 1 to 1,000
   * @returns provider names, best first, as many as `k` or as there are tools
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  attachInitial(taskText: string, scopedTools: ScopedTool[], k: number): Promise<string[]>
  /**
   * Like {@link ToolRouter.attachInitial}, for a search of the model's: tools that nothing in the query speaks for
   * are left out.
   *
   * @param query - what the model asks for
   * @param scopedTools - the tools to choose from
   * @param k - how many at most, 1 to 1,000
   * @returns provider names, best first
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  search(query: string, scopedTools: ScopedTool[], k: number): Promise<string[]>
  /**
   * The tool behind a provider name, whether a model wrote `-` or `_` in it; `null` when there is none.
   *
   * @param name - the name, as in `mcp--github--create_issue`
   */
  resolveTool(name: string): ToolId | null
  /**
   * Counts the tokens of a text by `o200k_base`, exactly. About 10 MB a second, on our thread.
   *
   * @param text - any text
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  countTokens(text: string): Promise<number>
  /**
   * Counts what fills a context, for a panel: named sections of text, and MCP tools by server.
   *
   * @param sections - texts by name, as in `{ system: '…', conversation: '…' }`
   * @param options - whose tools count, and what shares refer to
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
   */
  contextUsage(sections: Record<string, string>, options?: ContextUsageOptions): Promise<ContextUsage>
  /**
   * Remembers that a tool was called; see {@link Session.recordUse}.
   *
   * @param tool - the tool by its names, or by its provider name
   * @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  recordUse(tool: ToolRef | string): Promise<void>
  /**
   * Sets who hears of events, in place of the listener before. Nothing is sent while a session's mode is `all`, and
   * never a query's text. What the listener throws is dropped. It does not keep the process alive.
   *
   * @param listener - the function, or `null` for nobody
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
   */
  onTelemetry(listener: ((event: TelemetryEvent) => void) | null): void
}

/** Whether routing pays for a catalogue, in tokens of one request. */
export interface Advice {
  /** Whether it costs fewer tokens than sending every definition. */
  pays: boolean
  /** Servers with a tool that is on. */
  serverCount: number
  /** Their tools that are on. */
  toolCount: number
  /** Tokens of all definitions. */
  catalogueTokens: number
  /** Tokens of a definition, on average. */
  meanToolTokens: number
  /** Tokens of the definitions that a first selection attaches, at that average. */
  attachedTokens: number
  /** Tokens of routing itself: the definition of `mcp_load`, and 500 for one call of it and its answer. */
  routingTokens: number
  /** `catalogueTokens` less the other two, or 0. */
  savedTokens: number
  /** From how many tools of this average on routing pays; 0 without tools. */
  breakEvenTools: number
  /** The same in servers of this average. */
  breakEvenServers: number
  /** All of it in a sentence for a person. */
  text: string
}

/** What setting or removing servers changed. */
export interface CatalogueChange {
  /** Tools that are new. */
  added: Array<ToolId>
  /** Tools whose text or schema differs from before. */
  changed: Array<ToolId>
  /** Tools that are gone. */
  removed: Array<ToolId>
  /** How many tools stayed as they were and kept their terms, vectors and token counts. */
  unchanged: number
  /** Tools that could not be taken in. */
  refused: Array<RefusedTool>
}

/** What fills a context, for a panel. */
export interface ContextUsage {
  /** All tokens counted. */
  total: number
  /** What shares refer to: the context window, or `total` when none is known. */
  window: number
  /** The sections, in the order given. */
  sections: Array<SectionTokens>
  /** MCP tools by server, in catalogue order. */
  servers: Array<SectionTokens>
}

/** An answer of {@link ToolRouter.curate}. */
export interface Curated {
  /** What stays, in the order in which it was given. */
  kept: Array<KeptFunction>
  /** Names of MCP tools that are left out of this turn. They are registered as before. */
  dropped: Array<string>
}

/** Why an answer is lexical although vectors were asked for. */
export interface Degraded {
  /** The reason, from a closed set. */
  code: DegradedReason
  /** The same for a person. */
  message: string
}

/** The embedder in force. */
export interface EmbedderInfo {
  /** Names the model and its version; vectors of two ids are never compared. */
  modelId: string
  /** Numbers in a vector. */
  dimensions: number
}

/** Why a tool stands where it stands. */
export interface Explanation {
  /** The tool with its rank among all candidates. */
  tool: RankedTool
  /** Terms that it shares with the query, the weightiest first. */
  terms: Array<TermScore>
  /** How the query names the tool. */
  named: 'none' | 'tool' | 'server-and-tool'
  /** What usage added to the score. */
  usageBoost: number
  /** The ranker. */
  ranker: Ranker
  /** Why the ranker is not the one asked for. */
  degraded?: Degraded
  /** How many tools were ranked. */
  candidateCount: number
  /**
   * The text that was ranked: spelling corrected, a line of English behind another language,
   * pasted code and unwanted products left out.
   */
  rankedText: string
  /** Bytes of pasted code and logs that were left out. */
  pastedBytes: number
  /** Products that the query does not want ("not in Jira"); their tools are lowered. */
  negated: Array<string>
  /** The part of the query that suits the tool best, when the query asks for several things. */
  clause?: string
  /** All of it in a few lines for a person. */
  text: string
}

/** A function that {@link ToolRouter.curate} keeps. */
export interface KeptFunction {
  /** Its name. */
  name: string
  /** Its place among those given, from 0: `functions[position]` is the one. */
  position: number
  /** Its place by score among the MCP tools, from 1; absent from what is not curated. */
  rank?: number
  /** Its score; absent from what is not curated. */
  score?: number
}

/** A tool that `mcp_load` attached. */
export interface LoadedTool {
  /** The name to call it by. */
  name: string
  /** The server's name. */
  serverName: string
  /** The tool's name. */
  toolName: string
  /** What it does, in one line. */
  description: string
}

/** The answer to `mcp_load`; `JSON.stringify` of it is a good result for the model. */
export interface LoadResult {
  /** Newly attached tools. */
  loaded: Array<LoadedTool>
  /** Provider names of tools found that were attached before. */
  alreadyAttached: Array<string>
  /** Tools asked for by name that cannot be had. */
  unavailable: Array<UnavailableTool>
  /** How many tools matched. */
  matched: number
  /** Whether more matched than are named here. */
  truncated: boolean
  /** The ranker, when the query was searched for. */
  ranker: Ranker
  /** Why the ranker is not the one asked for. */
  degraded?: Degraded
  /** Set when the query was too long. */
  queryCut?: QueryCut
}

/** A tool that a limit left out of a selection. */
export interface NotAttached {
  /** The server's name. */
  serverName: string
  /** The tool's name. */
  toolName: string
  /** Its provider name. */
  name: string
  /** Which limit. */
  reason: 'over-limit' | 'over-budget'
}

/** How much of a query was read: it was longer than 32 KiB. */
export interface QueryCut {
  /** Bytes that were read. */
  usedBytes: number
  /** Bytes that were given. */
  givenBytes: number
}

/** One ranked server. `score` is `toolShare + evidenceShare + boost`. */
export interface RankedServer {
  /** Its name. */
  serverName: string
  /** Its place in the answer, from 1. */
  rank: number
  /** What it was ordered by; higher is better. Comparable within one answer only. */
  score: number
  /** What the order of its tools added to `score`, standardised over the servers. */
  toolShare: number
  /** What the best that its tools or its entry, name and instructions say for it added to `score`, standardised. */
  evidenceShare: number
  /** What exact names, of it or of one of its tools, and usage added to `score`. */
  boost: number
  /** The cosine of the query with the nearest text of its entry; absent without vectors or without an entry. */
  similarity?: number
  /** The synthetic query that is nearest, when one is nearer than the entry's description. */
  nearestQuery?: string
  /** How many of its tools are in scope. */
  toolCount: number
  /** Its best tools, best first. */
  tools: Array<RankedTool>
  /** Why it stands where it stands, in a line for a person. */
  why: string
}

/** One ranked tool. `score` is `lexicalShare + semanticShare + boost`. */
export interface RankedTool {
  /** The server's name. */
  serverName: string
  /** The tool's name. */
  toolName: string
  /** The name that a model's API sees. */
  name: string
  /** Its place in the answer, from 1. */
  rank: number
  /** What it was ordered by; higher is better. Comparable within one answer only. */
  score: number
  /** Its BM25 score, 0 or more. */
  lexicalScore: number
  /** Its cosine with the query, from -1 to 1; absent from a lexical answer. */
  similarity?: number
  /** What terms added to `score`: the BM25 score, standardised and weighted. */
  lexicalShare: number
  /** What vectors added to `score`: the cosine, standardised and weighted. */
  semanticShare: number
  /** What exact names and usage added to `score`. */
  boost: number
}

/** An answer of {@link ToolRouter.rank}: tools in scope, best first. The order is total, and the same on every run. */
export interface Ranking {
  /** The tools. */
  tools: Array<RankedTool>
  /** What they were ranked by. */
  ranker: Ranker
  /** Why they were not ranked by what was asked for. */
  degraded?: Degraded
  /** How many tools were ranked. */
  candidateCount: number
  /** How many of them something in the query speaks for. */
  supportedCount: number
  /** Set when the query was too long. */
  queryCut?: QueryCut
}

/** A tool that was left out of the catalogue, and why; its siblings are in. */
export interface RefusedTool {
  /** The server's name. */
  serverName: string
  /** The tool's name, empty when it has none that can be read. */
  toolName: string
  /** Its place in the server's list, from 0. */
  position: number
  /** Why, naming the field and both values. */
  reason: string
}

/** The answer to {@link Session.reroute}; `JSON.stringify` of it is a good result for the model. */
export interface RerouteResult {
  /**
   * `CONTINUE`: tools were attached, go on from the checkpoint. `INCOMPLETE`: nothing new was found.
   * `MAX_REROUTES_EXCEEDED`: the task has signalled too often.
   */
  status: 'CONTINUE' | 'INCOMPLETE' | 'MAX_REROUTES_EXCEEDED'
  /** The signal's checkpoint, as it came. */
  checkpoint?: string
  /** What is still missing; absent from `CONTINUE`. */
  missingCapability?: string
  /** Newly attached tools, best first. */
  loaded: Array<LoadedTool>
  /** Their servers, best first. */
  servers: Array<string>
  /** Provider names of tools that were attached before and are among the five that fit best. */
  alreadyAttached: Array<string>
  /** How many tools were found that the model's API has no room for. */
  overLimit: number
  /** What the signal says is done, as it came. */
  completedSteps: Array<string>
  /** How many signals of this task were looked for, this one included. */
  rerouteCount: number
  /** How many may be: `settings.maxReroutes`. */
  maxReroutes: number
  /** The ranker. */
  ranker: Ranker
  /** Why the ranker is not the one asked for. */
  degraded?: Degraded
  /** What to do now, in a sentence. */
  message: string
}

/** Tokens of one part of a context. */
export interface SectionTokens {
  /** The section's or server's name. */
  name: string
  /** Its tokens. */
  tokens: number
  /** Its share of `window`, 0 or more. */
  share: number
}

/** What a turn attached, and what everything costs. */
export interface Selection {
  /** The session's id. */
  sessionId: string
  /** `all`: few tools, all attached. `dynamic`: the best attached, the rest through `mcp_load`. */
  mode: 'all' | 'dynamic'
  /** The ranker of this turn; `lexical` when nothing had to be ranked. */
  ranker: Ranker
  /** Why the ranker is not the one asked for. */
  degraded?: Degraded
  /** Provider names of all tools attached so far, in order. It only ever grows. */
  attached: Array<string>
  /** Those that this turn added. */
  added: Array<string>
  /** The function definition of `mcp_load` as JSON text; `null` in mode `all`. */
  mcpLoad: string | null
  /** How many tools are in scope. */
  scopedCount: number
  /** The turn, from 1. */
  turn: number
  /** Whether no later turn attaches anything by itself. */
  frozen: boolean
  /** Pins and first choices that a limit left out. */
  notAttached: Array<NotAttached>
  /** What it cost. */
  tokens: TokenReceipt
  /** Set when the message was too long. */
  queryCut?: QueryCut
}

/**
 * An answer of {@link ToolRouter.rankServers}: servers in scope, best first. The order is total, and the same on every
 * run.
 */
export interface ServerRanking {
  /** The servers. */
  servers: Array<RankedServer>
  /** What they were ranked by. */
  ranker: Ranker
  /** Why they were not ranked by what was asked for. */
  degraded?: Degraded
  /** How many servers were ranked: those with a tool in scope. */
  candidateCount: number
  /** How many of them something in the query speaks for. */
  supportedCount: number
  /** Set when the query was too long. */
  queryCut?: QueryCut
}

/** What definitions of one server cost. */
export interface ServerTokens {
  /** The server's name. */
  serverName: string
  /** Tokens of all its definitions in scope. */
  scoped: number
  /** Tokens of those attached. */
  attached: number
  /** How many of its tools are attached. */
  attachedCount: number
}

/** The state of the router, for an indicator. */
export interface Status {
  /**
   * `cold`: no model was asked for. `loading`: it is being loaded, or vectors are being made. `ready`: all vectors
   * are there. `degraded`: it fails; see `lastError`.
   */
  state: 'cold' | 'loading' | 'ready' | 'degraded'
  /** What a ranking in mode `auto` would use now. */
  ranker: Ranker
  /** Why not both. */
  degraded?: Degraded
  /** The embedder in force. */
  embedder?: EmbedderInfo
  /** What the embedder last failed with, until it succeeds again. */
  lastError?: string
  /** Servers in force. */
  serverCount: number
  /** Their tools, those that are off included. */
  toolCount: number
  /** How many of the tools have vectors. */
  vectorCount: number
  /** Open sessions. */
  sessionCount: number
  /** Counts up with each change of the catalogue. */
  generation: number
}

/** What one term of a query gave a tool. */
export interface TermScore {
  /** The term, stemmed. */
  term: string
  /** How rare it is in the catalogue. */
  idf: number
  /** Its saturated frequency in the tool's text, times its weight in the query (a synonym's is 0.3). */
  weight: number
  /** What it added to the BM25 score. */
  score: number
}

/** What a selection cost and what it saved, in tokens of `o200k_base`, counted exactly. */
export interface TokenReceipt {
  /** The encoding. */
  encoding: 'o200k_base'
  /** All definitions in scope: what static loading costs. */
  scoped: number
  /** The definitions attached. */
  attached: number
  /** The definition of `mcp_load`. */
  mcpLoad: number
  /** `scoped` less `attached` and `mcpLoad`, or 0. */
  saved: number
  /** The same by server, in catalogue order. */
  servers: Array<ServerTokens>
}

/** A tool by its server's and its own name. */
export interface ToolId {
  /** The server's name. */
  serverName: string
  /** The tool's name, as its server gave it. */
  toolName: string
}

/** A tool that was asked for by name and cannot be had. */
export interface UnavailableTool {
  /** The name as asked for. */
  name: string
  /** Why. */
  reason: 'unknown' | 'disabled' | 'out-of-scope' | 'server-gone' | 'over-limit'
  /** Provider names that are near an unknown one. */
  near: Array<string>
}

/** What {@link ToolRouter.persistUses} found. */
export interface UseHistory {
  /** Uses that are remembered now. */
  useCount: number
  /** Why the file was read as empty, or cannot be written. */
  warning?: string
}
