// SPDX-License-Identifier: Apache-2.0
//
// run_program: a program of a client's model, over the tools in its scope. The sandbox needs a package that need not be
// installed, so it is loaded with the first program.

import { canAnswer } from './downstream/under-way.mjs'
import { plain } from './errors.mjs'
import { GatewayHost } from './program-host.mjs'

/** Characters of a call's arguments that a person is shown. */
const SHOWN = 600

/**
 * @param {any} desk
 * @param {{ code: string }} args
 * @param {any} caller
 */
export async function runProgram(desk, { code }, caller) {
  const [{ runCode }, { DEFAULT_LIMITS }] = await Promise.all([
    import('../programs/run.mjs'),
    import('../programs/limits.mjs'),
  ])
  const { programTimeMs, programDestroys } = desk.config.settings
  const host = new GatewayHost(desk, caller)
  const { progress } = caller
  try {
    const { ok, text } = await runCode(code, /** @type {any} */ (host), {
      limits: { ...DEFAULT_LIMITS, timeMs: programTimeMs },
      signal: caller.signal,
      approve: approval(programDestroys, caller),
      progress:
        progress &&
        (({ calls, tool }) => progress({ progress: calls, message: `${tool.serverName}/${tool.toolName}` })),
    })
    return await desk.results.bounded(desk, { content: [{ type: 'text', text }], ...(!ok && { isError: true }) })
  } finally {
    host.close()
  }
}

/** What a person answers to a call that may destroy something; undefined where nobody is asked. */
function approval(how, caller) {
  if (how === 'allow') return () => true
  if (how === 'refuse' || !canAnswer(caller.capabilities, 'elicitation')) return undefined
  return async ({ serverName, toolName, arguments: args, signal }) => {
    const params = {
      message:
        `A program calls ${plain(`${serverName}/${toolName}`)}, which may destroy something, ` +
        `with ${plain(JSON.stringify(args), SHOWN)}`,
      requestedSchema: {
        type: 'object',
        properties: { allow: { type: 'boolean', title: 'Allow this call' } },
        required: ['allow'],
      },
    }
    const answer = await caller.ask({ method: 'elicitation/create', params }, signal)
    return answer?.action === 'accept' && answer.content?.allow === true
  }
}
