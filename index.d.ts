// Which MCP tools a task gets, from the first line to the last:
//
//   ToolRouter.shared()                     the router of this process
//     .setServer(server)                    McpServer with its McpTools; answers what changed, with warnings
//     .configure(settings)                  Settings; docs/settings.md has them as a table
//     .loadModel()  .setEmbedder(embed)     rank by meaning too, in the background
//     .rank(query)                          one ranking without a task
//     .openSession(options)                 a Session: the state of one task
//       .start(text)  .turn(text)           a Selection: what is attached now, and its cost
//       .tools()  .render(pair)             what to send to the model: ProviderTools
//       .load(args)  .answerLoad(result)    the model called mcp_load
//       .checkCall(call)  .recordUse(tool)  the model called a tool; .readResult() reads what .holdResult() held
//     .restoreSession(text)                 takes up what JSON.stringify(session) saved
//
// A call that fails throws or rejects with a ToolRouterError. Below: the classes, their arguments, their answers.

/**
 * Decides which MCP tools a task gets. There is one router per process, shared by all worker threads.
 *
 * Methods that return promises run on the router's own thread, in the order in which they are called: a ranking sees every
 * server that was set before it, awaited or not.
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
  /** Returns the router of this process. Worker threads get the same one. */
  static shared(): ToolRouter
  /**
   * Replaces the settings: what is not given returns to its default. Open sessions follow, except in settings of their own.
   * @param settings - see {@link Settings}
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`; nothing is changed then
   */
  configure(settings: Settings): void
  /** The active settings, with all defaults. */
  get settings(): Settings
  /** The state of the router, for an indicator. It checks each tool's vector: a millisecond for thousands of tools. */
  get status(): Status
  /**
   * Sets a server, and replaces the one of the same name and source. Call it when a server connects, reconnects, or
   * announces `list_changed`. Unchanged tools keep their terms, vectors and token counts; a tool that cannot be used is refused
   * alone. Costs 0.2 ms per tool, off the JavaScript thread. Do not change schemas until the promise settles.
   * @param server - the server with what `tools/list` returned
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed then
   */
  setServer(server: McpServer): Promise<CatalogueChange>
  /**
   * Removes a server, if it is there. Sessions keep the places of its tools and stop rendering them.
   * @param name - the server's name
   * @param source - only the project's server or only the global one; both if left out
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  removeServer(name: string, source?: ServerSource): Promise<CatalogueChange>
  /**
   * Loads the local model and makes it the active embedder. Vectors of tools are then computed in the background and kept on
   * disk; until they exist, ranking answers lexically and says so. A host need not wait for it, or catch: see `status.lastError`.
   * @param options - where the model and the runtime are; by default in the packages that are installed with this one
   * @throws {ToolRouterError} `ERR_MODEL_NOT_FOUND`, `ERR_MODEL_INVALID`, `ERR_RUNTIME_NOT_FOUND`
   */
  loadModel(options?: LoadModelOptions): Promise<EmbedderInfo>
  /**
   * Replaces the local model with a function of the host. It is called immediately, to learn the length of its vectors, then
   * with texts of tools, in batches, and with single queries. It does not keep the process alive.
   * @param embedder - the function, or `null` to rank lexically
   * @param options - see {@link EmbedderOptions}
   * @throws {ToolRouterError} `ERR_EMBEDDING_FAILED`; the previous embedder stays active then
   */
  setEmbedder(embedder: Embedder | null, options?: EmbedderOptions): Promise<EmbedderInfo | null>
  /**
   * Waits until every vector that can be computed exists; without a model it resolves immediately.
   * @param options - how long to wait, in milliseconds, 0 to 3,600,000, by default 600,000; what ends the wait
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  ready(options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<Status>
  /**
   * Ranks the tools in scope for a query. Costs about 0.4 ms for 3,500 tools, and 5 to 20 ms more for the query's vector.
   * @param query - what a user or model asks for; 32 KiB of it are read
   * @param options - see {@link RankOptions}
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  rank(query: string, options?: RankOptions): Promise<Ranking>
  /**
   * Opens a session: one per task.
   * @param options - an id, a host mode, servers, and settings that differ from the router's
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also for the id of an open session
   */
  openSession(options?: SessionOptions): Session
  /**
   * Opens a session from its saved state, with the same attached tools. An open session with the same id is closed.
   * @param state - the text of `JSON.stringify(session)`
   * @throws {ToolRouterError} `ERR_STATE_INVALID`, `ERR_STATE_VERSION`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  restoreSession(state: string): Promise<Session>
  /**
   * An open session by its id, even if another worker thread opened it.
   * @param sessionId - its id
   * @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`, `ERR_INVALID_ARGUMENT`
   */
  session(sessionId: string): Session
  /**
   * Ranks tools that are given in the call, and answers provider names, best first; equal scores stand in the given order.
   * @param taskText - what the user asked for
   * @param scopedTools - the tools to choose from
   * @param k - how many names, 0 to 1,000
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  attachInitial(taskText: string, scopedTools: ScopedTool[], k: number): Promise<string[]>
  /**
   * Like {@link ToolRouter.attachInitial}, without tools that nothing in the query matches.
   * @param query - what the model asks for
   * @param scopedTools - the tools to choose from
   * @param k - how many names at most, 0 to 1,000
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  search(query: string, scopedTools: ScopedTool[], k: number): Promise<string[]>
  /**
   * Lists the tools in scope, in catalogue order. Nothing is ranked.
   * @param options - the scope; `withOff` lists tools that the configuration keeps off, too
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  listTools(options?: InScope & { withOff?: boolean }): Promise<ListedTool[]>
  /**
   * Ranks the servers in scope for a query: by their best tools, and by their names, instructions and registry entries.
   * @param query - what a user or model asks for; 32 KiB of it are read
   * @param options - see {@link RankOptions}; `toolsPerServer`: how many tools to return of each, 0 to 1,000, by default 5
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  rankServers(query: string, options?: RankOptions & { toolsPerServer?: number }): Promise<ServerRanking>
  /**
   * Says whether routing pays for the current catalogue, and from how many tools of this size it does: what all definitions
   * cost against a first selection, `mcp_load` and one call of it, whether the gate routes at all, and how long a ranking takes.
   * @param options - how much longer a turn may take, in milliseconds, 0 to 60,000
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  advise(options?: { maxAddedMs?: number }): Promise<Advice>
  /**
   * Sets what the registry says about a server, and replaces the previous entry. It applies to the server of this name,
   * whether it is set now or later, and stays when the server is removed. The next ranking finds the server by it.
   * @param serverName - the server's name
   * @param entry - the entry, or `null` for none
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed then
   */
  setServerEntry(serverName: string, entry: ServerEntry | null): Promise<void>
  /**
   * A prompt that asks a language model of the host's choice for 15 to 20 synthetic queries of a server. What the server says
   * about itself is in it as data, in single lines of bounded length.
   * @param serverName - a server that is set
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  syntheticQueryPrompt(serverName: string): Promise<string>
  /**
   * Reads a model's answer to {@link ToolRouter.syntheticQueryPrompt}, for {@link ToolRouter.setServerEntry}: a JSON array of
   * 1 to 100 strings of at most 1,000 bytes, bare, in a code fence or within prose. Anything else is refused.
   * @param text - the answer
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
   */
  parseSyntheticQueries(text: string): string[]
  /**
   * Leaves MCP tools that a message does not need out of a list of functions: the best `k` stay, and so does every function
   * without the prefix `mcp--` or `mcp__`, all in their original order. docs/curation.md has the score, and what another list
   * for each message costs.
   * @param functions - the functions of a request: MCP tools and the host's own
   * @param message - the user's message
   * @param options - values that differ from `settings.curation`; recent uses by tool name, instead of recorded ones
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  curate(functions: CuratedFunction[], message: string, options?: { curation?: Curation; recentUses?: Record<string, number> }): Promise<Curated>
  /**
   * Reads `settings.curation` from TOML files (docs/curation.md): a project's file overrides the global one key by key, and a
   * missing file sets nothing. What is edited later holds from the next use; while a file is wrong, what was read before.
   * @param files - where the files are; without any, `~/.config/wayland-core/config.toml` and `.wayland-core.toml`
   * @throws {ToolRouterError} `ERR_CONFIG_INVALID` naming file, line and column; `ERR_INVALID_ARGUMENT`; `ERR_BUSY`
   */
  loadCuration(files?: { globalPath?: string; projectPath?: string }): Promise<Curation>
  /**
   * Keeps what {@link ToolRouter.recordUse} remembers in a file, across restarts: the last 500 uses, as tool names only. A
   * damaged file is read as empty, with a warning. If two processes share a file, the last writer wins.
   * @param file - the file, or `null` to keep uses in memory only
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  persistUses(file: string | null): Promise<UseHistory>
  /**
   * Remembers that a tool was called; see {@link Session.recordUse}.
   * @param tool - the tool by its names, or by its provider name
   * @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  recordUse(tool: ToolRef | string): Promise<void>
  /**
   * Counts the tokens of a text in `o200k_base`, exactly, beside other calls: about 15 MB of prose per second.
   * @param text - any text of at most 16 MiB
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   */
  countTokens(text: string): Promise<number>
  /**
   * Counts what fills a context, for a panel: named sections of text, and MCP tools by server.
   * @param sections - texts by name, as in `{ system: '…', conversation: '…' }`, together at most 16 MiB
   * @param options - whose tools are counted, and what shares refer to
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
   */
  contextUsage(sections: Record<string, string>, options?: ContextUsageOptions): Promise<ContextUsage>
  /**
   * Sets the function that receives events, and replaces the previous one. No event is sent while a session's mode is `all`,
   * and none holds the text of a query. What the listener throws is ignored. It does not keep the process alive.
   * @param listener - the function, or `null` for none
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
   */
  onTelemetry(listener: ((event: TelemetryEvent) => void) | null): void
}

