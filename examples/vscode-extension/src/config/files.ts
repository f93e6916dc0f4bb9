// SPDX-License-Identifier: Apache-2.0
//
// The files that say which servers there are: .vscode/mcp.json of each folder, and the user's own, next to the settings.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'

import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import * as vscode from 'vscode'

import { messageOf } from '../router'

/** A server as a file has it, not looked at yet. */
export interface Configured {
  name: string
  source: 'project' | 'global'
  /** What relative paths and `${workspaceFolder}` refer to. */
  workspace: string
  entry: unknown
  /** The `inputs` of its file, by id. */
  inputs: Map<string, { description?: string; password?: boolean }>
}

/** Reads the files and tells when one changes. */
export class ConfigFiles implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChange = this.#changed.event
  readonly #disposables: vscode.Disposable[] = [this.#changed]
  #watchers: vscode.Disposable[] = []
  /** The servers of each file when it was last without a mistake. */
  readonly #whole = new Map<string, Record<string, unknown>>()

  constructor(readonly storage: vscode.Uri) {
    const again = () => {
      this.#watch()
      this.#changed.fire()
    }
    this.#watch()
    this.#disposables.push(
      vscode.workspace.onDidChangeWorkspaceFolders(again),
      vscode.workspace.onDidGrantWorkspaceTrust(again),
    )
  }

  /** The user's file: the extension's storage is at User/globalStorage/<id>. */
  get userFile(): vscode.Uri {
    return vscode.Uri.joinPath(this.storage, '..', '..', 'mcp.json')
  }

  #files(): { file: vscode.Uri; source: Configured['source']; workspace: string }[] {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file')
    const own = folders.map(({ uri }) => ({
      file: vscode.Uri.joinPath(uri, '.vscode', 'mcp.json'),
      source: 'project' as const,
      workspace: uri.fsPath,
    }))
    const workspace = folders[0]?.uri.fsPath ?? homedir()
    return [...own, { file: this.userFile, source: 'global', workspace }]
  }

  /** The servers of all files in their order, and what is wrong with files. */
  read(): { servers: Configured[]; problems: string[] } {
    const servers = new Map<string, Configured>()
    const problems: string[] = []
    for (const { file, source, workspace } of this.#files()) {
      const text = readText(file)
      if (text === undefined) continue
      const errors: ParseError[] = []
      const json: unknown = parse(text, errors, { allowTrailingComma: true })
      const [error] = errors
      const at = error && `line ${text.slice(0, error.offset).split('\n').length}`
      if (error) problems.push(`${file.fsPath}, ${at}: ${printParseErrorCode(error.error)}`)
      if (source === 'project' && !vscode.workspace.isTrusted) {
        problems.push(`${file.fsPath}: its servers start when the workspace is trusted`)
        continue
      }
      const { servers: own, mcpServers: others, inputs } = (json ?? {}) as Record<string, unknown>
      const list = Array.isArray(inputs) ? inputs.filter((input) => typeof input?.id === 'string') : []
      const byId = new Map(list.map((input) => [input.id as string, input]))
      const entries = { ...(others as object), ...(own as object) }
      // A file that is being written, or typed, stops no server.
      if (error) Object.assign(entries, { ...this.#whole.get(file.fsPath), ...entries })
      else this.#whole.set(file.fsPath, entries)
      for (const [name, entry] of Object.entries(entries)) {
        const key = `${source} ${name}`
        if (!servers.has(key)) servers.set(key, { name, source, workspace, entry, inputs: byId })
      }
    }
    return { servers: [...servers.values()], problems }
  }

  #watch(): void {
    for (const watcher of this.#watchers) watcher.dispose()
    this.#watchers = this.#files().map(({ file }) => {
      const pattern = new vscode.RelativePattern(vscode.Uri.joinPath(file, '..'), 'mcp.json')
      const watcher = vscode.workspace.createFileSystemWatcher(pattern)
      const changed = () => this.#changed.fire()
      watcher.onDidChange(changed)
      watcher.onDidCreate(changed)
      watcher.onDidDelete(changed)
      return watcher
    })
  }

  dispose(): void {
    for (const disposable of [...this.#watchers, ...this.#disposables]) disposable.dispose()
  }
}

function readText(file: vscode.Uri): string | undefined {
  try {
    return readFileSync(file.fsPath, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') console.warn(messageOf(error))
    return undefined
  }
}
