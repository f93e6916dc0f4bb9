// One server of a configuration: what it is, where it is, and which of its tools are on.

import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseEnv } from 'node:util'

import { invalid, plain, shown } from '../base/errors.mjs'
import { KINDS } from '../names/tool-kind.mjs'
import { flag, integer, oneOf, record, text } from '../base/values.mjs'
import { matching } from './patterns.mjs'
import { readRegular, whyNotRead } from './regular-file.mjs'
import { MAX_TIMEOUT_S, spell } from './spelling.mjs'
import { argument, names, readName, readUrl, texts } from './values.mjs'
import { expand, expandHome, expandValue } from './variables.mjs'

/** What the router takes of a registry entry, were each character three bytes long. */
const REGISTRY = {
  description: 5_000,
  capability: { entries: 100, characters: 66 },
  syntheticQuery: { entries: 100, characters: 333 },
}
/** Seconds a call may take when nothing is said: what other MCP clients use. */
const DEFAULT_TIMEOUT_S = 60
/** Seconds a server may take to start: `npx` may fetch a package first. */
const DEFAULT_START_TIMEOUT_S = 60
/** Bytes of an `envFile`. */
const MAX_ENV_FILE = 256 * 1024

/**
 * Where an entry stands, and what its placeholders refer to.
 *
 * @typedef {object} Where
 * @property {string} [folder] that of the configuration file: relative folders are in it
 * @property {string} [workspace] folder of the project, of which `${workspaceFolder}` speaks
 * @property {string} [cwd] where a server runs that says nothing
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} [home]
 * @property {Map<string, { default?: unknown }>} [inputs] VS Code's `inputs` by id
 * @property {import('../base/command-line.mjs').From} [from] what was read, for commands that are printed
 * @property {string} [modes] the set of modes that comes with the package
 * @property {string} [profile] the profile that is served; all servers otherwise
 * @property {string} [client] whose file it is
 * @property {Partial<import('./settings.mjs').Fixed>} [fixed] instead of what has one value
 * @property {number} [timeoutS] seconds a call may take where the entry says nothing
 * @property {boolean | string[]} [inheritEnv] variables that a server gets where its entry says nothing
 */

/**
 * A server as the gateway has it.
 *
 * @typedef {object} ServerDefinition
 * @property {string} name
 * @property {import('../base/command-line.mjs').From} [from] the file that it stands in
 * @property {'stdio' | 'http'} transport
 * @property {string} [command] of a program
 * @property {string[]} [args]
 * @property {Map<string, string>} [env]
 * @property {Map<string, string>} [inherited] variables that it gets of the gateway's
 * @property {string} [cwd]
 * @property {URL} [url] of a remote server
 * @property {Map<string, string>} [headers]
 * @property {string} [headersHelper]
 * @property {boolean} [isOldSse]
 * @property {import('../index.d.mts').OAuthConfig} [oauth]
 * @property {string[]} secrets values of variables that stand somewhere in it
 * @property {boolean} lazy
 * @property {boolean} essential
 * @property {number} timeoutMs
 * @property {number} startMs
 * @property {'auto' | 'legacy' | 'modern'} protocolEra
 * @property {string} [description]
 * @property {string[]} disabledTools
 * @property {string[]} onlyAllow
 * @property {import('./profiles.mjs').Part[]} [parts] what alone is there of it for a profile; all when left out
 * @property {boolean | string[]} alwaysLoad
 * @property {Map<string, Kind>} toolKinds
 * @property {boolean} ownPins
 * @property {Map<string, string>} toolDescriptionOverrides
 * @property {Map<string, string>} searchDescriptions
 * @property {string[]} capabilities
 * @property {string[]} syntheticQueries
 *
 * @typedef {import('../names/tool-kind.mjs').Kind} Kind
 * @typedef {ServerDefinition & { transport: 'stdio', command: string, args: string[], env: Map<string, string> }} Program
 * @typedef {ServerDefinition & { transport: 'http', url: URL, headers: Map<string, string> }} Remote
 */

/** @param {ServerDefinition} definition @returns {definition is Program} */
export const isProgram = (definition) => definition.transport === 'stdio'

/** @param {ServerDefinition} definition @returns {definition is Remote} */
export const isRemote = (definition) => definition.transport === 'http'