/**
 * The state of one task: which tools are attached, and how many turns are still ranked.
 *
 * Calls of one session that return promises are executed in the order in which they are made; the others act immediately.
 */
export declare class Session {
  private constructor()
  /** The session's id: the one that the host gave, or a new one. */
  get id(): string
  /** Whether the session was closed, evicted by a thousand later sessions, or replaced by a restored one. */
  get closed(): boolean
  /**
   * Takes the first turn: attaches all tools in scope when they are few, otherwise the best ones. Costs one ranking, a few
   * milliseconds, and waits at most `settings.deadlineMs` for the text's vector.
   * @param taskText - what the user asked for; 32 KiB of it are read
   * @param options - what the host knows about its context, and about where the task works
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also when started before; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
   */
  start(taskText: string, options?: ContextOptions & { workspace?: Workspace }): Promise<Selection>
  /**
   * Takes a later turn. In the first `settings.searchTurns` turns that say something the message is ranked and up to three new
   * tools are attached, and those that it names; afterwards only {@link Session.load} attaches, and what comes into scope. Unless
   * the selection names a rewrite, the rendered definitions of a turn are a prefix of the next one's. If the host says how long
   * the context is, a turn adds what is worth having it written to the provider's cache again (docs/delivery.md).
   * @param message - the latest message
   * @param options - what the host knows about its context
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
   */
  turn(message: string, options?: ContextOptions): Promise<Selection>
  /**
   * Adopts what the host changed since the last turn: its mode, the router's settings, servers that came or went. Call it
   * between two requests of one turn; {@link Session.turn} does it by itself. What is out of scope is not rendered any more, and
   * what has come into scope is ranked for what the task has said, and attached as far as a first selection would take it. Before
   * `start` it sets the mode alone.
   * @param options - what the host knows about its context; another host mode, or `null` for none
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
   */
  sync(options?: ContextOptions & { hostMode?: string | null }): Promise<Selection>
  /**
   * Opens a session for a subtask, with this one's settings and host mode. Its first selection prefers this session's tools
   * among the best candidates, twice as many as it attaches.
   * @param options - an id of the host's choice; another host mode, or `null` for none
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`
   */
  fork(options?: { sessionId?: string; hostMode?: string | null }): Session
  /**
   * Chooses the attached tools again, because the host has condensed its conversation and a rewrite is free now: from what the
   * task said, from the summary, and from the tools that were used. The ledger begins again.
   * @param summary - the condensed conversation; up to 32 KiB of it are read, less what the task said
   * @param options - how long the context is now; unknown without it
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
   */
  compact(summary?: string, options?: ContextOptions): Promise<Selection>
  /**
   * Answers the model's call of `mcp_load`. The query is free text, exact tool names in any number, or the name of a server or
   * module, which brings its core. `modules:` lists modules, and `unload: names` takes tools, modules or servers away. What is
   * unavailable comes back with its reason. A load is never refused because of what it has written to the provider's cache again.
   * @param args - what the model wrote: arguments as an object or JSON text, a list of queries, names, a bare text, or the
   *   whole call of its provider. What asks for nothing is answered with the right form in `doubt`
   * @param options - what the host knows about its context
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
   */
  load(args: { query: string | string[] } | { queries: string[] } | string, options?: ContextOptions): Promise<LoadResult>
  /**
   * Answers a model that says what it cannot do with the tools that it has: searches for that among the tools that are not
   * attached, and attaches up to `settings.searchK`. Servers that were tried are left out, unless one of their other tools fits
   * best of all. After three signals nothing is searched for; the count is part of the session's state.
   * @param signal - the signal as an object, or as the JSON text that the model wrote
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
   */
  reroute(signal: MissingCapability | string): Promise<RerouteResult>
  /**
   * Remembers that a tool was called. Later rankings prefer it a little if the query matches it, and more if the query shares
   * terms with what this task said. Later tasks that choose it get what this task called before it, as companions.
   * @param tool - the tool by its names, or by the provider name that the model called
   * @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
   */
  recordUse(tool: ToolRef | string): Promise<void>
  /** The last selection; `null` before the first turn, and after the session was closed. */
  get selection(): Selection | null
  /**
   * The function definitions to send, as the JSON text of an array: `mcp_load`, then the attached tools in order. Before the
   * first turn all tools in scope are there. Costs a copy of the text, 2 ms per MB.
   * @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`; `ERR_INVALID_ARGUMENT` while a `start` is pending: await it first
   */
  tools(): string
  /**
   * The tool behind a provider name that the model called, written with `-` or `_`; `null` if the task may not use such a tool, or is closed.
   * @param name - the name, as in `mcp--github--create_issue`
   */
  resolveTool(name: string): ToolRef | null
  /**
   * The state for the host's task history: `JSON.stringify(session)` is what {@link ToolRouter.restoreSession} reads. It holds
   * names and settings, never what a user or model said.
   * @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`
   */
  toJSON(): SessionState
  /** Forgets the session. Closing twice is fine. `id` and `closed` still answer after that; `selection` is null, and `resolveTool` knows no tool. */
  close(): void
  /**
   * Takes tools away that the model or the user does not want. No turn brings them back; {@link Session.load}
   * and {@link Session.reroute} do.
   * @param names - provider names, or names of tools alone; of a module or a server all its tools
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
   */
  unload(names: string[]): Promise<UnloadResult>
  /**
   * Says why a tool has its rank for the last message, read in this task: words, vectors, every adjustment of the order, and how
   * it came to be attached. Costs a ranking, and changes nothing.
   * @param tool - the tool by server and name, or its provider name
   * @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`
   */
  explain(tool: ToolRef | string): Promise<Explanation>
  /**
   * Renders the next request for a provider: its list of tools, and messages that offer, withdraw or describe tools so that the
   * provider's cache of everything before them is kept. Call it once before each request, after {@link Session.answerLoad} if the
   * model called `mcp_load`. The session remembers what it said for each provider and delivery.
   * @param options - the provider and the delivery; what is left out is that of the settings
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also while a `start` is pending: await it first; `ERR_SESSION_NOT_FOUND`
   * @example
   * ```ts
   * const session = ToolRouter.shared().openSession()
   * await session.start('List the open issues of acme/web')
   * const conversation = [{ role: 'user', content: 'List the open issues of acme/web' }]
   * const { tools, messages } = session.render({ provider: 'anthropic', delivery: 'changes' })
   * conversation.push(...JSON.parse(messages))
   * const request = { tools: JSON.parse(tools), messages: conversation }
   * ```
   */
  render(options?: ProviderDelivery): RenderedRequest
  /**
   * The answer to the model's call of `mcp_load` as its provider and delivery take it: JSON text of an array of messages, items,
   * blocks or parts. Add it where results of tools belong, then call {@link Session.render}.
   * @param result - what {@link Session.load} returned
   * @param options - the id of the model's call, at most 1,024 bytes; provider and delivery as in {@link Session.render}
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`
   */
  answerLoad(result: LoadResult, options: ProviderDelivery & { callId: string }): string
  /**
   * Checks a call before it is made, of a tool or of `mcp_call`: its name, and its arguments by the tool's schema, in a bounded
   * number of steps. What the model got wrong is an answer for it, with what to do next, and never an error.
   * @param call - the name and the arguments of the model's call, as an object or as the JSON text that the model wrote
   * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
   */
  checkCall(call: { name: string; arguments?: Record<string, unknown> | string } | string): Promise<CallCheck>
  /**
   * Holds a result of a tool that is too long for a model, and answers what to give to the model instead: how long it is, its
   * beginning, and a handle, by which {@link Session.readResult} reads the rest; `null` for a result within `maxTokens`.
   * From then on {@link Session.render} declares `read_result`, whose arguments are those of `readResult`. Held are 100 MB in all, for an
   * hour, until the session is closed: docs/results-and-programs.md.
   * @param result - what the tool answered: `content` with its blocks, a text, or any JSON
   * @param options - how much the model reads
   * @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
   * @example
   * ```ts
   * const session = ToolRouter.shared().openSession()
   * const rows = Array.from({ length: 900 }, (_, id) => ({ id, name: `customer ${id}`, city: id === 512 ? 'Oslo' : 'Rome' }))
   * const result = { content: [{ type: 'text', text: JSON.stringify(rows) }] }
   * const held = await session.holdResult(result)
   * const forModel = held?.result ?? result
   * const { passages } = await session.readResult(held?.handle ?? '', { need: 'who lives in Oslo' })
   * console.log(passages[0].text.includes('customer 512')) // true
   * ```
   */
  holdResult(result: ToolResult, options?: HoldResultOptions): Promise<HeldResult | null>
  /**
   * Reads a result that {@link Session.holdResult} holds: the passages that fit the words of a need best, with their places; the
   * values at a JSON path; or lines. With nothing of these, its beginning.
   * @param handle - the handle of the result
   * @param options - what is asked, and what the answer may cost
   * @throws {ToolRouterError} `ERR_RESULT_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
   */
  readResult(handle: string, options?: ReadResultOptions): Promise<ResultReading>
}

