// The ways to write the name of a tool: its own, with its server's before it, as clients show it. One rule for what models call
// and what people write into lists: whatever loading takes, calling and switching off take too. Only what allows is read
// narrowly: a name that is nearly allowed may be a tool that nobody has seen.

import { fold, nearest } from '../base/near.mjs'
import { matching } from './patterns.mjs'

/** What clients put before a name: their own word for a function, and the name that the gateway has with them. */
const FUNCTIONS = /^functions?[./:]/i
const GATEWAY = [/^mcp_{1,2}[^_].*?__(?=.)/i, /^mcp--.+?--(?=.)/i]

/** What stands between a server's name and its tool's: names of tools have other marks inside. */
const BORDER = /[./:[]|__|--/g
/** Borders of one name that are looked at, and characters. */
const MAX_BORDERS = 24
const MAX_LOOKED = 4_096

/**
 * Servers of which a name says one in front. What is written so means one of its tools, whatever others call their tools.
 *
 * @param {string} name
 * @param {string[]} serverNames
 */
export function serversSaid(name, serverNames) {
  const bare = name.slice(0, MAX_LOOKED).replace(/^mcp(?:--|__)/i, '')
  const fronts = [...bare.matchAll(BORDER)].slice(0, MAX_BORDERS).map(({ index }) => bare.slice(0, index))
  const exact = serverNames.filter((each) => fronts.includes(each))
  if (fronts.length === 0 || exact.length > 0) return exact
  const folded = new Set(fronts.map(fold))
  return serverNames.filter((each) => fold(each) !== '' && folded.has(fold(each)))
}

/** A name as written, and without what a client has put before it. @param {string} name */
export function withoutClient(name) {
  const written = name.trim()
  const bare = written.replace(FUNCTIONS, '')
  return [...new Set([written, bare, ...GATEWAY.map((pattern) => bare.replace(pattern, ''))])]
}

/** Whether a spelling means a tool of a server. `*` stands for any characters. */
export function means(serverName, spelling, toolName) {
  if (spelling === toolName) return true
  const wanted = fold(spelling)
  if (wanted === '') return false
  const bare = [toolName, `${serverName}${toolName}`]
  const names = [...bare, ...bare.map((each) => `mcp${each}`)].map(fold)
  if (!wanted.includes('*')) return names.includes(wanted)
  const parts = wanted.split(/\*+/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const expression = new RegExp(`^${parts.join('.*')}$`, 's')
  return names.some((name) => expression.test(name))
}

/** Tools of a server that a spelling may mean. @returns {string[]} */
export function spelledTools(serverName, spelling, toolNames) {
  return toolNames.filter((name) => means(serverName, spelling, name))
}

/**
 * Tools of a server that a list allows by one of its names: the one that is called exactly so, those that a pattern matches to
 * the letter, or else the only one that the spelling can mean. A server that renames a tool, or gets others with names like it,
 * is allowed nothing by that.
 *
 * @param {string} serverName
 * @param {string} spelling
 * @param {string[]} toolNames all that the server lists
 */
export function allowedTools(serverName, spelling, toolNames) {
  const exact = [spelling, ...(spelling.startsWith(`${serverName}/`) ? [spelling.slice(serverName.length + 1)] : [])]
  for (const name of exact) {
    if (toolNames.includes(name)) return [name]
    const matched = matching([name], toolNames).filter((each) => toolNames.includes(each))
    if (matched.length > 0) return matched
  }
  // One that says what it does not mean allows nothing.
  const meant = new Set(/[!^~]|(^|\/)-/.test(spelling) ? [] : spelledTools(serverName, spelling, toolNames))
  return meant.size === 1 ? [...meant] : []
}

/**
 * Names of a list as the names of tools that they mean. One that means none stays: a list of what alone is on must not become
 * empty.
 *
 * @param {string[]} spellings
 * @param {(spelling: string) => string[]} meaning
 */
export function resolved(spellings, meaning) {
  return spellings.flatMap((spelling) => {
    const found = meaning(spelling)
    return found.length > 0 ? found : spelling
  })
}

/**
 * Which tools of a server its entry leaves on and switches off. What is off stays off, whatever allows it.
 *
 * @param {Pick<import('./server.mjs').ServerDefinition, 'name' | 'disabledTools' | 'onlyAllow'>} definition
 * @param {string[]} toolNames all that the server lists
 * @returns {{ off: Set<string>, only: Set<string> | undefined }} `only`: what alone is on, where a list says so
 */
export function switchedTools({ name, disabledTools, onlyAllow }, toolNames) {
  const off = new Set(resolved(disabledTools, (spelling) => spelledTools(name, spelling, toolNames)))
  if (onlyAllow.length === 0) return { off, only: undefined }
  const only = resolved(onlyAllow, (spelling) => allowedTools(name, spelling, toolNames))
  return { off, only: new Set(only.filter((tool) => !off.has(tool))) }
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
  const isLoosening = (key, name) => key === 'onlyAllow' || (key === 'toolKinds' && toolKinds.get(name) === 'read')
  return Object.entries(lists).flatMap(([key, names]) =>
    names
      .filter(
        (name) => (isLoosening(key, name) ? allowedTools : spelledTools)(serverName, name, toolNames).length === 0,
      )
      .map((name) => ({ key, name, meant: nearest(name.slice(name.indexOf('/') + 1), toolNames) })),
  )
}
