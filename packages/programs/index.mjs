// Programs: one piece of JavaScript that calls many tools, in a sandbox, of which only the outcome reaches the model.

import addon from '@zoo-code/tool-router/internal'
import { DEFAULT_LIMITS, invalid, MAX_OF_PARAMETERS, readLimits } from './limits.mjs'
import { bounded, MAX_HELD } from './outcome.mjs'
import { close, warm } from './pool.mjs'
import { runCode } from './run.mjs'
import { SessionHost } from './session-host.mjs'

export { programTool } from './definition.mjs'
export { DEFAULT_LIMITS }

/**
 * Runs a program in a task.
 *
 * @param {import('@zoo-code/tool-router/internal').Session} session
 * @param {string} code
 * @param {import('./index.d.mts').ProgramOptions} options
 */
export async function runProgram(session, code, options) {
  if (typeof session?.resolveTool !== 'function') throw invalid('runProgram.session', 'a Session', session)
  if (typeof code !== 'string' || code.trim() === '') throw invalid('runProgram.code', 'JavaScript as text', code)
  if (typeof options?.call !== 'function')
    throw invalid('runProgram.call', 'a function that makes a call', options?.call)
  const { signal, approve, progress, parameters, router = addon.ToolRouter.shared() } = options
  for (const [name, value] of Object.entries({ approve, progress }))
    if (value !== undefined && typeof value !== 'function') throw invalid(`runProgram.${name}`, 'a function', value)
  const limits = readLimits(options.limits, 'runProgram.limits')
  const given = JSON.stringify(parameters ?? {})
  if (given.length > MAX_OF_PARAMETERS)
    throw invalid('runProgram.parameters', `at most ${MAX_OF_PARAMETERS} characters as JSON`, given)
  const whole = /** @type {import('@zoo-code/tool-router/internal').ToolRouter} */ (router)
  const host = new SessionHost(whole, session, options)
  try {
    const most = { ...limits, outputCharacters: Math.max(limits.outputCharacters, MAX_HELD) }
    const outcome = await runCode(code, host, {
      limits: most,
      signal,
      approve,
      progress,
      parameters: given,
      client: session,
    })
    return await bounded(session, outcome, limits.outputCharacters)
  } finally {
    host.close()
  }
}

/** Starts a thread ahead of the first program, which then begins within milliseconds. */
export const warmPrograms = warm

/** Ends the threads that wait for programs. They end by themselves after a minute, and hold no process open. */
export const closePrograms = close
