// The item of the status bar, with its hover.

import * as vscode from 'vscode'

import { type StatusState, statusWords } from './status-words'

export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('toolRouter.status', vscode.StatusBarAlignment.Right, 100)

  constructor() {
    this.#item.name = 'MCP Tool Router'
  }

  update(state: StatusState): void {
    const { isShown, text, spoken, isWarning, lines } = statusWords(state)
    const item = this.#item
    item.text = text
    item.accessibilityInformation = { label: spoken, role: 'button' }
    item.backgroundColor = isWarning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined
    item.command = isWarning ? 'toolRouter.scope.focus' : 'toolRouter.showTools'
    item.tooltip = new vscode.MarkdownString(lines.join('\n\n'), true)
    if (isShown) item.show()
    else item.hide()
  }

  /** The extension cannot work here. */
  fail(reason: string): void {
    const item = this.#item
    item.text = '$(warning) MCP Tool Router'
    item.tooltip = reason
    item.accessibilityInformation = { label: `MCP Tool Router: ${reason}`, role: 'button' }
    item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground')
    item.command = 'toolRouter.showLog'
    item.show()
  }

  dispose(): void {
    this.#item.dispose()
  }
}
