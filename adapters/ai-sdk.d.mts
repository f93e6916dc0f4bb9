import type { ToolCallRepairFunction, ToolSet } from 'ai'

import type { SessionOptions, Session, ToolRouter } from '../index.js'
import type { Call } from './session-calls.mjs'

export type { Call, CallResult } from './session-calls.mjs'

/**
 * Tools for `generateText` and `streamText` of the AI SDK, version 7: `{ model, prompt, ...routedTools(router, session, call) }`.
 * All tools in scope are known to the SDK, and before each step `prepareStep` says which of them the model sees, in the
 * order of the session. A name that the model does not have is answered with near names (`repairToolCall`). Call it after
 * each turn of the session.
 *
 * @param call - makes a call that the session has checked
 * @param options - what the session was opened with
 */
export function routedTools(
  router: ToolRouter,
  session: Session,
  call: Call,
  options?: SessionOptions,
): {
  tools: ToolSet
  prepareStep: () => { activeTools: string[]; toolOrder: string[] }
  repairToolCall: ToolCallRepairFunction<ToolSet>
}

/**
 * The same with the SDK's own `toolSearch`: the tools of the session are there from the start, the others are deferred, and
 * the session answers the model's searches.
 */
export function searchedTools(
  router: ToolRouter,
  session: Session,
  call: Call,
  options?: SessionOptions,
): { tools: ToolSet; repairToolCall: ToolCallRepairFunction<ToolSet> }
