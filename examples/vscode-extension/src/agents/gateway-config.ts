// SPDX-License-Identifier: Apache-2.0
//
// What the gateway is told: the servers that the user allows this extension to start, with what the view has switched off,
// worded or pinned. The file names variables for what the user was asked for; their values go to the process alone.

import { createHash } from 'node:crypto'
import { isAbsolute, resolve } from 'node:path'

import { type Configured, placeOf } from '../config/files'
import type { ServerScope } from '../scope'

/** An input that a server asks for, and the variable of the gateway that holds it. */
export interface Variable {
  name: string
  server: Configured
  id: string
}

export interface GatewayFile {
  mcpServers: Record<string, object>
  gateway: { searchK?: number; mode?: 'static' | 'dynamic' }
}

interface Given {
  scopeOf(server: Configured): ServerScope
  /** Whether the user has allowed it to start, and the mode of the task includes it. */
  isUsed(server: Configured): boolean
  settings: GatewayFile['gateway']
}

export function gatewayFile(
  servers: readonly Configured[],
  given: Given,
): { file: GatewayFile; variables: Variable[] } {
  const mcpServers: GatewayFile['mcpServers'] = {}
  const variables: Variable[] = []
  for (const server of servers) {
    const { disabled, onlyAllow, ...scope } = given.scopeOf(server)
    const isOn = given.isUsed(server) && disabled !== true && onlyAllow !== 'none'
    // A server of the workspace hides one of the user that has its name, and comes first.
    if (!isOn || Object.hasOwn(mcpServers, server.name)) continue
    const entry = entryOf(server, variables)
    if (entry) mcpServers[server.name] = { ...entry, ...scope, ...(onlyAllow && { onlyAllow }) }
  }
  return { file: { mcpServers, gateway: given.settings }, variables }
}

/** The entry as it means the same outside of its file. */
function entryOf(server: Configured, variables: Variable[]): Record<string, unknown> | undefined {
  const { entry, workspace } = server
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return undefined
  const moved: Record<string, unknown> = Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, filled(value, server, variables)]),
  )
  if (moved.url !== undefined) return moved
  const cwd = resolve(workspace, typeof moved.cwd === 'string' ? moved.cwd : '.')
  const { envFile } = moved
  const isRelative = typeof envFile === 'string' && !isAbsolute(envFile) && !envFile.startsWith('${')
  return { ...moved, cwd, ...(isRelative && { envFile: resolve(cwd, envFile) }) }
}

function filled(value: unknown, server: Configured, variables: Variable[]): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(?:workspaceFolder|input:([^{}]+))\}/g, (_, id: string | undefined) =>
      id === undefined ? server.workspace : `\${env:${variable(server, id, variables)}}`,
    )
  }
  if (Array.isArray(value)) return value.map((inner) => filled(inner, server, variables))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, server, variables)]))
}

/** One variable per server and input: two servers that ask for the same id may be given different values. */
function variable(server: Configured, id: string, variables: Variable[]): string {
  const hash = createHash('sha256')
    .update(`${placeOf(server)} ${id}`)
    .digest('hex')
  const name = `TOOL_ROUTER_INPUT_${hash.slice(0, 16).toUpperCase()}`
  if (!variables.some((other) => other.name === name)) variables.push({ name, server, id })
  return name
}
