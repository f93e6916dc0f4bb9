// Sample requests for a server, written by the editor's own language model when the user asks. They help to find the server.
// They are checked before they count: by the router, and by the user, who sees each of them.

import type { ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { messageOf } from '../router'
import type { Hub } from '../servers/hub'
import type { Node } from '../views/scope-tree'
import type { Models } from './models'

const KEY = 'sampleRequests'
/** A request counts where the server is in this share of all without it: a model must not lift it over others' work. */
const BEST_SHARE = 1 / 3

type Saved = Record<string, string[]>

/** Sets the requests of earlier windows. */
export async function restoreRequests(router: ToolRouter, memory: vscode.Memento): Promise<void> {
  for (const [serverName, syntheticQueries] of Object.entries(memory.get<Saved>(KEY) ?? {})) {
    await router.setServerEntry(serverName, { syntheticQueries })
  }
}

export function sampleRequestsCommand(
  router: ToolRouter,
  hub: Hub,
  memory: vscode.Memento,
  models: Models,
): vscode.Disposable {
  return vscode.commands.registerCommand('toolRouter.describeServer', async (node?: Node) => {
    const names = hub.servers.filter(({ tools }) => tools.length > 0).map(({ name }) => name)
    const title = 'Sample requests for which server?'
    const name = node?.kind === 'server' ? node.server.name : await vscode.window.showQuickPick(names, { title })
    if (name === undefined) return
    try {
      const model = await models.get()
      if (model) await describe(router, name, memory, model)
    } catch (error) {
      void vscode.window.showErrorMessage(`No sample requests for ${name}: ${messageOf(error)}`)
    }
  })
}

async function describe(
  router: ToolRouter,
  name: string,
  memory: vscode.Memento,
  model: vscode.LanguageModelChat,
): Promise<void> {
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: `${model.name} writes requests`,
    cancellable: true,
  }
  const requests = await vscode.window.withProgress(progress, (_, token) => write(router, name, model, token))
  const checked = await check(router, name, requests)
  const items = requests.map((label) => {
    const isFit = checked.has(label)
    return { label, picked: isFit, description: isFit ? '' : 'other servers fit better' }
  })
  const picked = await vscode.window.showQuickPick(items, { title: `Requests that ${name} is for`, canPickMany: true })
  if (!picked) return
  const syntheticQueries = picked.map(({ label }) => label)
  await router.setServerEntry(name, syntheticQueries.length > 0 ? { syntheticQueries } : null)
  const { [name]: _, ...others } = memory.get<Saved>(KEY) ?? {}
  await memory.update(KEY, syntheticQueries.length > 0 ? { ...others, [name]: syntheticQueries } : others)
}

async function write(
  router: ToolRouter,
  name: string,
  model: vscode.LanguageModelChat,
  token: vscode.CancellationToken,
): Promise<string[]> {
  const message = vscode.LanguageModelChatMessage.User(await router.syntheticQueryPrompt(name))
  const response = await model.sendRequest([message], { justification: `Sample requests for ${name}` }, token)
  let text = ''
  for await (const part of response.text) text += part
  return router.parseSyntheticQueries(text)
}

/** Those that say something to the server's own tools, and for which it is among the best without their help. */
async function check(router: ToolRouter, name: string, requests: string[]): Promise<Set<string>> {
  const fit = new Set<string>()
  const topK = Math.ceil(router.status.serverCount * BEST_SHARE)
  for (const request of requests) {
    const { servers } = await router.rankServers(request, { topK, toolsPerServer: 0 })
    const { supportedCount } = await router.rank(request, { servers: [name], topK: 1, ranker: 'lexical' })
    if (supportedCount > 0 && servers.some(({ serverName }) => serverName === name)) fit.add(request)
  }
  return fit
}
