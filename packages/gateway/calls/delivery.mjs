// A call of a server's tool, whoever makes it: a client, or a program of its model.

import { Unavailable, whyFailed } from '../base/errors.mjs'
import { kindIn } from '../names/call-kinds.mjs'
import { send } from './rounds.mjs'

/**
 * Makes a call that was checked, and notes it wherever calls are noted: what writes or destroys before it is made.
 *
 * @param {Pick<import('../protocol/requests.mjs').Desk, 'router'>} desk
 * @param {import('../catalogue/catalogue-entry.mjs').ToolInScope} tool
 * @param {object} sent the arguments, and `_meta` of the client
 * @param {import('./caller.mjs').Caller} caller
 * @param {ReturnType<import('../activity/activity.mjs').Activity['began']>} row of the call
 * @returns {Promise<Record<string, any>>} what the server answers
 */
export async function deliver(desk, tool, sent, caller, { noted, ended }) {
  const { entry, serverName, toolName } = tool
  const definition = () => entry.tools.get(toolName)
  const asTask = definition()?.execution?.taskSupport === 'required'
  const onlyReads = kindIn(tool) === 'read'
  if (!onlyReads) await noted()
  try {
    const params = { name: toolName, ...sent }
    const result = await send(entry.downstream, 'tools/call', params, caller, { asTask, onlyReads, tool: definition })
    ended(result?.isError ? 'error' : 'ok', result)
    // A call that failed must not lift its tool.
    if (result?.isError !== true) void desk.router.recordUse({ serverName, toolName }).catch(() => {})
    return result
  } catch (error) {
    ended(error instanceof Unavailable ? 'unavailable' : 'failed', undefined, whyFailed(error))
    throw error
  }
}
