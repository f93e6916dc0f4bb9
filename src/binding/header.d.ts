// Which MCP tools a task gets, from the first line to the last:
//
//   ToolRouter.shared()                     the router of this process
//     .setServer(server)                    McpServer with its McpTools; answers what changed, with warnings
//     .configure(settings)                  Settings; docs/settings.md has them as a table
//     .loadModel()  .setEmbedder(embed)     rank by meaning too, in the background; .embedTexts(texts) is for your own index
//     .rank(query)  .explain(query, tool)   one ranking without a task, and why
//     .openSession(options)                 a Session: the state of one task
//       .start(text)  .turn(text)           a Selection: what is attached now, and its cost
//       .tools()  .render(pair)             what to send to the model: ProviderTools
//       .load(args)  .answerLoad(result)    the model called mcp_load
//       .checkCall(call)  .recordUse(tool)  the model called a tool; .readResult() reads what .holdResult() held
//     .restoreSession(text)                 takes up what JSON.stringify(session) saved
//
// A call that fails throws or rejects with a ToolRouterError. Below: the classes, their arguments, their answers.

/**
 * What every failing call throws or rejects with. Switch on `code`; `message` names the field, what was expected and
 * what was received.
 */
export interface ToolRouterError extends Error {
  name: 'ToolRouterError'
  code: ToolRouterErrorCode
}

/** What {@link ToolRouter.toolKind} reads of a tool; a tool as its server lists it is one. */
export interface HintedTool {
  name: string
  description?: string | null
  /** Hints of another type than a boolean count as not given. */
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean } | null
}

/**
 * Why the native addon could not be loaded; `undefined` if it was. Importing this package never throws: where the addon cannot
 * be loaded, `ToolRouter.shared()` throws this, and a host that has asked goes on without the router.
 */
export const loadError: LoadError | undefined

/** An error of loading the native addon. `message` has what the system's loader said. */
export interface LoadError extends Error {
  name: 'ToolRouterError'
  code: LoadErrorCode
}

/**
 * The codes of {@link LoadError}: there is no build for this platform; or there is one, and its package is not installed,
 * is of another version, or cannot be loaded by this system.
 */
export type LoadErrorCode = 'ERR_PLATFORM_UNSUPPORTED' | 'ERR_ADDON_LOAD'

/** The codes of a {@link ToolRouterError}, those of {@link LoadError} included. README says what to do about each. */
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

/**
 * Why an answer is lexical although vectors were asked for; or `vectors-pending`: it is by those that exist, or lexical
 * while they are few; or `catalogue-pending`: more than 64 tools are being set, and the answer uses the previous catalogue.
 */
export type DegradedReason =
  | 'model-not-loaded'
  | 'model-loading'
  | 'vectors-pending'
  | 'embedding-failed'
  | 'deadline-exceeded'
  | 'catalogue-pending'

/** Where a server was configured. A project's server hides a global server of the same name. */
export type ServerSource = 'project' | 'global'

/** JSON as text, or as a plain object that is converted to text once (`JSON.stringify` keeps the order of its keys). */
export type JsonInput = string | object

/**
 * One tool, as returned by `tools/list`: pass it unchanged, other fields are ignored. A field near one of these is a
 * warning of {@link ToolRouter.setServer}, and in a literal a compile error.
 */
export interface McpTool {
  /** The tool's name, 1 to 512 bytes. */
  name: string
  title?: string
  /** What it does. At most 256 KiB. */
  description?: string
  /** The JSON schema of its input, kept byte for byte when given as text. At most 4 MiB. Absent means no input. */
  inputSchema?: JsonInput
  /** Hints about the tool. */
  annotations?: ToolHints
  /**
   * Metadata. Two hints are read: `"anthropic/searchHint"`, which is indexed, and `"anthropic/alwaysLoad": true`, by which the
   * tool asks to be always attached. It counts where `ownPins` of its server says so.
   */
  _meta?: object
  /**
   * As `_meta["anthropic/alwaysLoad"]`: a server can write it into its answer. To pin a tool yourself, name it in `alwaysLoad`
   * of its server. @default false
   */
  alwaysLoad?: boolean
  /** `false` hides the tool from models. @default true */
  enabledForPrompt?: boolean
  /** Text that is indexed instead of the description, and never shown. */
  searchDescription?: string
}

