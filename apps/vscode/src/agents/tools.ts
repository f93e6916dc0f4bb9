// Three tools for the agents of the editor: one finds MCP tools, one calls them, and one reads more of what was too long. The
// user is asked before a call, for each tool by itself: what the editor remembers of the one that calls would be for all.

import * as vscode from 'vscode'

import { messageOf } from '../router'
import type { Caller, Hub } from '../servers/hub'
import type { Task } from '../task/task'
import type { Approvals } from './approvals'
import { readResult } from './read-result'

/** The name of `read_result` among the tools of the editor. */
const READ_MORE = 'toolRouter_readResult'

export function registerTools(task: Task, hub: Hub, approvals: Approvals): vscode.Disposable[] {
  return [
    vscode.lm.registerTool<{ query: string }>('toolRouter_find', {
      invoke: async ({ input }) => answer(await find(task, String(input.query ?? ''))),
    }),
    vscode.lm.registerTool<{ name: string; arguments?: Record<string, unknown> }>('toolRouter_call', {
      prepareInvocation: ({ input }) => {
        const tool = task.resolve(String(input.name ?? ''))
        const called = tool ? `${tool.toolName} of ${tool.serverName}` : String(input.name)
        return { invocationMessage: `Calling ${called}` }
      },
      invoke: async ({ input, toolInvocationToken: chat }, token) => {
        const called = { name: String(input.name ?? ''), args: input.arguments ?? {} }
        return answer(await call({ task, hub, approvals }, called, { token, chat }))
      },
    }),
    vscode.lm.registerTool<{ handle: string }>(READ_MORE, {
      invoke: async ({ input }) => answer(await readResult(task, input)),
    }),
  ]
}

const answer = (text: string) => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)])

/** Loads what fits and answers with the definitions, so that the agent can call them through `toolRouter_call`. */
async function find(task: Task, query: string): Promise<string> {
  if (query.trim() === '') return 'query: expected what you need to do, got nothing'
  if (task.selection === null) await task.turn(query)
  const result = await task.load(query)
  task.use()
  const named = new Set([...result.loaded.map(({ name }) => name), ...result.alreadyAttached])
  const definitions = JSON.parse(task.definitions) as { function: { name: string } }[]
  const tools = definitions.map(({ function: tool }) => tool).filter(({ name }) => named.has(name))
  return JSON.stringify({ tools, unavailable: result.unavailable, nothingFits: result.nothingFits })
}

async function call(
  { task, hub, approvals }: { task: Task; hub: Hub; approvals: Approvals },
  { name, args }: { name: string; args: Record<string, unknown> },
  caller: Caller,
): Promise<string> {
  const tool = task.resolve(name)
  const isAttached = tool !== null && isOneOf(task, tool)
  // A tool that the task does not have is not called: the user may have switched it off.
  if (!isAttached) return `${name} is not attached to this task; find it with toolRouter_find first`
  try {
    if (!(await approvals.ask(tool.serverName, tool.toolName, args))) return 'The user does not want this call.'
    const result = await hub.call(tool.serverName, tool.toolName, args, caller)
    if (result.isError !== true) await task.used(name)
    const text = await task.shown(result)
    return text.replaceAll('read_result(', `${READ_MORE}(`)
  } catch (error) {
    return `${name} failed: ${messageOf(error)}`
  }
}

function isOneOf(task: Task, { serverName, toolName }: { serverName: string; toolName: string }): boolean {
  const definitions = JSON.parse(task.definitions) as { function: { name: string } }[]
  return definitions.some(({ function: { name } }) => {
    const tool = task.resolve(name)
    return tool?.serverName === serverName && tool.toolName === toolName
  })
}
