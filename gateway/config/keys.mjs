// SPDX-License-Identifier: Apache-2.0
//
// Keys of a server's entry, ours and other clients'. The file is shared, so a key that nobody knows is left alone; one
// that is nearly a key we read is named, since a misspelt `disabledTools` leaves on what the user has switched off.

import { plain, shown } from '../errors.mjs'
import { translated } from './dialects.mjs'

/** Keys that are read, whosever they are. */
const READ = [
  ...['type', 'transport', 'command', 'args', 'env', 'envFile', 'cwd', 'url', 'headers', 'disabled', 'enabled'],
  ...['lazy', 'essential', 'timeout', 'description', 'disabledTools', 'onlyAllow', 'alwaysLoad', 'capabilities'],
  ...[
    'ownPins',
    'toolDescriptionOverrides',
    'searchDescriptions',
    'syntheticQueries',
    'toolKinds',
    'oauth',
    'startTimeout',
    'protocolEra',
    'oneInstance',
  ],
  // Windsurf; Gemini CLI; Copilot CLI; opencode; Cursor; Codex
  ...['serverUrl', 'httpUrl', 'includeTools', 'excludeTools', 'tools', 'environment', 'auth', 'isActive'],
  ...['enabled_tools', 'disabled_tools', 'bearer_token_env_var', 'http_headers', 'env_http_headers', 'env_vars'],
  ...['startup_timeout_sec', 'startup_timeout_ms', 'tool_timeout_sec', 'inheritEnv', 'headersHelper'],
  ...['working_directory', 'transportType'], // Warp; Cline's older files
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

/** Short for a key, and nearer to another one by its letters. */
const SHORT_FOR = new Map([
  ['cmd', 'command'],
  ['arguments', 'args'],
  ['endpoint', 'url'],
])

/** Keys of one entry that are compared: more are no configuration. */
const MAX_KEYS = 100
/** Characters of a key that is compared. */
const MAX_KEY = 40
/** Up to this many characters one slip is a lot, and two make another word. */
const SHORT = 5

/**
 * Keys that nobody writes but that are nearly a key we read, with that key.
 *
 * @param {object} entry
 * @param {string[]} [read] keys that are read at this place
 * @returns {{ key: string, meant: string }[]}
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

/**
 * What a person should know of an entry: keys that are nearly ours, and what its client does for it and the gateway does not.
 *
 * @param {Record<string, any>} entry
 * @param {string} at its path
 * @param {string} [client]
 */
export function notesOn(entry, at, client) {
  const notes = nearKeys(translated(entry, client)).map(
    ({ key, meant }) => `${at}: the key ${shown(key)} is not read; is ${meant} meant?`,
  )
  const { authProviderType, sandbox, sandboxEnabled } = entry
  if (typeof authProviderType === 'string' && authProviderType !== 'dynamic_discovery')
    notes.push(
      `${at}.authProviderType: its client logs in for it by ${shown(authProviderType)}, and the gateway does not`,
    )
  if (sandboxEnabled === true || (sandbox !== undefined && sandbox !== false && sandboxEnabled !== false))
    notes.push(`${at}.sandbox: its client runs it in a sandbox, and the gateway does not`)
  return notes
}

function nearest(key, read) {
  const folded = fold(key)
  const same = read.find((name) => fold(name) === folded || name === SHORT_FOR.get(folded))
  if (same !== undefined) return same
  let best
  let least = folded.length <= SHORT ? 1 : 2
  for (const name of read) {
    const distance = slips(folded, fold(name))
    if (distance > least || fold(name).length <= SHORT / 2) continue
    best = distance < least || best === undefined ? name : best
    least = distance
  }
  return best
}

/** `disabled_tools`, `DisabledTools` and `disabled-tools` are one key in three habits. */
function fold(key) {
  return key.toLowerCase().replaceAll(/[-_ ]/g, '')
}

/** Letters put in, left out, changed, or changed about, that lie between two words. */
function slips(a, b) {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1)
    }
  }
  return rows[a.length][b.length]
}
