// SPDX-License-Identifier: Apache-2.0
//
// Keeps connections in step with the configuration files, and the router in step with the connections.

import type { Tool } from '@modelcontextprotocol/client'
import type { CatalogueChange, McpServer, ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { MissingInput, readEntry } from '../config/entry'
import type { Configured, ConfigFiles } from '../config/files'
import type { Inputs } from '../config/inputs'
import { messageOf } from '../router'
import { scopeOf } from '../settings'
import { Connection, type State } from './connection'

/** A server of the configuration, as the view shows it. */
export interface HubServer {
  name: string
  source: Configured['source']
  state: State | 'waiting'
  reason?: string
  /** The input that it waits for. */
  input?: string
  tools: Tool[]
}

interface Held extends HubServer {
  signature: string
  position: number
  instructions?: string
  connection?: Connection
  /** Updates of one server follow each other. */
  last: Promise<void>
}

export class Hub implements vscode.Disposable {
  readonly #held = new Map<string, Held>()
  readonly #changed = new vscode.EventEmitter<CatalogueChange | undefined>()
  /** The catalogue has changed, or the state of a server. */
  readonly onDidChange = this.#changed.event
  problems: string[] = []

  constructor(
    readonly router: ToolRouter,
    readonly files: ConfigFiles,
    readonly inputs: Inputs,
    readonly log: vscode.LogOutputChannel,
  ) {
    files.onDidChange(() => this.refresh())
  }

  get servers(): HubServer[] {
    return [...this.#held.values()].sort((a, b) => a.position - b.position)
  }

  /** Reads the files: new servers start, changed ones start again, servers that are gone end. */
  refresh(again = false): void {
    const { servers, problems } = this.files.read()
    this.problems = problems
    const gone = new Map(this.#held)
    for (const [position, configured] of servers.entries()) {
      const key = `${configured.source} ${configured.name}`
      gone.delete(key)
      this.#follow(key, configured, position, again)
    }
    for (const [key, held] of gone) {
      this.#held.delete(key)
      void held.connection?.close()
      held.last = held.last.then(() => this.#tell(held, () => this.router.removeServer(held.name, held.source)))
    }
    this.#changed.fire(undefined)
  }

  /** Sets all servers again: what the user makes of them has changed. Unchanged tools cost nothing. */
  rescope(): void {
    for (const held of this.#held.values()) if (held.tools.length > 0) this.#set(held, true)
  }

  /** Resolves once everything so far is in the catalogue. */
  async settled(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ last }) => last))
  }

  /** Calls a tool. Nothing here asks the user: whoever calls has. */
  async call(serverName: string, toolName: string, args: Record<string, unknown>, token: vscode.CancellationToken) {
    const held = this.#held.get(`project ${serverName}`) ?? this.#held.get(`global ${serverName}`)
    if (!held?.connection) throw new Error(`${serverName} is not connected`)
    const abort = new AbortController()
    const cancelled = token.onCancellationRequested(() => abort.abort())
    return await held.connection.call(toolName, args, abort.signal).finally(() => cancelled.dispose())
  }

  #follow(key: string, configured: Configured, position: number, again: boolean): void {
    const { name, source } = configured
    const signature = JSON.stringify([configured.entry, configured.workspace])
    const known = this.#held.get(key)
    if (known && known.signature === signature && known.state !== 'waiting' && !again) {
      if (known.position !== position) Object.assign(known, { position })
      return
    }
    void known?.connection?.close()
    const last = known?.last ?? Promise.resolve()
    const held: Held = { name, source, state: 'connecting', tools: known?.tools ?? [], signature, position, last }
    this.#held.set(key, held)
    try {
      const fill = { workspace: configured.workspace, input: (id: string) => this.inputs.get(id) }
      const reach = readEntry(configured.entry, fill)
      held.connection = new Connection(reach, {
        onTools: (tools, instructions) => {
          if (this.#held.get(key) !== held) return
          Object.assign(held, { tools, instructions })
          this.#set(held)
        },
        onState: (state, reason) => {
          if (this.#held.get(key) !== held) return
          Object.assign(held, { state, reason })
          this.log.info(`${name}: ${state}${reason ? `, ${reason}` : ''}`)
          this.#changed.fire(undefined)
        },
        log: (line) => this.log.debug(`${name}: ${line}`),
      })
    } catch (error) {
      const isInput = error instanceof MissingInput
      Object.assign(held, { state: isInput ? 'waiting' : 'failed', reason: messageOf(error) })
      if (isInput) held.input = error.id
    }
  }

  /** @param isOwn the user has changed it here: nothing that he has to see */
  #set(held: Held, isOwn = false): void {
    const { name, source, instructions, position } = held
    const tools = held.tools as McpServer['tools']
    const server = () => ({ name, source, instructions, position, ...scopeOf(name), tools })
    held.last = held.last.then(() => this.#tell(held, () => this.router.setServer(server()), isOwn))
  }

  async #tell(held: Held, change: () => Promise<CatalogueChange>, isOwn = false): Promise<void> {
    try {
      const changed = await change()
      for (const { toolName, reason } of changed.refused)
        this.log.warn(`${held.name}: ${toolName} was refused: ${reason}`)
      this.#changed.fire(isOwn ? { ...changed, changed: [] } : changed)
    } catch (error) {
      this.log.warn(`${held.name}: ${messageOf(error)}`)
    }
  }

  dispose(): void {
    for (const { connection } of this.#held.values()) void connection?.close()
    this.#changed.dispose()
  }
}