/** What every failing call throws or rejects with. `message` names the field, what was expected and what was received. */
export interface ToolRouterError extends Error {
  name: 'ToolRouterError'
  code: ToolRouterErrorCode
}

/** Why the native addon could not be loaded. Importing this package never throws; `ToolRouter.shared()` then throws this. */
export const loadError: LoadError | undefined

/** An error of loading the native addon: there is no build for this platform, or its package cannot be loaded. */
export interface LoadError extends Error {
  name: 'ToolRouterError'
  code: LoadErrorCode
}

/** The codes of {@link LoadError}. */
export type LoadErrorCode = 'ERR_PLATFORM_UNSUPPORTED' | 'ERR_ADDON_LOAD'

/** The codes of a {@link ToolRouterError}. docs/errors.md says what to do about each. */
export type ToolRouterErrorCode =
  | 'ERR_INVALID_ARGUMENT'
  | 'ERR_TOOL_NOT_FOUND'
  | 'ERR_OUT_OF_SCOPE'
  | 'ERR_SESSION_NOT_FOUND'
  | 'ERR_RESULT_NOT_FOUND'
  | 'ERR_STATE_INVALID'
  | 'ERR_STATE_VERSION'
  | 'ERR_CONFIG_INVALID'
  | 'ERR_MODEL_NOT_FOUND'
  | 'ERR_MODEL_INVALID'
  | 'ERR_RUNTIME_NOT_FOUND'
  | 'ERR_EMBEDDING_FAILED'
  | 'ERR_BUSY'
  | 'ERR_INTERNAL'
  | LoadErrorCode

/** What a ranking uses: terms, vectors, or both. Asked for as `ranker`, and named in every answer. */
export type Ranker = 'lexical' | 'semantic' | 'hybrid'

/** Why an answer is not as asked for; `catalogue-pending`: many tools are being set, and it uses the previous catalogue. */
export type DegradedReason =
  | 'model-not-loaded'
  | 'model-loading'
  | 'vectors-pending'
  | 'embedding-failed'
  | 'deadline-exceeded'
  | 'catalogue-pending'

/** Where a server was configured. A project's server hides a global server of the same name. */
export type ServerSource = 'project' | 'global'

/** One tool, as returned by `tools/list`: pass it unchanged, other fields are ignored. */
export interface McpTool {
  /** The tool's name, 1 to 512 bytes. */
  name: string
  title?: string
  /** What it does. At most 256 KiB. */
  description?: string
  /** The JSON schema of its input, as an object, or as text, which is kept byte for byte. At most 4 MiB. Absent means no input. */
  inputSchema?: string | object
  /** Hints of MCP, of which `readOnlyHint` and `destructiveHint` are read. */
  annotations?: {
    title?: string
    readOnlyHint?: boolean
    destructiveHint?: boolean
    idempotentHint?: boolean
    openWorldHint?: boolean
  }
  /** Of it `"anthropic/searchHint"` is indexed, and `"anthropic/alwaysLoad": true` pins where `ownPins` of its server says so. */
  _meta?: object
  /** As `_meta["anthropic/alwaysLoad"]`. To pin a tool yourself, name it in `alwaysLoad` of its server. @default false */
  alwaysLoad?: boolean
  /** `false` hides the tool from models. @default true */
  enabledForPrompt?: boolean
  /** Text that is indexed instead of the description, and never shown. */
  searchDescription?: string
}

/** What a registry says about a server: how people talk about it. It is indexed, and never shown to a model. */
export interface ServerEntry {
  /** The server's name for people. At most 512 bytes. */
  name?: string
  /** What the server is for. At most 16 KiB. */
  description?: string
  /** Tags that say what the server can do: at most 100, each of at most 200 bytes. */
  capabilities?: string[]
  /** Requests that need this server, as a user would write them: at most 100, each of at most 1,000 bytes. */
  syntheticQueries?: string[]
}

/** One server with its tools. Setting it again replaces it; unchanged tools keep their vectors and token counts. */
export interface McpServer {
  /** The server's name, 1 to 512 bytes. */
  name: string
  /** What `tools/list` returned: at most 5,000 tools. Only a disabled server may leave it out. */
  tools?: McpTool[]
  /** Where the server was configured. @default 'global' */
  source?: ServerSource
  /** Its place among the host's servers, from 0 to 100,000: the order of lists, and of equal scores. @default behind the others */
  position?: number
  /** Turns all of its tools off. @default false */
  disabled?: boolean
  /** The instructions that the server sent in `initialize`. */
  instructions?: string
  /** Only these tools are on, without those of `disabledTools`. An empty list allows any tool; `'none'` allows none. */
  onlyAllow?: string[] | 'none'
  /** Tools that are off, whatever else allows them. */
  disabledTools?: string[]
  /** Attaches all of its tools, or the named ones, with the first dynamic selection, within limit and budget. */
  alwaysLoad?: boolean | string[]
  /** Whether its tools may pin themselves, at most 10 of them. @default false */
  ownPins?: boolean
  /** Descriptions, by tool name, that replace what models see and what is indexed. */
  toolDescriptionOverrides?: Record<string, string>
  /** Descriptions, by tool name, that are indexed and never shown. */
  searchDescriptions?: Record<string, string>
  /** Sets the entry as {@link ToolRouter.setServerEntry} does. When left out, an existing entry stays. */
  entry?: ServerEntry
}

/** Which servers a host mode may use. `allowedMcpServers`, even when empty, wins over `blockedMcpServers`. */
export interface ModeScope {
  allowedMcpServers?: string[]
  blockedMcpServers?: string[]
}

/** How many MCP tools curation keeps. */
export interface Curation {
  /** `top_k`, the default, keeps the best `k` per turn; `off` keeps all. */
  kind?: 'top_k' | 'off'
  /** How many tools `top_k` keeps, 1 to 1,000. @default 15 */
  k?: number
  /** Names of tools that come first, whatever the message says. @default Read, Grep, Glob, Edit, Write, Bash */
  rescue?: string[]
}

