// What the gateway is told: the servers that the user allows this extension to start, with what the view has switched off,
// worded or pinned. The file names variables for what the user was asked for; their values go to the process alone.

import { isAbsolute, resolve } from 'node:path'

import { namesInput } from '../config/entry'
import type { Configured } from '../config/files'
import type { ServerScope } from '../scope'

/** An input that a server asks for, and the variable of the gateway that holds it. */
export interface Variable {
  name: string
  server: Configured
  id: string
}

export interface GatewayFile {
  mcpServers: Record<string, object>
  gateway: { searchK?: number; mode?: 'static' | 'dynamic'; withholdTools?: 'never'; changedTools?: 'tell' }
}

interface Given {
  scopeOf(server: Configured): ServerScope
  /** Whether the user has allowed it to start, and the mode of the task includes it. */
  isUsed(server: Configured): boolean
  /** The variable for an input; each server has one of its own. */
  variableOf(server: Configured, id: string): string
  settings: GatewayFile['gateway']
}

/** What the editor reads of an entry. The gateway knows more, which nobody has allowed: all variables, a program of headers. */
const FIELDS = ['type', 'command', 'args', 'cwd', 'env', 'envFile', 'url', 'headers']

export function gatewayFile(
  servers: readonly Configured[],
  given: Given,
): { file: GatewayFile; variables: Variable[] } {
  const mcpServers: GatewayFile['mcpServers'] = {}
  const variables = new Map<string, Variable>()
  for (const server of servers) {
    const { disabled, onlyAllow, ...scope } = given.scopeOf(server)
    const isOn = given.isUsed(server) && disabled !== true && onlyAllow !== 'none'
    // A server of the workspace hides one of the user that has its name, and comes first.
    if (!isOn || namesInput(server.entry) || Object.hasOwn(mcpServers, server.name)) continue
    const variable = (id: string) => {
      const name = given.variableOf(server, id)
      variables.set(name, { name, server, id })
      return name
    }
    const entry = entryOf(server, variable)
    if (entry) mcpServers[server.name] = { ...entry, ...scope, ...(onlyAllow && { onlyAllow }) }
  }
  return { file: { mcpServers, gateway: given.settings }, variables: [...variables.values()] }
}

type VariableOf = (id: string) => string

/** The entry as it means the same outside of its file. */
function entryOf({ entry, workspace }: Configured, variable: VariableOf): Record<string, unknown> | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return undefined
  const moved: Record<string, unknown> = Object.fromEntries(
    Object.entries(entry)
      .filter(([key]) => FIELDS.includes(key))
      .map(([key, value]) => [key, filled(value, workspace, variable)]),
  )
  if (moved.url !== undefined) return moved
  const cwd = resolve(workspace, typeof moved.cwd === 'string' ? moved.cwd : '.')
  const { envFile } = moved
  const isRelative = typeof envFile === 'string' && !isAbsolute(envFile) && !envFile.startsWith('${')
  return { ...moved, cwd, ...(isRelative && { envFile: resolve(cwd, envFile) }) }
}

function filled(value: unknown, workspace: string, variable: VariableOf): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(?:workspaceFolder|input:([^{}]+))\}/g, (_, id: string | undefined) =>
      id === undefined ? workspace : `\${env:${variable(id)}}`,
    )
  }
  if (Array.isArray(value)) return value.map((inner) => filled(inner, workspace, variable))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, workspace, variable)]))
}
