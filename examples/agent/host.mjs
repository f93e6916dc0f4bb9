// The loop of an agent around one session: it renders each request, gives it to the model, answers what the model calls,
// and shows what goes over the wire. The servers are real; the model is not: see script.mjs.

import { notCarried } from '@zoo-code/tool-router/exact-json'
import { Conversation } from './shapes.mjs'

/** Tokens of the system prompt, and about how many characters are a token. */
const SYSTEM_TOKENS = 2_000
const CHARACTERS = 4
/** How much of a message is printed. */
const SHOWN = 220

export class Host {
  #session
  #servers
  #pair
  #conversation
  #shown = 0

  /** @param {object} session @param {Map<string, object>} servers by name, with their clients */
  constructor(session, servers, pair) {
    this.#session = session
    this.#servers = servers
    this.#pair = pair
    this.#conversation = new Conversation(pair.provider)
  }

  get session() {
    return this.#session
  }

  get contextTokens() {
    return SYSTEM_TOKENS + Math.round(JSON.stringify(this.#conversation.messages).length / CHARACTERS)
  }

  /** The first message of the user, or a later one. */
  async says(text) {
    const context = { contextTokens: this.contextTokens }
    const first = this.#session.selection === null
    const selection = first ? await this.#session.start(text, context) : await this.#session.turn(text, context)
    this.#conversation.user(text)
    this.request(selection)
  }

  /** Renders the next request and shows it. */
  request({ rewrite } = {}) {
    const { tools, messages, cachedCount, rewritten } = this.#session.render(this.#pair)
    this.#conversation.add(JSON.parse(messages))
    const list = JSON.parse(tools)
    const count = list[0]?.functionDeclarations?.length ?? list.length
    const causes = rewrite ? ` (${rewrite.causes.join(', ')})` : ''
    const what = `${count} tools, ${cachedCount} of them in the cached prefix`
    console.log(`    request: ${what}${rewritten ? `; the cache behind them is written again${causes}` : ''}`)
    for (const message of this.#conversation.messages.slice(this.#shown)) {
      const text = JSON.stringify(message)
      console.log(`      ${text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text}`)
    }
    this.#shown = this.#conversation.messages.length
    return tools
  }

  /** Whether the model calls `mcp_load` as a search of the Responses API. */
  #searches() {
    const { provider, delivery } = this.#pair
    return provider === 'openai-responses' && ['defer', 'program'].includes(delivery)
  }

  /** The model looks for a tool. */
  async searches(query) {
    const id = this.#conversation.call('mcp_load', { query }, this.#searches())
    const result = await this.#session.load({ query }, { contextTokens: this.contextTokens })
    this.#conversation.answer(this.#session.answerLoad(result, { ...this.#pair, callId: id }))
    this.request(this.#session.selection)
    return result
  }

  /** The model calls a tool: by its own name, or through `mcp_call`. */
  async calls(name, args) {
    const through = this.#pair.delivery === 'call'
    const id = this.#conversation.call(through ? 'mcp_call' : name, through ? { name, arguments: args } : args)
    const { tool, arguments: sent, problem } = await this.#session.checkCall({ name, arguments: args })
    const refusal = problem?.message ?? notCarried(sent)
    const text = refusal ?? (await this.#perform(tool, JSON.parse(sent)))
    this.#conversation.result(id, through ? 'mcp_call' : name, text)
    this.request()
    return { problem, text }
  }

  async #perform({ serverName, toolName }, args) {
    const result = await this.#servers.get(serverName).client.callTool({ name: toolName, arguments: args })
    if (result.isError !== true) await this.#session.recordUse({ serverName, toolName })
    // What is too long for the model is held; it gets the beginning, and how to read the rest.
    const held = await this.#session.holdResult(result)
    return held?.text ?? result.content.map(({ text = '' }) => text).join('\n')
  }

  /** The model reads more of a result that was too long. */
  async reads(handle, asked) {
    const id = this.#conversation.call('read_result', { handle, ...asked })
    const { text } = await this.#session.readResult(handle, asked)
    this.#conversation.result(id, 'read_result', text)
    this.request()
    return text
  }

  /** The user switches the mode of the host. */
  async switchesMode(hostMode) {
    this.request(await this.#session.sync({ hostMode }))
  }

  /** The model says what it cannot do. Its signal comes with a call, so that what is found can be its answer. */
  async lacks(signal) {
    const id = this.#conversation.call('mcp_load', { query: signal.missingCapability }, this.#searches())
    const result = await this.#session.reroute({ status: 'MISSING_CAPABILITY', ...signal })
    this.#conversation.answer(this.#session.answerLoad(result, { ...this.#pair, callId: id }))
    const { status, message, checkpoint } = result
    this.#conversation.user(JSON.stringify({ status, message, checkpoint }))
    this.request(this.#session.selection)
    return result
  }

  /** The host condenses its conversation. */
  async condenses(summary) {
    this.#conversation.clear()
    this.#shown = 0
    this.#conversation.user(`Summary of the task so far: ${summary}`)
    this.request(await this.#session.compact(summary))
  }
}
