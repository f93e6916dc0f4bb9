// Try it: a request, what a task with it would get, in which order and why. Works before the model is there, and says so.

import type { RankedTool, ToolRouter } from '@zoo-code/tool-router/internal'
import * as vscode from 'vscode'

import { messageOf, type Model } from '../router'
import { mode, modeProblem } from '../settings'
import type { Task } from '../task/task'
import { count, rankerInWords, toolsInWords } from '../task/words'
import type { Texts } from './texts'
import type { Tokens } from './tokens'

/** Under this evidence nothing is likely to serve the request: `mcp_load` would answer so. */
const UNLIKELY = 0.3
/** Tools that are shown beyond those that a task would get, and where nothing fits. */
const BEYOND = 5
const NEAREST = 3
/** How many tools are shown where no number says how many a task gets. */
const MAX_AUTO = 30
/** Typing is waited for this long. */
const PAUSE_MS = 150

interface Item extends vscode.QuickPickItem {
  tool?: RankedTool
  action?: 'start' | 'turn' | 'load'
}

interface Parts {
  router: ToolRouter
  task: Task
  model: Model
  texts: Texts
  tokens: Tokens
}

export function tryIt({ router, task, model, texts, tokens }: Parts): vscode.QuickPick<Item> {
  const pick = vscode.window.createQuickPick<Item>()
  pick.title = 'Try a request: which tools would it get?'
  pick.placeholder = 'file a bug report for the login page'
  pick.matchOnDescription = false
  pick.keepScrollPosition = true
  let asked = 0
  let shown = ''
  let timer: NodeJS.Timeout | undefined

  const show = async () => {
    const query = pick.value.trim()
    const own = ++asked
    if (query === '') {
      pick.items = [{ label: rankerInWords(model.status, model.failure), alwaysShow: true }]
      return
    }
    pick.busy = true
    try {
      const items = await ranked(router, tokens, query)
      if (own !== asked) return
      const progress =
        model.status.state === 'loading' ? [{ label: rankerInWords(model.status), alwaysShow: true }] : []
      // While vectors are made the list is drawn again: what the user has chosen meanwhile stays chosen.
      const chosen = query === shown ? pick.activeItems[0]?.label : undefined
      shown = query
      pick.items = [...progress, ...items, ...actions(task)]
      const choices = pick.items.filter(({ tool, action }) => tool || action)
      pick.activeItems = [choices.find(({ label }) => label === chosen) ?? choices[0]].filter(
        (item) => item !== undefined,
      )
    } catch (error) {
      if (own === asked) pick.items = [{ label: messageOf(error), alwaysShow: true }]
    } finally {
      if (own === asked) pick.busy = false
    }
  }
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void show(), PAUSE_MS)
  }
  const follows = model.onDidChange(later)
  pick.onDidChangeValue(later)
  pick.onDidAccept(() => {
    // While the list is drawn again its heading is active for a moment; then the first choice is meant.
    const isChoice = ({ tool, action }: Item) => tool !== undefined || action !== undefined
    const item = pick.activeItems.find(isChoice) ?? pick.items.find(isChoice)
    const query = pick.value.trim()
    if (query === '' || !item) return
    void accept(router, task, texts, query, item).finally(() => pick.dispose())
  })
  pick.onDidHide(() => {
    clearTimeout(timer)
    follows.dispose()
    pick.dispose()
  })
  void show()
  pick.show()
  return pick
}

