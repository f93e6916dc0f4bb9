// A session behind an agent of LangChain JS, as middleware: each request of the model has the tools of the session.

import { createMiddleware, HumanMessage, ToolMessage, tool } from 'langchain'

import { answerCall, nextDefinitions, withTexts } from './session-calls.mjs'

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
