// SPDX-License-Identifier: Apache-2.0
//
// How an extension host such as Zoo Code puts the router between its MCP hub and its requests.
//
//   McpToolSource   keeps the router's catalogue in step with the hub
//   McpTaskTools    one session a task: which definitions go into a request, mcp_load, calls
//
// Copy it, replace `McpHubLike` by your hub, and import from '@zoo-code/tool-router'. Only types
// are imported here: the router itself is passed in, so one bundle of the host decides which
// copy of the addon is loaded.

import type {
  CatalogueChange,
  LoadResult,
  McpServer,
  McpTool,
  Selection,
  ServerSource,
  Session,
  SessionState,
  Settings,
  ToolId,
  ToolRouter,
} from '../../index.js'

// --- What the host has -----------------------------------------------------------------------

/** What a user wrote about a server in `mcp.json`. */
export interface HubServerConfig {
  disabled?: boolean
  onlyAllow?: string[]
  disabledTools?: string[]
  alwaysLoad?: boolean | string[]
  toolDescriptionOverrides?: Record<string, string>
}

/** A server as the hub holds it. */
export interface HubServer {
  name: string
  source: ServerSource
  status: 'connecting' | 'connected' | 'disconnected'
  /** What `tools/list` answered last. */
  tools: McpTool[]
  /** What the server said about itself in `initialize`. */
  instructions?: string
  config: HubServerConfig
}

/** Something happened to a server. `listChanged` is its `notifications/tools/list_changed`. */
export interface HubEvent {
  kind: 'connected' | 'changed' | 'removed' | 'enabled' | 'disabled' | 'listChanged'
  serverName: string
  source: ServerSource
}

/** What a `tools/call` answered. */
export interface HubResult {
  content: { type: string; text?: string; [field: string]: unknown }[]
  isError?: boolean
  [field: string]: unknown
}

/** What is needed of the host's MCP hub. */
export interface McpHubLike {
  servers(): readonly HubServer[]
  /** Asks a server for its tools anew; `servers()` holds them afterwards. */
  refreshTools(serverName: string, source: ServerSource): Promise<void>
  callTool(serverName: string, toolName: string, args: Record<string, unknown>): Promise<HubResult>
  /** Calls the listener from now on; the answer stops that. */
  onEvent(listener: (event: HubEvent) => void): () => void
}

/** Where the host keeps what belongs to a task, beside its messages. */
export interface TaskStore {
  read(taskId: string): Promise<string | undefined>
  write(taskId: string, state: string): Promise<void>
}

/** A task of the host. */
export interface TaskLike {
  taskId: string
  /** The slug of the mode that it begins in, whose scope holds for the whole task. */
  mode?: string
}

/** A tool as a chat completion request takes it. */
export interface FunctionTool {
  type: 'function'
  function: { name: string; description?: string; parameters?: Record<string, unknown> }
}

/** What did not work while the host went on without it. */
export interface Problem {
  /** `list`: tools of a server; `catalogue`: the router refused them; the others: of a task. */
  where: 'list' | 'catalogue' | 'state' | 'store' | 'turn' | 'usage'
  serverName?: string
  taskId?: string
  error: Error
}

export type ProblemListener = (problem: Problem) => void

// --- The catalogue -----------------------------------------------------------------------------

export interface McpToolSourceOptions {
  onProblem: ProblemListener
  /** Hears of each change, for a log or an indicator. */
  onChange?: (serverName: string, change: CatalogueChange) => void
  /** Events of one server within this time count as one. @default 50 */
  debounceMs?: number
}

/**
 * Keeps the router in step with the hub.
 *
 * Events only say which server to look at: what is set is what the hub holds when the server's
 * turn comes, so events may be lost, doubled or out of order. Updates of one server follow each
 * other; servers do not wait for each other.
 */
