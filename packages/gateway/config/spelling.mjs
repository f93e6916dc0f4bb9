// Every client spells a server in its own way. Here each way becomes one: keys and units as our own documents have them,
// texts still with their placeholders. What `import` writes and what the gateway reads is the same.

import { invalid, shown } from '../base/errors.mjs'
import { flag, record, text } from '../base/values.mjs'
import { translated } from './dialects.mjs'
import { isOff, toolsOf } from './restrictions.mjs'
import { argument, list } from './values.mjs'

/** Our kinds of transport by the names that clients have for them. @type {Map<unknown, Spelt['kind']>} */
const KINDS = new Map([
  ['stdio', 'stdio'],
  ['local', 'stdio'],
  ['http', 'http'],
  ['https', 'http'],
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
  ['streamable_http', 'http'],
  ['streamable', 'http'],
  ['remote', 'http'],
  ['sse', 'sse'],
])

/** Seconds of a time-out at most. A larger number can only be meant in milliseconds. */
export const MAX_TIMEOUT_S = 3_600

/** Keys by which an entry of Gemini CLI is known: its times are milliseconds, and `$NAME` is a variable in it. */
const OF_GEMINI = ['httpUrl', 'includeTools', 'excludeTools', 'trust']

/**
 * An entry as one client wrote it, in our words.
 *
 * @typedef {object} Spelt
 * @property {'stdio' | 'http' | 'sse'} kind `sse` is one that is first tried in the old way
 * @property {string} [command]
 * @property {string[]} args
 * @property {Record<string, unknown>} env
 * @property {Record<string, unknown>} headers
 * @property {number} [timeout] seconds
 * @property {number} [startTimeout] seconds
 * @property {string[]} onlyAllow
 * @property {string[]} disabledTools
 * @property {boolean} isOff switched off, or without a tool that is on
 * @property {string} [envFile]
 * @property {string} [cwd]
 * @property {unknown} [url]
 * @property {unknown} [oauth]
 * @property {unknown} [headersHelper]
 * @property {unknown} [inheritEnv]
 * @property {boolean} bareNames `$NAME` is a variable in its texts
 */

/**
 * @param {Record<string, any>} written
 * @param {string} at its path, for messages
 * @param {{ client?: string }} [origin] the client whose file it is, where that is known
 * @returns {Spelt}
 */
export function spell(written, at, { client } = {}) {
  const entry = translated(written, client)
  const isGemini = client === 'gemini' || OF_GEMINI.some((key) => Object.hasOwn(written, key))
  flag(entry.disabled, `${at}.disabled`)
  flag(entry.enabled, `${at}.enabled`)
  const { command, args } = commandOf(entry, at)
  const url = entry.url ?? entry.httpUrl ?? entry.serverUrl
  const tools = toolsOf(entry, at)
  return {
    kind: kindOf(entry, at, { url, isGemini }),
    command,
    args,
    env: {
      ...namesAsVariables(entry.env_vars, `${at}.env_vars`),
      ...record(entry.env ?? entry.environment ?? entry.command?.env ?? {}, `${at}.env`),
    },
    envFile: entry.envFile,
    cwd: entry.cwd ?? entry.working_directory,
    url: entry.httpUrl ?? url,
    headers: headersOf(entry, at),
    timeout:
      seconds(entry.timeout, `${at}.timeout`, isGemini || client === 'opencode') ??
      seconds(entry.tool_timeout_sec, `${at}.tool_timeout_sec`, false),
    startTimeout:
      seconds(entry.startTimeout, `${at}.startTimeout`, false) ??
      seconds(entry.startup_timeout_sec, `${at}.startup_timeout_sec`, false) ??
      seconds(entry.startup_timeout_ms, `${at}.startup_timeout_ms`, true),
    ...tools,
    // Some clients have the name of a scheme there, or a switch.
    oauth: [entry.oauth, entry.auth].find((each) => typeof each === 'object'),
    headersHelper: entry.headersHelper,
    inheritEnv: entry.inheritEnv,
    isOff: isOff(entry) || tools.none,
    bareNames: isGemini || client === 'goose',
  }
}

function kindOf(entry, at, { url, isGemini }) {
  const said = entry.type ?? entry.transport ?? entry.transportType
  if (said === undefined) {
    if (url === undefined && entry.command === undefined)
      throw invalid(at, 'a command or a url', 'an entry with neither')
    if (url === undefined || entry.command !== undefined) return 'stdio'
    // Gemini's `url` is that of the old transport, and its `httpUrl` that of the new one.
    return isGemini && entry.httpUrl === undefined ? 'sse' : 'http'
  }
  const kind = KINDS.get(said)
  if (kind === undefined) throw invalid(`${at}.type`, 'stdio, http, streamable-http or sse', said)
  return kind
}

/** A program and its arguments: apart, in one list (opencode), or in an object (Zed). */
function commandOf(entry, at) {
  const { command } = entry
  if (typeof entry.args === 'string') throw invalid(`${at}.args`, 'a list with a text for each argument', 'one text')
  const more = list(entry.args, `${at}.args`).map((value, index) => argument(value, `${at}.args[${index}]`))
  if (Array.isArray(command)) {
    const [program, ...args] = command.map((value, index) => argument(value, `${at}.command[${index}]`))
    return { command: program, args: [...args, ...more] }
  }
  if (command !== null && typeof command === 'object')
    return commandOf({ command: command.path, args: command.args }, at)
  return { command, args: more }
}

function headersOf(entry, at) {
  const headers = Object.entries(record(entry.headers ?? entry.http_headers ?? {}, `${at}.headers`))
  // Codex names variables instead of values.
  for (const [key, name] of Object.entries(record(entry.env_http_headers ?? {}, `${at}.env_http_headers`)))
    headers.push([key, `\${env:${text(name, `${at}.env_http_headers[${shown(key)}]`)}}`])
  const token = entry.bearer_token_env_var
  if (token !== undefined)
    headers.push(['Authorization', `Bearer \${env:${text(token, `${at}.bearer_token_env_var`)}}`])
  return Object.fromEntries(headers)
}

/**
 * Codex names variables that a server gets from its client, as texts or as objects that also say where they come from; one
 * that is not set is not an error there.
 */
function namesAsVariables(value, at) {
  return Object.fromEntries(
    list(value, at).map((each, index) => {
      const name = text(typeof each === 'string' ? each : each?.name, `${at}[${index}]`)
      return [name, `\${env:${name}:-}`]
    }),
  )
}

/** A time-out in seconds. None at all is the longest that there is. */
function seconds(value, at, inMs) {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw invalid(at, `seconds from 1 to ${MAX_TIMEOUT_S}, or milliseconds`, value)
  if (value === 0) return MAX_TIMEOUT_S
  const given = inMs || value > MAX_TIMEOUT_S ? value / 1000 : value
  return Math.min(MAX_TIMEOUT_S, Math.max(1, Math.round(given)))
}