/** What a request would get, as rows. */
export async function ranked(router: ToolRouter, tokens: Tokens, query: string): Promise<Item[]> {
  const hostMode = mode() ?? undefined
  const { initialK = 0, threshold = 0 } = router.settings
  const most = initialK === 'auto' ? MAX_AUTO : initialK
  const ranking = await router.rank(query, { topK: Math.min(1_000, Math.max(1, most) + BEYOND), hostMode })
  if (ranking.candidateCount === 0) return [{ label: modeProblem() ?? 'No server has tools yet.', alwaysShow: true }]
  const percent = `${Math.round(ranking.evidence * 100)} % likely that any of ${ranking.candidateCount} tools serves it`
  const isFit = ranking.supportedCount > 0 && ranking.evidence >= UNLIKELY
  const found = ranking.supportedCount > 0 ? ranking.tools.slice(0, isFit ? undefined : NEAREST) : []
  const descriptions = await descriptionsOf(router, found)
  for (const name of new Set(found.map(({ serverName }) => serverName))) await tokens.ofTools(name)
  const items = found.map((tool): Item => {
    const { rank, toolName, serverName, name } = tool
    const detail = [why(tool), descriptions.get(name)].filter(Boolean).join(' · ')
    return {
      label: `${rank}. ${toolName}`,
      description: `${serverName} · ${count(tokens.ofTool(serverName, name) ?? 0)} tokens`,
      detail,
      alwaysShow: true,
      tool,
    }
  })
  if (!isFit) {
    const nearest = items.length > 0 ? `${percent}. The nearest:` : 'no word of it is known here'
    return [{ label: `$(circle-slash) Nothing fits: ${nearest}`, alwaysShow: true }, ...items]
  }
  const isAll = ranking.candidateCount <= threshold
  const end = isAll
    ? 'A task gets all of them: they are at most the threshold'
    : 'A task that begins with this gets about those above'
  const separator: Item = { label: end, kind: vscode.QuickPickItemKind.Separator }
  const rows = [...items.slice(0, most), ...(isAll || items.length > most ? [separator] : []), ...items.slice(most)]
  return [{ label: `$(target) ${percent}`, alwaysShow: true }, ...rows]
}

/** The first lines of what models read about tools. */
async function descriptionsOf(router: ToolRouter, tools: readonly RankedTool[]): Promise<Map<string, string>> {
  const servers = [...new Set(tools.map(({ serverName }) => serverName))]
  const listed = servers.length > 0 ? await router.listTools({ servers }) : []
  return new Map(
    listed.map(({ name, description }) => [name, description.trim().split('\n', 1)[0]?.slice(0, 150) ?? '']),
  )
}

/** Which of its parts lifted a tool above the others. */
export function why({ lexicalShare, semanticShare, boost }: RankedTool): string {
  const reasons = [
    ...(boost > 0 ? ['named or used before'] : []),
    ...(lexicalShare > 0 ? ['by its words'] : []),
    ...(semanticShare > 0 ? ['by its meaning'] : []),
  ]
  return reasons.join(', ') || 'hardly'
}

function actions({ selection }: Task): Item[] {
  const action = (label: string, kind: Item['action']): Item => ({ label, action: kind, alwaysShow: true })
  const ways = [action('$(add) Start a task with it', 'start')]
  if (selection) ways.push(action('$(arrow-right) Say it in the running task', 'turn'))
  if (selection?.mode === 'dynamic') ways.push(action('$(cloud-download) Ask for it with mcp_load', 'load'))
  return [{ label: 'Then', kind: vscode.QuickPickItemKind.Separator }, ...ways]
}

async function accept(
  router: ToolRouter,
  task: Task,
  texts: Texts,
  query: string,
  { tool, action }: Item,
): Promise<void> {
  if (action === 'load') {
    const { loaded, alreadyAttached, nothingFits } = await task.load(query)
    const names = loaded.map(({ toolName }) => toolName).join(', ')
    const text = nothingFits?.message ?? (names ? `Loaded: ${names}` : `It had them: ${alreadyAttached.join(', ')}`)
    void vscode.window.showInformationMessage(text)
  } else if (action) {
    const selection = await (action === 'start' ? task.start(query) : task.turn(query))
    void vscode.window.showInformationMessage(`The task has ${toolsInWords(selection)}.`)
  } else if (tool) {
    const { text } = await router.explain(query, tool.name, { hostMode: mode() ?? undefined })
    await texts.show(
      `${tool.toolName}.txt`,
      `${query}

${text}
`,
    )
  }
}
