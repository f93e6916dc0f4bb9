// The user's settings. A bad value is told where the user looks, and the last good ones stay.

import type { ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

import { messageOf, type RouterSettings } from './router'

type HostModes = NonNullable<RouterSettings['hostModes']>

const SAME_NAME = ['searchTurns', 'threshold', 'searchK', 'contextWindow', 'delivery'] as const

/** Empty is what the router does by itself. */
const NUMBER_OR_EMPTY = ['initialK', 'tokenBudget'] as const

export const configuration = () => vscode.workspace.getConfiguration('toolRouter')

/** Settings of the router as the user wrote them, unchecked: the router checks them. */
export function read(config = configuration()): RouterSettings {
  // Requests go to the models of the editor, in its shapes.
  const settings: Record<string, unknown> = { provider: 'vscode' }
  for (const name of SAME_NAME) settings[name] = config.get(name)
  if (config.get<boolean>('enabled') === false) settings.searchTurns = 0
  for (const name of NUMBER_OR_EMPTY) {
    const value = config.get<number | null>(name)
    if (value !== null && value !== undefined) settings[name] = value
  }
  const modes = config.get<HostModes>('modes')
  const hostModes = { ...modes, ...unknownMode(config) }
  if (Object.keys(hostModes).length > 0) settings.hostModes = hostModes
  return settings as RouterSettings
}

/** A mode that nobody has described allows no server: a misspelt name must not switch a restriction off. */
function unknownMode(config: vscode.WorkspaceConfiguration): HostModes {
  const wanted = config.get<string>('mode')
  if (!wanted || Object.hasOwn(config.get<object>('modes') ?? {}, wanted)) return {}
  return { [wanted]: { allowedMcpServers: [] } }
}

/** Applies the settings. What cannot be used is the answer, in words; the previous settings stay then, except for modes. */
export function apply(router: ToolRouter): string | undefined {
  const wanted = read()
  const current = mode()
  const closed: HostModes = current === null ? {} : { [current]: { allowedMcpServers: [] } }
  let problem: string | undefined
  for (const change of [wanted, { hostModes: wanted.hostModes ?? {} }, { hostModes: closed }]) {
    try {
      router.configure(change === wanted ? wanted : { ...router.settings, ...change })
      return problem ?? unknownInWords()
    } catch (error) {
      problem ??= messageOf(error).replace(/^configure\./, 'toolRouter.')
    }
  }
  return problem
}

/** Why no server is used at all, in words: the mode is one that nobody has described. The same wherever it is said. */
export function modeProblem(): string | undefined {
  const words = unknownInWords()
  return words && `No server is used: ${words.replace(/; no server is used$/, '')}.`
}

function unknownInWords(): string | undefined {
  const config = configuration()
  const [unknown] = Object.keys(unknownMode(config))
  const known = Object.keys(config.get<object>('modes') ?? {}).join(', ') || 'none is there'
  return (
    unknown && `toolRouter.mode: expected a name of toolRouter.modes (${known}), got "${unknown}"; no server is used`
  )
}

/** Whether a mode includes a server: an allow list, even an empty one, wins over a block list. */
export function isInMode(scope: HostModes[string] | undefined, serverName: string): boolean {
  if (scope?.allowedMcpServers) return scope.allowedMcpServers.includes(serverName)
  return scope?.blockedMcpServers?.includes(serverName) !== true
}

/** Whether tools are chosen at all; otherwise every tool is attached. */
export const isEnabled = () => configuration().get<boolean>('enabled') !== false

export const model = () => (configuration().get<string>('model') === 'none' ? 'none' : 'local')

/** Where tools come from: servers that the extension connects to, or what the editor has itself. */
export const source = () => (configuration().get<string>('source') === 'files' ? 'files' : 'editor')

/** The mode of the task. */
export const mode = (): string | null => configuration().get<string>('mode') || null
