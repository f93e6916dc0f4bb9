// The gateway's own settings, a row each: what it is, which values it takes, what stands for one that is not given, and where it
// may differ. A mistake in one ends the start, as a wrong flag would: the user wrote it for the gateway. Beside them stands what
// has one sensible value.

import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { invalid } from '../base/errors.mjs'
import { DEFAULT_META_TOOLS, META_TOOL_NAMES } from '../names/meta-tools.mjs'
import { readStoreAddress } from './address.mjs'
import { REPLICA_NAME } from '../base/replica.mjs'
import { namesEndpoint } from '../base/telemetry.mjs'
import { flag, integer, known, oneOf, text } from '../base/values.mjs'
import { readOidc } from './oidc.mjs'
import { MAX_TIMEOUT_S } from './spelling.mjs'
import { names } from './values.mjs'
import { expand, expandAddress } from './variables.mjs'

const MIN_SECRET = 16
const NOT_READING = ['call_tool_write', 'call_tool_destructive']

/**
 * Where the value of a setting holds, beside the configuration as a whole.
 *
 * @typedef {object} Holds
 * @property {boolean} [profile] a profile may have its own while it shares servers with others
 * @property {boolean} [live] an edit holds from now on; otherwise with the next start
 * @property {boolean} [shown] tools of all servers are shown by it
 *
 * @typedef {object} Around what stands around a value
 * @property {Record<string, any>} given all that is given
 * @property {string} folder what relative folders are in
 * @property {import('./variables.mjs').Scope} scope what placeholders stand for
 */

/**
 * A number.
 *
 * @param {number} least
 * @param {number} most
 * @param {number} otherwise
 * @param {Holds} [holds]
 */
const count = (least, most, otherwise, holds = {}) => ({
  ...holds,
  read: (/** @type {unknown} */ value, /** @type {string} */ at) => integer(value, at, least, most, otherwise),
})

/** One of some words; the first, where none is given. @param {string[]} choices @param {Holds} [holds] */
const choice = (choices, holds = {}) => ({
  ...holds,
  read: (/** @type {any} */ value, /** @type {string} */ at) => oneOf(value ?? choices[0], at, choices),
})

/** @param {boolean} otherwise @param {Holds} [holds] */
const yesOrNo = (otherwise, holds = {}) => ({
  ...holds,
  read: (/** @type {any} */ value, /** @type {string} */ at) => flag(value ?? otherwise, at),
})

/** What has a reader of its own. @template T @param {(value: any, at: string, around: Around) => T} read @param {Holds} [holds] */
const own = (read, holds = {}) => ({ ...holds, read })

const CLIENT = { profile: true, live: true }

