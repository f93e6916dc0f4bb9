// What every adapter does with a session: the definitions that the model is sent, and the answers to what it calls.

import { notCarried } from './exact-json.mjs'

/** The shape that answers are taken from: one message whose content is the text. */
const SHAPE = { callId: 'call', provider: 'openai-chat', delivery: 'append' }
const contentOf = (messages) => JSON.parse(messages)[0].content

/** The definitions to send now, `mcp_load` among them, in their order: name, description, parameters. */
export const definitionsOf = (session) => JSON.parse(session.tools()).map(({ function: definition }) => definition)

/**
 * The text that a model gets for a call. `mcp_load` is answered by the session; any other call is checked by it and made
 * by the host. What the model got wrong is an answer too.
 */
export async function answerCall(session, call, name, args) {
  try {
    if (name === 'mcp_load') return contentOf(session.answerLoad(await session.load(args), SHAPE))
  } catch (error) {
    if (error.code === 'ERR_INVALID_ARGUMENT') return error.message
    throw error
  }
  const { tool, arguments: sent, problem } = await session.checkCall({ name, arguments: args })
  const refusal = problem?.message ?? notCarried(sent)
  if (refusal !== undefined) return refusal
  const result = await call(tool, JSON.parse(sent))
  await session.recordUse(tool)
  return textOf(result)
}

/** The text of a result of `tools/call`; what is not text is named. */
function textOf(result) {
  if (typeof result === 'string') return result
  if (!Array.isArray(result?.content)) return JSON.stringify(result ?? null)
  return result.content.map(({ type, text, resource }) => text ?? resource?.text ?? `(${type})`).join('\n')
}