/** What a server says about a tool, as MCP has it. Only `readOnlyHint` and `destructiveHint` are read. */
export interface ToolHints {
  title?: string
  /** Whether the tool changes nothing. */
  readOnlyHint?: boolean
  /** Whether the tool may destroy something. */
  destructiveHint?: boolean
  /** Whether calling the tool again changes nothing more. */
  idempotentHint?: boolean
  /** Whether the tool reaches beyond the machine. */
  openWorldHint?: boolean
}

/**
 * What a registry says about a server besides what its tools say: how people talk about it. All of it is indexed, and
 * none of it is shown to a model.
 */
export interface ServerEntry {
  /** The server's name for people. At most 512 bytes. */
  name?: string
  /** What the server is for. At most 16 KiB. */
  description?: string
  /** Tags that say what the server can do: at most 100, each of at most 200 bytes. */
  capabilities?: string[]
  /**
   * Requests that need this server, as a user would write them: at most 100, each of at most 1,000 bytes. Of all fields
   * they do most to get the server found.
   */
  syntheticQueries?: string[]
}

/** One server with its tools. Setting it again replaces it; unchanged tools keep their vectors and token counts. */
export interface McpServer {
  /** The server's name, 1 to 512 bytes. */
  name: string
  /**
   * What `tools/list` returned: at most 5,000 tools, an empty list for a server without any. Only a disabled server may leave
   * it out; for any other that is `ERR_INVALID_ARGUMENT`, and nothing changes.
   */
  tools?: McpTool[]
  /** Where the server was configured. @default 'global' */
  source?: ServerSource
  /**
   * Its place among the host's servers, from 0 to 100,000. Tools are listed, rendered together and, on equal scores, ranked in this
   * order; servers without a place come after the others, project before global, then by name. @default none
   */
  position?: number
  /** Turns all of its tools off. @default false */
  disabled?: boolean
  /** The instructions that the server sent in `initialize`. */
  instructions?: string
  /**
   * Exactly these tools are on, and `disabledTools` is ignored. An empty list allows any tool, as if left out; `'none'`
   * allows none.
   */
  onlyAllow?: string[] | 'none'
  /** Tools that are off. */
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

/**
 * Which servers a host mode may use. `allowedMcpServers`, even when empty, takes precedence over `blockedMcpServers`.
 */
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
// biome-ignore lint/suspicious/noEmptyInterface: its members come from the rows of the settings
export interface Settings {
  // Written by scripts/generate.mjs from src/settings/rows.rs.
}

/** Options of {@link ToolRouter.setServers}. */
export interface SetServersOptions {
  /** Removes every server that is not in the call. @default false */
  replace?: boolean
}

/** A server of a scope: its name, or its name with those of the tools that may be used. What is left out does not exist there. */
export type ServerScope = string | { name: string; tools: string[] }

/** Options of {@link ToolRouter.rank} and {@link ToolRouter.explain}. */
export interface RankOptions {
  /** How many tools to return, 1 to 1,000. @default `settings.searchK` */
  topK?: number
  /** What to rank by. @default `settings.ranker` */
  ranker?: Ranker
  /** The host mode whose scope applies. */
  hostMode?: string
  /** Ranks only these servers' tools, within the scope. */
  servers?: ServerScope[]
  /** How long to wait for the query's vector, in milliseconds. @default `settings.deadlineMs` */
  deadlineMs?: number
}

/** Options of {@link ToolRouter.rankServers}. */
export interface ServerRankOptions {
  /** How many servers to return, 1 to 1,000. @default 5 */
  topK?: number
  /** What to rank by. @default `settings.ranker` */
  ranker?: Ranker
  /** The host mode whose scope applies. */
  hostMode?: string
  /** Ranks only these servers, within the scope. */
  servers?: ServerScope[]
  /** How long to wait for the query's vector, in milliseconds. @default `settings.deadlineMs` */
  deadlineMs?: number
  /** How many tools to return per server, 0 to 1,000. @default 5 */
  toolsPerServer?: number
}

/** Options of {@link ToolRouter.loadModel}. */
export interface LoadModelOptions {
  /**
   * A model of fastembed by its name, such as `'BGESmallENV15Q'`, instead of the model package. docs/installing.md names
   * them. Its files are taken from `modelCacheDir`, and compared with the hashes that they are kept under.
   */
  model?: string
  /**
   * Downloads the model's files if they are missing or damaged: from `HF_ENDPOINT`, or from https://huggingface.co if that
   * variable is not set. Needs `model`. @default false
   */
  download?: boolean
  /**
   * The folder for models by name, in the layout of Hugging Face's own cache. Needs `model`. @default
   * `zoo-tool-router/models` in the user's cache folder
   */
  modelCacheDir?: string
  /** The folder with `model.onnx`, `tokenizer.json` and `model.json`. @default the folder of the model package */
  modelDir?: string
  /** The ONNX Runtime library. @default the library next to the addon */
  runtimePath?: string
  /** The folder for cached vectors, or `false` for none. @default `zoo-tool-router` in the user's cache folder */
  cacheDir?: string | false
  /** How many threads compute one embedding, 1 to 64. @default 1 */
  threads?: number
  /** Keeps vectors for several machines. @default none */
  vectorStore?: VectorStore
  /** Ends loading and downloading: the call rejects with its reason, and the previous embedder stays active. */
  signal?: AbortSignal
}

/**
 * Vectors of tools that several machines share: what one has embedded the others read. What the store lacks, or fails at, is
 * embedded in the process. Vectors that came with the model or are on disk are not asked for, and those of requests never are.
 */
export interface VectorStore {
  /**
   * Answers the vectors that it has, one per key in the same order, within 5 seconds; where it does not, it
   * is not asked for a minute. Anything else than a vector of the model's length stands for none.
   */
  read: (keys: VectorKey[]) => Promise<(EmbedderVector | null)[]> | (EmbedderVector | null)[]
  /** Takes vectors that were computed. Nobody waits for it, and what it throws is ignored. */
  write: (vectors: ComputedVector[]) => Promise<void> | void
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
  /** Keeps vectors for several machines; needs `modelId`. @default none */
  vectorStore?: VectorStore
  /** Ends setting it: the call rejects with its reason, and the previous embedder stays active. */
  signal?: AbortSignal
}

/** Options of {@link ToolRouter.ready}. */
export interface ReadyOptions {
  /** How long to wait, in milliseconds, 0 to 3,600,000. @default 600000 */
  timeoutMs?: number
  /** Ends the wait: the call rejects with its reason. */
  signal?: AbortSignal
}

/** Options of {@link ToolRouter.openSession}. */
export interface SessionOptions {
  /** An id that the host chooses. @default a new id */
  sessionId?: string
  /** The mode of `settings.hostModes` whose scope applies to the task. */
  hostMode?: string
  /** Only these servers, within the scope; they may be set later. It is part of the saved state. @default all servers */
  servers?: ServerScope[]
  /** Settings of this task that differ from the router's. */
  settings?: Settings
}

/** Options of {@link Session.start}. */
export interface StartOptions extends ContextOptions {
  /** Where the task works. @default nothing is known */
  workspace?: Workspace
}

/**
 * What a host knows about where a task works. It leans the first ranking towards servers that it names, by a quarter of the
 * best score at most, and only among tools that the text matches. Nothing of it is stored, logged or told.
 */
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

/** Options of {@link Session.sync}. */
export interface SyncOptions {
  /** Another host mode, or `null` for none. @default the one that the session has */
  hostMode?: string | null
  /** As in {@link ContextOptions}. */
  contextTokens?: number
}

/** Whose requests definitions are shaped for. */
export type Provider = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'bedrock' | 'vscode'

/** How tools that are attached later reach the model. {@link Session.render} says which provider takes which. */
export type Delivery = 'append' | 'defer' | 'changes' | 'call' | 'program'

/** Prices of tokens, where a token that is neither written to the cache nor read from it costs 1. */
export interface CachePrices {
  /** Written to the cache, 0 to 100. @default 1.25 of `anthropic` and `bedrock`, otherwise 1 */
  write?: number
  /** Read from the cache, 0 to 100. @default 0.25 of `openai-chat`, otherwise 0.1 */
  read?: number
}

/** What the host knows about the request that comes next. */
export interface ContextOptions {
  /**
   * Tokens of the system prompt and of the conversation so far: what the provider writes to its cache again when the
   * list of tools changes. At most 100,000,000. @default the number that was last given, until a
   * compaction
   */
  contextTokens?: number
}

/** Options of {@link ToolRouter.listModules}. */
export interface ListModulesOptions {
  /** Only the modules of these servers. */
  servers?: ServerScope[]
}

/** Options of {@link ToolRouter.advise}. */
export interface AdviseOptions {
  /** The session whose account {@link Advice.cache} holds. @default none */
  sessionId?: string
  /** How much longer a turn may take, in milliseconds, from 0 to 60,000. @default no limit */
  maxAddedMs?: number
  /** How many tools a task calls, for {@link Advice.ways}, from 1 to 1,000. @default 8 */
  calls?: number
  /** What a call and its result add to the conversation, in tokens, from 0 to 1,000,000. @default 1,500 */
  resultTokens?: number
}

/** A provider with a delivery that it takes. What is left out is `settings.provider` and `settings.delivery`. */
export type ProviderDelivery =
  | { provider?: 'anthropic'; delivery?: Delivery }
  | { provider: 'openai-responses'; delivery?: 'append' | 'defer' | 'call' | 'program' }
  | { provider: 'openai-chat' | 'gemini' | 'bedrock' | 'vscode'; delivery?: 'append' | 'call' }

/** Options of {@link Session.render}. */
export type RenderOptions = ProviderDelivery

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
  | 'patterns-removed'
  | 'parameters-described'

/** Options of {@link ToolRouter.acceptedSchema}. */
export interface AcceptedSchemaOptions {
  /** Whose rules bind; those of all providers by default. */
  provider?: ProviderDelivery['provider']
  /**
   * Leaves `anyOf`, `oneOf`, `allOf`, `not` and `enum` at the root: for clients of MCP 2026-07-28, whose schemas may have them.
   * Default false.
   */
  keepComposition?: boolean
  /** The tool's description: parameters that a schema may not name are said in it. */
  description?: string
}

/** Options of {@link Session.answerLoad} and {@link Session.answerReroute}. */
export type AnswerLoadOptions = ProviderDelivery & {
  /** The id of the model's call of `mcp_load` or `report_missing_capability`, at most 1,024 bytes. */
  callId: string
}

/** A value of JSON. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/** A JSON schema of a tool's arguments, as its server sent it. */
export type InputSchema = { [keyword: string]: JsonValue }

/** The same with the type at its root, which Messages and Converse demand. */
export type ObjectSchema = InputSchema & { type: 'object'; required?: string[] }

/**
 * What `tools` of a request holds, by provider: `JSON.parse(session.render({ provider: 'anthropic' }).tools)` is a
 * `ProviderTools['anthropic']`, and `JSON.parse(session.tools())` is a `ProviderTools['openai-chat']`.
 */
export interface ProviderTools {
  /** Chat Completions. */
  'openai-chat': ChatTool[]
  /** Responses. */
  'openai-responses': (ResponsesTool | ResponsesSearch | ResponsesPrograms)[]
  /** Messages. */
  anthropic: (MessagesTool | MessagesPrograms)[]
  /** `tools` of Gemini's `config`. */
  gemini: GeminiTools[]
  /** `toolConfig.tools` of Converse. */
  bedrock: ConverseTool[]
  /** `tools` of a request to a language model of VS Code. */
  vscode: VscodeTool[]
}

/** A function of OpenAI's Chat Completions. */
export interface ChatTool {
  /** What kind of tool it is. */
  type: 'function'
  /** The function. */
  function: {
    /** The name that the model calls. */
    name: string
    /** What it does. */
    description: string
    /** The schema of its arguments. */
    parameters: InputSchema
  }
}

/** A function of OpenAI's Responses. */
export interface ResponsesTool {
  /** What kind of tool it is. */
  type: 'function'
  name: string
  description: string
  /** The schema of its arguments. */
  parameters: InputSchema
  /** Off: schemas of servers are seldom in the strict subset. */
  strict: false
  /** Whether it stays outside of what the provider caches until the model finds it. */
  defer_loading?: true
  /** Who may call it, with the delivery `program`. */
  allowed_callers?: ('direct' | 'programmatic')[]
}

/** The tool of OpenAI's Responses that runs programs, with the delivery `program`. */
export interface ResponsesPrograms {
  /** What kind of tool it is. */
  type: 'programmatic_tool_calling'
}

/** The tool of OpenAI's Responses by which a model searches, with the deliveries `defer` and `program`. */
export interface ResponsesSearch {
  /** What kind of tool it is. */
  type: 'tool_search'
  /** Who searches. */
  execution: 'client'
  description: string
  /** The schema of its arguments. */
  parameters: InputSchema
}

/** A tool of Anthropic's Messages. */
export interface MessagesTool {
  name: string
  description: string
  /** The schema of its arguments. */
  input_schema: ObjectSchema
  /** Whether it stays outside of what the provider caches until a message refers to it. */
  defer_loading?: true
  /** Who may call it, with the delivery `program`. */
  allowed_callers?: ('direct' | 'code_execution_20260120')[]
}

/** The tool of Anthropic's Messages that runs programs, with the delivery `program`. */
export interface MessagesPrograms {
  /** What kind of tool it is. */
  type: 'code_execution_20260120'
  name: 'code_execution'
}

/** Functions of Gemini. */
export interface GeminiTools {
  /** All of them. */
  functionDeclarations: {
    /** The name that the model calls. */
    name: string
    /** What it does. */
    description: string
    /** The schema of its arguments. */
    parametersJsonSchema: InputSchema
  }[]
}

/** A tool of Converse. */
export interface ConverseTool {
  /** The tool. */
  toolSpec: {
    /** The name that the model calls. */
    name: string
    /** What it does; absent where its server says nothing. */
    description?: string
    /** The schema of its arguments. */
    inputSchema: { json: ObjectSchema }
  }
}

/** A tool as VS Code's language models take it. */
export interface VscodeTool {
  name: string
  description: string
  /** The schema of its arguments. */
  inputSchema: InputSchema
}

/** A call by name for {@link Session.checkCall}. */
export interface ToolCall {
  /** The name that the model called. */
  name: string
  /** The arguments: an object, or JSON text of one. @default {} */
  arguments?: Record<string, unknown> | string
}

/** Options of {@link Session.fork}. */
export interface ForkOptions {
  /** An id of the host's choice. @default a generated one */
  sessionId?: string
  /** Another host mode, or `null` for none. @default that of the parent */
  hostMode?: string | null
}

/** A tool, identified by its server's name and its own name. */
export interface ToolRef {
  serverName: string
  toolName: string
}

/** A tool that is given in a call of {@link ToolRouter.attachInitial} or {@link ToolRouter.search}. */
export interface ScopedTool extends ToolRef {
  description?: string
}

/** A text for {@link ToolRouter.rankTexts}. */
export interface NamedText {
  /** 1 to 512 bytes. */
  name: string
  /** At most 256 KiB. */
  text: string
}

/** Options of {@link ToolRouter.rankTexts}. */
export interface TextRankOptions {
  /** 1 to 1,000. @default all of them, at most 1,000 */
  topK?: number
  /** What to rank by. @default `settings.ranker` */
  ranker?: Ranker
  /** @default `settings.deadlineMs` */
  deadlineMs?: number
}

/** Options of {@link ToolRouter.listTools}. */
export interface ListOptions {
  /** A host mode, whose scope applies. */
  hostMode?: string
  /** Only these servers, within the scope. */
  servers?: ServerScope[]
  /** Lists tools that the configuration keeps off, too. @default false */
  withOff?: boolean
}

/** Options of {@link ToolRouter.signatures}. */
export interface SignatureOptions {
  /** A host mode, whose scope applies. */
  hostMode?: string
  /** Only these servers, within the scope. */
  servers?: ServerScope[]
  /** Only these tools, in this order: provider names, or names of tools with or without their server's. */
  names?: string[]
  /** Whether optional parameters are shown; otherwise `…` stands for them. @default true */
  optional?: boolean
}

/** Options of {@link ToolRouter.nearNames}. */
export interface NearNamesOptions {
  /** A host mode, whose scope applies. */
  hostMode?: string
  /** Only these servers, within the scope. */
  servers?: ServerScope[]
}

/** The arguments of a model's call of `mcp_load`, as an object or as the JSON text that the model wrote. */
export type LoadArgs = { query: string | string[] } | { queries: string[] } | string

/**
 * What a model cannot do with the tools that it has. A model may also write the names with `_`, and `attempted_mcps`
 * for `attemptedServers`, in its JSON text. At most 256 KiB.
 */
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
  /** Why the model thinks so. Not searched for, because it names what was tried. */
  reasoning?: string
}

