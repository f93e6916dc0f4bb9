// A server, or a tool of one, switched off or on in a configuration file as a person would write it. What else stands there stays
// as it is, comments included.

import { isDeepStrictEqual } from 'node:util'

import { parseJson } from './file.mjs'
import { jsonWith, jsonWithList } from './json-edit.mjs'
import { matching } from './patterns.mjs'
import { means } from './tool-spelling.mjs'

/** Why an edit cannot be made, for the person who wants it. */
export class NotSwitched extends Error {}

/**
 * @param {string} text of a JSON file with `mcpServers`
 * @param {{ server: string, tool?: string, isOn: boolean }} wanted
 * @returns {string} the text afterwards
 * @throws {NotSwitched}
 */
export function switched(text, { server, tool, isOn }) {
  const before = /** @type {any} */ (parseJson(text))
  const entry = before?.mcpServers?.[server]
  if (entry === null || typeof entry !== 'object' || !Object.hasOwn(before.mcpServers, server))
    throw new NotSwitched('the file has no entry of this server under mcpServers; change it by hand')
  const changes = tool === undefined ? ofServer(entry, isOn) : ofTool(entry, { server, tool, isOn })
  const at = ['mcpServers', server]
  let after = text
  for (const [key, value] of Object.entries(changes))
    after = (Array.isArray(value) ? jsonWithList : jsonWith)(after, [...at, key], value)
  const wanted = { ...entry, ...changes }
  for (const [key, value] of Object.entries(changes)) if (value === undefined) delete wanted[key]
  // A file that is written in some way that the edit does not understand stays as it is.
  if (!isDeepStrictEqual(parseJson(after), { ...before, mcpServers: { ...before.mcpServers, [server]: wanted } }))
    throw new NotSwitched(
      'the file is written in a way that cannot be changed without losing something; change it by hand',
    )
  return after
}

/** @param {Record<string, any>} entry @param {boolean} isOn */
function ofServer(entry, isOn) {
  // `enabled` where that is how this file says it.
  if ('enabled' in entry) return { enabled: isOn, ...('disabled' in entry && { disabled: undefined }) }
  return { disabled: isOn ? undefined : true }
}

/** @param {Record<string, any>} entry */
function ofTool(entry, { server, tool, isOn }) {
  const { disabledTools = [], onlyAllow = [] } = entry
  const isThis = (/** @type {string} */ each) => means(server, each, tool)
  // In a list it would mean others too, and nobody could take it back here.
  if (tool.includes('*'))
    throw new NotSwitched('its name has a *, which means other tools in a list; change it by hand')
  if (!isOn) {
    const allowed = onlyAllow.filter((/** @type {string} */ each) => !isThis(each))
    // An empty list would allow everything, and a pattern allows others too.
    const isListed = allowed.length < onlyAllow.length && allowed.length > 0
    if (isListed && !onlyAllow.some((/** @type {string} */ each) => isThis(each) && each.includes('*')))
      return { onlyAllow: allowed }
    return { disabledTools: disabledTools.some(isThis) ? disabledTools : [...disabledTools, tool] }
  }
  if (disabledTools.some((/** @type {string} */ each) => isThis(each) && each.includes('*')))
    throw new NotSwitched('a pattern in disabledTools of this server means it; change it by hand')
  const off = disabledTools.filter((/** @type {string} */ each) => !isThis(each))
  const isAllowed = onlyAllow.length === 0 || matching(onlyAllow, [tool]).includes(tool)
  return {
    ...('disabledTools' in entry && { disabledTools: off.length > 0 ? off : undefined }),
    ...(!isAllowed && { onlyAllow: [...onlyAllow, tool] }),
  }
}
