// A session behind an agent of LangChain JS, as middleware: each request of the model has the tools of the session.

import { createMiddleware, ToolMessage, tool } from 'langchain'

import { answerCall, definitionsOf } from './session-calls.mjs'

/** Middleware for the agent of one task. Tools that the agent has of its own stay, and stay in front. */
export function toolRouterMiddleware(session, call) {
  const made = new Map()
  const toolOf = ({ name, description, parameters }) => {
    if (!made.has(name)) {
      const run = (args) => answerCall(session, call, name, args)
      made.set(name, tool(run, { name, description, schema: parameters }))
    }
    return made.get(name)
  }
  return createMiddleware({
    name: 'ToolRouter',
    wrapModelCall: (request, handler) =>
      handler({ ...request, tools: [...request.tools, ...definitionsOf(session).map(toolOf)] }),
    wrapToolCall: async (request, handler) => {
      const { name, args, id } = request.toolCall
      if (request.tool !== undefined) return handler(request)
      // Not through the tool: the session checks the arguments, and says what is wrong with them in words for the model.
      return new ToolMessage({ content: await answerCall(session, call, name, args), tool_call_id: id, name })
    },
  })
}