/**
 * Reads one server. Unknown fields are left alone: the file is shared with other clients.
 *
 * @param {string} name
 * @param {unknown} entry
 * @param {Where} [where]
 * @returns {ServerDefinition}
 * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT` that names the field
 */
export function readServer(name, entry, where = {}) {
  const at = `config.mcpServers[${shown(name)}]`
  readName(name, at)
  const server = entryOf(entry, at)
  const spelt = spell(server, at, where)
  const { folder = process.cwd(), workspace = folder, env = process.env, home = os.homedir(), inputs } = where
  const values = new Set()
  const scope = { env, workspace, folder, home, inputs, values, bareNames: spelt.bareNames }
  const how = spelt.kind === 'stdio' ? readProgram(spelt, at, scope, where) : readRemote(spelt, at, scope)
  const seconds = (value, otherwise) => 1000 * integer(value, `${at}.timeout`, 1, MAX_TIMEOUT_S, otherwise)
  return {
    name,
    ...(where.from && { from: where.from }),
    transport: spelt.kind === 'stdio' ? 'stdio' : 'http',
    ...how,
    /** Values of variables that stand somewhere in it. They are in no log. */
    secrets: [...values],
    lazy: flag(server.lazy, `${at}.lazy`),
    essential: flag(server.essential, `${at}.essential`),
    timeoutMs: seconds(spelt.timeout, where.timeoutS ?? DEFAULT_TIMEOUT_S),
    startMs: seconds(spelt.startTimeout, DEFAULT_START_TIMEOUT_S),
    protocolEra: oneOf(server.protocolEra ?? 'auto', `${at}.protocolEra`, ['auto', 'legacy', 'modern']),
    description:
      server.description === undefined
        ? undefined
        : text(server.description, `${at}.description`, REGISTRY.description),
    disabledTools: spelt.disabledTools,
    onlyAllow: spelt.onlyAllow,
    alwaysLoad:
      typeof server.alwaysLoad === 'boolean' ? server.alwaysLoad : names(server.alwaysLoad, `${at}.alwaysLoad`),
    toolKinds: texts(server.toolKinds, `${at}.toolKinds`, (kind, where) => oneOf(kind, where, KINDS)),
    ownPins: flag(server.ownPins, `${at}.ownPins`),
    toolDescriptionOverrides: texts(server.toolDescriptionOverrides, `${at}.toolDescriptionOverrides`),
    searchDescriptions: texts(server.searchDescriptions, `${at}.searchDescriptions`),
    capabilities: names(server.capabilities, `${at}.capabilities`, REGISTRY.capability),
    syntheticQueries: names(server.syntheticQueries, `${at}.syntheticQueries`, REGISTRY.syntheticQuery),
  }
}

/** A server that is a program: what is started, where, and with which variables. */
function readProgram(spelt, at, scope, where) {
  const place = (value, field) =>
    path.resolve(scope.folder, expandHome(expand(text(value, field), field, scope), scope.home))
  const file = spelt.envFile === undefined ? [] : readEnvFile(place(spelt.envFile, `${at}.envFile`), `${at}.envFile`)
  const env = ownVariables(spelt, at, scope, new Map(file))
  const own = { ...scope, own: (name) => env.get(name) }
  const fill = (value, field) => expandHome(expand(value, field, own), scope.home)
  return {
    command: fill(text(spelt.command, `${at}.command`), `${at}.command`),
    args: spelt.args.map((value, index) => fill(argument(value, `${at}.args[${index}]`), `${at}.args[${index}]`)),
    env,
    inherited: inherited(spelt.inheritEnv ?? where.inheritEnv, `${at}.inheritEnv`, scope.env),
    cwd: spelt.cwd === undefined ? where.cwd : place(spelt.cwd, `${at}.cwd`),
  }
}