/** The settings of a router or a session. Each has a default; unknown keys are refused. */
export interface Settings {
  /** Attaches all tools when at most this many are in scope. 0 to 100,000. @default 50 */
  threshold?: number
  /**
   * The model's context window in tokens: a tenth of it is the budget of a first selection without `tokenBudget` (without a
   * window, 20,000 tokens), and {@link ToolRouter.contextUsage} gives shares of it.
   */
  contextWindow?: number
  /**
   * Tools that the first selection attaches as definitions, besides pins and tools that the text names. `'auto'`: those that
   * are cheaper so than as a line of the directory or not at all (docs/delivery.md). 0 to 1,000: the likeliest so many. With
   * 0, nothing is attached but what {@link Session.load} asks for. @default 'auto'
   */
  initialK?: number | 'auto'
  /** How many tools a search, a server or a module may attach by one call of `mcp_load`. 1 to 1,000. @default 10 */
  searchK?: number
  /**
   * How many turns are ranked: the first by `initialK`, each later one for up to 3 new tools. 0 is the kill switch and
   * attaches everything, up to `maxTools`. 0 to 1,000. @default 7
   */
  searchTurns?: number
  /** How many tools the model's API accepts, including `nativeToolCount` and `mcp_load`. */
  maxTools?: number
  /** How many tools the host itself sends. 0 to 100,000. @default 0 */
  nativeToolCount?: number
  /**
   * Maximum number of tokens of the definitions that a dynamic first selection attaches; a dynamic task adds nothing beyond
   * twice that. By default it follows from `contextWindow`.
   */
  tokenBudget?: number
  /** What tools are ranked by. While vectors are missing, terms alone are used and the answer says so. @default 'hybrid' */
  ranker?: Ranker
  /** How long a ranking waits for the vector of its query, in milliseconds. 0 to 60,000. @default 400 */
  deadlineMs?: number
  /**
   * Maximum number of tokens of the directory: signatures of the tools that are worth a line and no definition, in messages,
   * or in the text of `mcp_load` where `delivery` is `append`. 0 has none. 0 to 100,000. @default 3000
   */
  directoryTokens?: number
  /**
   * What a turn chooses first. With `server` it attaches only tools of the best five servers, and pins; the first turn 15
   * instead of `initialK`. @default 'tool'
   */
  scopeBy?: 'tool' | 'server'
  /** How {@link ToolRouter.curate} chooses tools. */
  curation?: Curation
  /**
   * What happens to characters in texts of servers that a person does not see and a model reads. With `refuse`, only the
   * tool that has them is refused. Applies to servers that are set afterwards. @default 'keep'
   */
  hiddenCharacters?: 'keep' | 'strip' | 'refuse'
  /**
   * How definitions show input schemas. `sent`: byte for byte as the server sent them. `host`: as hosts with strict function
   * calling send them, so that the prompt of such a host does not change. Applies to servers that are set afterwards.
   * @default 'sent'
   */
  schemaStyle?: 'sent' | 'host'
  /**
   * What happens to a tool whose definition changes after it was set. It is told; with `withhold` it is also off until it is
   * acknowledged (docs/security.md), or is as it was. Applies to servers that are set afterwards. @default 'tell'
   */
  changedTools?: 'tell' | 'withhold'
  /**
   * From which severity of `findings` on a tool is off until it is acknowledged (docs/security.md). Applies to servers that
   * are set afterwards. @default 'never'
   */
  withholdTools?: 'never' | 'high' | 'medium'
  /**
   * How much of each definition the model is shown: what its server sent (`full`); or the same contract in about a tenth
   * fewer tokens (`compact`), whose schema accepts just what the original does. Ranking reads the whole text in any case.
   * @default 'full'
   */
  schemaDetail?: 'full' | 'compact'
  /**
   * Whose requests {@link Session.render} makes, and whose prices {@link TokenReceipt.ledger} counts in. @default
   * 'openai-chat'
   */
  provider?: Provider
  /**
   * How tools that are attached later reach the model: as the provider keeps its cache (`auto`), at the end of the list
   * (`append`), declared and searched for (`defer`), by blocks between the messages (`changes`), or as text behind a pair of
   * tools that never changes (`call`). docs/delivery.md has what each provider takes. @default 'auto'
   */
  delivery?: Delivery | 'auto'
  /**
   * What the router's own tools are called: `mcp_load` and `mcp_call` (`mcp`), or `load_tools` and `call_tool` (`plain`).
   * Anthropic takes a single `mcp_` before a name as the sign of another program's request where a subscription pays, and
   * not where an API key does. @default 'mcp'
   */
  ownNames?: 'mcp' | 'plain'
  /** The scope of each host mode, by the mode's slug. */
  hostModes?: Record<string, ModeScope>
}

/** A server of a scope: its name, or its name with those of the tools that may be used. What is left out does not exist there. */
export type ServerScope = string | { name: string; tools: string[] }

/** What a task, or one call, may use of the catalogue. */
export interface InScope {
  /** A mode of `settings.hostModes`, whose scope applies. */
  hostMode?: string
  /** Only these servers, within the scope; for a session they may be set later. @default all servers */
  servers?: ServerScope[]
}

/** Options of {@link ToolRouter.rank}. */
export interface RankOptions extends InScope {
  /** How many to return, 1 to 1,000. @default `settings.searchK`; of servers 5 */
  topK?: number
  /** What to rank by. @default `settings.ranker` */
  ranker?: Ranker
  /** How long to wait for the query's vector, in milliseconds. @default `settings.deadlineMs` */
  deadlineMs?: number
}

/** Options of {@link ToolRouter.loadModel}. */
export interface LoadModelOptions {
  /** A model of fastembed by its name, such as `'BGESmallENV15Q'`, instead of the model package (docs/installing.md). */
  model?: string
  /** Downloads the model's files if they are missing or damaged. Needs `model`. @default false */
  download?: boolean
  /** The folder for models by name. Needs `model`. @default `zoo-tool-router/models` in the user's cache folder */
  modelCacheDir?: string
  /** The folder with `model.onnx`, `tokenizer.json` and `model.json`. @default the folder of the model package */
  modelDir?: string
  /** The ONNX Runtime library. @default the library next to the addon */
  runtimePath?: string
  /** The folder for cached vectors, or `false` for none. @default `zoo-tool-router` in the user's cache folder */
  cacheDir?: string | false
  /** How many threads compute one embedding, 1 to 64. @default 1 */
  threads?: number
  /** Ends loading and downloading: the call rejects with its reason, and the previous embedder stays active. */
  signal?: AbortSignal
}

/** A vector that an {@link Embedder} returns. */
export type EmbedderVector = number[] | Float32Array | Float64Array

/** Turns texts into vectors: one per text, in the same order, all of the same length. */
export type Embedder = (texts: string[]) => Promise<EmbedderVector[]> | EmbedderVector[]

/** Options of {@link ToolRouter.setEmbedder}. */
export interface EmbedderOptions {
  /** Names the model and its version. Needed to keep vectors on disk under `cacheDir`. */
  modelId?: string
  /** The folder for cached vectors; needs `modelId`. @default none */
  cacheDir?: string
  /** How many texts one call gets, 1 to 1,000. @default 32 */
  batchSize?: number
  /** How long one call may take, in milliseconds, 1 to 600,000. @default 30000 */
  timeoutMs?: number
  /** Ends setting it: the call rejects with its reason, and the previous embedder stays active. */
  signal?: AbortSignal
}

/** Options of {@link ToolRouter.openSession}. */
export interface SessionOptions extends InScope {
  /** An id that the host chooses. @default a new id */
  sessionId?: string
  /** Settings of this task that differ from the router's. */
  settings?: Settings
}

/** Where a task works: it leans the first ranking towards servers that it names. Nothing of it is stored, logged or told. */
export interface Workspace {
  /** Addresses of the repository's remotes; only their hosts are read. */
  remotes?: string[]
  /** Programming languages. */
  languages?: string[]
  /** Names of packages that the workspace depends on. */
  dependencies?: string[]
  /** Paths of open files, within the workspace. */
  openFiles?: string[]
  /** The branch that is checked out; `fix/ENG-12` points to issue trackers. */
  branch?: string
}

