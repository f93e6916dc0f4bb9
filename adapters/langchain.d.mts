import type { AgentMiddleware } from 'langchain'

import type { Session } from '../index.js'
import type { Call } from './session-calls.mjs'

export type { Call, CallResult } from './session-calls.mjs'

/**
 * Middleware for `createAgent` of LangChain JS: each request of the model has the agent's own tools, those of the
 * session, and in the conversation what the session says about others. One agent per task.
 *
 * @param call - makes a call that the session has checked
 */
export function toolRouterMiddleware(session: Session, call: Call): AgentMiddleware
