// The list of tools that look suspicious: what was found, and the choice to switch one off or to find it fine.

import type { ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { switchTools } from '../scope'
import type { Hub } from '../servers/hub'
import { findingLines, type SuspiciousTool } from '../servers/findings'

const OFF = 'Switch Off'
const FINE = 'This Is Fine'

interface Item extends vscode.QuickPickItem {
  found: SuspiciousTool
}

export async function showSuspicious(router: ToolRouter, hub: Hub): Promise<void> {
  const found = hub.findings.suspicious(hub.servers.map(({ name }) => name))
  if (found.length === 0) {
    void vscode.window.showInformationMessage(
      'No tool looks suspicious. An honest look means little of a server that wants to hide.',
    )
    return
  }
  const items = found.map((each): Item => {
    const [detail] = findingLines(each.findings)
    return { label: each.toolName || `Server ${each.serverName}`, description: each.serverName, detail, found: each }
  })
  const chosen = await vscode.window.showQuickPick(items, { title: 'Tools that look suspicious', matchOnDetail: true })
  if (chosen) await decide(router, hub, chosen.found)
}

async function decide(router: ToolRouter, hub: Hub, found: SuspiciousTool): Promise<void> {
  const { serverName, toolName, findings, mark } = found
  const listed = await router.listTools({ withOff: true, servers: [serverName] })
  const tool = listed.find((each) => each.toolName === toolName)
  const server = hub.servers.find(({ name }) => name === serverName)
  const detail = findingLines(findings, tool?.originalDescription ?? tool?.description).join('\n\n')
  const name = toolName ? `${serverName}: ${toolName}` : serverName
  const ways = [...(tool && server && tool.off === undefined ? [OFF] : []), ...(mark === undefined ? [] : [FINE])]
  const way = await vscode.window.showWarningMessage(`${name} looks suspicious`, { modal: true, detail }, ...ways)
  if (way === OFF && server) await switchTools(server, [toolName], false)
  if (way === FINE) await hub.accept(found)
}
