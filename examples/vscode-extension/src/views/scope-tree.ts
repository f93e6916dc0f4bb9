// SPDX-License-Identifier: Apache-2.0
//
// The view of servers and their tools: on or off, always loaded, described in other words, changed since last seen.

import type { ListedTool, ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import type { Hub, HubServer } from '../servers/hub'
import { changeScope, mode, toggled } from '../settings'

export type Node = { kind: 'server'; server: HubServer } | { kind: 'tool'; tool: ListedTool }

export class ScopeTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>()
  readonly onDidChangeTreeData = this.#changed.event
  readonly view: vscode.TreeView<Node>
  /** Tools that say something else than when the user last saw them, by provider name. */
  readonly #unseen = new Set<string>()
  #tools: ListedTool[] = []
  #inMode = new Set<string>()

  constructor(
    readonly router: ToolRouter,
    readonly hub: Hub,
  ) {
    this.view = vscode.window.createTreeView('toolRouter.scope', {
      treeDataProvider: this,
      showCollapseAll: true,
      manageCheckboxStateManually: true,
    })
    this.view.onDidChangeCheckboxState(({ items }) => void this.#check(items))
    this.view.onDidChangeSelection(({ selection }) => this.#see(selection))
  }

  /** @param changed tools whose definition changed */
  async update(changed: readonly { serverName: string; toolName: string }[] = []): Promise<void> {
    const hostMode = mode() ?? undefined
    const [tools, inMode] = await Promise.all([
      this.router.listTools({ withOff: true }),
      this.router.listTools({ hostMode }),
    ])
    this.#tools = tools
    this.#inMode = new Set(inMode.map(({ name }) => name))
    for (const { serverName, toolName } of changed) {
      const tool = tools.find((other) => other.serverName === serverName && other.toolName === toolName)
      if (tool) this.#unseen.add(tool.name)
    }
    const count = this.#unseen.size
    this.view.badge = count > 0 ? { value: count, tooltip: `${count} tools have changed` } : undefined
    this.view.description = hostMode ? `mode ${hostMode}` : undefined
    this.#changed.fire(undefined)
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
    return this.#tools.filter((tool) => tool.serverName === serverName)
  }

  #serverItem({ name, source, state, reason }: HubServer): vscode.TreeItem {
    const tools = this.#of(name)
    const on = tools.filter(({ off }) => off === undefined)
    const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Collapsed)
    item.id = `${source} ${name}`
    const isFine = state === 'connected' || state === 'connecting'
    item.description = isFine ? `${on.length} of ${tools.length} on` : (reason ?? state)
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
    item.tooltip = `${name}, ${source === 'project' ? 'of the workspace' : 'of the user'}: ${reason ?? state}`
    return item
  }

  #toolItem({ name, toolName, description, originalDescription, alwaysLoad, off }: ListedTool): vscode.TreeItem {
    const item = new vscode.TreeItem(toolName)
    item.id = `tool ${name}`
    const isOverridden = originalDescription !== undefined
    const marks = [
      ...(this.#unseen.has(name) ? ['changed'] : []),
      ...(alwaysLoad ? ['always loaded'] : []),
      ...(isOverridden ? ['overridden'] : []),
      ...(off === undefined && !this.#inMode.has(name) ? [`not in mode ${mode()}`] : []),
    ]
    item.description = [...marks, description.split('\n', 1)[0]].join(' · ')
    item.iconPath = new vscode.ThemeIcon(
      this.#unseen.has(name) ? 'circle-filled' : alwaysLoad ? 'pinned' : 'symbol-method',
    )
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
    const seen = selection.filter((node) => node.kind === 'tool' && this.#unseen.delete(node.tool.name))
    if (seen.length > 0) void this.update()
  }

  dispose(): void {
    this.view.dispose()
    this.#changed.dispose()
  }
}

const checkbox = (isOn: boolean) =>
  isOn ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked

function switchTool({ serverName, toolName }: ListedTool, isOn: boolean): Promise<void> {
  return changeScope(serverName, (scope) => {
    // With a list of what is on, that list says it; otherwise the list of what is off.
    if (scope.onlyAllow?.length) return { ...scope, onlyAllow: toggled(scope.onlyAllow, toolName, isOn) }
    return { ...scope, disabledTools: toggled(scope.disabledTools, toolName, !isOn) }
  })
}