/** Whose requests definitions are shaped for. */
export type Provider = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'bedrock' | 'vscode'

/** How tools that are attached later reach the model; docs/delivery.md. */
export type Delivery = 'append' | 'defer' | 'changes' | 'call' | 'program'

/** What the host knows about the request that comes next. */
export interface ContextOptions {
  /** Tokens of the system prompt and of the conversation so far, at most 100,000,000. @default what was last given */
  contextTokens?: number
}

/** A provider with a delivery that it takes. What is left out is `settings.provider` and `settings.delivery`. */
export type ProviderDelivery =
  | { provider?: 'anthropic'; delivery?: Delivery }
  | { provider: 'openai-responses'; delivery?: 'append' | 'defer' | 'call' | 'program' }
  | { provider: 'openai-chat' | 'gemini' | 'bedrock' | 'vscode'; delivery?: 'append' | 'call' }

/** What was changed in a schema that a provider would refuse. */
export type AdaptedChange =
  | 'type-added'
  | 'alternatives-merged'
  | 'reference-resolved'
  | 'invalid-replaced'
  | 'references-removed'
  | 'surrogates-removed'
  | 'depth-cut'
  | 'items-added'
  | 'properties-added'
  | 'conditions-removed'
  | 'booleans-replaced'
  | 'numbers-removed'
  | 'patterns-removed'
  | 'parameters-described'

/** A value of JSON. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/** A JSON schema of a tool's arguments, as its server sent it. */
export type InputSchema = { [keyword: string]: JsonValue }

/** The same with the type at its root, which Messages and Converse demand. */
export type ObjectSchema = InputSchema & { type: 'object'; required?: string[] }

/** What `JSON.parse(session.render({ provider }).tools)` is, by provider; `session.tools()` is that of `openai-chat`. */
export interface ProviderTools {
  /** Chat Completions. */
  'openai-chat': {
    type: 'function'
    function: { name: string; description: string; parameters: InputSchema }
  }[]
  /** Responses: functions, the search of `defer`, and the runner of programs. */
  'openai-responses': (
    | {
        type: 'function'
        name: string
        description: string
        parameters: InputSchema
        /** Off: schemas of servers are seldom in the strict subset. */
        strict: false
        defer_loading?: true
        allowed_callers?: ('direct' | 'programmatic')[]
      }
    | { type: 'tool_search'; execution: 'client'; description: string; parameters: InputSchema }
    | { type: 'programmatic_tool_calling' }
  )[]
  /** Messages: tools, and the runner of programs. */
  anthropic: (
    | {
        name: string
        description: string
        input_schema: ObjectSchema
        defer_loading?: true
        allowed_callers?: ('direct' | 'code_execution_20260120')[]
      }
    | { type: 'code_execution_20260120'; name: 'code_execution' }
  )[]
  /** `tools` of Gemini's `config`. */
  gemini: { functionDeclarations: { name: string; description: string; parametersJsonSchema: InputSchema }[] }[]
  /** `toolConfig.tools` of Converse. */
  bedrock: { toolSpec: { name: string; description?: string; inputSchema: { json: ObjectSchema } } }[]
  /** `tools` of a request to a language model of VS Code. */
  vscode: { name: string; description: string; inputSchema: InputSchema }[]
}

/** A tool that is given in a call of {@link ToolRouter.attachInitial} or {@link ToolRouter.search}. */
export interface ScopedTool extends ToolRef {
  description?: string
}

/** What a model cannot do with the tools that it has; in its JSON text with `_` too. At most 256 KiB. */
export interface MissingCapability {
  /** The mark of the signal; may be left out. */
  status?: 'MISSING_CAPABILITY'
  /** What the user asked for. */
  originalQuery: string
  /** Servers whose tools were tried. They are left out, unless one of their other tools fits best of all. */
  attemptedServers?: string[]
  /** What is already done; returned in the answer. */
  completedSteps?: string[]
  /** Where to continue from; returned unchanged. At most 64 KiB. */
  checkpoint?: string
  /** What is missing, in a few words. This is what is searched for. At most 2,000 bytes. */
  missingCapability: string
  /** Why the model thinks so. Not searched for. */
  reasoning?: string
}

/** A function: in the form of OpenAI's API, or flat, or a bare name, whose description is taken from the catalogue. */
export type CuratedFunction =
  | string
  | { name: string; description?: string; [field: string]: unknown }
  | { function: { name: string; description?: string; [field: string]: unknown }; [field: string]: unknown }

/** A result of a tool: an object of the protocol, a text, or any JSON. */
export type ToolResult =
  | string
  | { content?: object[]; structuredContent?: unknown; isError?: boolean; [key: string]: unknown }
  | unknown[]

/** Options of {@link Session.holdResult}. */
export interface HoldResultOptions {
  /** A result of no more tokens is not held, and what replaces a longer one has no more. 200 to 1,000,000. @default 4,000 */
  maxTokens?: number
  /** What its description and beginning cost at most. An error may use all of `maxTokens`. 100 to 1,000,000. @default 600 */
  previewTokens?: number
  /** The schema that the client compares `structuredContent` with: it is shortened as far as the schema takes it. */
  outputSchema?: object | string
  /** Whose result it is, where several sessions are of one client: they have one share of what is held. @default the session */
  client?: string
}

/** Options of {@link Session.readResult}: one of `need`, `path` and `range`, or none for the beginning. */
export interface ReadResultOptions {
  /** What is looked for, in a few words of the result. */
  need?: string
  /**
   * A JSONPath as RFC 9535 has it, without functions: `$.items[3].title`, `$.items[10:20]`,
   * `$.items[?@.state == "open"].id`. At most 400 bytes, with one `..`, two filters and four commas, through at most 4 MiB and
   * 127 levels of JSON.
   */
  path?: string
  /** Lines from 1, both ends included: `10-40`, `7`. A line of more than 800 bytes is several. */
  range?: string
  /** What the answer costs at most, in tokens. 100 to 1,000,000. @default 2,000 */
  maxTokens?: number
}

/** Options of {@link ToolRouter.contextUsage}. */
export interface ContextUsageOptions {
  /** Counts the tools that are attached to this session. @default all tools that are on */
  sessionId?: string
  /** Without a session, counts the tools of these servers alone. @default all servers */
  servers?: ServerScope[]
  /** What shares refer to. @default `settings.contextWindow`, or the total */
  contextWindow?: number
}

/** An event that a listener of {@link ToolRouter.onTelemetry} receives: only counts and names of states. */
export type TelemetryEvent =
  | {
      event: 'dynamic_tools.task_start'
      sessionId: string
      scopedCount: number
      attachedCount: number
      tokensSaved: number
      ranker: Ranker
    }
  | {
      event: 'dynamic_tools.mcp_load_invoked'
      sessionId: string
      turn: number
      /** Characters of the model's query. */
      queryLength: number
      loadedCount: number
      alreadyAttachedCount: number
      unavailableCount: number
      attachedCount: number
    }
  | {
      event: 'dynamic_tools.rolling_window_step'
      sessionId: string
      turn: number
      addedCount: number
      attachedCount: number
    }
  | {
      event: 'dynamic_tools.directory_used'
      sessionId: string
      turn: number
      /** What the model did with tools of which it knew the signature alone. */
      by: 'load' | 'call'
      toolCount: number
      /** Tools that it did not get, or calls that could not be made. */
      refusedCount: number
    }
  | { event: 'dynamic_tools.ranker_fallback'; sessionId: string; reason: DegradedReason }

/** The state of a session as JSON. {@link ToolRouter.restoreSession} reads the text of `JSON.stringify(session)`. */
export interface SessionState {
  version: number
  sessionId: string
  [field: string]: unknown
}

/** A tool whose definition a provider is sent changed. */
export interface AdaptedTool {
  /** Its provider name. */
  name: string
  /** What was changed, and why: docs/delivery.md, "What a provider refuses". */
  changes: AdaptedChange[]
}

/** What one adjustment of the order did to a tool's score. */
export interface Adjustment {
  /** Which one; the last three are in sessions alone. */
  name: 'named' | 'unwanted' | 'used before' | 'first of its name' | 'destroys' | 'registry entry' | 'task' | 'workspace' | 'parent task'
  /** What it added to the score, or took from it. */
  share: number
}

