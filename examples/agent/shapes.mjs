// A conversation in the shape of each provider: the user's text, the model's call of a tool, the tool's result. What the
// router answers comes in these shapes already.

const KINDS = {
  'openai-chat': {
    user: (text) => ({ role: 'user', content: text }),
    call: (id, name, args) => ({
      role: 'assistant',
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    }),
    result: (id, _name, text) => [{ role: 'tool', tool_call_id: id, content: text }],
    wrap: (parts) => parts,
  },
  'openai-responses': {
    user: (text) => ({ role: 'user', content: text }),
    call: (id, name, args, isSearch) =>
      isSearch
        ? { type: 'tool_search_call', call_id: id, execution: 'client', arguments: args }
        : { type: 'function_call', call_id: id, name, arguments: JSON.stringify(args) },
    result: (id, _name, text) => [{ type: 'function_call_output', call_id: id, output: text }],
    wrap: (parts) => parts,
  },
  anthropic: {
    user: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
    call: (id, name, input) => ({ role: 'assistant', content: [{ type: 'tool_use', id, name, input }] }),
    result: (id, _name, text) => [{ type: 'tool_result', tool_use_id: id, content: text }],
    wrap: (content) => [{ role: 'user', content }],
  },
  gemini: {
    user: (text) => ({ role: 'user', parts: [{ text }] }),
    call: (id, name, args) => ({ role: 'model', parts: [{ functionCall: { id, name, args } }] }),
    result: (id, name, text) => [{ functionResponse: { id, name, response: { output: text } } }],
    wrap: (parts) => [{ role: 'user', parts }],
  },
  bedrock: {
    user: (text) => ({ role: 'user', content: [{ text }] }),
    call: (toolUseId, name, input) => ({ role: 'assistant', content: [{ toolUse: { toolUseId, name, input } }] }),
    result: (toolUseId, _name, text) => [{ toolResult: { toolUseId, content: [{ text }] } }],
    wrap: (content) => [{ role: 'user', content }],
    merges: true,
  },
  // LanguageModelChatMessage with its roles: 1 is the user, 2 the assistant.
  vscode: {
    user: (text) => ({ role: 1, content: [{ value: text }] }),
    call: (callId, name, input) => ({ role: 2, content: [{ callId, name, input }] }),
    result: (callId, _name, text) => [{ callId, content: [{ value: text }] }],
    wrap: (content) => [{ role: 1, content }],
  },
}

/** A conversation as a host keeps it. */
export class Conversation {
  messages = []
  #kind
  #calls = 0

  constructor(provider) {
    this.#kind = KINDS[provider]
  }

  user(text) {
    this.add([this.#kind.user(text)])
  }

  /** The model's call; its id. */
  call(name, args, isSearch = false) {
    this.#calls += 1
    const id = `call_${this.#calls}`
    this.add([this.#kind.call(id, name, args, isSearch)])
    return id
  }

  result(id, name, text) {
    this.add(this.#kind.wrap(this.#kind.result(id, name, text)))
  }

  /** What `answerLoad` gave. */
  answer(json) {
    this.add(this.#kind.wrap(JSON.parse(json)))
  }

  /** Adds messages; where roles must alternate, a second one of the user joins the first. */
  add(messages) {
    for (const message of messages) {
      const last = this.messages.at(-1)
      if (this.#kind.merges && last?.role === 'user' && message.role === 'user') last.content.push(...message.content)
      else this.messages.push(message)
    }
  }

  clear() {
    this.messages = []
  }
}