/**
 * A function for {@link ToolRouter.curate}: in the form of OpenAI's API, or with `name` and `description` at the top
 * level, or a bare name, whose description is taken from the catalogue.
 */
export type CuratedFunction =
  | string
  | { name: string; description?: string; [field: string]: unknown }
  | { function: { name: string; description?: string; [field: string]: unknown }; [field: string]: unknown }

/** Options of {@link ToolRouter.curate}. */
export interface CurateOptions {
  /** Values that differ from `settings.curation`. */
  curation?: Curation
  /** Recent uses by tool name, fractions allowed, instead of those that {@link ToolRouter.recordUse} remembers. */
  recentUses?: Record<string, number>
}

/** The files that {@link ToolRouter.loadCuration} reads. */
export interface CurationFiles {
  /** The file for all projects. */
  globalPath?: string
  /** The file of one project. It overrides the global file key by key. */
  projectPath?: string
}

/** A result of a tool: an object of the protocol, a text, or any JSON. */
export type ToolResult =
  | string
  | {
      content?: object[]
      structuredContent?: unknown
      isError?: boolean
      [key: string]: unknown
    }
  | unknown[]

/** What a text of a result is. */
export type ResultKind = 'json' | 'json-lines' | 'table' | 'log' | 'diff' | 'trace' | 'page' | 'text'

