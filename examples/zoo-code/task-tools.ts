// SPDX-License-Identifier: Apache-2.0
//
// The MCP tools of the host's tasks: a session per task. A turn never fails because of tools: what does not work is reported,
// and the task has all tools, as before the router, or those that it had.

import type { LoadResult, Session, ToolId, ToolRouter } from '../../index.js'
import type { FunctionTool, Problem, ProblemListener, TaskLike, TaskStore } from './host.js'
import type { HubTools } from './hub.js'

interface OpenTask {
  session: Session
  /** What `session.tools()` was last, as text and parsed: equal text is parsed once. */
  text: string
  tools: FunctionTool[]
  /** What the session has taken over: the catalogue, and the mode. */
  version: number
  mode: string | null
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
      await (session.selection === null ? session.start(text) : session.turn(text))
      await this.#save(task, session)
    })
  }

  /**
   * The MCP tools of the task's next request, for every place that builds tools: the request, the system prompt's count,
   * condensing, and what the model may call. Before the first text, and in tasks from before the update, all tools.
   */
  async definitions(task: TaskLike): Promise<FunctionTool[]> {
    await this.hub.refresh()
    const { version } = this.hub
    await this.#inTurn(task, 'turn', async (open) => {
      const mode = this.#mode(task)
      if (open.version === version && open.mode === mode) return
      if (open.session.selection === null) open.session.setHostMode(mode)
      else await open.session.sync({ hostMode: mode })
      Object.assign(open, { version, mode })
    })
    return this.#render(await this.#open(task))
  }

  /** Answers the model's `mcp_load`. What it loaded is in the definitions of the next request. */
  async load(task: TaskLike, argsJson: string): Promise<string> {
    const open = await this.#open(task)
    await this.#last.get(task.taskId)
    try {
      const result = await open.session.load(argsJson)
      await this.#save(task, open.session)
      return describeLoad(result)
    } catch (error) {
      // The model wrote the arguments, so it is the one who can correct them.
      return `mcp_load failed: ${toError(error).message}`
    }
  }

  /**
   * The tool behind a name that the model called; `undefined` where the task does not have it: the model may have guessed
   * the name, or the mode may forbid the server. The call itself stays with the host, and its approval.
   */
  async resolve(task: TaskLike, providerName: string): Promise<ToolId | undefined> {
    const open = await this.#open(task)
    const tool = open.session.resolveTool(providerName)
    const same = (other: ToolId | null) => other?.serverName === tool?.serverName && other?.toolName === tool?.toolName
    const isAttached = this.#render(open).some(({ function: { name } }) => same(open.session.resolveTool(name)))
    return tool && isAttached ? tool : undefined
  }

  /** A call of a tool has succeeded: later tasks prefer it a little. */
  async used(task: TaskLike, tool: ToolId): Promise<void> {
    await this.#inTurn(task, 'turn', ({ session }) => session.recordUse(tool))
  }

  /** The conversation was condensed: the provider's cache is lost anyway, so the tools are chosen again. */
  async condensed(task: TaskLike, summary: string): Promise<void> {
    await this.#inTurn(task, 'turn', async ({ session }) => {
      if (session.selection !== null) await session.compact(summary)
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
    return mode !== undefined && Object.hasOwn(this.router.settings.hostModes ?? {}, mode) ? mode : null
  }

  #render(open: OpenTask): FunctionTool[] {
    const text = open.session.tools()
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

const fresh = (session: Session): OpenTask => ({ session, text: '[]', tools: [], version: -1, mode: null })

/** What the model reads as the answer to its `mcp_load`. */
export function describeLoad({
  loaded,
  alreadyAttached,
  unavailable,
  matched,
  truncated,
  nothingFits,
}: LoadResult): string {
  const lines: string[] = []
  if (loaded.length > 0) lines.push('Loaded; from the next step on you can call:')
  for (const { name, description } of loaded) lines.push(`- ${name}: ${description}`)
  if (alreadyAttached.length > 0) lines.push(`Attached before: ${alreadyAttached.join(', ')}`)
  for (const { name, reason, near } of unavailable) {
    lines.push(`Not available: ${name} (${reason})${near.length > 0 ? `; near names: ${near.join(', ')}` : ''}`)
  }
  if (truncated) lines.push(`${matched} tools matched; only the best are loaded. Ask more precisely for others.`)
  if (nothingFits) lines.push(nothingFits.message)
  return lines.length > 0 ? lines.join('\n') : 'No tool matches; ask in other words, or go on without.'
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
