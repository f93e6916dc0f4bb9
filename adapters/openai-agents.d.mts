import type { Session } from '../index.js'
import type { Call } from './session-calls.mjs'

export type { Call, CallResult } from './session-calls.mjs'

/**
 * Gives an `Agent` of the OpenAI Agents SDK the tools of a session, behind its own. One agent per task.
 *
 * @param call - makes a call that the session has checked
 * @returns to be called after each turn of the session; after `mcp_load` it is called by itself
 */
export function routeAgent(agent: { tools: unknown[] }, session: Session, call: Call): () => void

/**
 * Options for `run(agent, text, runOptions(session))`: what the session says beside its list stands in the conversation, and a name
 * that the model does not have is answered with near names. Without them the model reads the list alone, and a wrong name ends the run.
 */
export function runOptions(session: Session): {
  callModelInputFilter: <Data extends { input: unknown[] }>(args: { modelData: Data }) => Data
  toolNotFoundBehavior: 'return_error_to_model'
  toolErrorFormatter: (args: { kind: string; toolName: string }) => Promise<string | undefined>
}