/** Whether routing pays for a catalogue, in tokens of one request. */
export interface Advice {
  /** Whether it saves tokens, takes place with the router's settings, and delays no turn too long: `against` is empty. */
  pays: boolean
  /** What speaks against it; `gate`: all tools are attached, because of `threshold` or the kill switch. */
  against: ('no-tools' | 'tokens' | 'gate' | 'latency')[]
  /** What the gate decides for a task with the router's settings and all servers in scope. */
  mode: 'all' | 'dynamic'
  /** The `threshold` with which the gate decides as the tokens say: `breakEvenTools` minus 1. */
  threshold: number
  /** How long the last turns were ranked, in milliseconds on average; 0 before the first. */
  addedMs: number
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
  /** Tokens of the directory at most: `settings.directoryTokens`. */
  directoryTokens: number
  /** `catalogueTokens` minus the other three, or 0. */
  savedTokens: number
  /** From how many tools of this average size routing saves tokens; 0 without tools. */
  breakEvenTools: number
  /** The same in servers of this average size. */
  breakEvenServers: number
  /** All of this in one sentence, for a person. */
  text: string
}

/** What tools cost a task at a provider that caches, in base-token equivalents (docs/delivery.md). */
export interface CacheLedger {
  /** Writing definitions to the cache, each once. */
  definitions: number
  /** Reading them, once per turn and load: a lower bound. */
  reads: number
  /** Writing again what stands behind a list of tools that changed. */
  rewrites: number
  /** How often that happened. */
  rewriteCount: number
  /** Rewrites that cost an unknown amount, because `contextTokens` was never given. */
  uncountedRewrites: number
  /** The sum of the three costs. */
  total: number
  /** The context as the host last gave it. */
  contextTokens?: number
}

/** A call as it may be made, or why it may not be. */
export interface CallCheck {
  /** The tool, when the name stands for one. */
  tool?: ToolRef
  /** The JSON text of the arguments to send, an object; absent when there is a problem. */
  arguments?: string
  /** Whether the arguments were compared with the schema; one that is invalid or too large is left to the server. */
  validated: boolean
  /** Why the call may not be made. */
  problem?: CallProblem
}

/** Why a call may not be made: a text for the model, and its parts. */
export interface CallProblem {
  /** What is wrong: the call itself, the name, that it has to be loaded first, its scope, its server, or its arguments. */
  reason: 'invalid-call' | 'unknown' | 'not-attached' | 'disabled' | 'out-of-scope' | 'server-gone' | 'tool-gone' | 'invalid-arguments'
  /** The result to give to the model: what is wrong, and what to do next. */
  message: string
  /** Provider names that are similar to an unknown name. */
  near: Array<string>
}

/** What setting or removing servers changed. */
export interface CatalogueChange {
  /** Tools that are new. */
  added: Array<ToolRef>
  /** Tools whose text or schema differs from before. */
  changed: Array<ToolRef>
  /** Tools that are gone. */
  removed: Array<ToolRef>
  /** How many tools stayed as they were and kept their terms, vectors and token counts. */
  unchanged: number
  /** Tools that were not accepted. */
  refused: Array<RefusedTool>
  /** What is suspicious about new and changed tools and about names of servers, at most 100. */
  warnings: Array<CatalogueWarning>
  /** What texts of new and changed tools and of servers try to do to a model, the worst first, at most 100. */
  findings: Array<CatalogueFinding>
  /** How many tools pinned themselves: of servers with `ownPins`, at most 10 each. */
  serverPins: number
  /** How many more wished to. */
  ignoredPins: number
}

/** A finding in a text of a server. */
export interface CatalogueFinding {
  serverName: string
  /** The tool's name; absent when it is in a text of the server. */
  toolName?: string
  /** What was found, and where. */
  finding: Finding
}

/** What a host should know about a server or one of its tools. It changes no ranking. */
export interface CatalogueWarning {
  /** What was found; docs/inside/faults.md has what each means. */
  code: 'hidden-characters' | 'look-alike-server' | 'names-other-tools' | 'stuffing' | 'definition-changed' | 'unknown-key' | 'unknown-tool' | 'replaces-global-server' | 'common-name' | 'adapted-schema'
  serverName: string
  /** The tool's name; absent when the warning is about the server. */
  toolName?: string
  /** What was found, in one line for a person. It holds no text of a tool except names. */
  detail: string
}

