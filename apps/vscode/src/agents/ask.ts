// A task with the editor's own language model: it gets the task's tools as the setting `delivery` says, loads others with
// `mcp_load`, and calls them when the user allows it. Asking again goes on with the same conversation.

import * as vscode from 'vscode'

import { messageOf, told } from '../router'
import type { Hub } from '../servers/hub'
import type { Task } from '../task/task'
import { toolsInWords } from '../task/words'
import type { Texts } from '../views/texts'
import type { Approvals } from './approvals'
import type { Models } from './models'
import { READ_RESULT, readResult } from './read-result'

/** Requests of one question: a model that only ever calls tools ends here. */
const MAX_STEPS = 20
const LOAD = 'mcp_load'
const CALL = 'mcp_call'

type Say = (step: string) => void
type Rendered = { role: vscode.LanguageModelChatMessageRole; content: { value: string }[] }

export interface AskParts {
  task: Task
  hub: Hub
  texts: Texts
  models: Models
  approvals: Approvals
}

export function askCommand({ task, hub, texts, models, approvals }: AskParts): vscode.Disposable {
  const conversation = new Conversation(task, hub, approvals)
  return vscode.commands.registerCommand('toolRouter.ask', async () => {
    const model = await models.get().catch(told)
    if (!model) return
    const text = await vscode.window.showInputBox({ title: `Ask ${model.name}, with your MCP tools` })
    if (!text?.trim()) return
    const steps: string[] = []
    const progress = { location: vscode.ProgressLocation.Notification, title: model.name, cancellable: true }
    try {
      const answer = await vscode.window.withProgress(progress, (bar, token) => {
        const say: Say = (step) => {
          steps.push(step)
          bar.report({ message: step })
        }
        return conversation.ask(text, model, say, token)
      })
      await texts.show('answer.md', [`# ${text}`, ...steps.map((step) => `- ${step}`), answer].join('\n\n'))
    } catch (error) {
      void vscode.window.showErrorMessage(`${model.name}: ${messageOf(error)}`)
    }
  })
}

class Conversation {
  #messages: vscode.LanguageModelChatMessage[] = []
  /** The task that the messages are of: another one begins another conversation. */
  #taskId: string | undefined

  constructor(
    readonly task: Task,
    readonly hub: Hub,
    readonly approvals: Approvals,
  ) {}

  async ask(text: string, model: vscode.LanguageModelChat, say: Say, token: vscode.CancellationToken): Promise<string> {
    const isSame = this.#taskId === this.task.id && this.#messages.length > 0
    if (!isSame) this.#messages = []
    const context = await this.#contextTokens(model)
    const selection = await (isSame ? this.task.turn(text, context) : this.task.start(text))
    this.#taskId = this.task.id
    say(toolsInWords(selection))
    this.#messages.push(vscode.LanguageModelChatMessage.User(text))
    for (let step = 0; step < MAX_STEPS; step++) {
      const { answer, calls } = await this.#request(model, token)
      if (calls.length === 0) return answer
      const results: vscode.LanguageModelToolResultPart[] = []
      for (const call of calls) results.push(await this.#answer(call, model, say, token))
      this.#messages.push(vscode.LanguageModelChatMessage.User(results))
    }
    throw new Error(`no answer after ${MAX_STEPS} requests`)
  }

  /** What a provider has in its cache of the conversation, and writes again when the list of tools changes. */
  async #contextTokens(model: vscode.LanguageModelChat): Promise<number | undefined> {
    try {
      const counts = await Promise.all(this.#messages.map((message) => model.countTokens(message)))
      return counts.reduce((sum, count) => sum + count, 0)
    } catch {
      return undefined // a model that cannot count: the router then adds what its own settings say
    }
  }

  async #request(model: vscode.LanguageModelChat, token: vscode.CancellationToken) {
    const { tools, messages } = this.task.render()
    for (const { role, content } of JSON.parse(messages) as Rendered[]) {
      const parts = content.map(({ value }) => new vscode.LanguageModelTextPart(value))
      const isUser = role === vscode.LanguageModelChatMessageRole.User
      this.#messages.push(vscode.LanguageModelChatMessage[isUser ? 'User' : 'Assistant'](parts))
    }
    const offered = JSON.parse(tools) as vscode.LanguageModelChatTool[]
    if (this.task.hasHeld) offered.push(READ_RESULT)
    const options = { tools: offered, justification: 'Your question' }
    this.task.use()
    const response = await model.sendRequest(this.#messages, options, token)
    const parts: (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] = []
    for await (const part of response.stream) {
      if (part instanceof vscode.LanguageModelTextPart || part instanceof vscode.LanguageModelToolCallPart)
        parts.push(part)
    }
    this.#messages.push(vscode.LanguageModelChatMessage.Assistant(parts))
    const isText = (part: (typeof parts)[number]) => part instanceof vscode.LanguageModelTextPart
    const calls = parts.filter((part) => part instanceof vscode.LanguageModelToolCallPart)
    return {
      answer: parts
        .filter(isText)
        .map(({ value }) => value)
        .join(''),
      calls,
    }
  }

  /** A result for each call, also for one that may not be made: the model reads why. */
  async #answer(
    { callId, name, input }: vscode.LanguageModelToolCallPart,
    model: vscode.LanguageModelChat,
    say: Say,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResultPart> {
    const result = (text: string) =>
      new vscode.LanguageModelToolResultPart(callId, [new vscode.LanguageModelTextPart(text)])
    try {
      if (name === LOAD)
        return result(await this.#load(callId, String((input as { query?: unknown }).query ?? ''), model, say))
      if (name === READ_RESULT.name) return result(await readResult(this.task, input))
      const { name: inner, arguments: args } = input as { name?: unknown; arguments?: object }
      const isCall = name === CALL && this.task.resolve(CALL) === null
      return result(await this.#call(isCall ? String(inner) : name, isCall ? (args ?? {}) : input, say, token))
    } catch (error) {
      return result(`${name} failed: ${messageOf(error)}`)
    }
  }

  async #load(callId: string, query: string, model: vscode.LanguageModelChat, say: Say): Promise<string> {
    const loaded = await this.task.load(query, await this.#contextTokens(model))
    say(`${LOAD} "${query}": ${loaded.loaded.map(({ name }) => name).join(', ') || 'nothing new'}`)
    const [part] = JSON.parse(this.task.answerLoad(loaded, callId)) as { content: { value: string }[] }[]
    return part?.content.map(({ value }) => value).join('\n') ?? ''
  }

  async #call(name: string, args: object, say: Say, token: vscode.CancellationToken): Promise<string> {
    const checked = await this.task.check(name, args)
    if (checked.problem || !checked.tool) return checked.problem?.message ?? `${name} is unknown`
    const { serverName, toolName } = checked.tool
    const given = JSON.parse(checked.arguments ?? '{}')
    if (!(await this.approvals.ask(serverName, toolName, given))) return 'The user does not want this call.'
    say(`${toolName} of ${serverName} is called`)
    const result = await this.hub.call(serverName, toolName, given, { token })
    if (result.isError !== true) await this.task.used(name)
    return this.task.shown(result)
  }
}
