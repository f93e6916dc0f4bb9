// How clients and other gateways say that a server, or some of its tools, are off. What a person has switched off there is
// off here.

import { invalid } from '../base/errors.mjs'
import { fold } from '../base/near.mjs'
import { text } from '../base/values.mjs'
import { list } from './values.mjs'

/** Keys by which a whole entry is switched, beside `disabled` and `enabled`. */
const SWITCHES = {
  off: ['disable', 'isDisabled', 'is_disabled', 'quarantined', 'quarantine', 'blocked'],
  on: ['isActive', 'is_active', 'active', 'isEnabled', 'is_enabled', 'enable'],
}
export const OFF = [...SWITCHES.off, ...SWITCHES.on, 'status']
/** What `status` says about an entry that is off; others are states that somebody has shown. */
const OFF_STATUS = /^(inactive|disabled|off|quarantined|blocked|suspended|deleted|archived)$/i
/** Keys of lists of tools that are off, and of those that alone are on. */
export const TOOLS_OFF = [
  ...'disabledTools excludeTools disabled_tools blockedTools blocked_tools deniedTools denied_tools'.split(' '),
  ...['disallowedTools', 'disallowed_tools', 'excludedTools', 'excluded_tools', 'exclude_tools', 'denyTools'],
]
export const TOOLS_ON = [
  ...'includeTools enabled_tools enabledTools allowedTools allowed_tools includedTools included_tools'.split(' '),
  ...['include_tools', 'allowTools', 'toolFilter'],
]

/** Whether the user has switched an entry off: nothing else of it is looked at then. */
export function isOff(entry) {
  if (entry === null || typeof entry !== 'object') return false
  if (entry.disabled === true || entry.enabled === false) return true
  const says = (keys, value) => keys.some((key) => entry[key] === value)
  return says(SWITCHES.off, true) || says(SWITCHES.on, false) || OFF_STATUS.test(String(entry.status ?? ''))
}

/**
 * Which tools are on. `onlyAllow` is ours; `includeTools` and `excludeTools` are Gemini's, `enabled_tools` and
 * `disabled_tools` Codex's, `tools` Copilot's as a list. What is excluded is off, also when it is included: whoever
 * knows the names of the tools takes it out, since both may be patterns.
 *
 * @param {Record<string, any>} entry
 * @param {string} at its path
 */
export function toolsOf(entry, at) {
  const read = (key, value = entry[key]) =>
    value === undefined
      ? undefined
      : list(value, `${at}.${key}`).map((name, index) =>
          // Gemini takes a name with what looks like its arguments.
          text(name, `${at}.${key}[${index}]`).replace(/\(.*$/s, ''),
        )
  const { tools, toolFilter } = entry
  const each = switchesOf(tools, `${at}.tools`, read)
  const filter = Array.isArray(toolFilter) ? {} : switchesOf(toolFilter, `${at}.toolFilter`, read)
  const off = [...TOOLS_OFF.flatMap((key) => read(key) ?? []), ...(each.off ?? []), ...(filter.off ?? [])]
  const ours = read('onlyAllow') ?? []
  if (ours.length > 0) return { onlyAllow: ours, disabledTools: off, none: false }
  const copilot = Array.isArray(tools) && !tools.includes('*') ? read('tools') : undefined
  const listed = TOOLS_ON.filter((key) => Array.isArray(entry[key])).map((key) => read(key))[0]
  const on = listed ?? copilot ?? each.on ?? filter.on
  // A list that allows everything.
  if (on === undefined || on.includes('*')) return { onlyAllow: [], disabledTools: off, none: false }
  const left = on.filter((name) => !off.some((each) => fold(each) === fold(name)))
  // An empty list would allow everything.
  return { onlyAllow: left, disabledTools: left.length === 0 ? ['*'] : off, none: left.length === 0 }
}

/** `tools` as an object: `{ name: false }`, `{ name: { enabled: false } }`, or lists by what becomes of them. */
function switchesOf(value, at, read) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {}
  const found = { off: /** @type {string[]} */ ([]), on: /** @type {string[] | undefined} */ (undefined) }
  for (const [name, said] of Object.entries(value)) {
    if (/^(exclude|deny|denied|block|blocked|disabled|disallow|disallowed)$/i.test(name) && Array.isArray(said))
      found.off.push(...(read(name, said) ?? []))
    else if (/^(include|allow|allowed|enabled|only)$/i.test(name) && Array.isArray(said)) found.on = read(name, said)
    else if (said === false || isOff(said)) found.off.push(name)
    else if (Array.isArray(said)) throw invalid(`${at}.${name}`, 'a list that says what is on or off', said)
  }
  return found
}
