// By which names clients know the tools of servers. By default a name carries its server's, as the router makes it; with
// `namespacing: 'none'` tools keep their own, and of two alike the one of the server that is configured first.

import { serversSaid } from '../config/tool-spelling.mjs'
import { META_TOOL_NAMES } from '../names/meta-tools.mjs'

/** What the protocol lets a name be made of, and how long. */
const PLAIN = /^[\w.-]{1,128}$/

/** Gives each tool the name that carries its server's. */
export const SERVER_NAMES = {
  apply() {},
  find: () => undefined,
}

/** Gives each tool its own name. */
export class OwnNames {
  /** `{ serverName, toolName }` by name. */
  #owners = new Map()

  /**
   * Names the tools of all servers again, in the order of the configuration. Whoever starts first changes nothing.
   *
   * @param {Iterable<import('./catalogue.mjs').Entry>} entries
   */
  apply(entries) {
    this.#owners = new Map(META_TOOL_NAMES.map((name) => [name, { serverName: 'the gateway' }]))
    const all = [...entries]
    const serverNames = all.map(({ definition }) => definition.name)
    /** Of withheld tools, which come back under them. */
    const kept = new Set()
    for (const entry of all) {
      const { name: serverName } = entry.definition
      const isOthers = (toolName) => serversSaid(toolName, serverNames).some((each) => each !== serverName)
      entry.refused = []
      entry.names = new Map()
      for (const [toolName, providerName] of entry.providerNames) {
        // A name that the protocol does not take, that is kept, or that says another server, gets one that says this one.
        const isOwn = PLAIN.test(toolName) && !kept.has(toolName) && !isOthers(toolName)
        const name = isOwn ? toolName : providerName
        const owner = this.#owners.get(name)
        if (owner) entry.refused.push({ tool: toolName, taken_by: owner.serverName })
        else {
          this.#owners.set(name, { serverName, toolName })
          entry.names.set(toolName, name)
        }
      }
      for (const toolName of entry.withheld.keys()) kept.add(toolName)
    }
  }

  find(name) {
    const owner = this.#owners.get(name)
    return owner?.toolName === undefined ? undefined : owner
  }
}

/** Names by which the router knows the tools of a server that are in scope, by tool name, in its order. */
export async function providerNames(router, serverName) {
  const tools = await router.listTools({ servers: [serverName] })
  return new Map(tools.map((tool) => [tool.toolName, tool.name]))
}

/** Two tools whose provider names are alike are told apart by a suffix, and which one gets it depends on both. */
export async function checkNames(router, entries, changed) {
  for (const entry of entries) {
    const { name } = entry.definition
    const isSame = ([toolName, providerName]) => {
      const id = router.resolveTool(providerName)
      return id?.serverName === name && id.toolName === toolName
    }
    if (entry === changed || [...entry.providerNames].every(isSame)) continue
    const names = await providerNames(router, name)
    const kept = [...entry.providerNames.keys()].filter((tool) => names.has(tool))
    entry.providerNames = new Map(kept.map((tool) => [tool, names.get(tool)]))
  }
}
