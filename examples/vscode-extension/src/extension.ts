// SPDX-License-Identifier: Apache-2.0
//
// Puts the parts together: configuration -> servers -> router -> task -> what the user sees.

import * as vscode from 'vscode'

import { askCommand } from './agents/ask'
import { registerGateway } from './agents/gateway'
import { restoreRequests, sampleRequestsCommand } from './agents/sample-requests'
import { registerTools } from './agents/tools'
import { ConfigFiles } from './config/files'
import { Inputs } from './config/inputs'
import { Later } from './later'
import { loadRouter, Model } from './router'
import { Hub } from './servers/hub'
import * as settings from './settings'
import { Task } from './task/task'
import { sendTelemetry } from './telemetry'
import { scopeCommands } from './views/scope-commands'
import { ScopeTree } from './views/scope-tree'
import { StatusBar } from './views/status-bar'
import { Texts } from './views/texts'
import { showTools } from './views/tool-list'
import { tryIt } from './views/try-it'
import { UsagePanel } from './views/usage-panel'

export async function activate(context: vscode.ExtensionContext) {
  const log = vscode.window.createOutputChannel('MCP Tool Router', { log: true })
  context.subscriptions.push(log)
  const loaded = loadRouter()
  if ('reason' in loaded) {
    log.error(loaded.reason)
    void vscode.window.showWarningMessage(`MCP tools are not routed here: ${loaded.reason}`)
    return undefined
  }
  const { router } = loaded
  const own = <T extends vscode.Disposable>(part: T): T => {
    context.subscriptions.push(part)
    return part
  }
  let problem = settings.apply(router)
  const model = own(new Model(router, vscode.Uri.joinPath(context.globalStorageUri, 'vectors').fsPath))
  const files = own(new ConfigFiles(context.globalStorageUri))
  const inputs = new Inputs(context.secrets)
  await inputs.load()
  const hub = own(new Hub(router, files, inputs, log))
  const task = own(new Task(router, context.workspaceState))
  const statusBar = own(new StatusBar(task, hub, model))
  const tree = own(new ScopeTree(router, hub, context.workspaceState))
  const panel = own(new UsagePanel(router, task, hub, context.extensionUri))
  const texts = own(new Texts())
  own(sendTelemetry(router, log))

  const show = own(
    new Later(async () => {
      statusBar.update(problem)
      await panel.update()
      await tree.update()
    }),
  )
  own(model.onDidChange(() => statusBar.update(problem)))
  own(task.onDidChange(() => show.soon()))
  own(
    hub.onDidChange((change) => {
      if (change) {
        model.watch()
        task.follow()
        tree.mark(change.changed)
      }
      show.soon()
    }),
  )
  own(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration('toolRouter')) return
      settings.forget()
      problem = settings.apply(router)
      if (problem) void vscode.window.showWarningMessage(`MCP Tool Router: ${problem}. The previous settings stay.`)
      model.use(settings.model())
      if (event.affectsConfiguration('toolRouter.source')) hub.refresh()
      if (event.affectsConfiguration('toolRouter.servers')) hub.rescope()
      task.follow()
      show.soon()
    }),
  )

  const command = (name: string, act: (...args: never[]) => unknown) =>
    own(vscode.commands.registerCommand(`toolRouter.${name}`, act))
  command('showTools', () => showTools(router, task))
  command('showUsage', () => panel.show())
  command('tryIt', () => void tryIt(router, task, model, texts))
  command('startTask', async () => {
    const text = await vscode.window.showInputBox({
      title: 'What is the task?',
      placeHolder: 'file a bug report for the login page',
    })
    if (text?.trim()) await task.start(text)
  })
  command('reconnect', () => hub.refresh(true))
  command('provideInput', async (node?: { server?: { input?: string } }) => {
    const id = node?.server?.input
    if (id !== undefined && (await inputs.ask(id))) hub.refresh()
  })
  for (const part of [...scopeCommands(texts), ...registerTools(task, hub), ...registerGateway(files)]) own(part)
  own(sampleRequestsCommand(router, hub, context.globalState))
  own(askCommand(task, hub, texts))

  await restoreRequests(router, context.globalState)
  await task.restore()
  model.use(settings.model())
  hub.refresh()
  show.soon()
  return { router, task, hub }
}

export function deactivate(): void {}
