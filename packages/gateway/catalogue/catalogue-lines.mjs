// What the log says about the tools of a server: codes, names and counts. What a tool says goes into no log.

import { plain, shown } from '../base/errors.mjs'

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
const HAVE = { changed: 'have changed', suspicious: 'try something with the model' }

/** Tools, or prompts, that were not withheld before; undefined where there are none. */
export function withheldLine({ definition: { name }, withheld: before }, withheld, what = 'tools') {
  const until = 'off until you run npx @zoo-code/tool-router-gateway approve'
  const told = Object.entries(HAVE).flatMap(([why, have]) => {
    const fresh = [...withheld].filter(([tool, reason]) => reason === why && before.get(tool) !== reason)
    const names = fresh.slice(0, TOLD).map(([tool]) => tool)
    return fresh.length === 0 ? [] : [`${fresh.length} ${what} ${have} and are ${until}: ${names.join(', ')}`]
  })
  return told.length === 0 ? undefined : `server ${name}: ${told.join('; ')}`
}

/** What a server's new state means; undefined for one that says nothing. */
export function stateLine({ definition: { name }, downstream, names }, state, reason, { restarts }) {
  if (state === 'ready') return `server ${name}: ready, ${names.size} tools in scope`
  if (state === 'login') return `server ${name}: ${reason}`
  if (state !== 'waiting') return undefined
  const byItself = '; it is started again'
  const byOthers = '; it is tried again when its entry or its key has changed, or a call asks for it'
  return `server ${name}: ${reason}${restarts === false ? '' : downstream.isTriedAgain ? byItself : byOthers}`
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
