// Keys of a server's entry, ours and other clients'. The file is shared, so a key that nobody knows is left alone; one
// that is nearly a key we read is named, since a misspelt `disabledTools` leaves on what the user has switched off.

import { plain, shown } from '../base/errors.mjs'
import { fold, nearest } from '../base/near.mjs'
import { translated } from './dialects.mjs'
import { isOff, OFF, TOOLS_OFF, TOOLS_ON } from './restrictions.mjs'

/** Keys that are read, whosever they are. */
const READ = [
  ...['type', 'transport', 'command', 'args', 'env', 'envFile', 'cwd', 'url', 'headers', 'disabled', 'enabled'],
  ...['lazy', 'essential', 'timeout', 'description', 'disabledTools', 'onlyAllow', 'alwaysLoad', 'capabilities'],
  ...(
    'ownPins toolDescriptionOverrides searchDescriptions syntheticQueries toolKinds oauth startTimeout ' + 'protocolEra'
  ).split(' '),
  // Windsurf; Gemini CLI; Copilot CLI; opencode; Cursor; Codex
  ...['serverUrl', 'httpUrl', 'includeTools', 'excludeTools', 'tools', 'environment', 'auth', 'isActive'],
  ...['enabled_tools', 'disabled_tools', 'bearer_token_env_var', 'http_headers', 'env_http_headers', 'env_vars'],
  ...['startup_timeout_sec', 'startup_timeout_ms', 'tool_timeout_sec', 'inheritEnv', 'headersHelper'],
  ...['working_directory', 'transportType'], // Warp; Cline's older files
  // Other gateways
  ...[...OFF, ...TOOLS_OFF, ...TOOLS_ON],
]

/** Keys of other clients that say nothing to a gateway: who is asked before a call, what a window shows. */
const LEFT = [
  ...['alwaysAllow', 'autoApprove', 'watchPaths', 'trust', 'gallery', 'version', 'dev', 'sandbox', 'sandboxEnabled'],
  ...['name', 'title', 'icon', 'iconPath', 'id', 'source', 'settings', 'note', 'comment', 'tags', 'provider', 'tool'],
  ...['authProviderType', 'targetAudience', 'targetServiceAccount', 'scopes', 'oauth_resource', 'required'],
  ...['approval_mode', 'default_tools_approval_mode', 'supports_parallel_tool_calls', 'remote', 'package', 'roots'],
  ...['display_name', 'bundled', 'start_on_launch', 'serverName', 'disabled_reason', 'faviconUrl', 'apiKey'],
  ...['initTimeout', 'maxRetries', 'extensionName', 'registry', 'registryUrl', 'homepage', 'author', 'authors'],
]

/** What a key looks like that may restrict a server or its tools, or that may hold what opens it. */
const RESTRICTS =
  /allow|block|den(y|ie)|disabl|enabl|exclu|includ|quarantin|restrict|forbid|white_?list|black_?list|filter|^active|status|auto_?start|read_?only/i
/** The same of a key that may hold such keys, or names of tools, and of one beside the servers. */
const RULES =
  /permission|polic(y|ies)|rules?$|^access(_?control|_?list)?$|guard|except|ignor|omit|skip|hid(e|den)|bann?(ed)?$|reject|prohibit|revoke|veto|never/i
const OPENS = /headers?[-_]?helper$|auth_?(value|token)$|(access|bearer)_?token$|(static|extra)_?headers$/i
/** Such a key inside of another. */
const FORBIDS = /block|den(y|ie)|disabl|exclu|quarantin|restrict|forbid|black_?list|disallow|reject|prohibit|never/i
/** Characters of a name that is compared with those of servers. */
const MAX_NAMED = 200
/** Keys of one entry that are compared: more are no configuration. */
const MAX_KEYS = 100
/** Characters of a key that is compared. */
const MAX_KEY = 40

/**
 * Keys that nobody writes but that are nearly a key we read, with that key.
 *
 * @param {object} entry
 * @param {string[]} [read] keys that are read at this place
 */
export function nearKeys(entry, read = READ) {
  const found = []
  for (const key of Object.keys(entry).slice(0, MAX_KEYS)) {
    if (read.includes(key) || LEFT.includes(key) || key.length > MAX_KEY) continue
    const meant = nearest(key, read)
    if (meant !== undefined) found.push({ key: plain(key, MAX_KEY), meant })
  }
  return found
}

/** Keys of other gateways that look like a restriction, and of which nothing is known: what they restrict may be on here. */
export function restrictionsOf(entry, client) {
  const written = translated(entry, client)
  return [...new Set([...unknownKeys(written, RESTRICTS), ...holdingRestrictions(written)])]
}

