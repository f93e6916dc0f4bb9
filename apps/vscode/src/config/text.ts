// What the text of a configuration file says, also while it is being typed or written.

import { findNodeAtLocation, type Node, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser'

export interface Content {
  /** As the file has them, not looked at yet: `servers` of VS Code before `mcpServers` of others. */
  entries: Record<string, unknown>
  /** The `inputs`, by id. */
  inputs: Map<string, InputSpec>
  /** The first mistake, with its line. */
  problem?: { line: number; text: string }
}

/** What a file says about something that the user is asked for. */
export interface InputSpec {
  type?: string
  description?: string
  password?: boolean
  default?: string
  options?: unknown[]
}

/** A server in or behind which the text is broken is left out: half of a command must not be started. */
export function readText(text: string): Content {
  const errors: ParseError[] = []
  const options = { allowTrailingComma: true }
  const json: unknown = parse(text, errors, options)
  const { servers, mcpServers, inputs } = (isObject(json) ? json : {}) as Record<string, unknown>
  const list = Array.isArray(inputs) ? inputs.filter((input) => typeof input?.id === 'string') : []
  const entries = { ...(isObject(mcpServers) ? mcpServers : {}), ...(isObject(servers) ? servers : {}) }
  const content: Content = { entries, inputs: new Map(list.map((input) => [input.id as string, input])) }
  const [first] = errors
  if (!first) return content
  const line = text.slice(0, first.offset).split('\n').length
  content.problem = { line, text: `line ${line}: ${printParseErrorCode(first.error)}` }
  const root = parseTree(text, [], options)
  for (const key of ['mcpServers', 'servers'])
    for (const name of brokenIn(root && findNodeAtLocation(root, [key]), errors)) delete entries[name]
  return content
}

/** The line of a server's entry, from 1; the first line where it has none. */
export function lineOf(text: string, serverName: string): number {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const node = ['servers', 'mcpServers'].map((key) => root && findNodeAtLocation(root, [key, serverName])).find(Boolean)
  return text.slice(0, node?.offset ?? 0).split('\n').length
}

/** The names of the properties that hold a mistake or end with one. */
function brokenIn(object: Node | undefined, errors: readonly ParseError[]): string[] {
  const isBroken = ({ offset, length }: Node) =>
    errors.some((error) => error.offset > offset && error.offset <= offset + length)
  return (object?.children ?? []).filter(isBroken).map(({ children }) => String(children?.[0]?.value))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
