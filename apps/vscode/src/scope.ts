// Which tools of a server are used. The user's settings and those of the workspace both may take tools away; what either
// has switched off is off. Only for servers of its own file does a workspace also say what models read, or what is pinned.

import * as vscode from 'vscode'

/** What `toolRouter.servers` says about a server. */
export interface ServerScope {
  disabled?: boolean
  onlyAllow?: string[] | 'none'
  disabledTools?: string[]
  alwaysLoad?: string[]
  toolDescriptionOverrides?: Record<string, string>
}

/** A server by its name and where it is configured. */
export interface ServerRef {
  name: string
  source: 'project' | 'global' | 'editor'
}

type Layer = 'user' | 'workspace'
type Scopes = Record<string, ServerScope>

/** Read once per change: the editor copies all of its settings for whoever asks. */
let layers: Record<Layer, Scopes> | undefined

/** The settings have changed. */
export const forgetScopes = () => {
  layers = undefined
}

export function scopeOf({ name, source }: ServerRef): ServerScope {
  return merged(own('user', name), own('workspace', name), source === 'project')
}

/** Those of a server's tools that are on. */
export function toolsOn(server: ServerRef, toolNames: readonly string[]): string[] {
  const scope = scopeOf(server)
  return scope.disabled ? [] : toolNames.filter((name) => isOn(scope, name))
}

/** What the user and the workspace say about a server, together. */
export function merged(user: ServerScope, workspace: ServerScope, isOfWorkspace: boolean): ServerScope {
  const words = isOfWorkspace ? workspace : {}
  return {
    disabled: user.disabled === true || workspace.disabled === true,
    ...toolsOf(user, workspace),
    alwaysLoad: [...new Set([...texts(user.alwaysLoad), ...texts(words.alwaysLoad)])],
    toolDescriptionOverrides: { ...user.toolDescriptionOverrides, ...words.toolDescriptionOverrides },
  }
}

function toolsOf(user: ServerScope, workspace: ServerScope): Pick<ServerScope, 'onlyAllow' | 'disabledTools'> {
  const both = [user, workspace]
  const named = both.filter((scope) => allowedBy(scope) !== undefined)
  if (named.length === 0) return { disabledTools: [...new Set(both.flatMap((scope) => texts(scope.disabledTools)))] }
  const names = named.flatMap((scope) => allowedBy(scope) ?? [])
  const left = [...new Set(names)].filter((name) => both.every((scope) => isOn(scope, name)))
  return { onlyAllow: left.length > 0 ? left : 'none' }
}

/** The list of tools that are on, where there is one. What cannot be read allows nothing. */
function allowedBy({ onlyAllow }: ServerScope): string[] | undefined {
  if (onlyAllow === undefined) return undefined
  if (!Array.isArray(onlyAllow)) return []
  return onlyAllow.length > 0 ? texts(onlyAllow) : undefined
}

function isOn(scope: ServerScope, toolName: string): boolean {
  const allowed = allowedBy(scope)
  return allowed ? allowed.includes(toolName) : !texts(scope.disabledTools).includes(toolName)
}

/** Switches a server on, wherever it was switched off, or off. */
export async function switchServer(server: ServerRef, isOnNow: boolean): Promise<void> {
  const change = ({ disabled: _, ...rest }: ServerScope) => (isOnNow ? rest : { ...rest, disabled: true })
  const where = isOnNow ? all.filter((layer) => own(layer, server.name).disabled === true) : [layerOf(server)]
  for (const layer of where) await write(layer, server.name, change)
}

/** Switches tools of a server on, wherever they were switched off, or off. */
export async function switchTools(server: ServerRef, toolNames: readonly string[], isOnNow: boolean): Promise<void> {
  const where = isOnNow ? all : [layerOf(server)]
  for (const layer of where) {
    const wanted = toolNames.filter((name) => isOn(own(layer, server.name), name) !== isOnNow)
    if (wanted.length > 0) await write(layer, server.name, (scope) => withTools(scope, wanted, isOnNow))
  }
}