/** Options of {@link ToolRouter.holdResult}. */
export interface HoldResultOptions {
  /** The session that may read the result, and that it is gone with. */
  sessionId: string
  /** A result of no more tokens is not held, and what replaces a longer one has no more. 200 to 1,000,000. @default 4,000 */
  maxTokens?: number
  /** What its description and beginning cost at most. An error may use all of `maxTokens`. 100 to 1,000,000. @default 600 */
  previewTokens?: number
  /**
   * The schema that the client compares `structuredContent` with. It is shortened as far as the schema takes it; where the
   * schema takes nothing shorter, the result is marked as an error, which clients do not compare, and says so. Without
   * a schema, structured content is held with the texts.
   */
  outputSchema?: object | string
  /** Whose result it is, where several sessions are of one client: they have one share of what is held. @default the session */
  client?: string
}

/** Options of {@link Session.readResult}. */
export interface ReadResultOptions {
  /** What is looked for, in a few words of the result. */
  need?: string
  /** Several needs, each with its share of the answer; 10 at most. */
  needs?: string[]
  /** A JSON path, such as `$.items[3].title`, `$.items[*].id`, `$.items[10:20]` or
   * `$.items[?(@.state == "open")]`. With a need: where to look. */
  path?: string
  /** Lines from 1, or elements from 0 of an array at `path`, both ends included: `10-40`, `7`. Not with a need. */
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
      /** Characters of the model's query. */
      queryLength: number
      loadedCount: number
      alreadyAttachedCount: number
      unavailableCount: number
      attachedCount: number
      turn: number
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
      /** What the model did with tools of which it knew the signature alone: {@link Session.load} or {@link Session.checkCall}. */
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
