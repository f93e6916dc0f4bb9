// SPDX-License-Identifier: Apache-2.0
//
// The user's settings. A bad value is told where the user looks, and the last good ones stay.

import type { ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { messageOf, type RouterSettings } from './router'

/** What the user makes of a server, by its name in `toolRouter.servers`. */
export interface ServerScope {
  disabled?: boolean
  onlyAllow?: string[]
  disabledTools?: string[]
  alwaysLoad?: string[]
  toolDescriptionOverrides?: Record<string, string>
}

const SAME_NAME = ['searchTurns', 'threshold', 'initialK', 'searchK', 'contextWindow', 'delivery'] as const

export const configuration = () => vscode.workspace.getConfiguration('toolRouter')

/** Settings of the router as the user wrote them, unchecked: the router checks them. */
export function read(config = configuration()): RouterSettings {
  // Requests go to the models of the editor, in its shapes.
  const settings: Record<string, unknown> = { provider: 'vscode' }
  for (const name of SAME_NAME) settings[name] = config.get(name)
  if (config.get<boolean>('initialKAuto')) settings.initialK = 'auto'
  const budget = config.get<number | null>('tokenBudget')
  if (budget !== null && budget !== undefined) settings.tokenBudget = budget
  const modes = config.get<RouterSettings['hostModes']>('modes')
  if (modes && Object.keys(modes).length > 0) settings.hostModes = modes
  return settings as RouterSettings
}

/** Applies the settings. What cannot be used is the answer, in words; nothing is changed then. */
export function apply(router: ToolRouter): string | undefined {
  try {
    router.configure(read())
    return undefined
  } catch (error) {
    return messageOf(error).replace(/^configure\./, 'toolRouter.')
  }
}

export const model = () => (configuration().get<string>('model') === 'none' ? 'none' : 'local')

/** Where tools come from: servers that the extension connects to, or what the editor has itself. */
export const source = () => (configuration().get<string>('source') === 'editor' ? 'editor' : 'files')

/** The mode of the task, where there is one of that name. */
export function mode(): string | null {
  const wanted = configuration().get<string>('mode') || null
  const modes = configuration().get<object>('modes') ?? {}
  return wanted !== null && Object.hasOwn(modes, wanted) ? wanted : null
}

/** Read once per change: the editor copies all of its settings for whoever asks. */
let scopes: Record<string, ServerScope> | undefined

/** The settings have changed. */
export const forget = () => {
  scopes = undefined
}

export const scopeOf = (serverName: string): ServerScope => {
  scopes ??= configuration().get<Record<string, ServerScope>>('servers') ?? {}
  return Object.hasOwn(scopes, serverName) ? (scopes[serverName] ?? {}) : {}
}

/** Writes the scope of a server, to the workspace where there is one. */
export async function changeScope(serverName: string, change: (scope: ServerScope) => ServerScope): Promise<void> {
  const scopes = { ...(configuration().get<Record<string, ServerScope>>('servers') ?? {}) }
  // A copy as JSON: what the editor answers with is a proxy, which structuredClone refuses.
  const scope = change(JSON.parse(JSON.stringify(scopeOf(serverName))))
  for (const [key, value] of Object.entries(scope)) {
    const isEmpty = value === false || (typeof value === 'object' && Object.keys(value).length === 0)
    if (isEmpty) delete scope[key as keyof ServerScope]
  }
  if (Object.keys(scope).length > 0) scopes[serverName] = scope
  else delete scopes[serverName]
  const target = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global
  await configuration().update('servers', Object.keys(scopes).length > 0 ? scopes : undefined, target)
}

/** A list with a value put in or taken out. */
export function toggled(list: string[] | undefined, value: string, isIn: boolean): string[] {
  const rest = (list ?? []).filter((other) => other !== value)
  return isIn ? [...rest, value] : rest
}