/** Keys that nobody knows and that hold a list of such a kind, as `"permissions": { "deny": [] }` does. */
function holdingRestrictions(entry) {
  const isSo = ([key, value]) =>
    (RULES.test(key) && !LEFT.includes(key) && typeof value === 'object' && says(value)) ||
    // What a sandbox may reach has a note of its own.
    (key !== 'sandbox' && holdsRestriction(value))
  return Object.entries(entry)
    .slice(0, MAX_KEYS)
    .filter(([key, value]) => !READ.includes(key) && key.length <= MAX_KEY && isSo([key, value]))
    .map(([key]) => plain(key, MAX_KEY))
}

function holdsRestriction(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  const keys = [...TOOLS_OFF, ...TOOLS_ON]
  const isSo = ([key, inner]) => (FORBIDS.test(key) && says(inner)) || keys.includes(key) || isOff(inner)
  return isOff(value) || Object.entries(value).slice(0, MAX_KEYS).some(isSo)
}

/**
 * Keys beside the servers that seem to say which of their tools are off, and that the gateway does not read there.
 *
 * @param {object} config
 * @param {string[]} servers
 * @param {string[]} read keys that are read at this place
 */
export function restrictionsBeside(config, servers, read) {
  const names = servers.map(fold).filter((name) => name !== '')
  const isOfServer = (text) => {
    const folded = fold(text.slice(0, MAX_NAMED)).replace(/^mcp/, '')
    return names.some((name) => folded.startsWith(name))
  }
  const isMeant = ([key, value]) => {
    if (read.includes(key) || key.length > MAX_KEY || !says(value)) return false
    if ([...TOOLS_OFF, 'onlyAllow', 'allowedMcpServers'].includes(key)) return true
    // A list of tools is what an agent of that client may use, and `allowedTools` what it need not ask about.
    const isSwitches = key === 'tools' && !Array.isArray(value)
    const restricts = isSwitches || FORBIDS.test(key) || RULES.test(key) || holdsRestriction(value)
    return restricts && textsIn(value).some(isOfServer)
  }
  return Object.entries(config)
    .slice(0, MAX_KEYS)
    .filter(isMeant)
    .map(([key]) => plain(key, MAX_KEY))
}

/** Texts and keys of a value, two levels deep. */
function textsIn(value, depth = 2) {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object' || depth < 0) return []
  const inner = Object.values(value)
    .slice(0, MAX_KEYS)
    .flatMap((each) => textsIn(each, depth - 1))
  return Array.isArray(value) ? inner : [...Object.keys(value).slice(0, MAX_KEYS), ...inner]
}

const says = (value) =>
  value !== false && value !== '' && value !== null && !(Array.isArray(value) && value.length === 0)

function unknownKeys(entry, pattern) {
  const isNew = (key) =>
    !READ.includes(key) && !LEFT.includes(key) && key.length <= MAX_KEY && nearest(key, READ) === undefined
  return Object.entries(entry)
    .slice(0, MAX_KEYS)
    .filter(
      ([key, value]) => pattern.test(key) && isNew(key) && (says(value) || /^(enabl|active|status|auto)/i.test(key)),
    )
    .map(([key]) => plain(key, MAX_KEY))
}

/**
 * What a person should know of an entry: keys that are nearly ours, and what its client does for it and the gateway does not.
 *
 * @param {Record<string, any>} entry
 * @param {string} at its path
 * @param {string} [client]
 */
export function notesOn(entry, at, client) {
  const written = translated(entry, client)
  const keyNote = (key, note) => `${at}: the key ${shown(key)} ${note}`
  const notes = [
    ...nearKeys(written).map(({ key, meant }) => keyNote(key, `is not read; is ${meant} meant?`)),
    ...restrictionsOf(entry, client).map((key) => keyNote(key, 'may restrict it, and is not read')),
    ...unknownKeys(written, OPENS).map((key) => keyNote(key, 'is not read; is a header meant?')),
  ]
  const idle = idleVariables(written)
  if (idle.length > 0)
    notes.push(`${at}.env: it starts no program; set ${idle.join(', ')} where the gateway is started`)
  const { authProviderType, sandbox, sandboxEnabled } = entry
  if (typeof authProviderType === 'string' && authProviderType !== 'dynamic_discovery')
    notes.push(
      `${at}.authProviderType: its client logs in for it by ${shown(authProviderType)}, and the gateway does not`,
    )
  if (sandboxEnabled === true || (sandbox !== undefined && sandbox !== false && sandboxEnabled !== false))
    notes.push(`${at}.sandbox: its client runs it in a sandbox, and the gateway does not`)
  return notes
}

/** Variables of an entry that starts no program, and that none of its texts names. @param {Record<string, any>} entry */
function idleVariables({ env, ...rest }) {
  if (rest.command !== undefined || env === null || typeof env !== 'object') return []
  const texts = JSON.stringify(rest)
  const idle = Object.keys(env).filter((name) => !texts.includes(name))
  return idle.slice(0, MAX_KEYS).map((name) => plain(name, MAX_KEY))
}
