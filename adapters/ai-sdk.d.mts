import type { ModelMessage, ToolCallRepairFunction, ToolSet } from 'ai'

import type { Session } from '../index.js'
import type { Call } from './session-calls.mjs'

export type { Call, CallResult } from './session-calls.mjs'

/**
 * Tools for `generateText` and `streamText` of the AI SDK, version 7: `{ model, messages, ...routedTools(session, call) }`. Before
 * each step `prepareStep` says which tools the model sees, in the order of the session, and puts what the session says about others
 * into the conversation. A name that the model does not have is answered with near names (`repairToolCall`). Call it after each
 * turn of the session.
 *
 * @param call - makes a call that the session has checked
 * @param own - tools that are always there, in front
 */
export function routedTools(
  session: Session,
  call: Call,
  own?: ToolSet,
): {
  tools: ToolSet
  prepareStep: (step: { messages: ModelMessage[] }) => {
    activeTools: string[]
    toolOrder: string[]
    messages: ModelMessage[]
  }
  repairToolCall: ToolCallRepairFunction<ToolSet>
}
