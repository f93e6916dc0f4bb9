// The task of the window: which tools it has and since when. It survives a reload of the window.

import type {
  CallCheck,
  LoadResult,
  ReadResultOptions,
  RenderedRequest,
  Selection,
  Session,
  ToolRouter,
} from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { Later } from '../later'
import { messageOf, type RouterSettings } from '../router'
import { mode } from '../settings'
import { costOf, sentCounts } from './words'

/** How a tool came to be attached, and in which turn. */
export interface Origin {
  how: 'selected' | 'loaded'
  turn: number
}

interface Saved {
  state: string
  origins: [string, Origin][]
}

const KEY = 'task'
export class Task implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChange = this.#changed.event
  #session: Session
  #origins = new Map<string, Origin>()
  /** Turns, loads and changes of a task follow each other. */
  #last: Promise<unknown> = Promise.resolve()
  #lastText: string | undefined
  /** Whether a model has been asked with the tools of this task; otherwise its numbers are what they would be. */
  isUsed = false
  /** Whether a result was too long for a model, so that it has one to read on. */
  hasHeld = false
  readonly #later = new Later(() => this.sync())
  #settings: string

  constructor(
    readonly router: ToolRouter,
    readonly memory: vscode.Memento,
  ) {
    this.#session = router.openSession({ hostMode: mode() ?? undefined })
    this.#settings = JSON.stringify(router.settings)
  }

  /** Goes on with the task from before the window was reloaded. */
  async restore(): Promise<void> {
    const saved = this.memory.get<Saved>(KEY)
    if (!saved) return
    try {
      const session = await this.router.restoreSession(saved.state)
      this.#session.close()
      this.#session = session
      this.#origins = new Map(saved.origins)
    } catch (error) {
      console.warn(`the task is not restored: ${messageOf(error)}`) // damaged or from a later version
    }
    this.#changed.fire()
  }

  get id(): string {
    return this.#session.id
  }

  /** What is attached; `null` before the first text. */
  get selection(): Selection | null {
    return this.#session.selection
  }

  /** The definitions for a request to a model, as JSON text. */
  get definitions(): string {
    return this.#session.tools()
  }

  origin(name: string): Origin | undefined {
    return this.#origins.get(name)
  }

  /** A new task; the previous one is forgotten. */
  start(text: string): Promise<Selection> {
    return this.#inTurn(async () => {
      let selection = await this.#begin(text)
      const { mode: how, scopedCount } = selection
      const { sent, every } = costOf(selection)
      // Where choosing costs more than all of them do, all are sent.
      if (how === 'dynamic' && sent >= every) selection = await this.#begin(text, { threshold: scopedCount })
      this.#origins.clear()
      this.isUsed = false
      this.hasHeld = false
      this.#lastText = text
      return this.#note(selection, 'selected')
    })
  }

  #begin(text: string, settings?: RouterSettings): Promise<Selection> {
    this.#session.close()
    this.#session = this.router.openSession({ hostMode: mode() ?? undefined, ...(settings && { settings }) })
    return this.#session.start(text)
  }

  /**
   * The next message of the task, or its first one.
   *
   * @param contextTokens what the conversation holds so far: a provider writes it to its cache again when the list changes
   */
  turn(text: string, contextTokens?: number): Promise<Selection> {
    const { selection } = this
    if (selection === null) return this.start(text)
    return this.#inTurn(async () => {
      this.#lastText = text
      return this.#note(await this.#session.turn(text, { contextTokens }), 'selected')
    })
  }

  /** What a model asks for with `mcp_load`. */
  load(query: string, contextTokens?: number): Promise<LoadResult> {
    return this.#inTurn(async () => {
      const result = await this.#session.load({ query }, { contextTokens })
      const selection = this.#session.selection
      if (selection) this.#note({ ...selection, added: result.loaded.map(({ name }) => name) }, 'loaded')
      return result
    })
  }

  /** Takes tools away from the task. */
  unload(names: string[]): Promise<unknown> {
    return this.#inTurn(async () => {
      const result = await this.#session.unload(names)
      this.#save()
      this.#changed.fire()
      return result
    })
  }

  /** A model is asked with its tools. */
  use(): void {
    if (this.isUsed) return
    this.isUsed = true
    this.#changed.fire()
  }

  /** The tools and further messages of the next request to a model, as the setting `delivery` says. */
  render(): RenderedRequest {
    // While nothing is chosen the model has all tools as such, whatever the delivery.
    const isChosen = this.selection?.mode === 'dynamic'
    const rendered = this.#session.render(isChosen ? {} : { delivery: 'append' })
    this.#save() // what was said is not said again after a reload
    return rendered
  }

  /** The answer to the model's call of `mcp_load`, as the delivery takes it. */
  answerLoad(result: LoadResult, callId: string): string {
    return this.#session.answerLoad(result, { callId })
  }

  /** A result as the model gets it, as JSON text: unchanged, or described where it is too long. */
  async shown({ content, isError }: { content: unknown; isError?: boolean }): Promise<string> {
    const result = { content: Array.isArray(content) ? content : [], ...(isError === true && { isError }) }
    const held = await this.#session.holdResult(result)
    if (held) {
      this.hasHeld = true
      return held.text
    }
    return JSON.stringify(isError === true ? { isError, content } : content)
  }

  /** What a model asks of a result that was too long. */
  async readResult(handle: string, asked: ReadResultOptions): Promise<string> {
    return (await this.#session.readResult(handle, asked)).text
  }

  /** Checks what a model wants to call: whether it has the tool, and whether the arguments fit. */
  check(name: string, args: object): Promise<CallCheck> {
    return this.#session.checkCall({ name, arguments: args as Record<string, unknown> })
  }

  resolve(name: string) {
    return this.#session.resolveTool(name)
  }

  async used(name: string): Promise<void> {
    await this.#session.recordUse(name).catch(() => {}) // gone meanwhile: there is nothing to remember
  }

  /** Servers or settings have changed: soon, and once for many changes. */
  follow(): void {
    this.#later.soon()
  }

  async sync(): Promise<void> {
    await this.#inTurn(async () => {
      const settings = JSON.stringify(this.router.settings)
      const isOther = settings !== this.#settings
      this.#settings = settings
      const before = this.selection
      if (before !== null) {
        let selection = await this.#session.sync({ hostMode: mode() })
        // Attached tools stay in a running task. Where the user changed a setting to have fewer, they are chosen again.
        const isChosenNow = before.mode === 'all' && selection.mode === 'dynamic'
        if (isOther && isChosenNow) selection = await this.#session.compact()
        else if (isPoorer(before, selection)) selection = await this.#refill(selection)
        this.#note(selection, 'selected')
      }
      this.#changed.fire()
    }).catch((error: unknown) => console.warn(`the task: ${messageOf(error)}`))
  }

  /** Most of the tools have gone with their servers: others take their place, for what the user said last. */
  async #refill(selection: Selection): Promise<Selection> {
    return this.#lastText === undefined ? selection : await this.#session.turn(this.#lastText)
  }

  #note(selection: Selection, how: Origin['how']): Selection {
    for (const name of selection.added) this.#origins.set(name, { how, turn: selection.turn })
    this.#save()
    this.#changed.fire()
    return selection
  }

  #save(): void {
    const saved: Saved = { state: JSON.stringify(this.#session), origins: [...this.#origins] }
    void this.memory.update(KEY, saved)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }

  dispose(): void {
    this.#later.dispose()
    this.#session.close()
    this.#changed.dispose()
  }
}

/** Whether a task has lost more than half of its tools. */
const isPoorer = (before: Selection, now: Selection) =>
  before.mode === 'dynamic' && now.mode === 'dynamic' && sentCounts(now).sent < sentCounts(before).sent / 2
