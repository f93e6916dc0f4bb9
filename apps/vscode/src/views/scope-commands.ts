// What the user does with a row of the view, by its menu, by a key or in the palette.

import * as vscode from 'vscode'

import type { Gateway } from '../agents/gateway'
import type { Configured } from '../config/files'
import type { Inputs } from '../config/inputs'
import { firstLine, wholeEntries } from '../config/shown'
import { lineOf } from '../config/text'
import { told } from '../router'
import { allTools, describe, onlyTools, pin } from '../scope'
import type { Hub } from '../servers/hub'
import { configuration } from '../settings'
import type { Task } from '../task/task'
import { isNodeOn, type Node, type ScopeTree, switchNode } from './scope-tree'
import type { Texts } from './texts'

type ToolNode = Extract<Node, { kind: 'tool' }>
type ServerNode = Extract<Node, { kind: 'server' }>

interface Parts {
  tree: ScopeTree
  gateway: Gateway
  hub: Hub
  task: Task
  texts: Texts
  inputs: Inputs
  log: vscode.LogOutputChannel
}

export function scopeCommands(parts: Parts): vscode.Disposable[] {
  const { tree, hub, task, texts, inputs, log } = parts
  const onRow = (name: string, act: (node: Node) => unknown) =>
    vscode.commands.registerCommand(`toolRouter.${name}`, async (...args: (Node | undefined)[]) => {
      const [given] = args
      // A click gives its row; where it does not, the row was being drawn again, and the chosen row is another one.
      const isLost = args.length > 0 && !given?.kind
      const node = isLost ? undefined : (given ?? tree.chosen)
      if (!node) {
        tree.renew()
        const text = isLost
          ? 'The view was just drawn again: click once more.'
          : 'Choose a row of the view MCP Tools first.'
        return void vscode.window.showInformationMessage(text)
      }
      try {
        await act(await tree.now(node))
      } catch (error) {
        told(error)
      } finally {
        void tree.update()
      }
    })
  const onTool = (name: string, act: (node: ToolNode) => unknown) =>
    onRow(name, (node) => (node.kind === 'tool' ? act(node) : notOf('a tool')))
  const onServer = (name: string, act: (node: ServerNode) => unknown) =>
    onRow(name, (node) => (node.kind === 'server' ? act(node) : notOf('a server')))
  return [
    onRow('toggle', (node) => switchNode(node, !isNodeOn(node))),
    onRow('open', (node) => open(node, texts)),
    onTool('pin', ({ server, tool }) => pin(server, tool.toolName, true)),
    onTool('unpin', ({ server, tool }) => pin(server, tool.toolName, false)),
    onTool('onlyThis', ({ server, tool }) => onlyTools(server, [tool.toolName])),
    onTool('unload', ({ tool }) => task.unload([tool.name])),
    onTool('override', override),
    onTool('compare', (node) => compare(node, texts)),
    onServer('allOn', ({ server }) => allTools(server, true)),
    onServer('allOff', ({ server }) => allTools(server, false)),
    onServer('restart', ({ server }) => hub.restart(server)),
    onServer('allowServer', ({ server }) => server.configured && allow([server.configured], parts)),
    onServer('provideInput', async ({ server: { configured, input } }) => {
      if (configured && input !== undefined) await inputs.ask(configured, input)
    }),
    onServer('logIn', ({ server }) => logIn(server.name, parts)),
    onServer('forgetInputs', async ({ server }) => {
      if (server.configured) await inputs.forget(server.configured)
      hub.restart(server)
    }),
    onRow('openEntry', (node) => {
      if (node.kind === 'trouble') return openFile(node.trouble)
      if (node.kind === 'own') return notOf('a server of a file')
      const { configured, name } = node.server
      return configured ? openFile({ file: configured.file, serverName: name }) : notOf('a server of a file')
    }),
    vscode.commands.registerCommand('toolRouter.filter', async () => {
      const text = await vscode.window.showInputBox({ title: 'Show only what holds', placeHolder: 'issue' })
      if (text !== undefined) tree.filter(text)
    }),
    vscode.commands.registerCommand('toolRouter.clearFilter', () => tree.filter('')),
    vscode.commands.registerCommand('toolRouter.allow', () => review(parts).catch(told)),
    vscode.commands.registerCommand('toolRouter.showLog', () => log.show()),
    vscode.commands.registerCommand('toolRouter.switchMode', switchMode),
  ]
}

const notOf = (what: string) => void vscode.window.showInformationMessage(`Choose ${what} in the view MCP Tools first.`)

/** The entry of a server, or the line of a mistake, in an editor. */
async function openFile({
  file,
  serverName,
  line,
}: {
  file?: string
  serverName?: string
  line?: number
}): Promise<void> {
  if (file === undefined) return
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file))
  const at = (line ?? lineOf(document.getText(), serverName ?? '')) - 1
  const selection = new vscode.Range(at, 0, at, 0)
  await vscode.window.showTextDocument(document, { selection })
}

