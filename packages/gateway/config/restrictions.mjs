// How clients and other gateways say that a server, or some of its tools, are off. What a person has switched off there is
// off here.

import { invalid } from '../base/errors.mjs'
import { isObject, text } from '../base/values.mjs'
import { matching } from './patterns.mjs'
import { list } from './values.mjs'

/** Keys by which a whole entry is switched, beside `disabled` and `enabled`. */
const SWITCHES = {
  off: ['disable', 'isDisabled', 'is_disabled', 'quarantined', 'quarantine', 'blocked'],
  on: ['isActive', 'is_active', 'active', 'isEnabled', 'is_enabled', 'enable'],
}
export const OFF = [...SWITCHES.off, ...SWITCHES.on, 'status', 'state']
/** What a text says about an entry or a tool that is off; others are states that somebody has shown. */
const OFF_STATUS = /^(inactive|disabled|off|quarantined|blocked|suspended|deleted|archived|den(y|ied)|never|false)$/i
/** How a name begins that is meant to be excluded, in a list of what is on. */
const NOT = /^\s*[!^~-]/
/** Keys of lists of tools that are off, and of those that alone are on. */
export const TOOLS_OFF = [
  ...'disabledTools excludeTools disabled_tools blockedTools blocked_tools deniedTools denied_tools'.split(' '),
  ...['disallowedTools', 'disallowed_tools', 'excludedTools', 'excluded_tools', 'exclude_tools', 'denyTools'],
]
export const TOOLS_ON = [
  ...'includeTools enabled_tools enabledTools allowedTools allowed_tools includedTools included_tools'.split(' '),
  ...['include_tools', 'allowTools', 'toolFilter'],
]

const saysOff = (value) => typeof value === 'string' && OFF_STATUS.test(value)

/** Whether the user has switched an entry off: nothing else of it is looked at then. */
export function isOff(entry) {
  if (entry === null || typeof entry !== 'object') return false
  if (entry.disabled === true || entry.enabled === false) return true
  const says = (keys, value) => keys.some((key) => entry[key] === value)
  return says(SWITCHES.off, true) || says(SWITCHES.on, false) || saysOff(entry.status) || saysOff(entry.state)
}

/**
 * Which tools are on. `onlyAllow` is ours; `includeTools` and `excludeTools` are Gemini's, `enabled_tools` and
 * `disabled_tools` Codex's, `tools` Copilot's as a list. Of several lists that allow, each counts. What is excluded is off,
 * also when it is included: whoever knows the names of the tools takes it out, since both may be patterns.
 *
 * @param {Record<string, any>} entry
 * @param {string} at its path
 */
export function toolsOf(entry, at) {
  const read = (key, value = entry[key]) =>
    list(value, `${at}.${key}`).map((name, index) =>
      // Gemini takes a name with what looks like its arguments.
      text(name, `${at}.${key}[${index}]`).replace(/\(.*$/s, ''),
    )
  const allow = (key, value = entry[key]) => {
    // What some clients write for all.
    const names = value === true || value === '*' ? ['*'] : read(key, value ?? undefined)
    const not = names.findIndex((name) => NOT.test(name))
    if (not >= 0)
      throw invalid(`${at}.${key}[${not}]`, 'a tool that is on; disabledTools names what is off', names[not])
    return value === undefined ? [] : [names]
  }
  const switches = ['tools', 'toolFilter'].filter((key) => isObject(entry[key]))
  const each = switches.map((key) => switchesOf(entry[key], `${at}.${key}`, { read, allow }))
  const off = [...TOOLS_OFF.flatMap((key) => read(key)), ...each.flatMap((said) => said.off)]
  const ours = allow('onlyAllow').filter((names) => names.length > 0)
  const theirs = [...TOOLS_ON, 'tools'].filter((key) => !switches.includes(key)).flatMap((key) => allow(key))
  const lists = [...ours, ...theirs, ...each.flatMap((said) => said.on)].filter((names) => !names.includes('*'))
  if (lists.length === 0) return { onlyAllow: [], disabledTools: off, none: false }
  const on = lists.reduce((one, other) => inBoth(one, other, at))
  const left = ours.length > 0 && on.length > 0 ? on : on.filter((name) => !off.includes(name))
  // An empty list would allow everything.
  return { onlyAllow: left, disabledTools: left.length === 0 ? ['*'] : off, none: left.length === 0 }
}

/** What two lists allow, to the letter: nobody knows yet what else their names may mean. */
function inBoth(one, other, at) {
  const isIn = (names, name) => names.includes(name) || (!name.includes('*') && matching(names, [name]).includes(name))
  const patterns = [...one, ...other].filter(
    (name) => name.includes('*') && !(one.includes(name) && other.includes(name)),
  )
  if (one.some((name) => patterns.includes(name)) && other.some((name) => patterns.includes(name)))
    throw invalid(at, 'one list of tools that are on where several have patterns', patterns.join(', '))
  return [...new Set([...one.filter((name) => isIn(other, name)), ...other.filter((name) => isIn(one, name))])]
}

/** `tools` as an object: `{ name: false }`, `{ name: { enabled: false } }`, or lists by what becomes of them. */
function switchesOf(value, at, { read, allow }) {
  const found = { off: /** @type {string[]} */ ([]), on: /** @type {string[][]} */ ([]) }
  const key = at.slice(at.lastIndexOf('.') + 1)
  for (const [name, said] of Object.entries(value)) {
    const isList = Array.isArray(said) || (typeof said === 'string' && !saysOff(said))
    if (isList && /^(exclude|deny|denied|block|blocked|disabled|disallow|disallowed)$/i.test(name))
      found.off.push(...read(`${key}.${name}`, said))
    else if (isList && /^(include|allow|allowed|enabled|only)$/i.test(name))
      found.on.push(...allow(`${key}.${name}`, said))
    else if (said === false || saysOff(said) || isOff(said)) found.off.push(name)
    else if (Array.isArray(said)) throw invalid(`${at}.${name}`, 'a list that says what is on or off', said)
  }
  return found
}
