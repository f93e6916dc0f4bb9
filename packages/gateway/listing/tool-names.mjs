// How models spell the name of a tool that they call, and what they are told when it is none.

import { spelledTools, withoutClient } from '../config/tool-spelling.mjs'
import { plain } from '../base/errors.mjs'
import { META_TOOL_NAMES } from '../names/meta-tools.mjs'
import { withheldAs } from '../catalogue/withheld.mjs'

/** Names in the answer to one that does not exist. */
const NEAR = 3
/** Characters of a wrong name that are repeated. */
const SHOWN = 100

/**
 * The tool that a name means: the name it is listed by, `server/tool` as configurations have it, or the tool's own
 * name where one server alone has it; and these in another habit of writing, where only one tool can be meant.
 *
 * @param {import('../catalogue/catalogue.mjs').Catalogue} catalogue
 * @param {string} name
 */
export function toolSpelt(catalogue, name) {
  for (const { spelling, isWhole } of withoutClient(name)) {
    const tool = exactly(catalogue, spelling, isWhole)
    if (tool) return tool
  }
  const meant = toolsMeant(catalogue, name)
  return meant.length === 1 ? meant[0] : undefined
}

function exactly(catalogue, name, isWhole) {
  const listed = catalogue.find(name)
  if (listed) return listed
  // Names of servers and of tools may hold slashes themselves.
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
    const tool = catalogue.tool({ serverName: name.slice(0, at), toolName: name.slice(at + 1) })
    if (tool) return tool
  }
  const tools = isWhole ? toolsCalled(catalogue, name) : []
  return tools.length === 1 ? tools[0] : undefined
}

/** Tools that a name means in another habit of writing, as it stands or without what a client puts before it. */
function toolsMeant(catalogue, name) {
  for (const { spelling, isWhole } of withoutClient(name)) {
    const found = [...catalogue.entries.values()].flatMap(({ definition: { name: serverName }, names }) =>
      spelling.includes('*')
        ? []
        : spelledTools(serverName, spelling, [...names.keys()], isWhole).map((toolName) =>
            catalogue.tool({ serverName, toolName }),
          ),
    )
    if (found.length > 0) return found
  }
  return []
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
  const called = toolsCalled(session.catalogue, name)
  const several = called.length > 1 ? called : toolsMeant(session.catalogue, name)
  if (several.length > 1) {
    const names = several.slice(0, NEAR).map((tool) => tool.name)
    return `${several.length} servers have a tool ${shown}; call one of them by its whole name: ${names.join(', ')}`
  }
  const servers = named(session.catalogue, name)
  const near = withoutClient(name).flatMap(({ spelling }) => nearNames(session, spelling, servers))
  const meant = near.length > 0 ? ` Do you mean ${[...new Set(near)].slice(0, NEAR).join(', ')}?` : ''
  return `unknown tool ${shown}; find tools with mcp_load or search_mcps.${meant}`
}

/** Servers that a name is about: one for another account has the same tools. */
function named({ serverNames }, name) {
  const isNamed = (server) => name.includes(`${server}--`) || name.includes(`${server}/`)
  const found = serverNames.filter(isNamed)
  return found.length > 0 ? found : undefined
}

/** Names like one that does not exist, as they are listed. */
function nearNames({ router, catalogue }, name, servers) {
  try {
    const near = router.nearNames(name, { servers: catalogue.scopeOf(servers) })
    return near.map((each) => catalogue.find(each)?.name ?? each)
  } catch {
    return [] // a name that is not text for UTF-8
  }
}