/** A tool that is attached because another one needs it. */
export interface CompanionOf {
  /** The provider name of the tool that came along. */
  name: string
  /** The provider name of the tool that needs it; of a server's hub, the best tool of its server. */
  of: string
  /** The parameter or phrase of that tool that says so: `channel_id`, `call first`. */
  by: string
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

/** The answer of {@link ToolRouter.curate}. */
export interface Curated {
  /** The functions that stay, in the order in which they were given. */
  kept: Array<KeptFunction>
  /** Names of MCP tools that are left out of this turn. They stay registered. */
  dropped: Array<string>
}

/** Why an answer is lexical, or uses only some vectors, although vectors were asked for. */
export interface Degraded {
  /** The reason, from a closed set. */
  code: DegradedReason
  /** The reason in words, for a person. */
  message: string
  /** Of `vectors-pending`: the share of tools that have vectors, from 0 to 1. */
  share?: number
}

/** The active embedder. */
export interface EmbedderInfo {
  /** Names the model and its version. Vectors of different ids are never compared. */
  modelId: string
  /** Numbers in a vector. */
  dimensions: number
}

/** Why a tool has its rank. */
export interface Explanation {
  /** The tool with its rank among all candidates. */
  tool: RankedTool
  /** Terms that it shares with the query, the weightiest first. */
  terms: Array<TermScore>
  /** What else decided its place, in the order in which it is applied; what did nothing is left out. */
  adjustments: Array<Adjustment>
  /** How the query names the tool. */
  named: 'none' | 'tool' | 'server-and-tool'
  /** What recorded uses added to the score. */
  useBoost: number
  /** The ranker. */
  ranker: Ranker
  /** Why the ranker is not the one asked for. */
  degraded?: Degraded
  /** How many tools were ranked. */
  candidateCount: number
  /** How likely any of them serves the query, from 0 to 1; the same as in {@link ToolRouter.rank}. */
  evidence: number
  /** The text as it was ranked: with corrected spelling, a line of English, and without pasted code. */
  rankedText: string
  /** Bytes of pasted code and logs that were left out. */
  pastedBytes: number
  /** Products that the query does not want ("not in Jira"). Their tools are ranked lower. */
  negated: Array<string>
  /** The part of the query that suits the tool best, when the query asks for several things. */
  clause?: string
  /** Tools among the first that need this one: a session would attach it with them. */
  companionOf: Array<CompanionOf>
  /** Its place among its server's ways in, from 1; absent for others (docs/inside/ranking.md). */
  wayIn?: number
  /** Of {@link Session.explain}: how it came to be attached, if it is. */
  origin?: Origin
  /** Of {@link Session.explain}: whether the model was told its signature alone. */
  inDirectory: boolean
  /** Of {@link Session.explain}: what became of it when the latest text was chosen for, where it was looked at. */
  placed?: Placed
  /** All of this in a few lines, for a person. */
  text: string
}

/** What a text of a server tries to do to a model. It changes no ranking. */
export interface Finding {
  /** What the text tries to do to a model; docs/security.md has what each means. */
  code: 'instructs' | 'hides-from-user' | 'takes-secrets' | 'commands-calls' | 'runs-commands' | 'hidden-payload' | 'hidden-characters' | 'look-alike-letters' | 'beyond-its-name' | 'shadows-tools' | 'copies-tool' | 'asks-for-context' | 'manipulates'
  /** `high`: honest texts hardly ever say it; `medium`: rarely; `low`: they say it too. */
  severity: 'high' | 'medium' | 'low'
  /** `name`, `title`, `description`, `instructions`, or a path such as `inputSchema/properties/path/description`. */
  field: string
  /** Where it begins in that text. */
  start: number
  /** Where it ends, so that `text.slice(start, end)` is what was found. */
  end: number
}

/** A result that a session holds, as {@link Session.holdResult} answers it. */
export interface HeldResult {
  /** What {@link Session.readResult} takes. Whoever has it and the session can read the result: do not log it. */
  handle: string
  /** What to give to the model instead, in the same form. Images, audio and links are unchanged, and an error stays one. */
  result: ToolResult
  /** The text of it. */
  text: string
  /** Bytes of the text that is held. */
  bytes: number
  /** What it would cost, in tokens; an estimate where it is longer than 256 KB. */
  tokenCount: number
  /** Codes of {@link Finding}s in it: it may try to give orders to the model. */
  flagged: Array<string>
}

/** A function that {@link ToolRouter.curate} keeps. */
export interface KeptFunction {
  /** Its name. */
  name: string
  /** Its place among the given functions, from 0: `functions[position]` is this function. */
  position: number
  /** Its place by score among the MCP tools, from 1; absent from what is not curated. */
  rank?: number
  /** Its score; absent from what is not curated. */
  score?: number
}

/** A tool in scope, as {@link ToolRouter.listTools} answers it. */
export interface ListedTool {
  serverName: string
  toolName: string
  /** The name that a model's API sees. */
  name: string
  /** Its title for people. */
  title?: string
  /** What the model is told. */
  description: string
  /** What the server sent, when `toolDescriptionOverrides` replaces it. */
  originalDescription?: string
  /** Whether it only reads. */
  readOnly: boolean
  /** Whether its server says that it may destroy something. */
  destructive: boolean
  /** Whether every dynamic selection attaches it. */
  alwaysLoad: boolean
  /** Why the configuration keeps it off; absent when it is on. */
  off?: string
}

/** A tool that a call attached. */
export interface LoadedTool {
  /** The name that the model calls it by. */
  name: string
  serverName: string
  toolName: string
  /** What it does, in one line. */
  description: string
  /** Its signature, where a search found it and `delivery` is `call`: it is told instead of the definition. */
  signature?: string
}

/** The answer to `mcp_load`; `JSON.stringify` of it is a good result for the model. */
export interface LoadResult {
  /** Tools that this call attached. */
  loaded: Array<LoadedTool>
  /** Provider names of tools that were found and had been attached before. */
  alreadyAttached: Array<string>
  /** Tools that were asked for by name and are unavailable, and found ones that do not fit. */
  unavailable: Array<UnavailableTool>
  /** How many tools matched; of a list of modules, how many there are. */
  matched: number
  /** Whether more matched than are named here. */
  truncated: boolean
  /** The ranker, when the query was searched for. */
  ranker: Ranker
  /** Why the ranker is not the one asked for. */
  degraded?: Degraded
  /** How likely any tool in scope serves the query, from 0 to 1; absent when nothing was searched for. */
  evidence?: number
  /** Set when it is doubtful that what was found does what is asked: what the model should do. */
  doubt?: string
  /** Set when a search found nothing that fits; nothing is attached then. */
  nothingFits?: NothingFits
  /** Set when the query was too long. */
  queryCut?: QueryCut
  /** The modules of the large server that the query names, or those that it asked to list; at most 50. */
  modules: Array<ServerModule>
  /** Provider names of the tools of a server or module that the query names and that are not attached, the best first. */
  others: Array<string>
  /** What a search found behind the tools that it attached, the best first, within 400 tokens. */
  next: Array<NextTool>
  /** Provider names that `unload:` took away. */
  unloaded: Array<string>
  /** Names behind `unload:` that were not attached. */
  notAttached: Array<string>
  /** Where there was no room: provider names of attached tools that nobody called, at most 5. */
  mayUnload: Array<string>
}

/** A server that comes near to what nothing fits. */
export interface NearServer {
  /** Its name. */
  name: string
  /** Whether it is set; otherwise only the registry knows it. */
  connected: boolean
}

/** A tool that a search found and did not attach: the model can load it by its name. */
export interface NextTool {
  /** Its provider name. */
  name: string
  /** Its signature. */
  signature: string
}

/** A tool that a limit left out of a selection. */
export interface NotAttached {
  serverName: string
  toolName: string
  /** Its provider name. */
  name: string
  /** Which limit. */
  reason: 'over-limit' | 'over-budget'
}

/** The answer to a search that no tool in scope serves. */
export interface NothingFits {
  /** The nearest servers, those that are not connected first. */
  servers: Array<NearServer>
  /** Provider names of the nearest tools, which were not attached; empty where all are far. */
  tools: Array<string>
  /** What the model should do now, in a few sentences. */
  message: string
}

/** How a tool came to be attached to a session. */
export interface Origin {
  /** The turn, from 1. */
  turn: number
  /** Why; `kept` is what the task had called when a compaction chose again. */
  cause: 'all' | 'pinned' | 'named' | 'ranked' | 'companion' | 'loaded' | 'rerouted' | 'kept'
  /** Of a companion: the tool that needs it. */
  of?: ToolRef
  /** Of a companion: the parameter or phrase of that tool that says so. */
  by?: string
}

/** How a tool is shown to the model of a task, and why. */
export interface Placed {
  /** As a definition, as a line of the directory as far as that has room, or not at all. */
  shownAs: 'definition' | 'line' | 'nothing'
  /** The row that decided last; docs/inside/ranking.md has the list. */
  by: 'price' | 'other language' | 'server' | 'rewrite' | 'unsure' | 'number' | 'talk' | 'named' | 'frozen' | 'removed' | 'room'
  /** How likely the task needs it, from 0 to 1; absent with `scopeBy: 'server'`. */
  chance?: number
}

/** How much of a query was read, when it was longer than 32 KiB. */
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
  /** What the best evidence added to `score`: of its tools, or of its entry, name and instructions. */
  evidenceShare: number
  /** What exact names, of the server or of one of its tools, and earlier uses added to `score`. */
  boost: number
  /** The cosine of the query with the nearest text of its entry; absent without vectors or without an entry. */
  similarity?: number
  /** The synthetic query that is nearest, when one is nearer than the entry's description. */
  nearestQuery?: string
  /** How many of its tools are in scope. */
  toolCount: number
  /** Its best tools, best first. */
  tools: Array<RankedTool>
  /** Why it has its rank, in one line for a person. */
  why: string
}

/** One ranked tool. `score` is `lexicalShare + semanticShare + entryShare + boost`. */
export interface RankedTool {
  serverName: string
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
  /** What the registry's entry of its server added to `score`. */
  entryShare: number
  /** What exact names and earlier uses added to `score`, less what unwanted products and destruction took from it. */
  boost: number
}

/** Tools in scope, best first. The order is total, and the same on every run. */
export interface Ranking {
  /** The tools. */
  tools: Array<RankedTool>
  /** What they were ranked by. */
  ranker: Ranker
  /** Why they were not ranked as asked. */
  degraded?: Degraded
  /** How many tools were ranked. */
  candidateCount: number
  /** How many of them match something in the query. */
  supportedCount: number
  /** How likely any of them serves the query, from 0 to 1. */
  evidence: number
  /** Set when the query was too long. */
  queryCut?: QueryCut
}

/** A tool that the catalogue did not accept, and why. The other tools of its server were accepted. */
export interface RefusedTool {
  serverName: string
  /** The tool's name; empty if it has no readable name. */
  toolName: string
  /** Its place in the server's list, from 0. */
  position: number
  /** Why it was refused, with the field, what was expected and what was received. */
  reason: string
}

/** The tools of the next request in its provider's shape, and what goes into its messages. */
export interface RenderedRequest {
  /** JSON text: `tools` of Chat Completions, Responses and Messages, `config.tools` of Gemini, `toolConfig.tools` of Converse. */
  tools: string
  /** JSON text of an array of messages to add once, behind the newest message and the results of tools. Mostly empty. */
  messages: string
  /** Betas that the request must name (`anthropic-beta`). */
  betas: Array<string>
  /** How many entries of the list stand in the prefix that the provider caches: a breakpoint belongs on the last of them. */
  cachedCount: number
  /** Tools whose definitions were changed because the provider would refuse them as they were sent. */
  adapted: Array<AdaptedTool>
  /** Whether the provider writes what stands before the newest message to its cache again. */
  rewritten: boolean
}

