// SPDX-License-Identifier: Apache-2.0
//
// The gateway's own settings. A mistake in one ends the start, as a wrong flag would: the user wrote it for the gateway.

import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { invalid } from '../base/errors.mjs'
import { DEFAULT_META_TOOLS, META_TOOL_NAMES } from '../names/meta-tools.mjs'
import { readStoreAddress } from './address.mjs'
import { namesEndpoint } from '../base/telemetry.mjs'
import { flag, integer, known, oneOf, text } from '../base/values.mjs'
import { readCompare } from './compare.mjs'
import { readOidc } from './oidc.mjs'
import { readAllowed } from './registry.mjs'
import { MAX_TIMEOUT_S } from './spelling.mjs'
import { names } from './values.mjs'
import { expand, expandAddress } from './variables.mjs'

/** The gateway's settings, each with its default. */
const DEFAULTS = {
  /** The meta tools that are offered, in this order. */
  metaTools: DEFAULT_META_TOOLS,
  /** `static` lists every tool from the start, as without a gateway. */
  mode: 'dynamic',
  /** Whether names of tools and prompts carry their server's; `none`: of two alike the first one is there. */
  namespacing: 'server',
  /** Seconds that a call may take when its server says nothing else: what most MCP clients use. */
  timeout: 60,
  /** Variables of the gateway that servers get besides HOME, PATH and the like: all, or those of these names. */
  inheritEnv: false,
  /** Tools that one `mcp_load` attaches. */
  searchK: 10,
  /** Tools of a focused set: models choose worse past 15, and with 12 two more of 20 tasks lack one. */
  focusK: 15,
  /** Tools listed at most, meta tools included: the limit of several model APIs. */
  maxTools: 128,
  /** Bytes of one tool in the list: about 5,000 tokens, which 99 of 100 real tools stay under. Longer ones are cut. */
  maxToolBytes: 20_000,
  /** Bytes of the whole list: about 40,000 tokens, as many as a task of the router has. Pins are bounded by `initialTokens`. */
  maxListBytes: 160_000,
  /** Tokens of the first list at most. Pins that do not fit wait until they are asked for. */
  initialTokens: 2_000,
  /** Clients of one HTTP endpoint at most. */
  maxSessions: 100,
  /** Seconds after which a silent HTTP session ends. */
  sessionIdleS: 1_800,
  /** Requests per second of all HTTP clients together, and how many may come in one burst: a loop gone wild is more. */
  requestsPerSecond: 1_000,
  requestBurst: 4_000,
  /** Bytes of one message of a client: an image of 20 MB in base64 fits, and no client takes the memory. */
  maxMessageBytes: 32 * 1024 * 1024,
  /** Seconds after which an unused lazy server is stopped; it starts again on use. */
  serverIdleS: 600,
  /** Folder of the last tool lists of servers; `false`: each is started before it is known. */
  cacheDir: undefined, // that of the user
  /** Folder of logins to remote servers. */
  loginDir: undefined, // that of the user
  /** Passes `outputSchema` on. Off: one schema that a client cannot compile costs it the whole list. */
  outputSchemas: false,
  /** Eras of the protocol that clients are served in; `legacy`: the older one alone, in which tools have their names. */
  era: 'both',
  /** Withholds tools that are not known to only read. */
  readOnly: false,
  /** What happens to a tool that says something else than before: `withhold` keeps it off until somebody approves. */
  changedTools: 'withhold',
  /** From which severity of what the shield finds in a tool it is off until somebody approves. */
  withholdTools: 'high',
  /** What happens to characters that a person does not see, in what servers say. */
  hiddenCharacters: 'strip',
  /** Folder of accepted definitions, for `changedTools`. */
  approvalDir: undefined, // that of the user
  /** The address of a database that several gateways share; without one, files of the user. */
  store: undefined,
  /** What seals keys of clients in that database: a row that this gateway has not sealed opens nothing. */
  keySecret: undefined,
  /** Servers of the registry of that database that may be started, each as name@digest. */
  registry: [],
  /** Whose tokens are taken over HTTP beside the gateway's own, and which profiles their groups open. */
  oidc: undefined,
  /** Metrics and traces over OpenTelemetry. On by itself where the standard variables name an endpoint. */
  telemetry: undefined, // as the variables say
  /** Compares arguments with the tool's schema before its server is asked. */
  checkArguments: true,
  /** Tokens of a result that a client gets at most: longer ones are held, and read by `read_result`. 0 or `false`: all of it. */
  maxResultTokens: 4_000,
  /** Folder for what models look for and call, which the page plays again with other settings; nothing is kept without one. */
  recordDir: undefined,
  /** The address behind which a proxy serves the gateway to people and clients, as `https://tools.example`. */
  publicUrl: undefined,
  /** Folder of an audit of calls, where no database has it. */
  auditDir: undefined,
  /** Whether the audit names persons of the issuer and of this machine, or has a hash of each. */
  auditPersons: 'hashed',
  /** Other settings for a share of the sessions, and what both cost. */
  compare: undefined,
  /** Seconds that a program may take; time in which the user is asked is not counted. */
  programTimeS: 60,
  /** Seconds that the user has to answer whether such a call may be made; none is made without an answer. */
  programAskS: 300,
  /** What happens to a call of a program that may destroy something: the user is asked where the client can. */
  programDestroys: 'ask',
}

