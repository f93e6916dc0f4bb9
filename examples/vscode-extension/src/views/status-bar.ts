// SPDX-License-Identifier: Apache-2.0
//
// "N of M MCP tools". Nothing while all tools are attached, unless something is wrong.

import * as vscode from 'vscode'

import type { Model } from '../router'
import type { Hub } from '../servers/hub'
import type { Task } from '../task/task'
import { count, rankerInWords, ruleInWords } from '../task/words'

export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('toolRouter.status', vscode.StatusBarAlignment.Right, 100)

  constructor(
    readonly task: Task,
    readonly hub: Hub,
    readonly model: Model,
  ) {
    this.#item.name = 'MCP Tools'
    this.#item.command = 'toolRouter.showTools'
  }

  /** @param problem a setting that cannot be used */
  update(problem: string | undefined): void {
    const { selection } = this.task
    const status = this.model.status
    const item = this.#item
    item.backgroundColor = problem ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined
    item.command = problem
      ? { title: 'Open settings', command: 'workbench.action.openSettings', arguments: ['toolRouter.'] }
      : 'toolRouter.showTools'
    const icon = problem ? '$(warning)' : status.state === 'loading' ? '$(loading~spin)' : '$(tools)'
    const text = selection
      ? `${count(selection.attached.length)} of ${count(selection.scopedCount)} MCP tools`
      : `${count(status.toolCount)} MCP tools`
    item.text = `${icon} ${text}`
    item.tooltip = this.#tooltip(problem)
    item.accessibilityInformation = { label: problem ? `${text}, ${problem}` : text, role: 'button' }
    const isSmaller = selection !== null && selection.attached.length < selection.scopedCount
    const isChosen = selection ? isSmaller : status.toolCount > (this.model.router.settings.threshold ?? 0)
    if (isChosen || problem) item.show()
    else item.hide()
  }

  #tooltip(problem: string | undefined): vscode.MarkdownString {
    const { selection } = this.task
    const text = new vscode.MarkdownString('', true)
    text.supportThemeIcons = true
    const lines = problem ? [`$(warning) ${problem}`] : []
    if (selection) {
      const { tokens } = selection
      const sent = tokens.attached + tokens.mcpLoad
      const saved = `**${count(tokens.saved)} tokens saved** per request: ${count(sent)} instead of ${count(tokens.scoped)}.`
      lines.push(tokens.saved > 0 ? saved : `${count(sent)} tokens per request.`)
    }
    lines.push(
      selection ? ruleInWords(selection, this.model.router.settings) : 'No task has started: all tools are sent.',
    )
    lines.push(rankerInWords(this.model.status, this.model.failure))
    for (const { name, state, reason } of this.hub.servers) {
      if (state === 'failed' || state === 'waiting')
        lines.push(`$(circle-slash) ${plain(name)}: ${plain(reason ?? state)}`)
    }
    for (const other of this.hub.problems) lines.push(`$(warning) ${plain(other)}`)
    text.appendMarkdown(lines.join('\n\n'))
    return text
  }

  dispose(): void {
    this.#item.dispose()
  }
}

/** Names and messages come from servers: they are shown as they are, never as markup. */
function plain(text: string): string {
  return text.slice(0, 300).replaceAll(/[\\`*_{}[\]()#+!|<>~$&-]/g, '\\$&')
}
