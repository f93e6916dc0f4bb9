// What the user's configuration says that tools do, as it is read over the list of their server.

import { allowedTools, spelledTools } from '../config/tool-spelling.mjs'
import { KINDS, kindOf } from '../names/tool-kind.mjs'

/** @typedef {import('../names/tool-kind.mjs').Kind} Kind */

/**
 * Kinds by the names of tools. A spelling that makes a tool more harmless than it looks means that tool alone; one that makes
 * it more harmful means all that it may mean, and counts before the others.
 *
 * @param {Pick<import('../config/server.mjs').ServerDefinition, 'name' | 'toolKinds'>} definition
 * @param {any[]} tools all that the server lists
 */
export function kindsOf({ name: serverName, toolKinds }, tools) {
  const kinds = new Map(toolKinds)
  if (toolKinds.size === 0) return kinds
  const listed = tools.filter((tool) => typeof tool?.name === 'string')
  const names = listed.map(({ name }) => name)
  const meanings = [...toolKinds].map(([spelling, kind]) => ({
    kind,
    // A pattern cannot say that what it may come to match does no harm.
    only: spelling.includes('*') ? [] : allowedTools(serverName, spelling, names),
    all: spelledTools(serverName, spelling, names),
  }))
  for (const tool of listed) {
    if (toolKinds.has(tool.name)) continue
    const looks = KINDS.indexOf(kindOf(tool))
    const meant = meanings.filter(
      ({ kind, only, all }) => only.includes(tool.name) || (KINDS.indexOf(kind) > looks && all.includes(tool.name)),
    )
    if (meant.length > 0)
      kinds.set(tool.name, /** @type {Kind} */ (KINDS[Math.max(...meant.map(({ kind }) => KINDS.indexOf(kind)))]))
  }
  return kinds
}
