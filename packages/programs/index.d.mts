import type { Session, ToolRef, ToolRouter } from '@zoo-code/tool-router'

/** What a tool does to the world. */
export type ToolKind = 'read' | 'write' | 'destructive'

/** What `tools/call` of an MCP server answers, as far as a program reads it. */
export interface ProgramCallResult {
  /** Is the value of the call, where there is any. */
  structuredContent?: unknown
  /** Text is the value otherwise, parsed where it is a JSON object or array. Of what is not text a program sees the kind. */
  content?: { type: string; text?: string; mimeType?: string; resource?: { text?: string } }[]
  /** An error is thrown in the program. */
  isError?: boolean
}

/** How far a program may go. Each has a default, {@link DEFAULT_LIMITS}, and bounds that docs/results-and-programs.md lists. */
export interface Limits {
  /** Milliseconds from start to end; time in which `approve` is awaited does not count. @default 60000 */
  timeMs: number
  /** Milliseconds in which `approve` answers; the call is refused afterwards. @default 300000 */
  askMs: number
  /** Milliseconds in which the program itself computes. @default 5000 */
  computeMs: number
  /** Bytes of memory of the program. @default 67108864 */
  memoryBytes: number
  /** Calls, searches, descriptions and finds together. @default 100 */
  calls: number
  /** Calls under way at the same time; others wait. @default 8 */
  concurrentCalls: number
  /** Characters that reach the model, printed and returned; what is longer is held, up to 4,000,000. @default 16000 */
  outputCharacters: number
  /** Levels of the arguments of a call. @default 64 */
  argumentDepth: number
  /** Characters of the arguments of a call, as JSON. @default 262144 */
  argumentCharacters: number
  /** Characters of the result of a call, as JSON. @default 8388608 */
  resultCharacters: number
}

/** The limits where nothing is said. */
export const DEFAULT_LIMITS: Readonly<Limits>

/** A call that may destroy something, for the one who is asked. */
export interface ApprovalRequest extends ToolRef {
  kind: ToolKind
  /** The arguments that will be sent. */
  arguments: Record<string, unknown>
  /** Aborted when the program ends meanwhile. */
  signal: AbortSignal
}

/** Options of {@link runProgram}. */
export interface ProgramOptions {
  /**
   * Makes a call that was checked: `tools/call` of the server that has the tool. `signal` is aborted when the program
   * ends before its call.
   */
  call: (
    tool: ToolRef,
    // biome-ignore lint/suspicious/noExplicitAny: arguments are what the tool's schema says
    args: Record<string, any>,
    options: { signal: AbortSignal },
  ) => Promise<ProgramCallResult | string>
  /**
   * Asks the user about a call of what may destroy something, for one call after the other; only `true` lets it be made.
   * Without it such a call ends the program, as a refusal does.
   */
  approve?: (request: ApprovalRequest) => boolean | Promise<boolean>
  /** Ends the program. */
  signal?: AbortSignal
  /** Told before each call. */
  progress?: (told: { calls: number; tool: ToolRef }) => void
  /** What the program finds as `parameters`; JSON. @default {} */
  parameters?: unknown
  /** Replaces single defaults. */
  limits?: Partial<Limits>
  /**
   * What a tool does, where the host knows it better than the tool's annotations and the words of its name; undefined for
   * those.
   */
  kindOf?: (tool: ToolRef) => ToolKind | undefined
  /** The router of the session. @default ToolRouter.shared() */
  router?: ToolRouter
}

/** A call of a program. */
export interface ProgramCall extends ToolRef {
  kind: ToolKind
  /**
   * `done`: it was answered. `failed`: it was answered with an error, or not at all; whether it took effect is unknown.
   * `under-way`: the program ended before its answer; unknown too. `refused`: it was not made.
   */
  state: 'done' | 'failed' | 'under-way' | 'refused'
}

/** Why a program ended early. */
export type ProgramReason =
  | 'too-long'
  | 'syntax'
  | 'threw'
  | 'time'
  | 'compute'
  | 'memory'
  | 'stack'
  | 'calls'
  | 'output'
  | 'stalled'
  | 'refused'
  | 'cancelled'
  | 'broke'

/** The outcome of a program. */
export interface ProgramResult {
  /** Whether it came to its end within its limits. */
  ok: boolean
  /**
   * What the model gets: what was printed and returned; of a program that ended early why, which calls were made, and what
   * has taken effect.
   */
  text: string
  /**
   * Set where what it printed and returned is longer than `outputCharacters`: `text` is then its beginning, and
   * {@link Session.readResult} reads the rest by this handle.
   */
  handle?: string
  /** What it returned; JSON. Absent where it returned nothing or ended early. */
  value?: unknown
  /** What it printed, up to 4,000,000 characters. */
  printed: string
  /** Set when it ended early. */
  problem?: { reason: ProgramReason; message: string }
  /** Its calls of tools, in their order. */
  calls: ProgramCall[]
  /** Milliseconds in which it computed itself. */
  computeMs: number
  /** Milliseconds from start to end. */
  elapsedMs: number
}

/**
 * Runs JavaScript that a model wrote, in a sandbox: `quickjs-emscripten`, an optional peer dependency, in a thread of its
 * own. The program calls the tools of the session, and only what it returns or prints reaches the model.
 *
 * Every call is a call: of a tool in scope, with arguments that {@link Session.checkCall} accepts, approved where it may
 * destroy something, and recorded as a use. A program attaches nothing. What it does wrong is an answer for the model and
 * no error.
 *
 * @param session - a session that was started
 * @param code - the body of an async function; up to 131,072 characters
 * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`; `ERR_RUNTIME_NOT_FOUND` without `quickjs-emscripten`; `ERR_BUSY` when
 * eight programs run and 64 wait
 * @example
 * ```ts
 * const { text } = await runProgram(session, "return (await tools.github.list_issues({ repo: 'acme/web' })).length", { call })
 * ```
 */
export function runProgram(session: Session, code: string, options: ProgramOptions): Promise<ProgramResult>

/**
 * The definition of a tool that runs programs, for hosts that offer it to their model: about 100 tokens.
 *
 * @param name - what it is called. @default 'run_program'
 */
export function programTool(name?: string): { name: string; description: string; inputSchema: object }

/** Starts a thread ahead of the first program, which then begins within milliseconds. */
export function warmPrograms(): Promise<void>

/** Ends the threads that wait for programs. They end by themselves after a minute, and keep no process alive. */
export function closePrograms(): Promise<void>
