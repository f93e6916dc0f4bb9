// What the page shows of clients: who is connected, what each has attached and by whom, what that has cost, and the latest
// calls. Nothing of what a client asked for or was answered is here.

import { plain } from '../base/errors.mjs'
import { countAll, sumOf, tokensOf } from './tokens.mjs'

/** Sessions that are told of, and tools of each. */
const MOST = 200
const MAX_TOOLS = 200
const NAME = 120

/** @type {WeakMap<object, { number: number, at: number }>} */
const met = new WeakMap()
let count = 0

/** A number for a client that a person can say, and when it was first seen. @param {object} session */
function meeting(session) {
  const known = met.get(session)
  if (known) return known
  count += 1
  const made = { number: count, at: Date.now() }
  met.set(session, made)
  return made
}

/** Notes clients when they come, not when somebody looks. @param {import('../activity/activity.mjs').Gateway} gateway */
export function meetAll({ sessions: all }) {
  for (const session of all) meeting(session)
}

/** @param {import('../activity/activity.mjs').Gateway} gateway */
export async function sessions(gateway) {
  const { sessions: all, catalogue, router } = gateway
  countAll(gateway)
  return {
    count: all.length,
    connected: gateway.sessionCount,
    // What a client would read of all servers without a gateway.
    allTokens: sumOf(gateway.allTools().map(({ entry, toolName }) => entry.tools.get(toolName))),
    sessions: await Promise.all(
      all.slice(0, MOST).map((session) => sessionOf({ gateway, catalogue, router }, session)),
    ),
  }
}

async function sessionOf({ gateway, catalogue, router }, session) {
  const { number, at } = meeting(session)
  const attached = [...session.attached]
  return {
    number,
    since: at,
    client: plain(session.clientName || 'a client without a name', NAME),
    busy: session.busy,
    listed: await router.countTokens(JSON.stringify(session.tools())),
    bill: gateway.activity.billOf(session),
    count: attached.length,
    attached: attached.slice(0, MAX_TOOLS).map(([name, { serverName, toolName, pinned, by, at: since }]) => {
      const tool = catalogue.tool({ serverName, toolName })
      const tokens = tool && tokensOf(tool.entry.tools.get(toolName))
      return {
        name: plain(name, NAME),
        server: plain(serverName, NAME),
        by: plain(by, NAME),
        pinned,
        since,
        tokens: tokens ?? null,
        isThere: tool !== undefined,
      }
    }),
  }
}

/** @param {import('../activity/activity.mjs').Gateway} gateway @param {unknown} _asked @param {{ person?: string }} visitor */
export function calls({ activity, store }, _asked, { person }) {
  const shown = activity.calls.filter((call) => person === undefined || call.person === person)
  return { calls: shown, isAudited: store.calls !== undefined }
}

/**
 * What all gateways have kept of calls, where something keeps it.
 *
 * @param {import('../activity/activity.mjs').Gateway} gateway
 * @param {URLSearchParams} asked
 * @param {{ person?: string }} visitor
 */
export async function audit({ store }, asked, { person }) {
  const words = (asked.get('words') ?? '').slice(0, NAME)
  return {
    calls: (await store.calls?.list({ since: 0, most: MOST, words, is: { person } })) ?? [],
    isAudited: store.calls !== undefined,
  }
}
