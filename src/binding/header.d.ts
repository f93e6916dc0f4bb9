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
// biome-ignore lint/suspicious/noEmptyInterface: its members come from the rows of the settings
export interface Settings {
  // Written by scripts/generate.mjs from src/settings/rows.rs.
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

/** Options of {@link ToolRouter.compactSchema}: the tool that the schema is of. */
export interface CompactSchemaOptions {
  name?: string
  description?: string
  /** Whether descriptions, titles and examples stay. @default true */
  descriptions?: boolean
}

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
