// What servers and tools are called in a program: `tools.github.create_issue`. A server's name is made one of JavaScript,
// as in `router.signatures()`; a tool's name stays, in brackets where it must.

import addon from '@zoo-code/tool-router/internal'

/** Characters of a wrong name that are repeated. */
const MAX_SHOWN = 200
/** What promises and JSON ask every object for: nothing that is called so can be reached by a dot. */
const ASKED = ['then', 'toJSON']
const PLAIN = /^[A-Za-z_$][\w$]*$/
/**
 * Names of servers by what they are called in a program, as in signatures; of two alike the later one has a number.
 *
 * @param {Iterable<string>} servers in the order of the catalogue
 */
export function serversByName(servers) {
  const all = [...servers]
  return new Map(addon.ToolRouter.interfaceNames(all).map((name, at) => [name, all[at]]))
}

/** How a program calls a tool. @param {string} server what the server is called in a program @param {string} tool */
export function spelt(server, tool) {
  if (ASKED.includes(server) || ASKED.includes(tool)) return `tools[${JSON.stringify(`${server}/${tool}`)}]`
  return `tools.${server}${PLAIN.test(tool) ? `.${tool}` : `[${JSON.stringify(tool)}]`}`
}

/** `create-issue` and `create_issue` are one name to a model. */
export const folded = (name) => name.replaceAll('-', '_').toLowerCase()

/**
 * The server and the tool that text names, in any of the ways that a program has for them.
 *
 * @param {string} text `tools.github.create_issue`, `github.create_issue`, `github/create_issue`
 * @returns {[string, string] | undefined}
 */
export function parsedName(text) {
  const [, server, dotted, quoted] =
    /^(?:tools\.)?([^./[\]]+)(?:[./]([^[\]]+)|\[(?:"|')(.+)(?:"|')\])$/.exec(text.trim()) ?? []
  return server === undefined ? undefined : [server, dotted ?? quoted]
}

/**
 * What a program is told of a tool that does not exist.
 *
 * @param {string} server
 * @param {string} tool
 * @param {string[]} near what it may mean, as a program calls it
 */
export function unknownTool(server, tool, near) {
  const name = [server, tool].filter(Boolean).join('.').slice(0, MAX_SHOWN)
  const meant = near.length > 0 ? ` Near: ${near.join(', ')}.` : ''
  return `no tool in scope is called ${name}.${meant} tools.search(need) finds tools.`
}
