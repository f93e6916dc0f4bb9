// Calls of tools of the servers that this extension starts: the user is asked for each tool by itself, and again when its
// definition has changed. Calls of the editor's own servers go through the editor, which asks as it always does.

import { createHash } from 'node:crypto'

import * as vscode from 'vscode'

import { visible } from '../config/shown'
import type { Hub } from '../servers/hub'

const KEY = 'allowedCalls'
/** As much of the arguments as a dialog shows. */
const MAX_SHOWN = 2_000
const WINDOW = 'Always in This Window'
const WORKSPACE = 'Always in This Workspace'

export class Approvals {
  readonly #ofWindow = new Set<string>()

  /** @param memory that of the workspace */
  constructor(
    readonly hub: Hub,
    readonly memory: vscode.Memento,
  ) {}

  /** Whether a call may be made: the user has said so before, says so now, or is asked by the editor. */
  async ask(serverName: string, toolName: string, args: object): Promise<boolean> {
    const server = this.hub.serverOf(serverName)
    if (server?.source === 'editor') return true
    const definition = server?.tools.find(({ name }) => name === toolName)
    const key = createHash('sha256')
      .update(JSON.stringify([server?.source, serverName, definition ?? toolName]))
      .digest('hex')
    const kept = this.memory.get<string[]>(KEY) ?? []
    if (this.#ofWindow.has(key) || kept.includes(key)) return true
    const whole = visible(JSON.stringify(args)).length > MAX_SHOWN ? shortened(args) : JSON.stringify(args, null, 2)
    const title = `Call ${toolName} of ${serverName}?`
    const way = await vscode.window.showWarningMessage(
      title,
      { modal: true, detail: shownLines(whole) },
      'Call',
      WINDOW,
      WORKSPACE,
    )
    if (way === WINDOW) this.#ofWindow.add(key)
    if (way === WORKSPACE) await this.memory.update(KEY, [...kept, key])
    return way !== undefined
  }
}

/** Each argument by itself and the shortest first, so that a long one hides none of the others. */
function shortened(args: object): string {
  const lines = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value) ?? ''}`)
  lines.sort((a, b) => a.length - b.length)
  const most = Math.max(60, Math.floor(MAX_SHOWN / Math.max(1, lines.length)))
  return lines
    .map((line) => (line.length > most ? `${line.slice(0, most)}… (${line.length - most} more characters)` : line))
    .join('\n')
}

const shownLines = (text: string) => text.split('\n').map(visible).join('\n')
