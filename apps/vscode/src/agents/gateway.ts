// Offers the servers of the files to the editor's agents as one MCP server with few tools, when the user wishes. It has
// what the view has: a server or tool that is switched off there ends here too, while the gateway runs.

import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, unwatchFile, watchFile, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import * as vscode from 'vscode'

import { accessDenied, type Consent } from '../config/consent'
import { INPUT_VARIABLE } from '../config/entry'
import { type ConfigFiles, type Configured, placeOf } from '../config/files'
import type { Inputs } from '../config/inputs'
import { scopeOf } from '../scope'
import { configuration, isInMode, mode, model, read } from '../settings'
import { type GatewayFile, gatewayFile, type Variable } from './gateway-config'
import { type Live, liveFile, readLive } from './gateway-live'

const LABEL = 'MCP Tool Router'
/** How often it is looked at what a running gateway has shown. */
const LOOK_MS = 2_000
/** How many tools its servers had when all were there, by their names: what the threshold is held against. */
const KEY = 'gatewayTools'

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
  /** Random in each window, so that no entry can name what another server is given. */
  readonly #variableNames = new Map<string, string>()

  /**
   * @param storage a folder of this workspace
   * @param program what the editor starts
   * @param memory that of the workspace
   */
  constructor(
    readonly files: ConfigFiles,
    readonly inputs: Inputs,
    readonly consent: Consent,
    readonly storage: vscode.Uri,
    readonly program: string,
    readonly memory: vscode.Memento,
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
      watchFile(liveFile(this.#file), { interval: LOOK_MS, persistent: false }, () => this.#looked())
    }
    const before = this.#written
    this.#write()
    if (this.#written !== before) this.#changed.fire()
  }

  #looked(): void {
    const { live } = this
    if (live?.isWhole) void this.memory.update(KEY, { names: this.#key, count: live.scoped }).then(() => this.update())
    this.#shown.fire()
  }

  /** The names of its servers: what is remembered holds for just these. */
  get #key(): string {
    return [...this.#names].join()
  }

  definitions(): vscode.McpStdioServerDefinition[] {
    const { servers, settings } = this.#write()
    if (servers === 0) return []
    // Servers are followed while it runs; what is given at its start makes it another version.
    const given = this.#variables.map(({ name, server, id }) => [name, this.inputs.get(server, id) !== undefined])
    const version = createHash('sha256')
      .update(JSON.stringify([settings, model(), given]))
      .digest('hex')
      .slice(0, 12)
    // In the desktop editor the program of the host is Electron, which is Node with this variable.
    const env = { ELECTRON_RUN_AS_NODE: '1' }
    const definition = new vscode.McpStdioServerDefinition(
      LABEL,
      process.execPath,
      [this.program, this.#file, ...(model() === 'none' ? ['--words'] : [])],
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
    const shellArgs = [join(dirname(this.program), 'login.mjs'), this.#file, name]
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
    const { hostModes, searchK, searchTurns, threshold = 0 } = read()
    const current = hostModes?.[mode() ?? '']
    const isUsed = (server: Configured) => this.isWanted && this.consent.has(server) && isInMode(current, server.name)
    // The view shows what is suspicious or has changed, and switches it off here too; nobody of the editor runs `approve`.
    const settings: GatewayFile['gateway'] = { searchK, withholdTools: 'never', changedTools: 'tell' }
    const variableOf = (server: Configured, id: string) => this.#variableOf(server, id)
    const { file, variables } = gatewayFile(this.files.read().servers, { scopeOf, isUsed, variableOf, settings })
    this.#variables = variables
    this.#names = new Set(Object.keys(file.mcpServers))
    // As in the view: up to the threshold nothing is chosen. A gateway that has not run yet begins with few.
    const known = this.memory.get<{ names: string; count: number }>(KEY)
    const isFew = known?.names === this.#key && known.count <= threshold
    settings.mode = searchTurns === 0 || isFew ? 'static' : 'dynamic'
    const text = JSON.stringify(file, null, 2)
    if (text !== this.#written && (this.isWanted || this.#written !== '')) {
      mkdirSync(dirname(this.#file), { recursive: true })
      writeFileSync(`${this.#file}.new`, text, { mode: 0o600 })
      renameSync(`${this.#file}.new`, this.#file)
      this.#written = text
    }
    return { servers: Object.keys(file.mcpServers).length, settings: JSON.stringify(settings) }
  }

  #variableOf(server: Configured, id: string): string {
    const key = `${placeOf(server)} ${id}`
    const name = this.#variableNames.get(key) ?? `${INPUT_VARIABLE}${randomBytes(16).toString('hex').toUpperCase()}`
    this.#variableNames.set(key, name)
    return name
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