export class McpToolSource {
  readonly #router: ToolRouter
  readonly #hub: McpHubLike
  readonly #options: McpToolSourceOptions
  readonly #pending = new Map<string, { timer: ReturnType<typeof setTimeout>; begin: () => void; listAgain: boolean }>()
  readonly #updates = new Map<string, Promise<void>>()
  readonly #held = new Map<string, { name: string; source: ServerSource }>()
  #unsubscribe: (() => void) | undefined
  #disposed = false

  constructor(router: ToolRouter, hub: McpHubLike, options: McpToolSourceOptions) {
    this.#router = router
    this.#hub = hub
    this.#options = options
  }

  /** Takes over the servers that the hub has, and follows it from now on. */
  async start(): Promise<void> {
    this.#unsubscribe ??= this.#hub.onEvent((event) => this.#hear(event))
    await Promise.all(this.#hub.servers().map((server) => this.#enqueue(server.name, server.source, false)))
  }

  /** Resolves once everything heard so far is in the catalogue. */
  async settled(): Promise<void> {
    for (const { begin } of [...this.#pending.values()]) begin()
    await Promise.all(this.#updates.values())
  }

  /** Stops following the hub and takes its servers out of the catalogue. */
  async dispose(): Promise<void> {
    this.#disposed = true
    this.#unsubscribe?.()
    for (const { timer } of this.#pending.values()) clearTimeout(timer)
    this.#pending.clear()
    await Promise.all(this.#updates.values())
    for (const { name, source } of this.#held.values()) await this.#remove(name, source)
  }

  #hear({ kind, serverName, source }: HubEvent): void {
    if (this.#disposed) return
    const key = keyOf(serverName, source)
    const known = this.#pending.get(key)
    if (known) {
      known.listAgain ||= kind === 'listChanged'
      return // the timer is not put off: a server that announces without end is still read
    }
    const begin = () => {
      clearTimeout(timer)
      const listAgain = this.#pending.get(key)?.listAgain ?? false
      this.#pending.delete(key)
      void this.#enqueue(serverName, source, listAgain)
    }
    const timer = setTimeout(begin, this.#options.debounceMs ?? 50)
    this.#pending.set(key, { timer, begin, listAgain: kind === 'listChanged' })
  }

  #enqueue(name: string, source: ServerSource, listAgain: boolean): Promise<void> {
    const key = keyOf(name, source)
    const update = (this.#updates.get(key) ?? Promise.resolve()).then(() => this.#update(name, source, listAgain))
    this.#updates.set(key, update)
    void update.then(() => {
      if (this.#updates.get(key) === update) this.#updates.delete(key)
    })
    return update
  }

  /** Never rejects: a server that fails must not stop the others. */
  async #update(name: string, source: ServerSource, listAgain: boolean): Promise<void> {
    const find = () => this.#hub.servers().find((server) => server.name === name && server.source === source)
    if (listAgain && !this.#disposed && find()?.status === 'connected') {
      try {
        await this.#hub.refreshTools(name, source)
      } catch (error) {
        this.#options.onProblem({ where: 'list', serverName: name, error: toError(error) })
        return // the tools known so far stay
      }
    }
    if (this.#disposed) return
    const server = find()
    if (!server || (server.status === 'disconnected' && server.config.disabled !== true)) {
      await this.#remove(name, source)
    } else if (server.status !== 'connecting') {
      await this.#set(server)
    }
    // A server that connects again keeps its tools meanwhile: taking them out would have every task
    // that uses them write its conversation to the provider's cache again.
  }

  async #set(server: HubServer): Promise<void> {
    this.#held.set(keyOf(server.name, server.source), { name: server.name, source: server.source })
    try {
      this.#tell(server.name, await this.#router.setServer(toMcpServer(server)))
    } catch (error) {
      this.#options.onProblem({ where: 'catalogue', serverName: server.name, error: toError(error) })
    }
  }

  async #remove(name: string, source: ServerSource): Promise<void> {
    if (!this.#held.delete(keyOf(name, source))) return
    try {
      this.#tell(name, await this.#router.removeServer(name, source))
    } catch (error) {
      this.#options.onProblem({ where: 'catalogue', serverName: name, error: toError(error) })
    }
  }

  #tell(serverName: string, change: CatalogueChange): void {
    for (const { toolName, position, reason } of change.refused) {
      const error = new Error(`tool ${toolName || `at position ${position}`} was refused: ${reason}`)
      this.#options.onProblem({ where: 'catalogue', serverName, error })
    }
    this.#options.onChange?.(serverName, change)
  }
}

function keyOf(name: string, source: ServerSource): string {
  return `${source} ${name}`
}

function toMcpServer({ name, source, tools, instructions, config }: HubServer): McpServer {
  const { disabled, onlyAllow, disabledTools, alwaysLoad, toolDescriptionOverrides } = config
  return { name, source, tools, instructions, disabled, onlyAllow, disabledTools, alwaysLoad, toolDescriptionOverrides }
}

// --- Tasks -------------------------------------------------------------------------------------

export interface McpTaskToolsOptions {
  store: TaskStore
  onProblem: ProblemListener
  /** Settings of new tasks that differ from the router's. */
  settings?: Settings
}

interface OpenTask {
  session: Session
  /** Turns and loads of a task follow each other, and so do the states that are saved. */
  last: Promise<unknown>
  /** What `session.tools()` was last, as text and parsed: equal text is parsed once. */
  rendered: { text: string; tools: FunctionTool[] }
}

/** The MCP tools of the host's tasks. */
export class McpTaskTools {
  readonly #router: ToolRouter
  readonly #hub: McpHubLike
  readonly #options: McpTaskToolsOptions
  readonly #tasks = new Map<string, Promise<OpenTask>>()

  constructor(router: ToolRouter, hub: McpHubLike, options: McpTaskToolsOptions) {
    this.#router = router
    this.#hub = hub
    this.#options = options
  }

  /**
   * The definitions for the task's next request, in place of those of all servers: `mcp_load`
   * first when there is one, then the attached tools. Definitions of an earlier request stand
   * unchanged at the beginning, so put the host's own tools before them and nothing in between.
   */
  async getMcpServerTools(task: TaskLike): Promise<FunctionTool[]> {
    return render(await this.#open(task))
  }

  /**
   * Chooses tools for what the user wrote: at the first message of the task the first selection,
   * later what the rolling window adds. `null` when that failed: what is attached stays.
   */
  async onUserMessage(task: TaskLike, text: string): Promise<Selection | null> {
    const open = await this.#open(task)
    return this.#inTurn(open, async () => {
      const { session } = open
      try {
        const selection = session.selection === null ? await session.start(text) : await session.turn(text)
        await this.#save(task, session)
        return selection
      } catch (error) {
        this.#report('turn', task, error)
        return null
      }
    })
  }

  /** Answers the model's `mcp_load`. What it loaded is in the definitions of the next request. */
  async handleMcpLoad(task: TaskLike, argsJson: string): Promise<string> {
    const open = await this.#open(task)
    return this.#inTurn(open, async () => {
      try {
        const result = await open.session.load(argsJson)
        await this.#save(task, open.session)
        return describeLoad(result)
      } catch (error) {
        // The model wrote the arguments, so it is the one who can correct them.
        return `mcp_load failed: ${toError(error).message}`
      }
    })
  }

  /**
   * Calls an attached tool by the name that the model wrote. A tool that the task does not have
   * is not called, though a server offers it: the model may have guessed the name, or the mode
   * may forbid the server. A call that the hub rejects is rejected.
   */
  async callTool(task: TaskLike, providerName: string, args: Record<string, unknown>): Promise<HubResult> {
    const open = await this.#open(task)
    const tool = open.session.resolveTool(providerName)
    if (!tool || !isAttached(open, tool)) {
      const text = `${providerName} is not attached to this task; attach it with mcp_load first`
      return { content: [{ type: 'text', text }], isError: true }
    }
    const result = await this.#hub.callTool(tool.serverName, tool.toolName, args)
    if (result.isError !== true) {
      await open.session.recordUse(tool).catch((error: unknown) => this.#report('usage', task, error))
    }
    return result
  }

  /** Forgets a task. Its saved state stays, and {@link McpTaskTools.onUserMessage} resumes it. */
  async closeTask(taskId: string): Promise<void> {
    const opening = this.#tasks.get(taskId)
    this.#tasks.delete(taskId)
    const open = await opening
    await open?.last
    open?.session.close()
  }

  #open(task: TaskLike): Promise<OpenTask> {
    let opening = this.#tasks.get(task.taskId)
    if (!opening) {
      opening = this.#openSession(task).then((session) => ({
        session,
        last: Promise.resolve(),
        rendered: { text: '[]', tools: [] },
      }))
      this.#tasks.set(task.taskId, opening)
      opening.catch(() => this.#tasks.delete(task.taskId)) // the next call tries again
    }
    return opening
  }

  async #openSession(task: TaskLike): Promise<Session> {
    const state = await this.#options.store.read(task.taskId).catch((error: unknown) => {
      this.#report('store', task, error)
      return undefined
    })
    if (state !== undefined) {
      try {
        const { sessionId } = JSON.parse(state) as SessionState
        // Looked at before: restoring it would take the place of that task's open session.
        if (sessionId !== task.taskId) throw new Error(`the state is that of task ${sessionId}`)
        return await this.#router.restoreSession(state)
      } catch (error) {
        this.#report('state', task, error) // damaged or from a later version: the task starts anew
      }
    }
    const hostMode =
      task.mode !== undefined && Object.hasOwn(this.#router.settings.hostModes ?? {}, task.mode) ? task.mode : undefined
    return this.#router.openSession({ sessionId: task.taskId, hostMode, settings: this.#options.settings })
  }