/** The settings, in the order in which they are read. */
export const ROWS = {
  /** The meta tools that are offered, in this order. Where nothing but reading is served, nothing else can be called. */
  metaTools: own(readMetaTools, CLIENT),
  /** `static` lists every tool from the start, as without a gateway. */
  mode: choice(['dynamic', 'static'], { profile: true }),
  /** Whether names of tools and prompts carry their server's; `none`: of two alike the first one is there. */
  namespacing: choice(['server', 'none']),
  /** Seconds that a call may take when its server says nothing else: what most MCP clients use. */
  timeout: count(1, MAX_TIMEOUT_S, 60, { live: true }),
  /** Variables of the gateway that servers get besides HOME, PATH and the like: all, or those of these names. */
  inheritEnv: own((value, at) => (typeof value === 'boolean' ? value : names(value, at)), { live: true }),
  /** Tools that one `mcp_load` attaches. */
  searchK: count(1, 100, 10, CLIENT),
  /** Tools listed at most, meta tools included: the limit of several model APIs. */
  maxTools: count(8, 10_000, 128, CLIENT),
  /** Eras of the protocol that clients are served in; `legacy`: the older one alone, in which tools have their names. */
  era: choice(['both', 'legacy'], { profile: true }),
  /** Withholds tools that are not known to only read. */
  readOnly: yesOrNo(false, { profile: true, live: true, shown: true }),
  /** What happens to a tool that says something else than before: `withhold` keeps it off until somebody approves. */
  changedTools: own((value, at) => oneOf(value ?? 'withhold', at, ['tell', 'withhold']), { live: true, shown: true }),
  /** What happens to a tool that comes where the others of its server were accepted: `withhold` keeps it off in the same way. */
  newTools: own((value, at) => oneOf(value ?? 'accept', at, ['accept', 'withhold']), { live: true, shown: true }),
  /** From which severity of what the shield finds in a tool it is off until somebody approves. */
  withholdTools: own((value, at) => oneOf(value ?? 'high', at, ['never', 'high', 'medium']), {
    live: true,
    shown: true,
  }),
  /** The address of a database that several gateways share; without one, files of the user. */
  store: own((value, at, { scope }) =>
    value === undefined ? undefined : readStoreAddress(expandAddress(text(value, at), at, scope), at),
  ),
  /** The name of this gateway among the replicas over that database, by which a proxy finds it: it begins what is its alone. */
  replica: own((value, at) => replicaOf(value ?? (process.env.ZOO_TOOL_ROUTER_REPLICA || undefined), at)),
  /** What seals keys of clients in that database: a row that this gateway has not sealed opens nothing. */
  keySecret: own((value, at, { scope }) => (value === undefined ? undefined : secretOf(value, at, scope))),
  /** Whose tokens are taken over HTTP beside the gateway's own, and which profiles their groups open. */
  oidc: own((value, at) => readOidc(value, at)),
  /** Metrics and traces over OpenTelemetry. On by itself where the standard variables name an endpoint. */
  telemetry: own((value, at) => flag(value ?? namesEndpoint(process.env), at)),
  /** What happens to a call of a program that may destroy something: the user is asked where the client can. */
  programDestroys: choice(['ask', 'refuse', 'allow']),
  /** Tokens of a result that a client gets at most: longer ones are held, and read by `read_result`. 0 or `false`: all of it. */
  maxResultTokens: own(
    (value, at) => (value === false || value === 0 ? 0 : integer(value, at, 500, 1_000_000, 4_000)),
    CLIENT,
  ),
  /** The address behind which a proxy serves the gateway to people and clients, as `https://tools.example`. */
  publicUrl: own((value, at) => (value === undefined ? undefined : originOf(value, at))),
  /** The folder of what is kept: lists of tools, which were called, accepted definitions, logins, an audit. */
  dir: own((value, at, { folder }) => (value === undefined ? stateFolder() : path.resolve(folder, text(value, at)))),
  /** Whether calls are kept for an audit there; a database has one always. */
  audit: yesOrNo(false),
}

/** What has one sensible value. Who opens a gateway in a test may have another one. */
const FIXED = {
  /** Tools of a focused set: models choose worse past 15, and with 12 two more of 20 tasks lack one. */
  focusK: 15,
  /** Bytes of one tool in the list: about 5,000 tokens, which 99 of 100 real tools stay under. Longer ones are cut. */
  maxToolBytes: 20_000,
  /** Bytes of the whole list: about 40,000 tokens, as many as a task of the router has. Pins are bounded by `initialTokens`. */
  maxListBytes: 160_000,
  /** Tokens of the first list at most. Pins that do not fit wait until they are asked for. */
  initialTokens: 2_000,
  /** Clients of one HTTP endpoint: with their sockets, as many as the files that a process may have open. */
  maxSessions: 900,
  /** After which a silent HTTP session ends. */
  sessionIdleMs: 1_800_000,
  /** Requests per second of all HTTP clients together, and how many more may come in one burst: a loop gone wild is more. */
  requestsPerSecond: 1_000,
  requestBurst: 4_000,
  /** Requests per second of one key, or of one person of an issuer. */
  requestsPerPerson: 200,
  /** Bytes of one message of a client: an image of 20 MB in base64 fits, and no client takes the memory. */
  maxMessageBytes: 32 * 1024 * 1024,
  /** After which an unused lazy server is stopped; it starts again on use. */
  serverIdleMs: 600_000,
  /** That a program may take; time in which the user is asked is not counted. */
  programTimeMs: 60_000,
  /** That the user has to answer whether a call of a program may be made; none is made without an answer. */
  programAskMs: 300_000,
}

