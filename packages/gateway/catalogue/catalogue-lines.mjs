// What the log says about the tools of a server: codes, names and counts. What a tool says goes into no log.

import { commandLine } from '../base/command-line.mjs'
import { plain, shown } from '../base/errors.mjs'
import { fold } from '../base/near.mjs'
import { serversSaid } from '../config/tool-spelling.mjs'

/** Tools that are named in one line. */
const TOLD = 5
/** Characters of what is suspicious about a server. */
const MAX_WARNED = 400

/** Tools that are left out since others have their names. */
export function refusedLine({ definition, refused }) {
  const told = refused.slice(0, TOLD).map(({ tool, taken_by: owner }) => `${tool} (${owner} has it)`)
  return `server ${definition.name}: ${refused.length} tools are left out, since names are alike: ${told.join(', ')}`
}

/** What is suspicious about a server; undefined where nothing is. Names that no tool has are told by {@link unknownLine}. */
export function warningLine(name, all) {
  // A schema that a provider would refuse goes out changed: nobody has to do anything.
  const warnings = all.filter(({ code }) => code !== 'unknown-tool' && code !== 'adapted-schema')
  if (warnings.length === 0) return undefined
  const told = warnings.slice(0, TOLD).map(({ code, toolName }) => (toolName ? `${code} (${toolName})` : code))
  const more = warnings.length > told.length ? ` and ${warnings.length - told.length} more` : ''
  return `server ${name}: ${plain(told.join(', '), MAX_WARNED)}${more}`
}

/** What the shield found, as warnings: honest texts have findings of `low`, too. */
export function suspicions(findings) {
  const suspicious = findings.filter(({ finding }) => finding.severity !== 'low')
  return suspicious.map(({ toolName, finding }) => ({ toolName, code: finding.code }))
}

/** What may be the matter with one that waits for an approval. */
const HAVE = { changed: 'have changed', new: 'are new', suspicious: 'try something with the model' }

/** Tools, or prompts, that were not withheld before; undefined where there are none. */
export function withheldLine({ definition, withheld: before }, withheld, what = 'tools') {
  const told = Object.entries(HAVE).flatMap(([why, have]) => {
    const fresh = [...withheld].filter(([tool, reason]) => reason === why && before.get(tool) !== reason)
    const names = fresh.slice(0, TOLD).map(([tool]) => plain(tool, MAX_WARNED))
    return fresh.length === 0 ? [] : [`${fresh.length} ${what} ${have}: ${names.join(', ')}`]
  })
  if (told.length === 0) return undefined
  return `server ${definition.name}: ${told.join('; ')}; they are off until you approve them; to see them: ${commandLine(['approve'], definition.from)}`
}

/** What a server's new state means; undefined for one that says nothing. */
export function stateLine({ definition: { name }, downstream, names }, state, reason, { restarts }) {
  const none = '; its capabilities name no tools, so it was not asked for any'
  if (state === 'ready')
    return `server ${name}: ready, ${names.size} tools in scope${downstream.capabilities.tools ? '' : none}`
  if (state === 'login') return `server ${name}: ${reason}`
  if (state !== 'waiting') return undefined
  const byItself = '; it is started again'
  const byOthers = '; it is tried again when its entry or its key has changed, or a call asks for it'
  return `server ${name}: ${reason}${restarts === false ? '' : downstream.isTriedAgain ? byItself : byOthers}`
}

/**
 * Servers with tools that are called as another server with a tool: what is written so means the tool of that server.
 *
 * @param {Iterable<import('./catalogue-entry.mjs').Entry>} entries
 * @returns {Map<string, string>} by server
 */
export function posingLines(entries) {
  const all = [...entries]
  const serverNames = all.map(({ definition }) => definition.name)
  /** @type {Map<string, string>} */
  const owners = new Map()
  for (const { definition, names } of all)
    for (const tool of names.keys()) owners.set(fold(definition.name + tool), definition.name)
  const lines = all.flatMap(({ definition: { name }, names }) => {
    const posing = [...names.keys()].flatMap((tool) => {
      const other = serversSaid(tool, serverNames).find((each) => each !== name) ?? owners.get(fold(tool))
      return other === undefined || other === name ? [] : [`${plain(tool, 100)} (${other})`]
    })
    const more = posing.length > TOLD ? ` and ${posing.length - TOLD} more` : ''
    const told = posing.slice(0, TOLD).join(', ')
    const line = `server ${name}: tools are called as another server's, and only their whole names mean them: ${told}${more}`
    return posing.length === 0 ? [] : [/** @type {[string, string]} */ ([name, line])]
  })
  return new Map(lines)
}

/** A name in a list of the configuration that no tool of its server has. */
export function unknownLine(serverName, { key, name, meant }) {
  const near = meant === undefined ? '' : `; is ${plain(meant, 100)} meant?`
  return `server ${serverName}: ${key} names ${shown(name)}, and none of its tools is called so${near}`
}

/** A list that goes on behind what was read; undefined for a whole one. */
export function cutLine({ definition }, what, cut) {
  return cut === undefined
    ? undefined
    : `server ${definition.name}: its list of ${what} is cut ${cut}; what is behind is not known`
}