function withTools(scope: ServerScope, toolNames: readonly string[], isOnNow: boolean): ServerScope {
  const put = (list: string[], isIn: boolean) => {
    const rest = list.filter((name) => !toolNames.includes(name))
    return isIn ? [...rest, ...toolNames] : rest
  }
  const allowed = allowedBy(scope)
  if (allowed === undefined) return { ...scope, disabledTools: put(texts(scope.disabledTools), !isOnNow) }
  const left = put(allowed, isOnNow)
  // An empty list would allow all of them.
  return { ...scope, onlyAllow: left.length > 0 ? left : 'none' }
}

/** Switches all tools of a server on, or none. */
export async function allTools(server: ServerRef, isOnNow: boolean): Promise<void> {
  const change = ({ onlyAllow: _, disabledTools: __, ...rest }: ServerScope): ServerScope =>
    isOnNow ? rest : { ...rest, onlyAllow: 'none' }
  const isSaid = ({ onlyAllow, disabledTools }: ServerScope) => onlyAllow !== undefined || disabledTools !== undefined
  const where = isOnNow ? all.filter((layer) => isSaid(own(layer, server.name))) : [layerOf(server)]
  for (const layer of where) await write(layer, server.name, change)
}

/** Switches exactly these tools of a server on. */
export async function onlyTools(server: ServerRef, toolNames: readonly string[]): Promise<void> {
  await switchTools(server, toolNames, true)
  await write(layerOf(server), server.name, (scope) => ({ ...scope, onlyAllow: [...toolNames] }))
}

/** Has a tool always loaded, or no longer. */
export async function pin(server: ServerRef, toolName: string, isPinned: boolean): Promise<void> {
  const isIn = (layer: Layer) => texts(own(layer, server.name).alwaysLoad).includes(toolName)
  const where = isPinned ? [layerOf(server)] : all.filter(isIn)
  for (const layer of where) {
    await write(layer, server.name, (scope) => {
      const others = texts(scope.alwaysLoad).filter((name) => name !== toolName)
      return { ...scope, alwaysLoad: isPinned ? [...others, toolName] : others }
    })
  }
}

/** @param text what models read about a tool; `undefined` for what its server sends */
export async function describe(server: ServerRef, toolName: string, text: string | undefined): Promise<void> {
  const isIn = (layer: Layer) => Object.hasOwn(own(layer, server.name).toolDescriptionOverrides ?? {}, toolName)
  const where = text === undefined ? all.filter(isIn) : [layerOf(server)]
  for (const layer of where) {
    await write(layer, server.name, (scope) => {
      const { [toolName]: _, ...others } = scope.toolDescriptionOverrides ?? {}
      return { ...scope, toolDescriptionOverrides: text === undefined ? others : { ...others, [toolName]: text } }
    })
  }
}

const all: Layer[] = ['user', 'workspace']

/** What is clicked at a server of the workspace is the workspace's; all else is the user's own. */
const layerOf = ({ source }: ServerRef): Layer => (source === 'project' ? 'workspace' : 'user')

function own(layer: Layer, serverName: string): ServerScope {
  layers ??= read()
  const scopes = layers[layer]
  return Object.hasOwn(scopes, serverName) ? (scopes[serverName] ?? {}) : {}
}

function read(): Record<Layer, Scopes> {
  const { globalValue, workspaceValue } =
    vscode.workspace.getConfiguration('toolRouter').inspect<Scopes>('servers') ?? {}
  // A copy as JSON: what the editor answers with is a proxy, which structuredClone refuses.
  const copy = (scopes: Scopes | undefined): Scopes => JSON.parse(JSON.stringify(scopes ?? {}))
  return { user: copy(globalValue), workspace: vscode.workspace.isTrusted ? copy(workspaceValue) : {} }
}

/** Writes what is said about one server in one place; nothing of any other place gets there. */
async function write(layer: Layer, serverName: string, change: (scope: ServerScope) => ServerScope): Promise<void> {
  forgetScopes()
  const scope = change(own(layer, serverName))
  const isSaid = (value: unknown) => typeof value !== 'object' || Object.keys(value ?? {}).length > 0
  const said = Object.entries(scope).filter(([, value]) => isSaid(value))
  const { [serverName]: _, ...scopes } = read()[layer]
  if (said.length > 0) scopes[serverName] = Object.fromEntries(said)
  const target = layer === 'user' ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace
  const value = Object.keys(scopes).length > 0 ? scopes : undefined
  await vscode.workspace.getConfiguration('toolRouter').update('servers', value, target)
  forgetScopes()
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : []
