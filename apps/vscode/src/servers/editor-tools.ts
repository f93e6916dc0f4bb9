// Tools that the editor has already of MCP servers (`vscode.lm.tools`), as servers. Calls go through the editor, which asks
// the user as it always does.

import type { Tool } from '@modelcontextprotocol/client'
import * as vscode from 'vscode'

/** How much of a server's name stands in the names of its tools, with `mcp_` and the line behind it. */
const PREFIX_LENGTH = 18
/** Our own tools and those of our gateway are not found by themselves. */
const OWN = ['toolRouter_', prefixOf('zoo-tool-router')]

export interface EditorServer {
  name: string
  tools: Tool[]
  call(
    toolName: string,
    args: Record<string, unknown>,
    signal?: AbortSignal,
    chat?: vscode.ChatParticipantToolToken,
  ): Promise<Answer>
  close(): Promise<void>
}

interface Answer {
  content: { type: 'text'; text: string }[]
  isError?: boolean
}

/** The editor calls a tool of an MCP server `mcp_`, the start of a name of the server, and the tool's own name. */
function prefixOf(serverName: string): string {
  const plain = serverName.toLowerCase().replaceAll(/[^a-z0-9_.-]+/g, '_')
  return `mcp_${plain.slice(0, PREFIX_LENGTH - 'mcp__'.length)}_`
}

/** Text that changes when the tools do. */
export const editorSignature = () =>
  vscode.lm.tools.map(({ name, description }) => `${name} ${description.length}`).join('\n')

/** How many tools the editor has that are of no MCP server: its own, and those of other extensions. */
export const ownToolCount = (): number =>
  vscode.lm.tools.filter(({ name }) => !name.startsWith('mcp_') && !OWN.some((own) => name.startsWith(own))).length

/** Names of the file by servers' own ones, which often are the same among more words: where only one fits the other. */
function namesOf(own: readonly string[], names: readonly string[]): ReadonlyMap<string, string> {
  const wordsOf = (text: string) => `-${text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-`
  const pairs = names.flatMap((name) => {
    const holding = own.filter((each) => wordsOf(each).includes(wordsOf(name)))
    return holding.length === 1 ? [[holding[0] ?? '', name] as const] : []
  })
  return new Map(pairs.filter(([each]) => pairs.filter(([other]) => other === each).length === 1))
}

/** @param names of servers that are configured: the editor itself does not say which server a tool is of */
export function editorServers(names: readonly string[]): EditorServer[] {
  const prefixes = names.map((name) => [prefixOf(name), name] as const).sort(([a], [b]) => b.length - a.length)
  const tools = vscode.lm.tools
    .filter(({ name }) => name.startsWith('mcp_') && !OWN.some((own) => name.startsWith(own)))
    .map((tool) => {
      const [, own = '', rest = ''] = /^mcp_([^_]+)_(.+)$/.exec(tool.name) ?? [tool.name, 'mcp', tool.name]
      return { tool, own, rest }
    })
  const nameOf = namesOf([...new Set(tools.map(({ own }) => own))], names)
  const servers = new Map<string, Map<string, vscode.LanguageModelToolInformation>>()
  for (const { tool, own, rest } of tools) {
    const [prefix, known] = prefixes.find(([start]) => tool.name.startsWith(start)) ?? []
    const serverName = known ?? nameOf.get(own) ?? own
    if (!servers.has(serverName)) servers.set(serverName, new Map())
    servers.get(serverName)?.set(prefix === undefined ? rest : tool.name.slice(prefix.length), tool)
  }
  return [...servers].map(([name, tools]) => ({
    name,
    tools: [...tools].map(([toolName, { description, inputSchema }]) => ({
      name: toolName,
      description,
      inputSchema: { type: 'object' as const, ...inputSchema },
    })),
    call: (toolName, args, signal, chat) => call(tools.get(toolName)?.name ?? toolName, args, signal, chat),
    close: async () => {},
  }))
}

async function call(
  name: string,
  input: Record<string, unknown>,
  signal?: AbortSignal,
  chat?: vscode.ChatParticipantToolToken,
): Promise<Answer> {
  const cancel = new vscode.CancellationTokenSource()
  signal?.addEventListener('abort', () => cancel.cancel(), { once: true })
  const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: chat }, cancel.token)
  const texts = content.filter((part) => part instanceof vscode.LanguageModelTextPart)
  return { content: texts.map(({ value }) => ({ type: 'text', text: value })) }
}
