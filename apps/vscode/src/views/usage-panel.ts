// The webview of the context usage panel, drawn again when the task changes.

import type { ToolRouter } from '@zoo-code/tool-router/internal'
import * as vscode from 'vscode'

import type { Hub } from '../servers/hub'
import type { Task } from '../task/task'
import { type Order, ORDERS, usage } from './usage'
import { SORT, usageHtml } from './usage-html'

export class UsagePanel implements vscode.Disposable {
  #panel: vscode.WebviewPanel | undefined
  #shown = ''
  #order: Order | undefined
  readonly #sorting = vscode.commands.registerCommand(SORT, (order: unknown) => {
    this.#order = ORDERS.find((each) => each === order)
    return this.update()
  })

  constructor(
    readonly router: ToolRouter,
    readonly task: Task,
    readonly hub: Hub,
    readonly extensionUri: vscode.Uri,
  ) {}

  async show(): Promise<void> {
    if (this.#panel) return this.#panel.reveal()
    const media = vscode.Uri.joinPath(this.extensionUri, 'media')
    const options = { enableScripts: false, enableCommandUris: [SORT], localResourceRoots: [media] }
    this.#panel = vscode.window.createWebviewPanel(
      'toolRouter.usage',
      'Context Usage',
      vscode.ViewColumn.Active,
      options,
    )
    const icon = (paper: string) => vscode.Uri.joinPath(media, `tools-${paper}.svg`)
    this.#panel.iconPath = { light: icon('light'), dark: icon('dark') }
    this.#panel.onDidDispose(() => {
      this.#panel = undefined
      this.#shown = ''
    })
    await this.update()
  }

  async update(): Promise<void> {
    const webview = this.#panel?.webview
    if (!webview) return
    const { router, task, hub } = this
    const numbers = await usage(router, task.selection, hub.servers, task.isUsed, hub.ownCount, this.#order)
    const style = webview.asWebviewUri(vscode.Uri.joinPath(this.extensionUri, 'media', 'usage.css'))
    const html = usageHtml(numbers, String(style), webview.cspSource)
    // The same page again would lose the reader's place.
    if (html === this.#shown || this.#panel?.webview !== webview) return
    this.#shown = html
    webview.html = html
  }

  dispose(): void {
    this.#sorting.dispose()
    this.#panel?.dispose()
  }
}
