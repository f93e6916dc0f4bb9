// SPDX-License-Identifier: Apache-2.0
//
// The list behind the status bar: attached, loaded, deferred and off, why, and since which turn.

import type { ListedTool, ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { mode } from '../settings'
import type { Task } from '../task/task'
import { count, ruleInWords } from '../task/words'

interface Item extends vscode.QuickPickItem {
  tool?: ListedTool
}

export async function showTools(router: ToolRouter, task: Task): Promise<void> {
  const items = await toolItems(router, task)
  const { selection } = task
  const title = selection
    ? `${count(selection.attached.length)} of ${count(selection.scopedCount)} MCP tools, turn ${selection.turn}`
    : `${count(items.filter(({ tool }) => tool).length)} MCP tools`
  const picked = await vscode.window.showQuickPick<Item>(items, {
    title,
    placeHolder: selection ? ruleInWords(selection, router.settings) : 'No task has started: all tools are sent.',
    matchOnDescription: true,
    matchOnDetail: true,
  })
  if (!picked?.tool) return
  const { name } = picked.tool
  const isDeferred = selection !== null && !selection.attached.includes(name) && picked.tool.off === undefined
  if (isDeferred) await task.load(name)
}

/** All tools in four groups. Those that are deferred are loaded by choosing them. */
export async function toolItems(router: ToolRouter, task: Task): Promise<Item[]> {
  const hostMode = mode() ?? undefined
  const [all, inMode] = await Promise.all([router.listTools({ withOff: true }), router.listTools({ hostMode })])
  const scoped = new Set(inMode.map(({ name }) => name))
  const attached = new Map((task.selection?.attached ?? [...scoped]).map((name, at) => [name, at]))
  const place = ({ tool }: Item) => attached.get(tool?.name ?? '') ?? 0
  const groups: Record<'Attached' | 'Loaded by the model' | 'Deferred' | 'Off', Item[]> = {
    Attached: [],
    'Loaded by the model': [],
    Deferred: [],
    Off: [],
  }
  for (const tool of all) {
    const origin = task.origin(tool.name)
    const item = (why: string): Item => ({
      label: tool.toolName,
      description: `${tool.serverName} · ${why}`,
      detail: firstLine(tool),
      tool,
    })
    if (tool.off !== undefined) groups.Off.push(item(tool.off))
    else if (!scoped.has(tool.name)) groups.Off.push(item(`not in mode ${hostMode}`))
    else if (!attached.has(tool.name)) groups.Deferred.push(item('choose to load it'))
    else if (origin?.how === 'loaded') groups['Loaded by the model'].push(item(`since turn ${origin.turn}`))
    else groups.Attached.push(item(attachedBecause(tool, origin?.turn)))
  }
  for (const items of [groups.Attached, groups['Loaded by the model']]) items.sort((a, b) => place(a) - place(b))
  return Object.entries(groups).flatMap(([label, items]) =>
    items.length > 0
      ? [{ label: `${label} (${count(items.length)})`, kind: vscode.QuickPickItemKind.Separator }, ...items]
      : [],
  )
}

function attachedBecause({ alwaysLoad }: ListedTool, turn: number | undefined): string {
  const why = alwaysLoad ? 'always loaded' : 'chosen'
  return turn === undefined ? 'all are attached' : `${why}, since turn ${turn}`
}

const firstLine = ({ description }: ListedTool) => description.trim().split('\n', 1)[0]?.slice(0, 200)
