// A session behind an agent of LangChain JS, version 1, as middleware: each request of the model has the tools of the session.

import * as langchain from 'langchain'

import { answerCall, nextDefinitions, tooOld, withTexts } from './session-calls.mjs'

// By its name: an import of what an older one does not have would fail without a word of what to do.
if (typeof langchain.createMiddleware !== 'function') throw tooOld('langchain', 'langchain', 1)
const { createMiddleware, HumanMessage, ToolMessage, tool } = langchain

const FORM = {
  textOf: (message) => message.content,
  messageOf: (text) => new HumanMessage(text),
  belongs: (message) => message.getType() === 'tool',
}

/** Middleware for the agent of one task. Tools that the agent has of its own stay, and stay in front. */
export function toolRouterMiddleware(session, call) {
  const toolOf = ({ name, description, parameters }) =>
    tool((args) => answerCall(session, call, name, args), { name, description, schema: parameters })
  return createMiddleware({
    name: 'ToolRouter',
    wrapModelCall: (request, handler) => {
      const tools = [...request.tools, ...nextDefinitions(session).map(toolOf)]
      return handler({ ...request, tools, messages: withTexts(session, request.messages, FORM) })
    },
    wrapToolCall: async (request, handler) => {
      const { name, args, id } = request.toolCall
      if (request.tool !== undefined) return handler(request)
      // Not through the tool: the session checks the arguments, and says what is wrong with them in words for the model.
      return new ToolMessage({ content: await answerCall(session, call, name, args), tool_call_id: id, name })
    },
  })
}