  #inTurn<T>(open: OpenTask, work: () => Promise<T>): Promise<T> {
    const done = open.last.then(work)
    open.last = done.catch(() => undefined)
    return done
  }

  async #save(task: TaskLike, session: Session): Promise<void> {
    try {
      await this.#options.store.write(task.taskId, JSON.stringify(session))
    } catch (error) {
      this.#report('store', task, error)
    }
  }

  #report(where: Problem['where'], { taskId }: TaskLike, error: unknown): void {
    this.#options.onProblem({ where, taskId, error: toError(error) })
  }
}

function render(open: OpenTask): FunctionTool[] {
  const text = open.session.tools()
  if (text !== open.rendered.text) open.rendered = { text, tools: JSON.parse(text) as FunctionTool[] }
  return open.rendered.tools
}

function isAttached(open: OpenTask, tool: ToolId): boolean {
  return render(open).some(({ function: { name } }) => {
    const attached = open.session.resolveTool(name)
    return attached?.serverName === tool.serverName && attached.toolName === tool.toolName
  })
}

/** What the model reads as the answer to its `mcp_load`. */
export function describeLoad({ loaded, alreadyAttached, unavailable, matched, truncated }: LoadResult): string {
  const lines: string[] = []
  if (loaded.length > 0) {
    lines.push('Loaded; from the next step on you can call:')
    for (const { name, description } of loaded) lines.push(`- ${name}: ${description}`)
  }
  if (alreadyAttached.length > 0) lines.push(`Attached before: ${alreadyAttached.join(', ')}`)
  for (const { name, reason, near } of unavailable) {
    lines.push(`Not available: ${name} (${reason})${near.length > 0 ? `; near names: ${near.join(', ')}` : ''}`)
  }
  if (truncated) lines.push(`${matched} tools matched; only the best are loaded. Ask more precisely for others.`)
  return lines.length > 0 ? lines.join('\n') : 'No tool matches; ask in other words, or go on without.'
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
