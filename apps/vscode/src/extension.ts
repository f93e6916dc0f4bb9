// Puts the parts together: configuration -> servers -> router -> task -> what the user sees. Where the router cannot be
// loaded, every command and the status bar say why.

import type { ToolRouter } from '@zoo-code/tool-router/internal'
import * as vscode from 'vscode'

import { Approvals } from './agents/approvals'
import { askCommand } from './agents/ask'
import { Gateway, storageOf } from './agents/gateway'
import { Models } from './agents/models'
import { restoreRequests, sampleRequestsCommand } from './agents/sample-requests'
import { registerTools } from './agents/tools'
import { Consent } from './config/consent'
import { ConfigFiles } from './config/files'
import { Inputs } from './config/inputs'
import { Later } from './later'
import { loadRouter, Model, told } from './router'
import { forgetScopes } from './scope'
import { Hub } from './servers/hub'
import * as settings from './settings'
import { Task } from './task/task'
import { toolsInWords } from './task/words'
import { sendTelemetry } from './telemetry'
import { scopeCommands } from './views/scope-commands'
import { ScopeTree } from './views/scope-tree'
import { StatusBar } from './views/status-bar'
import { Texts } from './views/texts'
import { Tokens } from './views/tokens'
import { showSuspicious } from './views/suspicious'
import { showTools } from './views/tool-list'
import { troublesOf } from './views/troubles'
import { tryIt } from './views/try-it'

export async function activate(context: vscode.ExtensionContext) {
  const log = vscode.window.createOutputChannel('MCP Tool Router', { log: true })
  context.subscriptions.push(log)
  const loaded = loadRouter()
  if ('reason' in loaded) return withoutRouter(context, log, loaded.reason)
  const window = new Window(context, loaded.router, log)
  await window.start()
  return window
}

export function deactivate(): void {}

/** Commands answer, the view and the status bar say what is wrong. */
function withoutRouter(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, reason: string): undefined {
  log.error(reason)
  const text = `MCP tools are not routed here: ${reason}`
  const statusBar = new StatusBar()
  statusBar.fail(text)
  context.subscriptions.push(statusBar)
  void vscode.commands.executeCommand('setContext', 'toolRouter.isMissing', true)
  for (const { command } of context.extension.packageJSON.contributes.commands) {
    const act = command === 'toolRouter.showLog' ? () => log.show() : () => void vscode.window.showErrorMessage(text)
    context.subscriptions.push(vscode.commands.registerCommand(command, act))
  }
  return undefined
}

/** The parts of one window of the editor. */
class Window {
  readonly hub: Hub
  readonly task: Task
  readonly #model: Model
  readonly #consent: Consent
  readonly #inputs: Inputs
  readonly #files: ConfigFiles
  readonly #gateway: Gateway
  readonly #approvals: Approvals
  readonly #tokens: Tokens
  readonly #tree: ScopeTree
  readonly #statusBar: StatusBar
  readonly #show: Later
  #setting: string | undefined

  constructor(
    readonly context: vscode.ExtensionContext,
    readonly router: ToolRouter,
    readonly log: vscode.LogOutputChannel,
  ) {
    const { workspaceState, globalState, globalStorageUri, extensionUri, secrets } = context
    this.#setting = settings.apply(router)
    this.#model = this.#own(new Model(router, vscode.Uri.joinPath(globalStorageUri, 'vectors').fsPath))
    this.#files = this.#own(new ConfigFiles(globalStorageUri))
    this.#inputs = this.#own(new Inputs(secrets, storageOf(context).toString()))
    this.#consent = new Consent(workspaceState, globalState)
    this.hub = this.#own(new Hub(router, this.#files, this.#inputs, this.#consent, log, globalState))
    const program = vscode.Uri.joinPath(extensionUri, 'dist', 'gateway.mjs').fsPath
    this.#gateway = this.#own(
      new Gateway(this.#files, this.#inputs, this.#consent, storageOf(context), program, workspaceState),
    )
    this.task = this.#own(new Task(router, workspaceState))
    this.#approvals = new Approvals(this.hub, workspaceState)
    this.#tokens = new Tokens(router)
    this.#statusBar = this.#own(new StatusBar())
    this.#tree = this.#own(new ScopeTree(router, this.hub, this.task, this.#tokens, workspaceState))
    this.#show = this.#own(new Later(() => this.#draw()))
  }