/** The folders of what is kept. @param {string} dir @param {boolean} audit */
const foldersIn = (dir, audit) => ({
  listDir: /** @type {string | undefined} */ (path.join(dir, 'lists')),
  approvalDir: path.join(dir, 'approved'),
  loginDir: path.join(dir, 'logins'),
  auditDir: audit ? path.join(dir, 'audit') : undefined,
})

/**
 * @typedef {typeof FIXED & ReturnType<typeof foldersIn>} Fixed
 * @typedef {typeof ROWS} Rows
 * @typedef {{ [Name in keyof Rows]: ReturnType<Rows[Name]['read']> } & Fixed} Settings
 */

/** Names of settings that hold somewhere by themselves. @param {keyof Holds} where */
export function settingsThat(where) {
  return Object.entries(ROWS).flatMap(([name, row]) => (/** @type {Holds} */ (row)[where] ? [name] : []))
}

/**
 * @param {any} value
 * @param {string} folder what relative folders are in
 * @param {import('./variables.mjs').Scope} [scope] what placeholders stand for
 * @param {Partial<Fixed>} [fixed] instead of what has one value
 * @returns {Settings}
 */
export function readSettings(value, folder, scope = { env: process.env, workspace: folder, folder }, fixed = {}) {
  const at = 'config.gateway'
  const given = known(value ?? {}, at, Object.keys(ROWS))
  const around = { given, folder, scope }
  const read = Object.entries(ROWS).map(([name, row]) => [name, row.read(given[name], `${at}.${name}`, around)])
  const settings = Object.fromEntries(read)
  return /** @type {Settings} */ ({ ...settings, ...FIXED, ...foldersIn(settings.dir, settings.audit), ...fixed })
}

/** @param {unknown} value @param {string} at @param {Around} around */
function readMetaTools(value, at, { given }) {
  const metaTools = value === undefined ? DEFAULT_META_TOOLS : names(value, at)
  for (const name of metaTools)
    if (!META_TOOL_NAMES.includes(name)) throw invalid(at, `some of ${META_TOOL_NAMES.join(', ')}`, name)
  return [...new Set(metaTools)].filter((name) => given.readOnly !== true || !NOT_READING.includes(name))
}

/** A secret of some length; the message says nothing of it. */
function secretOf(value, at, scope) {
  const secret = expand(text(value, at), at, scope)
  if (secret.length < MIN_SECRET) throw invalid(at, `at least ${MIN_SECRET} characters`, secret.length)
  return secret
}

/** A label of a host name. */
function replicaOf(value, at) {
  if (value !== undefined && !REPLICA_NAME.test(text(value, at)))
    throw invalid(at, 'a name as tool-router-0: small letters, digits and hyphens', value)
  return value
}

/** An address without a path. */
function originOf(value, at) {
  const written = text(value, at)
  const url = URL.canParse(written) ? new URL(written) : undefined
  const isOrigin = url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href
  if (!isOrigin) throw invalid(at, 'http or https, a host and a port alone, as https://tools.example', value)
  return url.origin
}

/** Our folder, within that of the system for what programs keep. */
export function stateFolder() {
  const home = os.homedir()
  const own = {
    win32: () => process.env.LOCALAPPDATA ?? path.join(home, 'AppData', 'Local'),
    darwin: () => path.join(home, 'Library', 'Application Support'),
  }[process.platform]
  const base = own?.() ?? (process.env.XDG_STATE_HOME || path.join(home, '.local', 'state'))
  return path.join(base, 'zoo-tool-router')
}
