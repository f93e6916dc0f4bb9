// The files that say which servers there are: .vscode/mcp.json of each folder, and the user's own, next to the settings.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'

import * as vscode from 'vscode'

import { messageOf } from '../router'
import { type Content, readText } from './text'

/** A server as a file has it, not looked at yet. */
export interface Configured {
  name: string
  source: 'project' | 'global'
  /** The file's path. */
  file: string
  /** What relative paths and `${workspaceFolder}` refer to. */
  workspace: string
  entry: unknown
  /** The `inputs` of its file, by id. */
  inputs: Content['inputs']
}

/** Whether an entry of the user's own file does something else in each workspace: it names a place in it. */
const namesWorkspace = (entry: unknown): boolean => {
  const { command, cwd, envFile } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<
    string,
    unknown
  >
  const isRelative = (place: unknown) => typeof place === 'string' && /^\.\.?([\\/]|$)/.test(place)
  return [command, cwd, envFile].some(isRelative) || /\$\{workspaceFolder/.test(JSON.stringify(entry) ?? '')
}

/** Whether a server is the user's own in every workspace, so that it is allowed once and its inputs are typed once. */
export const isEverywhere = ({ source, entry }: Configured): boolean => source === 'global' && !namesWorkspace(entry)

/** Which server of which file it is: what the user gave or allowed is remembered by this. */
export const placeOf = (server: Configured) => {
  const { source, file, workspace, name } = server
  return JSON.stringify([source, file, isEverywhere(server) ? '' : workspace, name])
}

/** What it would do. Where the entry says anything else, the user is asked again. */
export const markOf = ({ entry }: Configured) =>
  createHash('sha256')
    .update(JSON.stringify(entry) ?? '')
    .digest('hex')

/** A mistake in a file, or why its servers do not start. */
export interface Problem {
  file: string
  text: string
  line?: number
}

/** Reads the files and tells when one changes. */
export class ConfigFiles implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChange = this.#changed.event
  readonly #disposables: vscode.Disposable[] = [this.#changed]
  #watchers: vscode.Disposable[] = []
  /** Each file as it was when it was last without a mistake. */
  readonly #whole = new Map<string, Content>()

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
    // A folder that is not trusted must not be where a server of the user finds its program.
    const workspace = (vscode.workspace.isTrusted && folders[0]?.uri.fsPath) || homedir()
    return [...own, { file: this.userFile, source: 'global', workspace }]
  }

  /** The servers of all files in their order, and what is wrong with files. */
  read(): { servers: Configured[]; problems: Problem[] } {
    const servers = new Map<string, Configured>()
    const problems: Problem[] = []
    for (const { file, source, workspace } of this.#files()) {
      const text = contentOf(file)
      if (text === undefined) continue
      const content = readText(text)
      if (content.problem) problems.push({ file: file.fsPath, ...content.problem })
      if (source === 'project' && !vscode.workspace.isTrusted) {
        const count = Object.keys(content.entries).length
        if (count > 0) problems.push({ file: file.fsPath, text: `its servers (${count}) need a trusted workspace` })
        continue
      }
      if (!content.problem) this.#whole.set(file.fsPath, content)
      // A file that is being written, or typed, neither stops a server nor starts half of one.
      const { entries, inputs } = (content.problem && this.#whole.get(file.fsPath)) || content
      for (const [name, entry] of Object.entries(entries)) {
        const key = `${source} ${name}`
        if (!servers.has(key)) servers.set(key, { name, source, file: file.fsPath, workspace, entry, inputs })
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

function contentOf(file: vscode.Uri): string | undefined {
  try {
    return readFileSync(file.fsPath, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') console.warn(messageOf(error))
    return undefined
  }
}
