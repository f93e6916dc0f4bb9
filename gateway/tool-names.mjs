// SPDX-License-Identifier: Apache-2.0
//
// How models spell the name of a tool that they call, and what they are told when it is none.

import { plain } from './errors.mjs'
import { META_TOOL_NAMES } from './meta-tools.mjs'
import { withheldAs } from './withheld.mjs'

/** Names in the answer to one that does not exist. */
const NEAR = 3
/** Characters of a wrong name that are repeated. */
const SHOWN = 100

/**
 * The tool that a name means: the name it is listed by, `server/tool` as configurations have it, or the tool's own
 * name where one server alone has it.
 *
 * @param {import('./catalogue.mjs').Catalogue} catalogue
 * @param {string} name
 */
export function toolSpelt(catalogue, name) {
  const listed = catalogue.find(name)
  if (listed) return listed
  // Names of servers and of tools may hold slashes themselves.
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
    const tool = catalogue.tool({ serverName: name.slice(0, at), toolName: name.slice(at + 1) })
    if (tool) return tool
  }
  const tools = toolsCalled(catalogue, name)
  return tools.length === 1 ? tools[0] : undefined
}

/** Tools of this name in all servers. */
function toolsCalled(catalogue, toolName) {
  return catalogue.serverNames.map((serverName) => catalogue.tool({ serverName, toolName })).filter(Boolean)
}

/** What to tell a model that has called a tool by a name that means none, or several. */
export function unknownTool(session, name) {
  const shown = plain(name, SHOWN)
  const offered = META_TOOL_NAMES.filter((each) => session.isMetaTool(each))
  if (META_TOOL_NAMES.includes(name))
    return `${name} is not offered here; there are ${offered.join(', ') || 'no meta tools'}`
  const withheld = withheldAs(session, name)
  if (withheld) return `${shown} cannot be called: ${withheld.detail}`
  const several = toolsCalled(session.catalogue, name)
  if (several.length > 1) {
    const names = several.slice(0, NEAR).map((tool) => tool.name)
    return `${several.length} servers have a tool ${shown}; call one of them by its whole name: ${names.join(', ')}`
  }
  const near = nearNames(session, name)
  const meant = near.length > 0 ? ` Do you mean ${near.join(', ')}?` : ''
  return `unknown tool ${shown}; find tools with mcp_load or search_mcps.${meant}`
}

/** Names like one that does not exist, as they are listed. */
function nearNames({ router, catalogue }, name) {
  try {
    const near = router.nearNames(name, { servers: catalogue.serverNames })
    return near.map((each) => catalogue.find(each)?.name ?? each)
  } catch {
    return [] // a name that is not text for UTF-8
  }
}