  async start(): Promise<void> {
    const { router, task, context } = this
    await this.#inputs.load()
    this.#follow()
    this.#registerCommands()
    this.#own(sendTelemetry(router, this.log))
    for (const part of registerTools(task, this.hub, this.#approvals)) this.#own(part)
    this.#own(this.#gateway.register())
    await restoreRequests(router, context.globalState)
    await task.restore()
    this.hub.refresh()
    this.#gateway.update()
    this.#show.soon()
  }

  #own<T extends vscode.Disposable>(part: T): T {
    this.context.subscriptions.push(part)
    return part
  }

  #follow(): void {
    this.#own(this.#model.onDidChange(() => this.#show.soon()))
    this.#own(this.task.onDidChange(() => this.#show.soon()))
    this.#own(this.#gateway.onDidShow(() => this.#show.soon()))
    this.#own(this.#files.onDidChange(() => this.#gateway.update()))
    this.#own(this.#inputs.onDidChange(() => this.hub.refresh()))
    this.#own(
      this.hub.onDidChange((change) => {
        if (change) {
          this.#model.watch()
          this.task.follow()
          this.#tree.mark(change.changed)
        }
        this.#show.soon()
      }),
    )
    this.#own(vscode.workspace.onDidChangeConfiguration((event) => this.#changed(event)))
  }

  #changed(event: vscode.ConfigurationChangeEvent): void {
    const isAccess = event.affectsConfiguration('chat.mcp')
    if (!isAccess && !event.affectsConfiguration('toolRouter')) return
    forgetScopes()
    const before = this.#setting
    this.#setting = settings.apply(this.router)
    if (this.#setting && this.#setting !== before)
      void vscode.window.showWarningMessage(`MCP Tool Router: ${this.#setting}. The previous settings stay.`)
    if (this.#model.isWanted) this.#model.use(settings.model())
    if (isAccess || event.affectsConfiguration('toolRouter.source')) this.hub.refresh()
    if (event.affectsConfiguration('toolRouter.servers')) this.hub.rescope()
    this.#gateway.update()
    this.task.follow()
    this.#show.soon()
  }

  async #draw(): Promise<void> {
    const { router, task, hub } = this
    const { status } = router
    const servers = hub.servers
    const troubles = troublesOf({
      servers,
      problems: hub.problems,
      setting: this.#setting,
      modelFailure: this.#model.failure,
      askingCount: (hub.asking.length > 0 ? hub.asking : this.#gateway.asking).length,
      unstarted: hub.unstarted,
      suspiciousCount: hub.findings.suspicious(servers.map(({ name }) => name)).length,
    })
    const scope = await this.#tokens.inScope(servers)
    const { selection, isUsed } = task
    // The model takes some 100 MB: while all tools are attached nothing is ranked.
    const isRanked = scope.count > (router.settings.threshold ?? 0) || selection?.mode === 'dynamic'
    if (isRanked) this.#model.use(settings.model())
    const live = this.#gateway.live
    const isEnabled = settings.isEnabled()
    this.#statusBar.update({
      isEnabled,
      servers,
      troubles,
      scope,
      selection,
      isUsed,
      live,
      status,
      settings: router.settings,
      modeProblem: settings.modeProblem(),
    })
    await this.#tree.update(troubles)
  }

  #registerCommands(): void {
    const { router, task, hub, context } = this
    const texts = this.#own(new Texts())
    const command = (name: string, act: () => unknown) =>
      this.#own(vscode.commands.registerCommand(`toolRouter.${name}`, act))
    command('showTools', () => showTools(router, task, hub))
    command('showSuspicious', () => showSuspicious(router, hub))
    command('tryIt', () => {
      this.#model.use(settings.model())
      tryIt({ router, task, model: this.#model, texts, tokens: this.#tokens })
    })
    command('startTask', () => startTask(task, hub))
    command('reconnect', () => hub.refresh(true))
    const parts = { tree: this.#tree, gateway: this.#gateway, hub, task, texts, inputs: this.#inputs, log: this.log }
    for (const part of scopeCommands(parts)) this.#own(part)
    const models = new Models(context.globalState)
    command('chooseModel', () => models.choose().catch(told))
    this.#own(sampleRequestsCommand(router, hub, context.globalState, models))
    this.#own(askCommand({ task, hub, texts, models, approvals: this.#approvals }))
  }
}

/** A task that no agent works on yet: it shows what an agent would get. */
export async function startTask(task: Task, { servers }: Pick<Hub, 'servers'>): Promise<void> {
  if (servers.every(({ tools }) => tools.length === 0)) {
    const text = 'No MCP server has tools yet, so a task has none to choose from.'
    const chosen = await vscode.window.showInformationMessage(text, 'Show the View')
    if (chosen) await vscode.commands.executeCommand('toolRouter.scope.focus')
    return
  }
  const text = await vscode.window.showInputBox({
    title: 'What is the task? You see which tools an agent would get.',
    placeHolder: 'file a bug report for the login page',
  })
  if (!text?.trim()) return
  const told = `An agent would get ${toolsInWords(await task.start(text))}.`
  const chosen = await vscode.window.showInformationMessage(told, 'Show Them')
  if (chosen) await vscode.commands.executeCommand('toolRouter.showTools')
}
