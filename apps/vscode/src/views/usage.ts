// The numbers of the context usage panel: the router's own, with the tools of the task and with all tools. Before a model has
// been asked they are what it would cost.

import type { Selection, ToolRouter } from '@zoo-code/tool-router/internal'

import type { HubServer } from '../servers/hub'
import { modeProblem } from '../settings'
import { BEFORE, costOf, ruleInWords, statesInWords, toolsInWords } from '../task/words'

export interface UsageRow {
  name: string
  tools: string
  /** Whether a model sees anything of it. */
  isSent: boolean
  now: number
  before: number
}

export interface Usage {
  title: string
  rule: string
  /** How the numbers of the task are called: those of a model that was asked, or of one that would be. */
  label: string
  window: number
  rows: UsageRow[]
  now: number
  before: number
  saved: number
  /** What is said where there is no row. */
  none: string
  /** Tools of the editor that are of no MCP server. */
  own: number
  /** What the reader has sorted by. */
  order: Order | undefined
}

/** By what rows are ordered: numbers from the largest, names from A. */
export type Order = 'name' | 'now' | 'before'
export const ORDERS: readonly Order[] = ['name', 'now', 'before']

export async function usage(
  router: ToolRouter,
  selection: Selection | null,
  hub: readonly HubServer[],
  isUsed: boolean,
  own = 0,
  order?: Order,
): Promise<Usage> {
  const { settings } = router
  const window = settings.contextWindow ?? 0
  const rows = (selection ? chosen(router, selection, hub) : await all(router, hub)).sort(inOrder(order))
  const every = rows.reduce((total, { before }) => total + before, 0)
  const cost = selection ? costOf(selection) : { sent: every, every, saved: 0 }
  return {
    title: selection ? toolsInWords(selection) : 'All MCP tools',
    rule: modeProblem() ?? (selection ? rule(selection, settings) : BEFORE),
    label: selection && isUsed ? 'Sent now' : 'Would be sent',
    window,
    rows,
    now: cost.sent,
    before: cost.every,
    saved: cost.saved,
    none: modeProblem() === undefined ? 'No server has tools yet.' : 'Nothing is sent.',
    own,
    order,
  }
}

/** The chart and the table have one order: what costs most stands first, unless the reader wants another one. */
function inOrder(order: Order | undefined): (a: UsageRow, b: UsageRow) => number {
  const byName = (a: UsageRow, b: UsageRow) => a.name.localeCompare(b.name)
  if (order === 'name') return byName
  const cost = (row: UsageRow) => (order === undefined ? row.before + row.now : row[order])
  return (a, b) => cost(b) - cost(a) || byName(a, b)
}

const rule = (selection: Selection, settings: { threshold?: number }) =>
  [ruleInWords(selection, settings), ...(selection.mode === 'dynamic' ? [statesInWords(selection)] : [])].join(' ')

/** Lines of the directory are a row of their own: together with those of the servers it makes the sum. */
function chosen(router: ToolRouter, { tokens, directory, mode }: Selection, hub: readonly HubServer[]): UsageRow[] {
  const named = directory.map((name) => router.resolveTool(name)?.serverName)
  const servers = tokens.servers.map(({ serverName, attached, attachedCount, scoped }) => {
    const all = hub.find(({ name }) => name === serverName)?.tools.length ?? attachedCount
    const lines = named.filter((name) => name === serverName).length
    const tools = `${attachedCount} of ${all}${lines > 0 ? `, ${lines} named` : ''}`
    return { name: serverName, tools, isSent: attachedCount + lines > 0, now: attached, before: scoped }
  })
  const load = { name: 'mcp_load', tools: '1 of 1', isSent: true, now: tokens.mcpLoad, before: 0 }
  const lines = {
    name: 'lines of named tools',
    tools: `${named.length} named`,
    isSent: true,
    now: tokens.directory,
    before: 0,
  }
  return mode === 'dynamic' ? [load, ...(named.length > 0 ? [lines] : []), ...servers] : servers
}

async function all(router: ToolRouter, hub: readonly HubServer[]): Promise<UsageRow[]> {
  const { servers } = await router.contextUsage({})
  return servers.map(({ name, tokens }) => {
    const server = hub.find((other) => other.name === name)
    return { name, tools: String(server?.tools.length ?? ''), isSent: true, now: tokens, before: tokens }
  })
}
