// SPDX-License-Identifier: Apache-2.0
//
// Try it: a request, what would be attached for it and why. Works before the model is there, and says so.

import type { RankedTool, ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { messageOf, type Model } from '../router'
import { mode } from '../settings'
import type { Task } from '../task/task'
import { rankerInWords } from '../task/words'
import type { Texts } from './texts'

/** Under this evidence nothing is likely to serve the request: `mcp_load` would answer so. */
const UNLIKELY = 0.3
const TOP = 12
/** Typing is waited for this long. */
const PAUSE_MS = 150

interface Item extends vscode.QuickPickItem {
  tool?: RankedTool
  action?: 'start' | 'turn' | 'load'
}

export function tryIt(router: ToolRouter, task: Task, model: Model, texts: Texts): vscode.QuickPick<Item> {
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
      const items = await ranked(router, query)
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
    const [item] = pick.activeItems
    const query = pick.value.trim()
    if (query === '' || !(item?.tool || item?.action)) return
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

async function ranked(router: ToolRouter, query: string): Promise<Item[]> {
  const hostMode = mode() ?? undefined
  const ranking = await router.rank(query, { topK: TOP, hostMode })
  const items: Item[] = ranking.tools.map((tool) => ({
    label: `${tool.rank}. ${tool.toolName}`,
    description: tool.serverName,
    detail: why(tool),
    alwaysShow: true,
    tool,
  }))
  const likely = `${Math.round(ranking.evidence * 100)} % likely that any of ${ranking.candidateCount} tools serves it`
  const isKnown = ranking.supportedCount > 0
  const nearest = isKnown ? `${likely}. The nearest:` : 'no word of it is known here'
  const label =
    isKnown && ranking.evidence >= UNLIKELY ? `$(check) ${likely}` : `$(circle-slash) Nothing fits: ${nearest}`
  return [{ label, alwaysShow: true }, ...(isKnown ? items : [])]
}

function why({ lexicalShare, semanticShare, boost, similarity }: RankedTool): string {
  const parts = [`words ${lexicalShare.toFixed(2)}`]
  if (similarity !== undefined) parts.push(`meaning ${semanticShare.toFixed(2)} (cosine ${similarity.toFixed(2)})`)
  if (boost !== 0) parts.push(`names and uses ${boost.toFixed(2)}`)
  return parts.join(', ')
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
    const text = nothingFits?.message ?? (names ? `Loaded: ${names}` : `Attached before: ${alreadyAttached.join(', ')}`)
    void vscode.window.showInformationMessage(text)
  } else if (action) {
    const { attached, added } = await (action === 'start' ? task.start(query) : task.turn(query))
    void vscode.window.showInformationMessage(`${attached.length} tools are attached, ${added.length} of them new.`)
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