const LEAST_SECRET = 16
const NOT_READING = ['call_tool_write', 'call_tool_destructive']
const DESTROYS = ['ask', 'refuse', 'allow']
const HIDDEN = ['keep', 'strip', 'refuse']

/**
 * @param {string} folder what relative folders are in
 * @param {import('./variables.mjs').Scope} [scope] what placeholders stand for
 * @param {string} [at] its path, for messages
 */
export function readSettings(
  value,
  folder,
  scope = { env: process.env, workspace: folder, folder },
  at = 'config.gateway',
) {
  const given = known(value ?? {}, at, Object.keys(DEFAULTS))
  const number = (key, least, most) => integer(given[key], `${at}.${key}`, least, most, DEFAULTS[key])
  const metaTools = given.metaTools === undefined ? DEFAULTS.metaTools : names(given.metaTools, `${at}.metaTools`)
  for (const name of metaTools) {
    if (!META_TOOL_NAMES.includes(name)) throw invalid(`${at}.metaTools`, `some of ${META_TOOL_NAMES.join(', ')}`, name)
  }
  const readOnly = flag(given.readOnly, `${at}.readOnly`)
  return {
    // Where nothing but reading is served, nothing else can be called.
    metaTools: [...new Set(metaTools)].filter((name) => !readOnly || !NOT_READING.includes(name)),
    mode: oneOf(given.mode ?? DEFAULTS.mode, `${at}.mode`, ['dynamic', 'static']),
    namespacing: oneOf(given.namespacing ?? DEFAULTS.namespacing, `${at}.namespacing`, ['server', 'none']),
    timeout: number('timeout', 1, MAX_TIMEOUT_S),
    inheritEnv: typeof given.inheritEnv === 'boolean' ? given.inheritEnv : names(given.inheritEnv, `${at}.inheritEnv`),
    searchK: number('searchK', 1, 100),
    focusK: number('focusK', 1, 100),
    maxTools: number('maxTools', 8, 10_000),
    maxToolBytes: number('maxToolBytes', 1_000, 1_000_000),
    maxListBytes: number('maxListBytes', 10_000, 100_000_000),
    initialTokens: number('initialTokens', 0, 1_000_000),
    maxSessions: number('maxSessions', 1, 900),
    sessionIdleMs: 1000 * number('sessionIdleS', 1, 86_400),
    requestsPerSecond: number('requestsPerSecond', 1, 100_000),
    requestBurst: number('requestBurst', 1, 100_000),
    maxMessageBytes: number('maxMessageBytes', 65_536, 1_073_741_824),
    serverIdleMs: 1000 * number('serverIdleS', 1, 86_400),
    cacheDir:
      given.cacheDir === false ? undefined : userFolder(given.cacheDir, `${at}.cacheDir`, folder, 'cache', 'gateway'),
    loginDir: userFolder(given.loginDir, `${at}.loginDir`, folder, 'state', 'logins'),
    outputSchemas: flag(given.outputSchemas, `${at}.outputSchemas`),
    era: oneOf(given.era ?? DEFAULTS.era, `${at}.era`, ['both', 'legacy']),
    readOnly,
    changedTools: oneOf(given.changedTools ?? DEFAULTS.changedTools, `${at}.changedTools`, ['tell', 'withhold']),
    withholdTools: oneOf(given.withholdTools ?? DEFAULTS.withholdTools, `${at}.withholdTools`, [
      'never',
      'high',
      'medium',
    ]),
    hiddenCharacters: oneOf(given.hiddenCharacters ?? DEFAULTS.hiddenCharacters, `${at}.hiddenCharacters`, HIDDEN),
    approvalDir: userFolder(given.approvalDir, `${at}.approvalDir`, folder, 'state', 'approved'),
    store:
      given.store === undefined
        ? undefined
        : readStoreAddress(expandAddress(text(given.store, `${at}.store`), `${at}.store`, scope), `${at}.store`),
    keySecret: given.keySecret === undefined ? undefined : secretOf(given.keySecret, `${at}.keySecret`, scope),
    registry: readAllowed(given.registry, `${at}.registry`),
    oidc: readOidc(given.oidc, `${at}.oidc`),
    telemetry: flag(given.telemetry ?? namesEndpoint(process.env), `${at}.telemetry`),
    programTimeMs: 1000 * number('programTimeS', 1, 3_600),
    programAskMs: 1000 * number('programAskS', 1, 3_600),
    programDestroys: oneOf(given.programDestroys ?? DEFAULTS.programDestroys, `${at}.programDestroys`, DESTROYS),
    checkArguments: flag(given.checkArguments ?? DEFAULTS.checkArguments, `${at}.checkArguments`),
    maxResultTokens: resultTokens(given.maxResultTokens, `${at}.maxResultTokens`),
    publicUrl: given.publicUrl === undefined ? undefined : originOf(given.publicUrl, `${at}.publicUrl`),
    auditDir: given.auditDir === undefined ? undefined : path.resolve(folder, text(given.auditDir, `${at}.auditDir`)),
    auditPersons: oneOf(given.auditPersons ?? DEFAULTS.auditPersons, `${at}.auditPersons`, ['hashed', 'plain']),
    recordDir:
      given.recordDir === undefined ? undefined : path.resolve(folder, text(given.recordDir, `${at}.recordDir`)),
    compare: readCompare(given.compare, `${at}.compare`, {
      given,
      isKept: given.cacheDir !== false || given.store !== undefined,
      read: (other, its) => readSettings(other, folder, scope, its),
    }),
  }
}

