// A session behind the AI SDK, version 7: its tools, and `prepareStep`, which says what each step has of them.

import * as ai from 'ai'

import { answerCall, nextDefinitions, tooOld, withTexts } from './session-calls.mjs'

// By its name: an import of what an older one does not have would fail without a word of what to do.
if (typeof ai.toolSearch !== 'function') throw tooOld('ai-sdk', 'ai', 7, ', on Node.js 22 or later')
const { jsonSchema, NoSuchToolError, tool } = ai

const FORM = {
  textOf: ({ content }) => (content.length === 1 ? content[0].text : content),
  messageOf: (text) => ({ role: 'user', content: text }),
  belongs: ({ role }) => role === 'tool',
}

/** A name that the model does not have: it reads what the session says about it, as near names, instead of all that there are. */
const repairOf =
  (session) =>
  async ({ toolCall, error }) => {
    if (!NoSuchToolError.isInstance(error)) return null
    const { problem } = await session.checkCall({ name: toolCall.toolName, arguments: toolCall.input })
    throw problem ? new Error(problem.message) : error
  }

/** For `generateText` and `streamText`, after each turn of the session. */
export function routedTools(session, call, own = {}) {
  const tools = { ...own }
  // The SDK reads this object at each step, so what the step before it has loaded can be called.
  const follow = () => {
    const definitions = nextDefinitions(session)
    for (const { name, description, parameters } of definitions)
      tools[name] = tool({
        description,
        inputSchema: jsonSchema(parameters),
        execute: (args) => answerCall(session, call, name, args),
      })
    return [...Object.keys(own), ...definitions.map(({ name }) => name)]
  }
  follow()
  return {
    tools,
    prepareStep: ({ messages }) => {
      const names = follow()
      // Without `toolOrder` the SDK sends tools in the order of its object: a new one would stand in the cached prefix.
      return { activeTools: names, toolOrder: names, messages: withTexts(session, messages, FORM) }
    },
    repairToolCall: repairOf(session),
  }
}