/** The answer to {@link Session.reroute}; `JSON.stringify` of it is a good result for the model. */
export interface RerouteResult {
  /** `CONTINUE`: tools were attached. `INCOMPLETE`: nothing new was found. `MAX_REROUTES_EXCEEDED`: too many signals. */
  status: 'CONTINUE' | 'INCOMPLETE' | 'MAX_REROUTES_EXCEEDED'
  /** The signal's checkpoint, unchanged. */
  checkpoint?: string
  /** What is still missing; absent from `CONTINUE`. */
  missingCapability?: string
  /** Tools that this call attached, best first. */
  loaded: Array<LoadedTool>
  /** Their servers, best first. */
  servers: Array<string>
  /** Provider names of tools that had been attached before and are among the five that fit best. */
  alreadyAttached: Array<string>
  /** How many found tools do not fit into the limit of the model's API, or into the task's budget. */
  overLimit: number
  /** What the signal says is done, unchanged. */
  completedSteps: Array<string>
  /** How many signals of this task have been answered with a search, including this one. */
  rerouteCount: number
  /** The maximum number of such signals: 3. */
  maxReroutes: number
  /** The ranker. */
  ranker: Ranker
  /** Why the ranker is not the one asked for. */
  degraded?: Degraded
  /** How likely any tool in scope has it, from 0 to 1; absent when nothing was searched for. */
  evidence?: number
  /** What to do now, in a sentence. */
  message: string
}

/** A passage of a held result. */
export interface ResultPassage {
  /** Its place: a JSON path, or lines. */
  place: string
  /** What it says; of a value at a path its JSON. */
  text: string
}

/** What {@link Session.readResult} answers. */
export interface ResultReading {
  /** For the model: passages, values or lines with their places, in the order of the result. */
  text: string
  /** What the text quotes for a need, best first, or at a path. */
  passages: Array<ResultPassage>
  /** What the text costs, in tokens; never more than `maxTokens`. */
  tokenCount: number
  /** Whether there was more than `maxTokens` has room for. */
  truncated: boolean
  /** As of {@link HeldResult.flagged}; the text says so itself. */
  flagged: Array<string>
}

/** A change of the list of definitions that providers with a prefix cache pay for. */
export interface Rewrite {
  /** Why; `scope` is a setting or a mode too, `compaction` that the set was chosen again. */
  causes: ('scope' | 'server' | 'definition' | 'unload' | 'compaction' | 'gate')[]
  /** Provider names that the model saw before and does not see now. */
  withdrawn: Array<string>
  /** Provider names of attached tools that are back. */
  returned: Array<string>
  /** Provider names whose definition changed. */
  changed: Array<string>
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
  /** Which rule of the gate decided; `over-limit`: all would be attached, and `maxTools` is fewer. Absent before the first turn. */
  rule?: 'threshold' | 'kill-switch' | 'over-threshold' | 'over-limit'
  /** The ranker of this turn; `lexical` when nothing had to be ranked. */
  ranker: Ranker
  /** Why the ranker is not the one asked for. */
  degraded?: Degraded
  /** Provider names of all attached tools, in the order of attachment. Those that are out of scope now keep their place. */
  attached: Array<string>
  /** Provider names of the tools in the directory, which the model asks for by name; without those that are attached by now. */
  directory: Array<string>
  /** Those that this turn added. */
  added: Array<string>
  /** The function definition of `mcp_load` as JSON text; `null` in mode `all`. */
  mcpLoad: string | null
  /** How many tools are in scope. */
  scopedCount: number
  /** The turn, from 1. */
  turn: number
  /** Whether later turns add nothing by what they say. What comes into scope is still attached. */
  frozen: boolean
  /** Pins and best-ranked tools that a limit left out. */
  notAttached: Array<NotAttached>
  /** Tools among `added` that came along with others, which need them. */
  companions: Array<CompanionOf>
  /** What the selection costs. */
  tokens: TokenReceipt
  /** How likely any tool in scope serves the text, from 0 to 1; absent when nothing was ranked. */
  evidence?: number
  /** Set when the list of definitions changed besides growing at its end. */
  rewrite?: Rewrite
  /** The task's host mode when `settings.hostModes` lacks it: nothing is in scope then. */
  unknownHostMode?: string
  /** Set when the message was too long. */
  queryCut?: QueryCut
}

/** A part of 1 to 25 tools of a server of more than 30, divided by what its tools are about. */
export interface ServerModule {
  /** What it is loaded and unloaded by: the server's name, `/`, and a word or a few of its tools. */
  name: string
  serverName: string
  /** What is in it, in one line: its first tools. */
  description: string
  /** How many of its tools are on and in scope. */
  toolCount: number
  /** How many of them the session has attached; 0 without a session. */
  attachedCount: number
  /** Those tools: what others need first, then what finds, then the rest. */
  tools: Array<ToolRef>
}

/** Servers in scope, best first. The order is total, and the same on every run. */
export interface ServerRanking {
  /** The servers. */
  servers: Array<RankedServer>
  /** What they were ranked by. */
  ranker: Ranker
  /** Why they were not ranked as asked. */
  degraded?: Degraded
  /** How many servers were ranked: those with a tool in scope. */
  candidateCount: number
  /** How many of them match something in the query. */
  supportedCount: number
  /** How likely any tool of them serves the query, from 0 to 1; entries do not raise it. */
  evidence: number
  /** Set when the query was too long. */
  queryCut?: QueryCut
}

/** What the definitions of one server cost. */
export interface ServerTokens {
  serverName: string
  /** Tokens of all its definitions in scope. */
  scoped: number
  /** Tokens of its attached definitions. */
  attached: number
  /** How many of its tools are attached. */
  attachedCount: number
}

/** Vectors that came with the model: of tools of well-known servers, which need not be computed. */
export interface ShippedVectors {
  /** How many there are. */
  count: number
  /** How many were used since the model was loaded. */
  used: number
  /** Why none is used: the file is damaged, or was made for another model. All vectors are computed then. */
  refused?: string
}

/** The state of the router, for an indicator. */
export interface Status {
  /** `cold`: no model was asked for. `loading`: it loads, or vectors are missing. `degraded`: see `lastError`. */
  state: 'cold' | 'loading' | 'ready' | 'degraded'
  /** What a ranking with `ranker: 'hybrid'` would use now. */
  ranker: Ranker
  /** Why that is not `hybrid`, or not by all vectors. */
  degraded?: Degraded
  /** The active embedder. */
  embedder?: EmbedderInfo
  /** The vectors that came with the model, if any did. */
  shippedVectors?: ShippedVectors
  /** The last failure of the embedder, until it succeeds again; or of a call that this thread made to set one. */
  lastError?: string
  /** Active servers. */
  serverCount: number
  /** Their tools, including those that are off. */
  toolCount: number
  /** How many of the tools have vectors. */
  vectorCount: number
  /** Open sessions. */
  sessionCount: number
  /** Increases with each change of the catalogue. */
  generation: number
}

/** What one term of a query contributed to a tool's score. */
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
  /** The definition of `mcp_load`, without the directory. */
  mcpLoad: number
  /** The directory, in the text of `mcp_load` or in messages; 0 without one. */
  directory: number
  /** `scoped` minus `attached`, `mcpLoad` and `directory`, or 0. */
  saved: number
  /** The most that a dynamic first selection may cost; a dynamic task adds nothing beyond twice that. */
  budget: number
  /** The same by server, in catalogue order. */
  servers: Array<ServerTokens>
  /** What the task's tools have cost since its conversation began, at a provider that caches. */
  ledger: CacheLedger
}

/** A tool, identified by its server's name and its own name. */
export interface ToolRef {
  serverName: string
  /** The tool's name, as its server gave it. */
  toolName: string
}

/** A tool that was asked for by name and is unavailable, or that was found and does not fit. */
export interface UnavailableTool {
  /** The name that was asked for; of several needs, the one that nothing fits. */
  name: string
  /** Why it is unavailable. */
  reason: 'unknown' | 'disabled' | 'out-of-scope' | 'server-gone' | 'tool-gone' | 'over-limit' | 'over-budget' | 'nothing-fits'
  /** Provider names that are similar to an unknown name. */
  near: Array<string>
}

/** The answer of {@link Session.unload}. */
export interface UnloadResult {
  /** Provider names that are taken away. */
  unloaded: Array<string>
  /** Names as asked for that were not attached. */
  notAttached: Array<string>
}

/** The uses that {@link ToolRouter.persistUses} found. */
export interface UseHistory {
  /** Uses that are remembered now. */
  useCount: number
  /** Why the file was read as empty, or cannot be written. */
  warning?: string
}
