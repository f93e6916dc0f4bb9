// The view of servers and their tools: what is wrong, what is on, what a task has, what it costs, what has changed.

import type { ListedTool, ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { Later } from '../later'
import { told } from '../router'
import { scopeOf, switchServer, switchTools } from '../scope'
import type { Hub, HubServer } from '../servers/hub'
import { mode } from '../settings'
import type { Task } from '../task/task'
import { type Sent, sentTools } from '../task/words'
import type { Tokens } from './tokens'
import { itemOf, ownItem, troubleItem } from './tree-items'
import { type Trouble, troubledServers } from './troubles'
import { type Row, serverRow, toolRow } from './words'

const KEY = 'changedTools'
/** A server can change all of its tools whenever it likes. */
const MAX_KEPT = 1_000

/** How soon after rows were asked for it is looked what they lacked. */
const LOOK_MS = 50

export type Node =
  | { kind: 'trouble'; trouble: Trouble }
  /** Tools that are of no MCP server. */
  | { kind: 'own'; count: number }
  | { kind: 'server'; server: HubServer }
  | { kind: 'tool'; tool: ListedTool; server: HubServer }

/**
 * The editor keeps a table of the rows that it was given, and a click reaches its row through it. Rows that are drawn again
 * leave the table until they have been given again, with all that is under them, and the root takes every row with it: a
 * click in between is lost. So rows are given immediately, from what is known, and only those are drawn again that say something
 * else; the root only where it has other rows.
 */
export class ScopeTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Node[] | undefined>()
  readonly onDidChangeTreeData = this.#changed.event
  readonly view: vscode.TreeView<Node>
  /** Tools that say something else than when the user last saw them, by server and name; kept when the window is reloaded. */
  readonly #unseen: Set<string>
  #tools = new Map<string, ListedTool[]>()
  #troubles: readonly Trouble[] = []
  #filter = ''
  /** The rows of the root that the editor has; absent before it has asked. */
  #root: string | undefined
  /** The rows under each server that the editor has. */
  readonly #under = new Map<Node, string>()
  /** What the editor was last given of each row, as text. */
  readonly #given = new Map<Node, string>()
  readonly #look = new Later(() => this.update(), LOOK_MS)
  #listing: Promise<void> = Promise.resolve()
  /** One object per row for as long as its server is there: the editor finds a row again by it. */
  readonly #rows = new Map<string, Node>()
  #modes = ''
  /** What the mode of the task may use; absent without a mode. */
  #inMode: Set<string> | undefined

  constructor(
    readonly router: ToolRouter,
    readonly hub: Hub,
    readonly task: Task,
    readonly tokens: Tokens,
    readonly memory: vscode.Memento,
  ) {
    this.#unseen = new Set(memory.get<string[]>(KEY))
    this.view = vscode.window.createTreeView('toolRouter.scope', {
      treeDataProvider: this,
      manageCheckboxStateManually: true,
    })
    this.view.onDidChangeCheckboxState(({ items }) =>
      this.#check(items)
        .catch(told)
        .finally(() => {
          // The editor has changed the box already; what is so may be something else.
          for (const [node] of items) if (this.#given.has(node)) this.#given.set(node, '')
          return this.update()
        }),
    )
    this.view.onDidChangeVisibility(() => void this.update())
    this.view.onDidChangeSelection(({ selection }) => this.#see(selection))
  }

  /** Marks tools whose definition changed, until the user sees them. */
  mark(changed: readonly { serverName: string; toolName: string }[]): void {
    for (const { serverName, toolName } of changed) this.#unseen.add(keyOf(serverName, toolName))
    if (changed.length > 0) this.#keep()
  }

  #keep(): void {
    void this.memory.update(KEY, [...this.#unseen].slice(-MAX_KEPT))
  }

  /** Shows only what has this in its name or description. */
  filter(text: string): void {
    this.#filter = text.trim().toLowerCase()
    this.view.message = text.trim() ? `Only what holds "${text.trim()}"` : undefined
    void vscode.commands.executeCommand('setContext', 'toolRouter.isFiltered', this.#filter !== '')
    this.renew()
  }

  /** The row that the user means who gave a command by a key, or in the palette. */
  get chosen(): Node | undefined {
    return this.view.selection[0]
  }

  /** A row as its tool is now: the view may not have been drawn again since the last key. */
  async now(node: Node): Promise<Node> {
    if (node.kind !== 'tool') return node
    const tools = await this.router.listTools({ withOff: true, servers: [node.server.name] })
    return { ...node, tool: tools.find(({ name }) => name === node.tool.name) ?? node.tool }
  }

  /** Gives the editor all rows again. */
  renew(): void {
    this.#changed.fire(undefined)
  }

  /** Costs nothing while nobody looks at the view. */
  async update(troubles = this.#troubles): Promise<void> {
    this.#troubles = troubles
    this.#setBadge()
    if (!this.view.visible) return
    await this.#list()
    this.#drawChanged()
  }

  #drawChanged(): void {
    if (this.#root === undefined) return // nothing was given yet
    const root = keysOf(this.#rootRows())
    const isOther = root !== this.#root
    this.#root = root
    const changed = new Set<Node>()
    for (const [node, before] of this.#under) {
      const now = keysOf(this.#toolRows(node))
      if (now !== before) changed.add(node)
      this.#under.set(node, now)
    }
    for (const [node, before] of this.#given) if (textOf(this.#itemOf(node)) !== before) changed.add(node)
    if (isOther) this.renew()
    else if (changed.size > 0) this.#changed.fire([...changed])
  }

  #setBadge(): void {
    const there = new Set(this.hub.servers.map(({ name }) => name))
    const changed = [...this.#unseen].filter((key) => there.has(key.split('\n', 1)[0] ?? '')).length
    const wrong = this.#troubles.filter(({ isQuiet }) => !isQuiet).length + troubledServers(this.hub.servers).length
    const words = [
      ...(wrong > 0 ? [wrong === 1 ? '1 problem' : `${wrong} problems`] : []),
      ...(changed > 0 ? [changed === 1 ? '1 tool has changed' : `${changed} tools have changed`] : []),
    ]
    this.view.badge = words.length > 0 ? { value: wrong + changed, tooltip: words.join(', ') } : undefined
  }

  /** One list follows the other: each takes what has changed since the previous one. */
  #list(): Promise<void> {
    this.#listing = this.#listing.then(() => this.#listChanged()).catch((error: unknown) => console.error(error))
    return this.#listing
  }

  /** Lists what has changed, server by server: all of thousands of tools together would hold up other extensions. */
  async #listChanged(): Promise<void> {
    const hostMode = mode() ?? undefined
    const names = new Set(this.hub.servers.map(({ name }) => name))
    for (const name of this.#tools.keys()) {
      if (names.has(name)) continue
      this.#tools.delete(name)
      this.#forget((row) => (row.kind === 'server' || row.kind === 'tool') && row.server.name === name)
    }
    const modes = JSON.stringify([hostMode, this.router.settings.hostModes])
    const unlisted = this.#modes === modes ? new Set(this.hub.unlisted) : names
    this.#modes = modes
    this.hub.unlisted.clear()
    if (hostMode === undefined) this.#inMode = undefined
    else this.#inMode ??= new Set()
    for (const name of unlisted) {
      if (!names.has(name)) continue
      const tools = await this.router.listTools({ withOff: true, servers: [name] })
      this.#tools.set(name, tools)
      const there = new Set(tools.map((tool) => tool.name))
      this.#forget((row) => row.kind === 'tool' && row.server.name === name && !there.has(row.tool.name))
      if (hostMode !== undefined) {
        for (const tool of tools) this.#inMode?.delete(tool.name)
        for (const tool of await this.router.listTools({ hostMode, servers: [name] })) this.#inMode?.add(tool.name)
      }
    }
    const description = hostMode ? `mode ${hostMode}` : undefined
    if (this.view.description !== description) this.view.description = description
    await this.tokens.ofServers()
    for (const node of this.#under.keys()) if (node.kind === 'server') await this.tokens.ofTools(node.server.name)
  }

  #forget(isGone: (row: Node) => boolean): void {
    for (const [key, row] of this.#rows) {
      if (!isGone(row)) continue
      this.#rows.delete(key)
      this.#under.delete(row)
      this.#given.delete(row)
    }
  }

  /** Answers from what is known; what is missing is looked for, and its rows are drawn again. */
  getChildren(node?: Node): Node[] {
    this.#look.soon()
    const rows = node ? this.#toolRows(node) : this.#rootRows()
    if (!node) this.#root = keysOf(rows)
    else if (node.kind === 'server') this.#under.set(node, keysOf(rows))
    return rows
  }

  #rootRows(): Node[] {
    const troubles = this.#troubles.map((trouble) => this.#row(trouble.id, { kind: 'trouble', trouble }))
    // What is wrong stands in front: behind forty servers nobody finds it.
    const wrong = troubledServers(this.hub.servers)
    const servers = [...wrong, ...this.hub.servers.filter((server) => !wrong.includes(server))]
      .filter((server) => this.#holds(server.name) || this.#found(server).length > 0)
      .map((server) => this.#row(`${server.source} ${server.name}`, { kind: 'server', server }))
    const rows = [...troubles, ...servers]
    // Without any other row the editor says what to do first.
    const count = rows.length > 0 && this.#filter === '' ? this.hub.ownCount : 0
    return count > 0 ? [...rows, this.#row('own', { kind: 'own', count })] : rows
  }

  #toolRows(node: Node): Node[] {
    if (node.kind !== 'server') return []
    const { server } = node
    return this.#found(server).map((tool) => this.#row(tool.name, { kind: 'tool', tool, server }))
  }

  #row(name: string, now: Node): Node {
    const key = `${now.kind} ${name}`
    const row = Object.assign(this.#rows.get(key) ?? {}, now)
    this.#rows.set(key, row)
    return row
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = this.#itemOf(node)
    this.#given.set(node, textOf(item))
    return item
  }

  #itemOf(node: Node): vscode.TreeItem {
    if (node.kind === 'trouble') return troubleItem(node.trouble)
    if (node.kind === 'own') return ownItem(node.count)
    const isServer = node.kind === 'server'
    const row = isServer ? this.#serverRow(node.server) : this.#toolRow(node)
    const open = vscode.TreeItemCollapsibleState
    const state = !isServer ? open.None : this.#filter ? open.Expanded : open.Collapsed
    const item = itemOf(row, state)
    // Another filter is another row, since the editor keeps which ones the user has opened.
    item.id = isServer ? `${node.server.source} ${node.server.name} ${this.#filter}` : `tool ${node.tool.name}`
    return item
  }

  #holds(...texts: string[]): boolean {
    return texts.some((text) => text.toLowerCase().includes(this.#filter))
  }

  #found(server: HubServer): ListedTool[] {
    // A server of the workspace hides one of the user that has its name.
    const isHidden =
      server.source === 'global' &&
      this.hub.servers.some(({ name, source }) => source === 'project' && name === server.name)
    const tools = isHidden ? [] : this.#of(server.name)
    return tools.filter(({ toolName, description }) => this.#holds(server.name, toolName, description))
  }

  #of(serverName: string): ListedTool[] {
    return this.#tools.get(serverName) ?? []
  }

  #sent(): ReadonlyMap<string, Sent> | undefined {
    const { selection } = this.task
    return selection?.mode === 'dynamic' ? sentTools(selection) : undefined
  }

  #serverRow(server: HubServer): Row {
    const tools = this.#of(server.name)
    const inMode = this.#inMode
    const isOut = inMode && tools.length > 0 && !tools.some(({ name }) => inMode.has(name))
    const isDisabled = scopeOf(server).disabled === true
    const outsideMode = isOut ? (mode() ?? undefined) : undefined
    const tokens = this.tokens.ofServer(server.name)
    const suspicious = this.hub.findings.suspicious([server.name]).length
    return serverRow({ server, tools, isDisabled, sent: this.#sent(), tokens, outsideMode, suspicious })
  }

  #toolRow({ tool }: { tool: ListedTool }): Row {
    const hasChanged = this.#unseen.has(keyOf(tool.serverName, tool.toolName))
    const outsideMode = this.#inMode?.has(tool.name) === false ? (mode() ?? undefined) : undefined
    const tokens = this.tokens.ofTool(tool.serverName, tool.name)
    const findings = this.hub.findings.of(tool.serverName, tool.toolName)
    return toolRow({ tool, outsideMode, sent: this.#sent(), tokens, hasChanged, findings })
  }

  async #check(items: readonly [Node, vscode.TreeItemCheckboxState][]): Promise<void> {
    for (const [node, state] of items) await switchNode(node, state === vscode.TreeItemCheckboxState.Checked)
  }

  #see(selection: readonly Node[]): void {
    const seen = selection.filter(
      (node) => node.kind === 'tool' && this.#unseen.delete(keyOf(node.tool.serverName, node.tool.toolName)),
    )
    if (seen.length === 0) return
    this.#keep()
    void this.update()
  }

  dispose(): void {
    this.#look.dispose()
    this.view.dispose()
    this.#changed.dispose()
  }
}

/** Switches what a row is about on or off. */
export async function switchNode(node: Node, isOn: boolean): Promise<void> {
  if (node.kind === 'server') await switchServer(node.server, isOn)
  else if (node.kind === 'tool') await switchTools(node.server, [node.tool.toolName], isOn)
}

/** Whether what a row is about is on, as its box says. */
export function isNodeOn(node: Node): boolean {
  if (node.kind === 'server') return scopeOf(node.server).disabled !== true
  return node.kind === 'tool' && node.tool.off === undefined
}

const keyOf = (serverName: string, toolName: string) => `${serverName}\n${toolName}`

/** What rows a list has, in order. */
const keysOf = (rows: readonly Node[]) => rows.map(idOf).join('\n')

function idOf(node: Node): string {
  if (node.kind === 'trouble') return `trouble ${node.trouble.id}`
  if (node.kind === 'own') return 'own'
  return node.kind === 'server' ? `server ${node.server.source} ${node.server.name}` : `tool ${node.tool.name}`
}

const textOf = (item: vscode.TreeItem) => JSON.stringify(item)
