// What servers and tools are called in a program: `tools.github.create_issue`. A server's name is made one of JavaScript,
// as in `router.signatures()`; a tool's name stays, in brackets where it must.

/** The longest name of a server, as in signatures. */
const MAX_OF_NAME = 64
/** Characters of a wrong name that are repeated. */
const MAX_SHOWN = 200
/** What promises and JSON ask every object for: nothing that is called so can be reached by a dot. */
const ASKED = ['then', 'toJSON']
const PLAIN = /^[A-Za-z_$][\w$]*$/
/** Words that signatures do not have as names, so that a model finds the same name in both. */
const RESERVED = new Set(
  (
    'any arguments as async await bigint boolean break case catch class const continue debugger declare default delete ' +
    'do else enum eval export extends false finally for function if implements import in instanceof interface let never ' +
    'new null number object package private protected public return static string super switch symbol this throw true ' +
    'try type typeof undefined unknown var void while with yield module'
  ).split(' '),
)

/** @param {string} name of a server */
export function safeName(name) {
  const letters = [...name].slice(0, MAX_OF_NAME).map((letter) => (/^[\w$]$/.test(letter) ? letter : '_'))
  const plain = letters.join('')
  const begun = PLAIN.test(plain) ? plain : `_${plain}`
  return RESERVED.has(begun) ? `${begun}_` : begun
}

/**
 * Names of servers by what they are called in a program; of two alike the later one has a number.
 *
 * @param {Iterable<string>} servers in the order of the catalogue
 */
export function serversByName(servers) {
  const found = new Map()
  for (const server of servers) {
    const base = safeName(server)
    let name = base
    for (let number = 2; found.has(name); number++) name = `${base}_${number}`
    found.set(name, server)
  }
  return found
}

/**
 * How a program calls a tool.
 *
 * @param {string} server what the server is called in a program
 * @param {string} tool
 */
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
