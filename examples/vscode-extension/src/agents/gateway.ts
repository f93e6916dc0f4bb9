// SPDX-License-Identifier: Apache-2.0
//
// Offers the servers of the files to the editor's agents as one MCP server with few tools, when the user wishes. It has
// what the view has: a server or tool that is switched off there ends here too, while the gateway runs.

import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, unwatchFile, watchFile, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import * as vscode from 'vscode'

import { accessDenied, type Consent } from '../config/consent'
import type { ConfigFiles, Configured } from '../config/files'
import type { Inputs } from '../config/inputs'
import { scopeOf } from '../scope'
import { configuration, isInMode, mode, read } from '../settings'
import { gatewayFile, type Variable } from './gateway-config'
import { type Live, liveFile, readLive } from './gateway-live'

const LABEL = 'MCP Tool Router'
/** How often it is looked at what a running gateway has shown. */
const LOOK_MS = 2_000

export class Gateway implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>()
  readonly #shown = new vscode.EventEmitter<void>()
  /** A gateway that runs has shown its client another list, has started, or has ended. */
  readonly onDidShow = this.#shown.event
  readonly #file: string
  #isWatched = false
  #written = ''
  #variables: Variable[] = []
  #names = new Set<string>()

  /**
   * @param storage a folder of this workspace
   * @param program what the editor starts
   */
  constructor(
    readonly files: ConfigFiles,
    readonly inputs: Inputs,
    readonly consent: Consent,
    readonly storage: vscode.Uri,
    readonly program: string,
  ) {
    this.#file = join(storage.fsPath, 'gateway.json')
  }

  /** What a running gateway has shown its client. */
  get live(): Live | undefined {
    return this.isWanted ? readLive(this.#file) : undefined
  }

  get isWanted(): boolean {
    return configuration().get<boolean>('gateway') === true && accessDenied() === undefined
  }

  /** Servers that it would have, and that wait for the user to allow them. */
  get asking(): Configured[] {
    if (!this.isWanted) return []
    return this.files.read().servers.filter((server) => !this.consent.has(server) && !scopeOf(server).disabled)
  }

  register(): vscode.Disposable {
    return vscode.lm.registerMcpServerDefinitionProvider('toolRouter.gateway', {
      onDidChangeMcpServerDefinitions: this.#changed.event,
      provideMcpServerDefinitions: () => this.definitions(),
      resolveMcpServerDefinition: (definition) => this.resolve(definition as vscode.McpStdioServerDefinition),
    })
  }

  /** Files, settings or the user's consent have changed: a gateway that runs follows. */
  update(): void {
    if (this.isWanted && !this.#isWatched) {
      this.#isWatched = true
      watchFile(liveFile(this.#file), { interval: LOOK_MS, persistent: false }, () => this.#shown.fire())
    }
    const before = this.#written
    this.#write()
    if (this.#written !== before) this.#changed.fire()
  }

  definitions(): vscode.McpStdioServerDefinition[] {
    const { servers, settings } = this.#write()
    if (servers === 0) return []
    // Servers are followed while it runs; what is given at its start makes it another version.
    const given = this.#variables.map(({ name, server, id }) => [name, this.inputs.get(server, id) !== undefined])
    const version = createHash('sha256')
      .update(JSON.stringify([settings, given]))
      .digest('hex')
      .slice(0, 12)
    // In the desktop editor the program of the host is Electron, which is Node with this variable.
    const env = { ELECTRON_RUN_AS_NODE: '1' }
    const definition = new vscode.McpStdioServerDefinition(
      LABEL,
      process.execPath,
      [this.program, this.#file],
      env,
      version,
    )
    definition.cwd = vscode.Uri.file(dirname(this.#file))
    return [definition]
  }

  /** How to log in to one of its servers; absent while it has none of that name. */
  loginTerminal(name: string): vscode.TerminalOptions | undefined {
    this.update()
    if (!this.#names.has(name)) return undefined
    const cli = join(dirname(require.resolve('@zoo-code/tool-router/package.json')), 'gateway', 'cli.mjs')
    const shellArgs = [cli, 'login', name, '--config', this.#file]
    return { name: `Log in to ${name}`, shellPath: process.execPath, shellArgs, env: { ELECTRON_RUN_AS_NODE: '1' } }
  }

  /** The editor starts it: what its servers ask for is asked for now. One without its input is left out. */
  async resolve(definition: vscode.McpStdioServerDefinition): Promise<vscode.McpStdioServerDefinition> {
    for (const { name, server, id } of this.#variables) {
      if (this.inputs.get(server, id) === undefined) await this.inputs.ask(server, id)
      const value = this.inputs.get(server, id)
      if (value !== undefined) definition.env[name] = value
    }
    return definition
  }

  #write(): { servers: number; settings: string } {
    const { hostModes, searchK, searchTurns } = read()
    const current = hostModes?.[mode() ?? '']
    const isUsed = (server: Configured) => this.isWanted && this.consent.has(server) && isInMode(current, server.name)
    const settings = { searchK, mode: searchTurns === 0 ? ('static' as const) : ('dynamic' as const) }
    const { file, variables } = gatewayFile(this.files.read().servers, { scopeOf, isUsed, settings })
    this.#variables = variables
    this.#names = new Set(Object.keys(file.mcpServers))
    const text = JSON.stringify(file, null, 2)
    if (text !== this.#written && (this.isWanted || this.#written !== '')) {
      mkdirSync(dirname(this.#file), { recursive: true })
      writeFileSync(`${this.#file}.new`, text, { mode: 0o600 })
      renameSync(`${this.#file}.new`, this.#file)
      this.#written = text
    }
    return { servers: Object.keys(file.mcpServers).length, settings: JSON.stringify(settings) }
  }

  dispose(): void {
    unwatchFile(liveFile(this.#file))
    this.#shown.dispose()
    this.#changed.dispose()
  }
}

/** A folder for files of this workspace, also where no folder is open. */
export const storageOf = ({ storageUri, globalStorageUri }: vscode.ExtensionContext): vscode.Uri =>
  storageUri ?? vscode.Uri.joinPath(globalStorageUri, 'no-workspace')
