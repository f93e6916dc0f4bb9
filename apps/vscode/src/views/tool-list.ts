// The list behind the status bar: sent whole, loaded, named, not sent and off, why, and since which turn. A row's buttons pin a tool
// and take it away from the task.

import type { ListedTool, ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { told } from '../router'
import { pin } from '../scope'
import type { Hub } from '../servers/hub'
import { mode, modeProblem } from '../settings'
import type { Task } from '../task/task'
import { BEFORE, count, ruleInWords, type Sent, sentTools, toolsInWords } from '../task/words'

interface Item extends vscode.QuickPickItem {
  tool?: ListedTool
}

const PIN = { iconPath: new vscode.ThemeIcon('pin'), tooltip: 'Always load it' }
const UNPIN = { iconPath: new vscode.ThemeIcon('pinned'), tooltip: 'Do not always load it' }
const UNLOAD = { iconPath: new vscode.ThemeIcon('remove'), tooltip: 'Take it away from the task' }

export async function showTools(router: ToolRouter, task: Task, hub: Hub): Promise<void> {
  const list = vscode.window.createQuickPick<Item>()
  list.matchOnDescription = true
  list.matchOnDetail = true
  list.keepScrollPosition = true
  const fill = async () => {
    const { selection } = task
    list.items = await toolItems(router, task)
    list.title = selection
      ? `${toolsInWords(selection)}, turn ${selection.turn}`
      : `${count(list.items.filter(({ tool }) => tool).length)} MCP tools`
    list.placeholder = modeProblem() ?? (selection ? ruleInWords(selection, router.settings) : BEFORE)
  }
  const act = (work: () => Promise<unknown>) => void work().then(fill).catch(told)
  list.onDidTriggerItemButton(({ item: { tool }, button }) => {
    const server = hub.servers.find(({ name }) => name === tool?.serverName)
    if (!tool || !server) return
    if (button === UNLOAD) act(() => task.unload([tool.name]))
    else act(() => pin(server, tool.toolName, button === PIN).then(() => hub.settled()))
  })
  list.onDidAccept(() => {
    const [{ tool } = {}] = list.activeItems as [Item?]
    const { selection } = task
    const isUnloaded = tool && selection && !selection.attached.includes(tool.name) && tool.off === undefined
    if (!isUnloaded) return list.hide()
    act(() => task.load(tool.name).then(() => list.hide()))
  })
  list.onDidHide(() => list.dispose())
  list.show()
  await fill()
}

/** All tools in groups. Those that are not sent whole are loaded by choosing them. */
export async function toolItems(router: ToolRouter, task: Task): Promise<Item[]> {
  const hostMode = mode() ?? undefined
  const [all, inMode] = await Promise.all([router.listTools({ withOff: true }), router.listTools({ hostMode })])
  const scoped = new Set(inMode.map(({ name }) => name))
  const { selection } = task
  const sent = selection ? sentTools(selection) : new Map([...scoped].map((name): [string, Sent] => [name, 'whole']))
  const places = new Map([...sent.keys()].map((name, at) => [name, at]))
  const place = ({ tool }: Item) => places.get(tool?.name ?? '') ?? 0
  const groups: Record<'Sent whole' | 'Loaded by the model' | 'Named in a line' | 'Not sent' | 'Off', Item[]> = {
    'Sent whole': [],
    'Loaded by the model': [],
    'Named in a line': [],
    'Not sent': [],
    Off: [],
  }
  for (const tool of all) {
    const origin = task.origin(tool.name)
    const item = (why: string): Item => ({
      label: tool.toolName,
      description: `${tool.serverName} · ${why}`,
      detail: firstLine(tool),
      buttons: [
        ...(sent.get(tool.name) === 'whole' && selection?.mode === 'dynamic' ? [UNLOAD] : []),
        ...(tool.off === undefined ? [tool.alwaysLoad ? UNPIN : PIN] : []),
      ],
      tool,
    })
    if (tool.off !== undefined) groups.Off.push(item(tool.off))
    else if (!scoped.has(tool.name)) groups.Off.push(item(`not in mode ${hostMode}`))
    else if (!sent.has(tool.name)) groups['Not sent'].push(item('choose to load it'))
    else if (sent.get(tool.name) === 'named') groups['Named in a line'].push(item('the model may load it by name'))
    else if (origin?.how === 'loaded') groups['Loaded by the model'].push(item(`loaded, since turn ${origin.turn}`))
    else groups['Sent whole'].push(item(attachedBecause(tool, origin?.turn)))
  }
  for (const items of Object.values(groups)) items.sort((a, b) => place(a) - place(b))
  return Object.entries(groups).flatMap(([label, items]) =>
    items.length > 0
      ? [{ label: `${label} (${count(items.length)})`, kind: vscode.QuickPickItemKind.Separator }, ...items]
      : [],
  )
}

function attachedBecause({ alwaysLoad }: ListedTool, turn: number | undefined): string {
  const why = alwaysLoad ? 'always loaded' : 'chosen'
  return turn === undefined ? 'all are sent' : `${why}, since turn ${turn}`
}

const firstLine = ({ description }: ListedTool) => description.trim().split('\n', 1)[0]?.slice(0, 200)
