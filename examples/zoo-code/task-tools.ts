// SPDX-License-Identifier: Apache-2.0
//
// The MCP tools of the host's tasks: a session per task. A turn never fails because of tools: what does not work is reported,
// and the task has all tools, as before the router, or those that it had.

import type { Session, ToolId, ToolRouter } from '../../index.js'
import type {
  Call,
  FunctionTool,
  LoadAnswer,
  Problem,
  ProblemListener,
  TaskLike,
  TaskRequest,
  TaskStore,
  TextMessage,
} from './host.js'
import type { HubTools } from './hub.js'

interface OpenTask {
  session: Session
  /** The list of tools that was rendered last, as text and parsed: equal text is parsed once. */
  text: string
  tools: FunctionTool[]
  /** Messages that no request has had yet. */
  messages: TextMessage[]
  /** The user's last text, with which a switch of the mode chooses again. */
  lastText?: string
  /** What the session has taken over: the catalogue, and the mode. */
  version: number
  mode: string | null | undefined
}

export class TaskTools {
  readonly #tasks = new Map<string, Promise<OpenTask>>()
  /** Turns, loads and changes of a task follow each other. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(
    readonly router: ToolRouter,
    readonly hub: HubTools,
    readonly store: TaskStore,
    readonly onProblem: ProblemListener,
  ) {}

  /**
   * Takes the user's text where it arrives, which is a synchronous function. The next {@link definitions} waits for it.
   * Tool results and the host's own texts are no texts of the user.
   */
  noteUserText(task: TaskLike, text: string): void {
    void this.#inTurn(task, 'turn', async (open) => {
      const { session } = open
      const context = { contextTokens: task.contextTokens }
      await this.#followMode(open, task)
      await (session.selection === null ? session.start(text, context) : session.turn(text, context))
      open.lastText = text
      await this.#save(task, session)
    })
  }

  /** What the task's next request has: its tools, and messages to add behind the newest one. Once for each request. */
  async request(task: TaskLike): Promise<TaskRequest> {
    const tools = await this.definitions(task)
    const open = await this.#open(task)
    const messages = open.messages.splice(0)
    if (messages.length > 0) await this.#save(task, open.session) // what was said is not said again
    return { tools, messages }
  }

  /**
   * The MCP tools of the task, for every other place that builds tools: the system prompt's count, condensing, and what the
   * model may call. Before the first text, and in tasks from before the update, all tools.
   */
  async definitions(task: TaskLike): Promise<FunctionTool[]> {
    await this.hub.refresh()
    const { version } = this.hub
    await this.#inTurn(task, 'turn', async (open) => {
      await this.#followMode(open, task)
      if (open.version === version) return
      if (open.session.selection !== null) await open.session.sync({ contextTokens: task.contextTokens })
      open.version = version
    })
    return this.#render(await this.#open(task))
  }

  /** Another mode has other servers: the tools are chosen again with the user's last text, in the way of a new task. */
  async #followMode(open: OpenTask, task: TaskLike): Promise<void> {
    const { session, lastText } = open
    const mode = this.#mode(task)
    if (open.mode === mode) return
    const isFirst = open.mode === undefined
    open.mode = mode
    if (session.selection === null) return void session.setHostMode(mode)
    const { mode: gate } = await session.sync({ hostMode: mode, contextTokens: task.contextTokens })
    if (!isFirst && gate === 'dynamic' && lastText !== undefined) await session.compact(lastText)
  }

  /** Answers the model's `mcp_load`. What it loaded can be called in the next request. */
  async load(task: TaskLike, argsJson: string, callId = 'mcp_load'): Promise<LoadAnswer> {
    const open = await this.#open(task)
    await this.#last.get(task.taskId)
    try {
      const result = await open.session.load(argsJson, { contextTokens: task.contextTokens })
      const [message] = JSON.parse(open.session.answerLoad(result, { callId })) as { content: string }[]
      await this.#save(task, open.session)
      return { text: message?.content ?? '', loaded: result.loaded }
    } catch (error) {
      // The model wrote the arguments, so it is the one who can correct them.
      return { text: `mcp_load failed: ${toError(error).message}`, loaded: [] }
    }
  }

  /**
   * What a call of the model means, by a tool's name or through `mcp_call`: the tool and its arguments, or what is wrong and
   * what to do about it, for the model. The call itself stays with the host, and its approval.
   */
  async check(task: TaskLike, name: string, argsJson: string): Promise<Call> {
    const { session } = await this.#open(task)
    try {
      const isThrough = name === MCP_CALL && session.resolveTool(name) === null
      const { name: inner, arguments: args = {} } = isThrough ? JSON.parse(argsJson) : { name, arguments: argsJson }
      const { tool, arguments: checked, problem } = await session.checkCall({ name: inner, arguments: args })
      if (problem || !tool) return { problem: problem?.message ?? `${inner} is unknown` }
      return { tool, arguments: JSON.parse(checked ?? '{}') }
    } catch (error) {
      return { problem: `${name} failed: ${toError(error).message}` }
    }
  }

  /** A call of a tool has succeeded: later tasks prefer it a little. */
  async used(task: TaskLike, tool: ToolId): Promise<void> {
    await this.#inTurn(task, 'turn', ({ session }) => session.recordUse(tool))
  }

  /** The conversation was condensed: the provider's cache is lost anyway, so the tools are chosen again. */
  async condensed(task: TaskLike, summary: string): Promise<void> {
    await this.#inTurn(task, 'turn', async (open) => {
      const { session } = open
      if (session.selection !== null) await session.compact(summary)
      open.messages = [] // the next request says again what is chosen now
      await this.#save(task, session)
    })
  }

  /** A subtask has a window of its own, and prefers what its parent has. */
  async fork(parent: TaskLike, task: TaskLike): Promise<void> {
    const { session } = await this.#open(parent)
    const fork = session.fork({ sessionId: task.taskId, hostMode: this.#mode(task) })
    this.#tasks.set(task.taskId, Promise.resolve(fresh(fork)))
  }

  /** Forgets a task. Its saved state stays, and the next call resumes it. */
  async close(taskId: string): Promise<void> {
    const opening = this.#tasks.get(taskId)
    await this.#last.get(taskId)
    this.#tasks.delete(taskId)
    this.#last.delete(taskId)
    const open = await opening
    open?.session.close()
  }

  #open(task: TaskLike): Promise<OpenTask> {
    const known = this.#tasks.get(task.taskId)
    if (known) return known
    const opening = this.#session(task).then(fresh)
    this.#tasks.set(task.taskId, opening)
    opening.catch(() => this.#tasks.delete(task.taskId)) // the next call tries again
    return opening
  }

  async #session(task: TaskLike): Promise<Session> {
    try {
      const state = await this.store.read(task.taskId)
      if (state !== undefined) {
        // Looked at before: restoring it would take the place of that task's open session.
        const { sessionId } = JSON.parse(state)
        if (sessionId !== task.taskId) throw new Error(`the state is that of task ${sessionId}`)
        return await this.router.restoreSession(state)
      }
    } catch (error) {
      this.#report('state', task, error) // damaged or from a later version: the task starts again
    }
    return this.router.openSession({ sessionId: task.taskId, hostMode: this.#mode(task) ?? undefined })
  }

  /** A mode without rules is none. */
  #mode({ mode }: TaskLike): string | null {
    return Object.hasOwn(this.router.settings.hostModes ?? {}, mode) ? mode : null
  }

  #render(open: OpenTask): FunctionTool[] {
    const { session } = open
    // While nothing is chosen the list is the host's own, whatever the delivery.
    const isChosen = session.selection?.mode === 'dynamic'
    const { tools: text, messages } = isChosen ? session.render() : { tools: session.tools(), messages: '[]' }
    open.messages.push(...(JSON.parse(messages) as TextMessage[]))
    if (text !== open.text) Object.assign(open, { text, tools: JSON.parse(text) })
    return open.tools
  }

  #inTurn(task: TaskLike, where: Problem['where'], work: (open: OpenTask) => Promise<unknown>): Promise<unknown> {
    const before = this.#last.get(task.taskId) ?? Promise.resolve()
    const done = before.then(() => this.#open(task)).then(work)
    const settled = done.catch((error) => this.#report(where, task, error))
    this.#last.set(task.taskId, settled)
    return settled
  }

  async #save(task: TaskLike, session: Session): Promise<void> {
    await this.store.write(task.taskId, JSON.stringify(session)).catch((error) => this.#report('store', task, error))
  }

  #report(where: Problem['where'], { taskId }: TaskLike, error: unknown): void {
    this.onProblem({ where, taskId, error: toError(error) })
  }
}

const MCP_CALL = 'mcp_call'

const fresh = (session: Session): OpenTask => ({
  session,
  text: '[]',
  tools: [],
  messages: [],
  version: -1,
  mode: undefined,
})

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
