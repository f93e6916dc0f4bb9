// A session behind an agent of the OpenAI Agents SDK: its tools are the agent's own and those of the session.

import { answerCall, definitionsOf } from './session-calls.mjs'

/**
 * Options for `run`: a name that the model does not have is answered with what the session says about it, as near names. Without
 * them it ends the run.
 */
export const runOptions = (session) => ({
  toolNotFoundBehavior: 'return_error_to_model',
  toolErrorFormatter: async ({ kind, toolName }) => {
    if (kind !== 'tool_not_found') return undefined
    const { problem } = await session.checkCall({ name: toolName, arguments: {} })
    return problem?.message
  },
})

/**
 * Gives an agent the tools of a session. Call what it returns after each turn of the session; after a call of `mcp_load` it
 * is called by itself. Tools are only added behind those that are there, so what the provider has cached stays.
 */
export function routeAgent(agent, session, call) {
  const own = agent.tools
  const made = new Map()
  const toolOf = ({ name, description, parameters }) => {
    if (!made.has(name))
      made.set(name, {
        type: 'function',
        name,
        description,
        parameters,
        // Schemas are those of the servers, which strict mode would refuse.
        strict: false,
        needsApproval: async () => false,
        isEnabled: async () => true,
        invoke: async (_context, input) => {
          const answer = await answerCall(session, call, name, input)
          refresh()
          return answer
        },
      })
    return made.get(name)
  }
  const refresh = () => {
    agent.tools = [...own, ...definitionsOf(session).map(toolOf)]
  }
  refresh()
  return refresh
}
