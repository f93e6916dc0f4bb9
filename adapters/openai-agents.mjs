// A session behind an agent of the OpenAI Agents SDK: its tools are the agent's own and those of the session.

import { answerCall, nextDefinitions, withTexts } from './session-calls.mjs'

const FORM = {
  textOf: ({ content }) => (content?.length === 1 ? content[0].text : content),
  messageOf: (text) => ({ type: 'message', role: 'user', content: text }),
  // Calls of one answer stand side by side, and their results behind them.
  belongs: ({ type }, before) =>
    type === 'function_call_result' || ['function_call', 'reasoning'].includes(before?.type),
}

/**
 * Options for `run`: what the session says beside its list stands in the conversation, and a name that the model does not have is
 * answered with what the session says about it, as near names.
 */
export const runOptions = (session) => ({
  callModelInputFilter: ({ modelData }) => ({ ...modelData, input: withTexts(session, modelData.input, FORM) }),
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
  const toolOf = ({ name, description, parameters }) => ({
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
  const refresh = () => {
    agent.tools = [...own, ...nextDefinitions(session).map(toolOf)]
  }
  refresh()
  return refresh
}