/** Lists the servers that wait, and starts those that the user ticks. A row's button opens its entry. */
async function review(parts: Parts): Promise<void> {
  const { hub, gateway } = parts
  const waiting = [...hub.asking, ...gateway.asking]
  if (waiting.length === 0) return void vscode.window.showInformationMessage('No server waits for your consent.')
  const list = vscode.window.createQuickPick<vscode.QuickPickItem & { server: Configured }>()
  list.title = 'Which of these MCP servers may start? Each runs with your rights.'
  list.placeholder = 'You see all that it runs before it starts'
  list.canSelectMany = true
  list.ignoreFocusOut = true
  const button = { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: 'Open the entry' }
  const isOfOneFile = new Set(waiting.map(({ file }) => file)).size === 1
  list.items = waiting.map((server) => ({
    label: server.name,
    description: isOfOneFile ? undefined : vscode.workspace.asRelativePath(server.file),
    detail: firstLine(server),
    buttons: [button],
    server,
  }))
  list.onDidTriggerItemButton(({ item: { server } }) => void openFile({ file: server.file, serverName: server.name }))
  list.onDidAccept(() => {
    const picked = list.selectedItems.map(({ server }) => server)
    list.hide()
    if (picked.length > 0) void allow(picked, parts).catch(told)
  })
  list.onDidHide(() => list.dispose())
  list.show()
}

/** As much as a dialog shows; more stands in an editor. */
const MAX_SHOWN = 4_000

/** Shows all that servers would run and send, whole, and starts them when the user says so. */
async function allow(servers: readonly Configured[], { hub, gateway, texts }: Parts): Promise<void> {
  const whole = wholeEntries(servers)
  const isLong = whole.length > MAX_SHOWN
  if (isLong) await texts.show('servers.txt', whole)
  const detail = isLong ? `${whole.slice(0, MAX_SHOWN)}\n…\n\nThe whole text is in the editor behind this.` : whole
  const [first] = servers
  const title = servers.length === 1 ? `Start ${first?.name}?` : `Start ${servers.length} servers?`
  const way = await vscode.window.showWarningMessage(title, { modal: true, detail }, 'Start')
  if (isLong) await texts.close('servers.txt')
  if (way !== 'Start') return
  await hub.allow(servers)
  gateway.update()
}

/** The gateway keeps logins, and makes them in a terminal; otherwise the editor logs in to the servers that it runs. */
async function logIn(name: string, { gateway }: Parts): Promise<void> {
  const terminal = gateway.loginTerminal(name)
  if (terminal) return vscode.window.createTerminal(terminal).show()
  const text = `The editor logs in to ${name} if it runs it.`
  const chosen = await vscode.window.showInformationMessage(text, 'Use the Servers of the Editor')
  if (chosen) await configuration().update('source', 'editor')
}

/** What a server waits for is what its row opens. */
const NEXT: Partial<Record<ServerNode['server']['state'], string>> = {
  asking: 'toolRouter.allowServer',
  waiting: 'toolRouter.provideInput',
  login: 'toolRouter.logIn',
}

/** What a row is about, in full. */
async function open(node: Node, texts: Texts): Promise<void> {
  if (node.kind === 'server') {
    const command = NEXT[node.server.state] ?? 'list.toggleExpand'
    return void (await vscode.commands.executeCommand(command, node))
  }
  if (node.kind === 'own') return
  if (node.kind === 'trouble') {
    const { command, arguments: args = [] } = node.trouble.command
    return void (await vscode.commands.executeCommand(command, ...args))
  }
  const { toolName, serverName, description, originalDescription, off } = node.tool
  const parts = [
    `${toolName} of ${serverName}: ${off === undefined ? 'on' : `off, ${off}`}`,
    description,
    ...(originalDescription === undefined ? [] : ['The server sent:', originalDescription]),
  ]
  await texts.show(`${toolName}.txt`, `${parts.join('\n\n')}\n`)
}

async function compare({ tool }: ToolNode, texts: Texts): Promise<void> {
  const { name, toolName, description, originalDescription } = tool
  if (originalDescription === undefined) return notOf('a tool whose description is overridden')
  const original = texts.uri(`${name} original.md`, originalDescription)
  const override = texts.uri(`${name} override.md`, description)
  const title = `${toolName}: sent by the server ↔ read by models`
  await vscode.commands.executeCommand('vscode.diff', original, override, title)
}

async function override({ server, tool }: ToolNode): Promise<void> {
  const { toolName, description, originalDescription } = tool
  const text = await vscode.window.showInputBox({
    title: `What models read about ${toolName}`,
    prompt: `Empty is what the server sends: ${(originalDescription ?? description).slice(0, 300)}`,
    value: description,
    ignoreFocusOut: true,
  })
  if (text === undefined) return
  const isNew = text.trim() !== '' && text !== (originalDescription ?? description)
  await describe(server, toolName, isNew ? text : undefined)
}

async function switchMode(): Promise<void> {
  const modes = Object.keys(configuration().get<object>('modes') ?? {})
  if (modes.length === 0) {
    const text = 'A mode says which servers a task may use. None is described yet: toolRouter.modes has them by name.'
    const chosen = await vscode.window.showInformationMessage(text, 'Open Settings')
    if (chosen) await vscode.commands.executeCommand('workbench.action.openSettings', 'toolRouter.modes')
    return
  }
  const none = 'No mode'
  const picked = await vscode.window.showQuickPick([none, ...modes], { title: 'Mode of the task' })
  if (picked !== undefined) await configuration().update('mode', picked === none ? undefined : picked)
}
