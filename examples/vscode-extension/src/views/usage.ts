// SPDX-License-Identifier: Apache-2.0
//
// The numbers of the context usage panel: the router's own, as sent now and as static loading would send it.

import type { Selection, ToolRouter } from '@zoo-code/tool-router'

import type { HubServer } from '../servers/hub'
import { attachedCount, count, ruleInWords } from '../task/words'

export interface UsageRow {
  name: string
  tools: string
  now: number
  before: number
}

export interface Usage {
  title: string
  rule: string
  window: number
  rows: UsageRow[]
  now: number
  before: number
}

export async function usage(
  router: ToolRouter,
  selection: Selection | null,
  hub: readonly HubServer[],
): Promise<Usage> {
  const { settings } = router
  const window = settings.contextWindow ?? 0
  const rows = selection ? chosen(selection) : await all(router, hub)
  const sum = (key: 'now' | 'before') => rows.reduce((total, row) => total + row[key], 0)
  return {
    title: selection
      ? `${count(attachedCount(selection))} of ${count(selection.scopedCount)} MCP tools`
      : 'All MCP tools',
    rule: selection ? ruleInWords(selection, settings) : 'No task has started: all tools are sent.',
    window,
    rows,
    now: sum('now'),
    before: sum('before'),
  }
}

function chosen({ tokens, mode }: Selection): UsageRow[] {
  const servers = tokens.servers.map(({ serverName, attached, attachedCount, scoped }) => ({
    name: serverName,
    tools: String(attachedCount),
    now: attached,
    before: scoped,
  }))
  const load = { name: 'mcp_load', tools: '1', now: tokens.mcpLoad, before: 0 }
  return mode === 'dynamic' ? [load, ...servers] : servers
}

async function all(router: ToolRouter, hub: readonly HubServer[]): Promise<UsageRow[]> {
  const { servers } = await router.contextUsage({})
  return servers.map(({ name, tokens }) => {
    const server = hub.find((other) => other.name === name)
    return { name, tools: String(server?.tools.length ?? ''), now: tokens, before: tokens }
  })
}
