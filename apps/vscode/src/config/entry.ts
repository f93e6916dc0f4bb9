// One server of a configuration file of the editor, with its placeholders filled in.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, isAbsolute, resolve, sep } from 'node:path'

/** A server that can be started or called. */
export type Reach =
  | { kind: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd: string }
  | { kind: 'http'; url: string; headers: Record<string, string>; sse: boolean }

/** What placeholders stand for. `input` answers with `undefined` for what the user has not given yet. */
export interface Fill {
  workspace: string
  input(id: string): string | undefined
}

/** How the variables begin in which the gateway has what the user typed. */
export const INPUT_VARIABLE = 'TOOL_ROUTER_INPUT_'

/** Whether an entry names such a variable: what was typed for one server is for no other. */
export const namesInput = (entry: unknown): boolean =>
  (JSON.stringify(entry) ?? '').toUpperCase().includes(INPUT_VARIABLE)

/** An input that the user has not given yet. */
export class MissingInput extends Error {
  constructor(readonly id: string) {
    super(`it needs the input ${id}`)
  }
}

/** A server of a file: `servers` of VS Code, `mcpServers` of others. Throws what is wrong with it. */
export function readEntry(entry: unknown, fill: Fill): Reach {
  const server = object(entry, 'the server')
  if (namesInput(entry))
    throw new Error(`it names a variable ${INPUT_VARIABLE}…, which holds what another server was given`)
  const text = (value: unknown, name: string): string => {
    if (typeof value !== 'string') throw new Error(`${name}: expected text, got ${JSON.stringify(value) ?? 'nothing'}`)
    return expand(value, fill)
  }
  const texts = (value: unknown, name: string): Record<string, string> => {
    const pairs = Object.entries(object(value ?? {}, name)).filter(([, inner]) => inner !== null)
    return Object.fromEntries(pairs.map(([key, inner]) => [key, text(String(inner), `${name}.${key}`)]))
  }
  if (server.url !== undefined) {
    const url = text(server.url, 'url')
    if (!/^https?:$/.test(new URL(url).protocol)) throw new Error(`url: expected http or https, got ${url}`)
    return { kind: 'http', url, headers: texts(server.headers, 'headers'), sse: server.type === 'sse' }
  }
  const args = server.args ?? []
  if (!Array.isArray(args)) throw new Error('args: expected a list')
  const cwd = server.cwd === undefined ? fill.workspace : resolve(fill.workspace, text(server.cwd, 'cwd'))
  const file = server.envFile === undefined ? {} : readEnvFile(resolve(cwd, text(server.envFile, 'envFile')))
  return {
    kind: 'stdio',
    command: text(server.command, 'command'),
    args: args.map((arg, at) => text(String(arg), `args[${at}]`)),
    env: { ...file, ...texts(server.env, 'env') },
    cwd: isAbsolute(cwd) ? cwd : homedir(),
  }
}

function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Error(`${name}: expected an object, got ${JSON.stringify(value)}`)
}

function expand(value: string, fill: Fill): string {
  const known: Record<string, string> = {
    workspaceFolder: fill.workspace,
    workspaceFolderBasename: basename(fill.workspace),
    userHome: homedir(),
    pathSeparator: sep,
    '/': sep,
  }
  return value.replaceAll(/\$\{([^{}]*)\}/g, (whole, name: string) => {
    if (Object.hasOwn(known, name)) return known[name] as string
    const [, kind, id = ''] = /^(env|input):(.+)$/.exec(name) ?? []
    if (kind === 'env') return process.env[id] ?? ''
    // Sent as text, a placeholder would be a wrong password or a folder that does not exist.
    if (kind !== 'input') throw new Error(`expected a placeholder that VS Code knows, got ${whole}`)
    const given = fill.input(id)
    if (given === undefined) throw new MissingInput(id)
    return given
  })
}

function readEnvFile(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').matchAll(/^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*?)\s*$/gm)
  return Object.fromEntries(
    [...lines].map(([, name, value]) => [name as string, (value ?? '').replace(/^(["'])(.*)\1$/, '$2')]),
  )
}
