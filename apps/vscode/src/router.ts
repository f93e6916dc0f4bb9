// The router of the process, loaded late: where there is no build for this platform the extension still starts, and says so.

import type { Settings, Status, ToolRouter } from '@zoo-code/tool-router/internal'
import * as vscode from 'vscode'

export function loadRouter(): { router: ToolRouter } | { reason: string } {
  try {
    const module: typeof import('@zoo-code/tool-router/internal') = require('@zoo-code/tool-router/internal')
    if (module.loadError) return { reason: module.loadError.message }
    return { router: module.ToolRouter.shared() }
  } catch (error) {
    return { reason: messageOf(error) }
  }
}

/** Loads or unloads the model, and tells while vectors are made. */
export class Model implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChange = this.#changed.event
  #wanted: 'local' | 'none' | undefined
  #timer: NodeJS.Timeout | undefined
  /** Why there is no model though one is wanted. */
  failure: string | undefined

  constructor(
    readonly router: ToolRouter,
    readonly cacheDir: string,
  ) {}

  /** Whether it was asked for in this window. */
  get isWanted(): boolean {
    return this.#wanted !== undefined
  }

  use(model: 'local' | 'none'): void {
    if (model === this.#wanted) return
    this.#wanted = model
    this.failure = undefined
    const { router, cacheDir } = this
    const done = model === 'local' ? router.loadModel({ cacheDir }) : router.setEmbedder(null)
    done.then(
      () => this.watch(),
      (error: unknown) => {
        this.failure = messageOf(error)
        this.#changed.fire()
      },
    )
    this.watch()
  }

  /** Tells of progress until all vectors exist: after the model was loaded, and after servers were set. */
  watch(): void {
    this.#timer ??= setInterval(() => {
      if (this.status.state !== 'loading') {
        clearInterval(this.#timer)
        this.#timer = undefined
      }
      this.#changed.fire()
    }, 500)
  }

  get status(): Status {
    return this.router.status
  }

  dispose(): void {
    clearInterval(this.#timer)
    this.#changed.dispose()
  }
}

export type RouterSettings = Settings

/** Tells the user what a click could not do. */
export function told(error: unknown): void {
  void vscode.window.showErrorMessage(`MCP Tool Router: ${messageOf(error)}`)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