/** Headers that the connection has anyway: one that is given again ends each request. */
const OF_THE_CONNECTION = /^(connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

/** Headers that can be sent. Blanks and line ends around a value are none of it, as for `fetch`. */
export function headersOf(headers, at) {
  for (const [name, value] of headers) {
    if (!/^[\w!#$%&'*+\-.^`|~]+$/.test(name))
      throw invalid(`${at}[${shown(name)}]`, 'the name of a header', 'another text')
    if (OF_THE_CONNECTION.test(name))
      throw invalid(`${at}[${shown(name)}]`, 'a header that the connection does not set', name)
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value.trim()))
      throw invalid(
        `${at}[${shown(name)}]`,
        'what a header can hold: Latin letters, no line end within',
        'other characters',
      )
  }
  return headers
}

/** A server at an address. Its `env` starts nothing, and may hold what its texts name. */
function readRemote(spelt, at, scope) {
  const env = ownVariables(spelt, at, scope, new Map())
  const own = { ...scope, own: (name) => env.get(name) }
  const { headersHelper } = spelt
  return {
    url: readUrl(expand(text(spelt.url, `${at}.url`), `${at}.url`, own), `${at}.url`),
    headers: headersOf(
      texts(spelt.headers, `${at}.headers`, (value, field) => expandValue(value, field, own)),
      `${at}.headers`,
    ),
    headersHelper:
      headersHelper === undefined
        ? undefined
        : expand(text(headersHelper, `${at}.headersHelper`), `${at}.headersHelper`, own),
    isOldSse: spelt.kind === 'sse',
    oauth: readOAuth(spelt.oauth, `${at}.oauth`, (value, field) => expand(value, field, own)),
  }
}

/**
 * The variables of an entry. One may name another that is a plain text; a name that the gateway has is the gateway's, as in
 * `"PATH": "/opt/bin:${PATH}"`.
 */
function ownVariables({ env }, at, scope, file) {
  const written = texts(env, `${at}.env`)
  const others = (name) => (written.get(name)?.includes('$') ? undefined : (written.get(name) ?? file.get(name)))
  return new Map([
    ...file,
    ...texts(env, `${at}.env`, (value, field) => expandValue(value, field, { ...scope, others })),
  ])
}

/** Variables of the gateway that a server gets: all, or the named ones. Never those that are about the gateway itself. */
function inherited(value, at, env) {
  if (value === undefined || value === false) return new Map()
  const patterns = value === true ? ['*'] : names(value, at)
  // What a shell exports as a function is a program, which no server is meant to get.
  const all = Object.keys(env).filter((name) => !name.startsWith('ZOO_TOOL_ROUTER_') && !env[name]?.startsWith('()'))
  const given = matching(patterns, all).filter((name) => all.includes(name))
  return new Map(given.map((name) => [name, env[name]]))
}

/** An entry is an object. A command line that stands in its place may hold a secret and is not quoted. */
export function entryOf(entry, at) {
  return record(typeof entry === 'string' ? 'text' : entry, at)
}

/** Variables of a file, for servers whose tokens stand outside of the configuration. Its text is never shown. */
function readEnvFile(file, at) {
  let read
  try {
    read = parseEnv(readRegular(file, MAX_ENV_FILE).toString('utf8'))
  } catch (error) {
    throw invalid(at, `a file of NAME=value lines at ${plain(file)}`, whyNotRead(error))
  }
  return texts(read, at)
}

/**
 * How the gateway logs in to a remote server, where its authorization server knows the gateway already. Cursor's `auth`
 * is read too.
 */
function readOAuth(value, at, fill) {
  // `auth` of some clients is the name of a scheme, or a switch; then there is nothing to know.
  if (value === undefined || value === null || typeof value !== 'object') return {}
  const given = record(value, at)
  const optional = (...keys) => {
    const key = keys.find((each) => given[each] !== undefined)
    return key === undefined ? undefined : fill(text(given[key], `${at}.${key}`), `${at}.${key}`)
  }
  const port = given.redirectPort ?? given.callbackPort
  const scopes = Array.isArray(given.scopes) ? names(given.scopes, `${at}.scopes`).join(' ') : undefined
  return {
    clientId: optional('clientId', 'client_id', 'CLIENT_ID'),
    clientSecret: optional('clientSecret', 'client_secret', 'CLIENT_SECRET'),
    clientMetadataUrl: optional('clientMetadataUrl'),
    issuer: optional('issuer'),
    account: optional('account'),
    scope: scopes ?? optional('scope'),
    redirectPort: port === undefined ? undefined : integer(port, `${at}.redirectPort`, 1, 65_535),
  }
}
