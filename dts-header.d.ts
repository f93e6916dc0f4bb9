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

