// How models spell the name of a tool that they call, and what they are told when it is none.

import { withoutClient } from '../config/tool-spelling.mjs'
import { plain } from '../base/errors.mjs'
import { META_TOOL_NAMES } from '../names/meta-tools.mjs'
import { withheldAs } from '../catalogue/withheld.mjs'

/** Names in the answer to one that does not exist. */
const NEAR = 3
/** Characters of a wrong name that are repeated. */
const SHOWN = 100

/**
 * The tool that a name means: the name it is listed by, or as the router reads names, where only one tool can be meant.
 *
 * @param {import('../catalogue/catalogue.mjs').Catalogue} catalogue
 * @param {string} name
 */
export function toolSpelt(catalogue, name) {
  const meant = toolsMeant(catalogue, name)
  return meant.length === 1 ? catalogue.tool(meant[0]) : undefined
}

/** A tool in scope by the name that the client knows it by, attached or not, or as a model spells it. */
export function toolKnown({ attached, catalogue }, name) {
  const id = attached.get(name)
  return id ? catalogue.tool(id) : toolSpelt(catalogue, name)
}

/** All tools that a name may mean. Clients put their own words before the name that a tool is listed by. */
function toolsMeant(catalogue, name) {
  for (const spelling of withoutClient(name)) {
    const listed = catalogue.find(spelling)
    if (listed) return [listed]
  }
  return catalogue.meant(name)
}

/** The whole name of a withheld tool that a name may mean as well as another one; undefined where it means one tool, or none. */
export function withheldTwin(catalogue, name) {
  const meant = toolsMeant(catalogue, name)
  const held = meant.length > 1 && meant.find((tool) => catalogue.tool(tool) === undefined)
  return held ? `${held.serverName}/${held.toolName}` : undefined
}

/** What to tell a model that has called a tool by a name that means none, or several. */
export function unknownTool(session, name) {
  const shown = plain(name, SHOWN)
  const offered = META_TOOL_NAMES.filter((each) => session.isMetaTool(each))
  if (META_TOOL_NAMES.includes(name))
    return `${name} is not offered here; there are ${offered.join(', ') || 'no meta tools'}`
  const withheld = withheldAs(session, name)
  if (withheld) return `${shown} cannot be called: ${withheld.detail}`
  const several = toolsMeant(session.catalogue, name)
  if (several.length > 1) {
    const names = several
      .slice(0, NEAR)
      .map((tool) => session.catalogue.tool(tool)?.name ?? `${tool.serverName}/${tool.toolName}`)
    return `${several.length} servers have a tool ${shown}; call one of them by its whole name: ${names.join(', ')}`
  }
  const servers = named(session.catalogue, name)
  const near = withoutClient(name).flatMap((spelling) => nearNames(session, spelling, servers))
  const meant = near.length > 0 ? ` Do you mean ${[...new Set(near)].slice(0, NEAR).join(', ')}?` : ''
  return `unknown tool ${shown}; find tools with mcp_load or search_mcps.${meant}`
}

/** The server that a name is about, however that is joined to its tool: one for another account has the same tools. */
function named({ serverNames }, name) {
  const joined = (text) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_')
  const fronts = withoutClient(name).map((spelling) => joined(spelling).replace(/^mcp_/, ''))
  const found = serverNames.filter((server) => fronts.some((front) => front.startsWith(`${joined(server)}_`)))
  const longest = Math.max(...found.map(({ length }) => length))
  return found.length > 0 ? found.filter(({ length }) => length === longest) : undefined
}

/** Names like one that does not exist, as they are listed. */
function nearNames({ router, catalogue }, name, servers) {
  const near = router.nearNames(name.toWellFormed(), { servers: catalogue.scopeOf(servers) })
  return near.map((each) => catalogue.find(each)?.name ?? each)
}