/** A secret of some length; the message says nothing of it. */
function secretOf(value, at, scope) {
  const secret = expand(text(value, at), at, scope)
  if (secret.length < LEAST_SECRET) throw invalid(at, `at least ${LEAST_SECRET} characters`, secret.length)
  return secret
}

/** 0 and `false` switch it off; below the least, a description has no room. */
function resultTokens(value, at) {
  return value === false || value === 0 ? 0 : integer(value, at, 500, 1_000_000, DEFAULTS.maxResultTokens)
}

/** An address without a path. */
function originOf(value, at) {
  const written = text(value, at)
  const url = URL.canParse(written) ? new URL(written) : undefined
  const isOrigin = url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href
  if (!isOrigin) throw invalid(at, 'http or https, a host and a port alone, as https://tools.example', value)
  return url.origin
}

/** A folder that the user names, or ours in the folder that the system has for such files. */
export function userFolder(value, at, folder, kind, name) {
  if (value !== undefined) return path.resolve(folder, text(value, at))
  const home = os.homedir()
  const own = {
    win32: () => process.env.LOCALAPPDATA ?? path.join(home, 'AppData', 'Local'),
    darwin: () => path.join(home, 'Library', kind === 'cache' ? 'Caches' : 'Application Support'),
  }[process.platform]
  const base =
    own?.() ??
    (kind === 'cache'
      ? process.env.XDG_CACHE_HOME || path.join(home, '.cache')
      : process.env.XDG_STATE_HOME || path.join(home, '.local', 'state'))
  return path.join(base, 'zoo-tool-router', name)
}
