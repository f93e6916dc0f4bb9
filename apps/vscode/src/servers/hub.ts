// Keeps connections in step with the configuration files, and the router in step with the connections.

import type { Tool } from '@modelcontextprotocol/client'
import type { CatalogueChange, McpServer, ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { accessDenied, type Consent } from '../config/consent'
import { MissingInput, readEntry } from '../config/entry'
import type { Configured, ConfigFiles, Problem } from '../config/files'
import type { Inputs } from '../config/inputs'
import { messageOf } from '../router'
import { scopeOf } from '../scope'
import { source as wantedSource } from '../settings'
import { Findings, type SuspiciousTool } from './findings'
import { Connection, type State } from './connection'
import { type EditorServer, editorServers, editorSignature, ownToolCount } from './editor-tools'

/** How often the editor's own tools are looked at. */
const LOOK_MS = 2_000

/** Why a server is not started: the user has not allowed it, has switched it off, or the editor's settings forbid it. */
type Held = 'asking' | 'off' | 'forbidden'

/** A server of the configuration, as the view shows it. */
export interface HubServer {
  name: string
  source: Configured['source'] | 'editor'
  state: State | 'waiting' | Held
  reason?: string
  /** Its entry; absent for tools of the editor. */
  configured?: Configured
  /** The input that it waits for. */
  input?: string
  tools: Tool[]
}

/** Who calls: how it is cancelled, and the chat in which the editor asks the user. */
export interface Caller {
  token: vscode.CancellationToken
  chat?: vscode.ChatParticipantToolToken
}

interface Connected {
  call(
    toolName: string,
    args: Record<string, unknown>,
    signal?: AbortSignal,
    chat?: vscode.ChatParticipantToolToken,
  ): Promise<{ content: unknown; isError?: boolean }>
  close(): Promise<void>
}

interface Entry extends HubServer {
  signature: string
  position: number
  instructions?: string
  connection?: Connected
  /** Updates of one server follow each other. */
  last: Promise<void>
}

export class Hub implements vscode.Disposable {
  readonly #held = new Map<string, Entry>()
  readonly #changed = new vscode.EventEmitter<CatalogueChange | undefined>()
  /** The catalogue has changed, or the state of a server. */
  readonly onDidChange = this.#changed.event
  problems: Problem[] = []
  /** Servers whose tools may be others in the router since a view has listed them. */
  readonly unlisted = new Set<string>()
  readonly findings: Findings
  /** Tools of the editor that are of no MCP server, and that a task does not choose from. */
  ownCount = 0
  /** Servers of files that the editor has not started, while it is the source. */
  unstarted: string[] = []
  #timer: NodeJS.Timeout | undefined
  #editorSignature = ''

  constructor(
    readonly router: ToolRouter,
    readonly files: ConfigFiles,
    readonly inputs: Inputs,
    readonly consent: Consent,
    readonly log: vscode.LogOutputChannel,
    memory?: vscode.Memento,
  ) {
    this.findings = new Findings(memory)
    files.onDidChange(() => this.refresh())
  }

  get servers(): HubServer[] {
    return [...this.#held.values()].sort((a, b) => a.position - b.position)
  }

  /** Reads the files or asks the editor: new servers start, changed ones start again, servers that are gone end. */
  refresh(again = false): void {
    const isEditor = wantedSource() === 'editor'
    this.#watchEditor(isEditor)
    const read = this.files.read()
    const servers = isEditor ? [] : read.servers
    this.problems = isEditor ? [] : read.problems
    const gone = new Map(this.#held)
    const ofEditor = isEditor ? editorServers(read.servers.map(({ name }) => name)) : []
    this.ownCount = isEditor ? ownToolCount() : 0
    const isStarted = (name: string) => ofEditor.some((server) => server.name === name)
    this.unstarted = isEditor ? read.servers.map(({ name }) => name).filter((name) => !isStarted(name)) : []
    for (const [position, server] of ofEditor.entries()) {
      gone.delete(`editor ${server.name}`)
      this.#take(server, position)
    }
    for (const [position, configured] of servers.entries()) {
      const key = `${configured.source} ${configured.name}`
      gone.delete(key)
      this.#follow(key, configured, position, again)
    }
    for (const [key, held] of gone) {
      this.#held.delete(key)
      void held.connection?.close()
      held.last = held.last.then(() => this.#tell(held, () => this.router.removeServer(held.name, sourceOf(held))))
    }
    this.#changed.fire(undefined)
  }

  /** Sets all servers again: what the user makes of them has changed. Unchanged tools cost nothing. */
  rescope(): void {
    this.refresh()
    for (const held of this.#held.values()) if (held.tools.length > 0) this.#set(held, true)
  }

  /** Servers of files that wait for the user to allow them. */
  get asking(): Configured[] {
    return this.servers.flatMap(({ state, configured }) => (state === 'asking' && configured ? [configured] : []))
  }

  /** Starts servers, now and whenever this workspace is opened, as long as their entries stay the same. */
  async allow(servers: readonly Configured[]): Promise<void> {
    await this.consent.give(servers)
    this.refresh()
  }

  /** The user finds nothing wrong with a tool as it is now. */
  async accept(found: SuspiciousTool): Promise<void> {
    await this.findings.accept(found)
    this.unlisted.add(found.serverName)
    this.#changed.fire(undefined)
  }

  /** Connects one server again. */
  restart({ name, source }: HubServer): void {
    const held = this.#held.get(`${source} ${name}`)
    if (held?.configured) this.#follow(`${source} ${name}`, held.configured, held.position, true)
    this.#changed.fire(undefined)
  }

  /** Resolves once everything so far is in the catalogue. */
  async settled(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ last }) => last))
  }

  /** The server that a name means: one of the workspace hides one of the user. */
  serverOf(name: string): HubServer | undefined {
    return this.#named(name)
  }

  #named(name: string): Entry | undefined {
    return ['project', 'global', 'editor'].map((from) => this.#held.get(`${from} ${name}`)).find(Boolean)
  }

  /** Calls a tool. Nothing here asks the user: whoever calls has. */
  async call(serverName: string, toolName: string, args: Record<string, unknown>, { token, chat }: Caller) {
    const held = this.#named(serverName)
    if (!held?.connection) throw new Error(`${serverName} is not connected`)
    const abort = new AbortController()
    const cancelled = token.onCancellationRequested(() => abort.abort())
    return await held.connection.call(toolName, args, abort.signal, chat).finally(() => cancelled.dispose())
  }

  #follow(key: string, configured: Configured, position: number, again: boolean): void {
    const { name, source } = configured
    const hold = this.#hold(configured)
    const signature = JSON.stringify([configured.entry, configured.workspace, hold])
    const known = this.#held.get(key)
    if (known && known.signature === signature && known.state !== 'waiting' && !again) {
      Object.assign(known, { position, configured })
      return
    }
    void known?.connection?.close()
    const last = known?.last ?? Promise.resolve()
    const tools = known?.tools ?? [] // the view still shows what a server had that may not run
    const held: Entry = { name, source, configured, state: 'connecting', tools, signature, position, last, ...hold }
    this.#held.set(key, held)
    if (!hold) this.#connect(key, held, configured)
    else if (known && known.tools.length > 0) this.#set(held, true)
  }

  #hold(configured: Configured): { state: Held; reason: string } | undefined {
    const denied = accessDenied()
    if (denied) return { state: 'forbidden', reason: denied }
    if (scopeOf(configured).disabled) return { state: 'off', reason: 'switched off' }
    if (!this.consent.has(configured)) return { state: 'asking', reason: 'starts when you allow it' }
    return undefined
  }

  #connect(key: string, held: Entry, configured: Configured): void {
    const { name, workspace } = configured
    try {
      const fill = { workspace, input: (id: string) => this.inputs.get(configured, id) }
      held.connection = new Connection(readEntry(configured.entry, fill), {
        onTools: (tools, instructions) => {
          if (this.#held.get(key) !== held) return
          Object.assign(held, { tools, instructions })
          this.#set(held)
        },
        onState: (state, reason) => {
          if (this.#held.get(key) !== held) return
          Object.assign(held, { state, reason })
          // Only failures: a line of the log costs the thread of all extensions some milliseconds.
          if (state === 'failed') this.log.warn(`${name}: ${reason}`)
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

  /** The editor tells nobody when its tools change, so they are looked at while they are the source. */
  #watchEditor(isWanted: boolean): void {
    clearInterval(this.#timer)
    if (!isWanted) return
    this.#editorSignature = editorSignature()
    this.#timer = setInterval(() => {
      if (editorSignature() !== this.#editorSignature) this.refresh()
    }, LOOK_MS)
  }

  #take({ name, tools, ...connection }: EditorServer, position: number): void {
    const key = `editor ${name}`
    const known = this.#held.get(key)
    const signature = JSON.stringify(tools)
    if (known?.signature === signature && known.position === position) return
    const last = known?.last ?? Promise.resolve()
    const held: Entry = { name, source: 'editor', state: 'connected', tools, signature, position, connection, last }
    this.#held.set(key, held)
    this.#set(held)
  }

  /** @param isOwn the user has changed it here: nothing that he has to see */
  #set(held: Entry, isOwn = false): void {
    const { name, instructions, position } = held
    const source = sourceOf(held)
    const tools = held.tools as McpServer['tools']
    const server = () => {
      const scope = scopeOf(held)
      const disabled = scope.disabled || isHeld(held)
      return { name, source, instructions, position, ...scope, disabled, tools }
    }
    held.last = held.last.then(() => this.#tell(held, () => this.router.setServer(server()), isOwn))
  }

  async #tell(held: Entry, change: () => Promise<CatalogueChange>, isOwn = false): Promise<void> {
    try {
      const changed = await change()
      this.unlisted.add(held.name)
      this.findings.take(changed, held.tools)
      for (const { toolName, reason } of changed.refused)
        this.log.warn(`${held.name}: ${toolName} was refused: ${reason}`)
      this.#changed.fire(isOwn ? { ...changed, changed: [] } : changed)
    } catch (error) {
      this.log.warn(`${held.name}: ${messageOf(error)}`)
    }
  }

  dispose(): void {
    clearInterval(this.#timer)
    for (const { connection } of this.#held.values()) void connection?.close()
    this.#changed.dispose()
  }
}

const sourceOf = ({ source }: HubServer) => (source === 'project' ? ('project' as const) : ('global' as const))

/** Whether a server may not run now, whatever is ticked of its tools. */
export const isHeld = ({ state }: HubServer): boolean => state === 'asking' || state === 'off' || state === 'forbidden'
