// What the page shows of servers, and what it can do with them.

import { isApprovable } from '../store/approvals.mjs'
import { shownEntry } from '../reach/shown.mjs'
import { MAX_TEXT } from '../base/command-line.mjs'
import { plain } from '../base/errors.mjs'
import { isDown } from '../listing/unavailable.mjs'
import { ordered } from './order.mjs'
import { Refused, textOf } from './replies.mjs'
import { shownText } from '../base/shown-text.mjs'
import { countAll, sumOf } from './tokens.mjs'

/** Servers that are told of. */
const MOST = 1_000
/** Characters of a name, and of a line of text. */
const NAME = 120
const LINE = 300
const MAX_NAME = 1_000
/** More findings than a server has, so that one of the next severity outweighs them. */
const MAX_FOUND = 1e5
/** Last lines that a server printed. */
const LINES = 20

/** What wants a person is the least. */
const STATES = ['waiting', 'login', 'connecting', 'closed', 'idle', 'ready']

/** What each column sorts by. */
const COLUMNS = {
  server: ({ name }) => name,
  state: ({ state }) => STATES.indexOf(state),
  since: ({ since }) => since,
  tools: ({ scopedCount }) => scopedCount,
  tokens: ({ tokens }) => tokens,
  findings: ({ findings: { high, medium, low } }) => high * MAX_FOUND ** 2 + medium * MAX_FOUND + low,
}

/**
 * Servers, those first that want a person.
 *
 * @param {import('../activity/activity.mjs').Gateway} gateway
 * @param {URLSearchParams} [asked]
 * @param {{ canAct: boolean }} [visitor]
 */
export function servers(gateway, asked = new URLSearchParams(), { canAct } = { canAct: false }) {
  const { catalogue, config } = gateway
  countAll(gateway)
  const wants = ({ downstream, withheld }) =>
    isDown(downstream) ? 2 : Number([...withheld.values()].some((reason) => isApprovable(reason)))
  const entries = [...catalogue.entries.values()].toSorted((one, two) => wants(two) - wants(one))
  const shown = entries.slice(0, MOST).map((entry) => serverOf(gateway, entry, canAct))
  const leftOut = config.leftOut.filter(({ kind, name }) => kind === 'server' && !catalogue.entries.has(name))
  return {
    servers: ordered(shown, asked, COLUMNS),
    leftOut: leftOut
      .slice(0, MOST)
      .map(({ name, reason }) => ({ name: plain(name, NAME), reason: plain(reason, LINE) })),
    off: [...config.off].slice(0, MOST).map((name) => plain(name, NAME)),
    count: entries.length,
  }
}

/** @param {import('../activity/activity.mjs').Gateway} gateway @param {import('../catalogue/catalogue.mjs').Entry} entry */
function serverOf({ activity }, { definition, downstream, tools, names, withheld, findings }, canAct) {
  const { name, description, transport, lazy } = definition
  const countOf = (severity) => [...findings.values()].flat().filter((each) => each.severity === severity).length
  const inScope = [...names.keys()].map((toolName) => tools.get(toolName)).filter((tool) => tool !== undefined)
  return {
    name,
    reach: reachOf(definition),
    ...(description && { description: shownText(description, LINE, definition) }),
    transport,
    lazy,
    state: downstream.state,
    since: activity.since(name),
    ...(isDown(downstream) && { reason: plain(downstream.reason ?? '', MAX_TEXT) }),
    // What a server prints may be of anybody who shares it.
    ...(canAct && { lines: downstream.explainer.lines.slice(-LINES) }),
    pid: downstream.pid,
    toolCount: tools.size,
    scopedCount: names.size,
    tokens: sumOf(inScope),
    findings: { high: countOf('high'), medium: countOf('medium'), low: countOf('low') },
    waiting: [...withheld.values()].filter(isApprovable).length,
  }
}

/** What is started or reached, without what may be a key. @param {import('../config/server.mjs').ServerDefinition} definition */
function reachOf(definition) {
  const { command, args, env, url, headers } = definition
  const plainly = (map) => Object.fromEntries(map ?? [])
  const entry = shownEntry({ command, args, env: plainly(env), url: url?.href, headers: plainly(headers) })
  return shownText(entry, NAME, definition)
}

/** @param {import('../activity/activity.mjs').Gateway} gateway @param {unknown} name */
export function entryNamed({ catalogue }, name) {
  const entry = catalogue.entries.get(textOf(name, 'server', MAX_NAME))
  if (!entry) throw new Refused(404, 'there is no server of this name; the list may have changed')
  return entry
}

/** Starts a server, or starts it again. */
export async function restart(gateway, { server }) {
  const entry = entryNamed(gateway, server)
  gateway.log(`server ${entry.definition.name}: started again from the page`)
  gateway.catalogue.restart(entry)
  return {}
}

/** The address where a person logs in to a server. */
export async function login(gateway, { server }) {
  const { definition } = entryNamed(gateway, server)
  if (definition.transport !== 'http') throw new Refused(400, 'only a remote server takes a login')
  try {
    const { url } = await gateway.logins.begin(definition)
    return { url }
  } catch (error) {
    throw new Refused(424, plain(error.message, LINE))
  }
}

/** Has the configuration file read again. */
export async function reload(gateway) {
  if (!gateway.reloader) throw new Refused(400, 'this gateway has no file')
  return gateway.reloader.reload()
}
