// The ways to write the name of a tool: its own, with its server's before it, as clients show it. One rule for what models call
// and what people write into lists: whatever loading takes, calling and switching off take too.

import { fold, nearest } from '../base/near.mjs'

/** What clients put before a name: their own word for a function, and the name that the gateway has with them. */
const FUNCTIONS = /^functions?[./:]/i
const GATEWAY = [/^mcp_{1,2}[^_].*?__(?=.)/i, /^mcp--.+?--(?=.)/i]

/**
 * A name as written, and without what a client has put before it. What stood there may have been another server: only a name
 * that says its own server is one then (`isWhole` is false).
 *
 * @param {string} name
 * @returns {{ spelling: string, isWhole: boolean }[]}
 */
export function withoutClient(name) {
  const written = name.trim()
  const bare = written.replace(FUNCTIONS, '')
  const behind = GATEWAY.map((pattern) => bare.replace(pattern, ''))
  return [...new Set([written, bare, ...behind])].map((spelling) => ({
    spelling,
    isWhole: spelling === written || spelling === bare,
  }))
}

/** Whether a spelling means a tool of a server. `*` stands for any characters. `isWhole`: it need not say the server. */
export function means(serverName, spelling, toolName, isWhole = true) {
  if (isWhole && spelling === toolName) return true
  const wanted = fold(spelling)
  if (wanted === '') return false
  const whole = [`${serverName}${toolName}`, `mcp${serverName}${toolName}`]
  const names = (isWhole ? [toolName, ...whole] : whole).map(fold)
  if (!wanted.includes('*')) return names.includes(wanted)
  const parts = wanted.split(/\*+/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const expression = new RegExp(`^${parts.join('.*')}$`, 's')
  return names.some((name) => expression.test(name))
}

/** Tools of a server that a spelling means: the one that is called exactly so, or all that may be meant. */
export function spelledTools(serverName, spelling, toolNames, isWhole = true) {
  if (isWhole && toolNames.includes(spelling)) return [spelling]
  return toolNames.filter((name) => means(serverName, spelling, name, isWhole))
}

/**
 * Names of lists as the names of tools that they mean. One that means none stays: a list of what alone is on must not
 * become empty.
 *
 * @param {string} serverName
 * @param {string[]} spellings
 * @param {string[]} toolNames
 */
export function resolved(serverName, spellings, toolNames) {
  return spellings.flatMap((spelling) => {
    const found = spelledTools(serverName, spelling, toolNames)
    return found.length > 0 ? found : spelling
  })
}

/** Values by names of tools, found by whatever spelling they stand under. @template V @extends {Map<string, V>} */
export class ByTool extends Map {
  #serverName

  /** @param {string} serverName @param {Iterable<[string, V]>} entries */
  constructor(serverName, entries) {
    super(entries)
    this.#serverName = serverName
  }

  /** @param {string} toolName @returns {V | undefined} */
  get(toolName) {
    if (this.has(toolName)) return super.get(toolName)
    for (const [spelling, value] of this) if (means(this.#serverName, spelling, toolName)) return value
    return undefined
  }
}

/**
 * Names in the lists of an entry that no tool of its server has: what they were to switch is as it was.
 *
 * @param {import('./server.mjs').ServerDefinition} definition
 * @param {{ name: string }[]} tools as it lists them
 * @returns {{ key: string, name: string, meant?: string }[]}
 */
export function unknownNames({ name: serverName, disabledTools, onlyAllow, toolKinds, alwaysLoad }, tools) {
  const toolNames = tools.flatMap((tool) => tool?.name ?? [])
  const pinned = Array.isArray(alwaysLoad) ? alwaysLoad : []
  const lists = { disabledTools, onlyAllow, toolKinds: [...toolKinds.keys()], alwaysLoad: pinned }
  return Object.entries(lists).flatMap(([key, names]) =>
    names
      .filter((name) => spelledTools(serverName, name, toolNames).length === 0)
      .map((name) => ({ key, name, meant: nearest(name.slice(name.indexOf('/') + 1), toolNames) })),
  )
}
