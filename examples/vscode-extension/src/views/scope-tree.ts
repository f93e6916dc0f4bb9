// SPDX-License-Identifier: Apache-2.0
//
// The view of servers and their tools: on or off, always loaded, described in other words, changed since last seen.

import type { ListedTool, ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import type { Hub, HubServer } from '../servers/hub'
import { told } from '../router'
import { changeScope, mode, toggled } from '../settings'

const KEY = 'changedTools'
/** A server can change all of its tools whenever it likes. */
const MOST_KEPT = 1_000

export type Node = { kind: 'server'; server: HubServer } | { kind: 'tool'; tool: ListedTool }

export class ScopeTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>()
  readonly onDidChangeTreeData = this.#changed.event
  readonly view: vscode.TreeView<Node>
  /** Tools that say something else than when the user last saw them, by server and name; kept when the window is reloaded. */
  readonly #unseen: Set<string>
  #tools = new Map<string, ListedTool[]>()
  /** What of each server the view shows, as text that changes with it. */
  readonly #marks = new Map<string, string>()
  #shown = ''
  #modes = ''
  /** What the mode of the task may use; absent without a mode. */
  #inMode: Set<string> | undefined

  constructor(
    readonly router: ToolRouter,
    readonly hub: Hub,
    readonly memory: vscode.Memento,
  ) {
    this.#unseen = new Set(memory.get<string[]>(KEY))
    this.view = vscode.window.createTreeView('toolRouter.scope', {
      treeDataProvider: this,
      showCollapseAll: true,
      manageCheckboxStateManually: true,
    })
    this.view.onDidChangeCheckboxState(({ items }) =>
      this.#check(items).catch((error: unknown) => {
        told(error)
        this.#shown = '' // the box has already changed
        void this.update()
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
    void this.memory.update(KEY, [...this.#unseen].slice(-MOST_KEPT))
  }

  /** Costs nothing while nobody looks at the view. */
  async update(): Promise<void> {
    const there = new Set(this.hub.servers.map(({ name }) => name))
    const count = [...this.#unseen].filter((key) => there.has(key.split('\n', 1)[0] ?? '')).length
    this.view.badge = count > 0 ? { value: count, tooltip: `${count} tools have changed` } : undefined
    if (!this.view.visible) return
    await this.#list()
    // While the view draws itself again, it loses clicks: it does so only when it has something else to show.
    const shown = this.#signature()
    if (shown === this.#shown) return
    this.#shown = shown
    this.#changed.fire(undefined)
  }

  /** Lists what has changed, server by server: all of thousands of tools together would hold up other extensions. */
  async #list(): Promise<void> {
    const hostMode = mode() ?? undefined
    const names = new Set(this.hub.servers.map(({ name }) => name))
    for (const name of this.#tools.keys()) {
      if (names.has(name)) continue
      this.#tools.delete(name)
      this.#marks.delete(name)
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
      if (hostMode !== undefined) {
        for (const tool of tools) this.#inMode?.delete(tool.name)
        for (const tool of await this.router.listTools({ hostMode, servers: [name] })) this.#inMode?.add(tool.name)
      }
      this.#marks.set(name, this.#marksOf(tools))
    }
    this.view.description = hostMode ? `mode ${hostMode}` : undefined
  }

  #signature(): string {
    const servers = this.hub.servers.map(({ name, source, state, reason }) => `${source} ${name} ${state} ${reason}`)
    return [...servers, ...this.#marks.values(), ...this.#unseen].join('\n')
  }

  #marksOf(tools: readonly ListedTool[]): string {
    const marks = tools.map(
      ({ name, off, alwaysLoad, description, originalDescription }) =>
        `${name} ${off} ${alwaysLoad} ${this.#inMode?.has(name)} ${description.length} ${originalDescription?.length}`,
    )
    return marks.join('\n')
  }

  getChildren(node?: Node): Node[] {
    if (!node) return this.hub.servers.map((server) => ({ kind: 'server', server }))
    if (node.kind === 'tool') return []
    return this.#of(node.server.name).map((tool) => ({ kind: 'tool', tool }))
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.kind === 'server' ? this.#serverItem(node.server) : this.#toolItem(node.tool)
  }

  #of(serverName: string): ListedTool[] {
    return this.#tools.get(serverName) ?? []
  }

  #serverItem({ name, source, state, reason }: HubServer): vscode.TreeItem {
    const tools = this.#of(name)
    const on = tools.filter(({ off }) => off === undefined)
    const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Collapsed)
    item.id = `${source} ${name}`
    const isFine = state === 'connected' || state === 'connecting'
    const isOut = this.#inMode !== undefined && !on.some((tool) => this.#inMode?.has(tool.name))
    const inWords = `${on.length} of ${tools.length} on${isOut ? `, not in mode ${mode()}` : ''}`
    item.description = isFine && (state === 'connected' || tools.length > 0) ? inWords : (reason ?? state)
    const icons = {
      connected: 'server',
      connecting: 'loading~spin',
      waiting: 'key',
      failed: 'error',
      closed: 'circle-slash',
    }
    item.iconPath = new vscode.ThemeIcon(icons[state])
    item.contextValue = state === 'waiting' ? 'waiting' : 'server'
    item.checkboxState = checkbox(on.length > 0 || tools.length === 0)
    const owner = { project: 'workspace', global: 'user', editor: 'editor' }[source]
    item.tooltip = `${name}, of the ${owner}: ${reason ?? state}`
    return item
  }

  #toolItem({
    name,
    serverName,
    toolName,
    description,
    originalDescription,
    alwaysLoad,
    off,
  }: ListedTool): vscode.TreeItem {
    const item = new vscode.TreeItem(toolName)
    item.id = `tool ${name}`
    const isOverridden = originalDescription !== undefined
    const isUnseen = this.#unseen.has(keyOf(serverName, toolName))
    const marks = [
      ...(isUnseen ? ['changed'] : []),
      ...(alwaysLoad ? ['always loaded'] : []),
      ...(isOverridden ? ['overridden'] : []),
      ...(off === undefined && this.#inMode?.has(name) === false ? [`not in mode ${mode()}`] : []),
    ]
    item.description = [...marks, description.split('\n', 1)[0]].join(' · ')
    item.iconPath = new vscode.ThemeIcon(isUnseen ? 'circle-filled' : alwaysLoad ? 'pinned' : 'symbol-method')
    item.contextValue = `tool ${alwaysLoad ? 'pinned' : 'unpinned'}${isOverridden ? ' overridden' : ''}`
    item.checkboxState = checkbox(off === undefined)
    item.tooltip = isOverridden ? `Instead of:\n${originalDescription}\n\nmodels read:\n${description}` : description
    return item
  }

  async #check(items: readonly [Node, vscode.TreeItemCheckboxState][]): Promise<void> {
    for (const [node, state] of items) {
      const isOn = state === vscode.TreeItemCheckboxState.Checked
      if (node.kind === 'server') await changeScope(node.server.name, (scope) => ({ ...scope, disabled: !isOn }))
      else await switchTool(node.tool, isOn)
    }
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
    this.view.dispose()
    this.#changed.dispose()
  }
}

const keyOf = (serverName: string, toolName: string) => `${serverName}\n${toolName}`

const checkbox = (isOn: boolean) =>
  isOn ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked

function switchTool({ serverName, toolName }: ListedTool, isOn: boolean): Promise<void> {
  return changeScope(serverName, (scope) => {
    // With a list of what is on, that list says it; otherwise the list of what is off.
    if (scope.onlyAllow?.length) return { ...scope, onlyAllow: toggled(scope.onlyAllow, toolName, isOn) }
    return { ...scope, disabledTools: toggled(scope.disabledTools, toolName, !isOn) }
  })
}
