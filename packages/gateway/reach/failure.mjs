// Why a server does not run, in words that its user can act on; with what it says itself, without its secrets.

import fs from 'node:fs'

import { ProtocolError } from '@modelcontextprotocol/client'

import { loginLine } from '../base/command-line.mjs'
import { httpStatus, missesRights, plain, reasonOf } from '../base/errors.mjs'
import { answerBehind, isEnded } from './exchanges.mjs'
import { MODERN } from '../base/raw.mjs'
import { hasOwnKey } from '../base/secrets.mjs'
import { isFile } from '../config/regular-file.mjs'
import { ProxyFailed, proxyOf } from '../base/web-fetch.mjs'

/** Characters of a server's own words. */
const WORDS = 200
/** How far causes are followed: fetch has one, and that has a list of one for each address. */
const MAX_CAUSES = 5

/** What codes of the system mean for somebody who has written an address. */
const CODES = new Map([
  ['ECONNREFUSED', 'nothing listens at its address'],
  ['ECONNRESET', 'it closed the connection'],
  ['ENOTFOUND', 'no host has its name'],
  ['EAI_AGAIN', 'the name of its host could not be looked up; is there a network?'],
  ['ETIMEDOUT', 'its host does not answer'],
  ['UND_ERR_CONNECT_TIMEOUT', 'its host does not answer'],
  ['EHOSTUNREACH', 'there is no way to its host'],
  ['ENETUNREACH', 'there is no way to its host'],
  ['UND_ERR_SOCKET', 'it closed the connection'],
  ['UND_ERR_HEADERS_TIMEOUT', 'it does not answer'],
  ['bad port', 'its port is one that is never asked over HTTP'],
  ['HTTPParserError', 'it does not speak HTTP'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'its certificate is signed by itself; NODE_EXTRA_CA_CERTS names a file of those that are trusted',
  ],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'its certificate is signed by nobody that is trusted here; NODE_EXTRA_CA_CERTS names a file of others',
  ],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'its certificate is signed by nobody that is trusted here; NODE_EXTRA_CA_CERTS names a file of others',
  ],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS; does its address begin with http?'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is that of another host'],
])

const STATUSES = new Map([
  [403, ': it refuses this user'],
  [404, ': nothing is served under its address; is the path right?'],
  [407, ': a proxy wants a password'],
  [429, ': it has had too many requests'],
])

/** Codes that the SDKs give to what happened on this side, of either of them. */
const [ENDED, LATE] = ['CONNECTION_CLOSED', 'REQUEST_TIMEOUT']
/** Of the same kind, and what a server has done then: the SDKs' own words are about themselves. */
const DONE = new Map([
  ['INVALID_RESULT', 'it answered what the protocol does not know'],
  [
    'ERA_NEGOTIATION_FAILED',
    `it does not speak version ${MODERN} of the protocol; is the protocolEra of its entry right?`,
  ],
])

/**
 * @param {any} error what was thrown
 * @param {object} about
 * @param {import('../downstream/downstream.mjs').ServerDefinition} about.definition
 * @param {import('./last-words.mjs').LastWords} about.lastWords
 * @param {import('../base/secrets.mjs').Secrets} about.secrets
 * @param {{ code: number | null, signal: string | null }} [about.exit] how its process ended
 * @param {string} [about.framing] how it wrote what is no message
 */
export function whyNot(error, { definition, lastWords, secrets, exit, framing }) {
  const said = lastWords.told
  const withWords = (reason) => (said === undefined ? reason : `${reason}: ${said}`)
  if (String(error?.syscall).startsWith('spawn')) return notStarted(error, definition)
  if (isEnded(error)) return 'it ended its answer before the result had come'
  if (error instanceof ProtocolError) return `${reasonOf(error)}${saying(messageOf(error), secrets)}`
  if (error?.code === ENDED) return withWords(`it has ended${howEnded(exit)}`)
  if (error?.code === LATE && framing) return `it writes ${framing}; over stdio each message is one line of JSON`
  if (error?.code === LATE)
    return withWords(
      `it did not answer within ${(error.withinMs ?? definition.startMs) / 1000} s${byProxy(definition)}`,
    )
  const answer = answerBehind(error)
  const words = saying(answer && wordsOf(answer), secrets)
  if (['LoginRequired', 'RenewalFailed'].includes(error?.name))
    return `${error.message}${/json/.test(answer?.contentType ?? '') ? words : ''}`
  // Words of the server stand in its message.
  if (missesRights(error)) return `it wants more rights than the login has; run: ${loginLine(definition)}`
  if (isNewTokenRefused(error)) return NEW_TOKEN
  const content = answer && contentOf(answer.contentType)
  if (answer && answer.status < 300)
    return `it answered ${content === undefined ? 'what cannot be read' : `with ${content}, which is none of MCP`}${words}`
  const status = httpStatus(error)
  if (status !== undefined && [400, 404, 410].includes(status) && /session/i.test(answer?.text ?? ''))
    return `it forgets a session as soon as it has begun (HTTP status ${status}); do several instances share its address without sharing sessions?`
  if (status !== undefined) return `it answered with HTTP status ${status}${statusReason(status, definition)}${words}`
  if (DONE.has(error?.code)) return String(DONE.get(error.code))
  const network = networkReason(error)
  if (network !== undefined)
    return `it cannot be reached: ${network.reason} (${network.code})${network.isOfProxy ? '' : byProxy(definition)}`
  return withWords(plain(secrets.hide(reasonOf(error))))
}

/** What a server says itself. @param {string | false | undefined} words @param {{ hide: (text: string) => string }} secrets */
export function saying(words, secrets) {
  // Cut before the work: it may be megabytes.
  const said = words && plain(secrets.hide(words.slice(0, 10 * WORDS)), WORDS)
  return said ? `; it says: ${said}` : ''
}

/** What a server wrote for people into an answer; pages are for browsers. @param {{ text?: string, contentType?: string }} answer */
export function wordsOf({ text = '', contentType }) {
  if (/html/i.test(contentType ?? '') || /^\s*</.test(text)) return undefined
  const words = /^(?:(?:event|id|retry):.*\s+)*data:(.*)/.exec(text)?.[1] ?? text
  let found
  try {
    const [said] = [JSON.parse(words)].flat()
    const { error, errors, message, detail, title, error_description: described } = said ?? {}
    const all = [said, messageOf(error), described, message, detail, error, title, errors?.[0]?.message]
    found = all.find((each) => typeof each === 'string')
  } catch {
    // What was cut is none any more.
    found = /^\s*[[{]/.test(words) ? /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(words)?.[1] : words
  }
  return found?.trim() ? found : undefined
}

/** What an error of the protocol says, with what stands beside it. @returns {string | undefined} */
function messageOf(error) {
  const { message, data } = error ?? {}
  const all = [
    message,
    ...[data, data?.detail, data?.message, data?.reason].filter((each) => each !== message).slice(0, 4),
  ]
  const said = all.filter((each) => typeof each === 'string' && each !== '').slice(0, 2)
  return said.length > 0 ? said.join(': ') : undefined
}

/** What may mend itself: a token that ended early, or one that the server has not heard of yet. */
const NEW_TOKEN = 'it refuses a token that its authorization server has just given'

/** What a status means for the user of a server, for behind it; an empty text where it says nothing. */
export function statusReason(status, definition) {
  if (status === 401)
    return hasOwnKey(definition) ? ': it refuses the key in its headers' : ': it wants a key or a login'
  if (status >= 300 && status < 400) return ': it has moved; is the address right?'
  const proxy = definition.url && proxyOf(definition.url)
  const orProxy = proxy?.isPlain ? `; or so did the proxy ${proxy.host} of ${proxy.variable}` : ''
  return (STATUSES.get(status) ?? (status >= 500 ? ': it fails' : '')) + orProxy
}

/** Whether a token was refused that was just given. The SDK has the same code for a server that nobody logs in to. */
export function isNewTokenRefused(error) {
  return error instanceof Error && Reflect.get(error, 'status') === 401 && /after re-authentication/.test(error.message)
}

/** What failed in the network, where it did. @returns {{ code: string, reason: string, isOfProxy?: boolean } | undefined} */
export function networkReason(error) {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof ProxyFailed) return reasonOfProxy(each)
  const code = causeOf(error)
  return code === undefined ? undefined : { code, reason: wordsFor(code) }
}

const wordsFor = (code) => CODES.get(code) ?? 'the connection failed'

/** What a proxy has done, and what to write. @param {any} failed */
function reasonOfProxy({ proxy: { variable, origin, host, isPlain }, isKnown, host: asked, status, cause }) {
  const code = status === undefined ? (causeOf(cause) ?? 'no answer') : `HTTP status ${status}`
  const [scheme] = origin.split('//', 1)
  const done =
    status === undefined
      ? `cannot be used: ${wordsFor(code)}; correct ${variable}`
      : status !== 407
        ? `${status < 500 ? 'does not let it through' : 'does not reach it'}; ask whoever runs the proxy`
        : isKnown
          ? `refuses the user and the password in ${variable}; correct them`
          : `wants a user and a password; write ${variable}=${scheme}//user:password@${host}`
  return {
    reason: `the proxy ${host} of ${variable} ${done}, or list ${asked} in NO_PROXY`,
    code: isPlain || status !== undefined ? code : `CONNECT ${code}`,
    isOfProxy: true,
  }
}

/** @param {import('../downstream/downstream.mjs').ServerDefinition} definition */
function byProxy({ url }) {
  const proxy = url && proxyOf(url)
  return proxy ? `; it is asked through the proxy ${proxy.host} of ${proxy.variable}, unless NO_PROXY lists it` : ''
}

/** What was received instead of a message, in words; undefined for a kind that may hold one. */
export function contentOf(contentType) {
  const [essence] = (contentType ?? '').split(';')
  if (/\bjson\b|event-stream/.test(essence)) return undefined
  if (essence.trim() === '') return 'content of no kind'
  return essence === 'text/html' ? 'a page (text/html)' : plain(essence.trim(), 60)
}

/** How the process of a server ended, for behind `it has ended`. */
export function howEnded(exit) {
  if (exit?.signal) return ` by signal ${exit.signal}`
  return typeof exit?.code === 'number' ? ` with code ${exit.code}` : ''
}

/**
 * The command itself is not told: arguments written into it may hold a secret.
 *
 * @param {{ code?: string | number }} error
 * @param {import('../downstream/downstream.mjs').ServerDefinition} definition
 */
function notStarted({ code }, { command = '', cwd }) {
  // The system says ENOENT of a folder that is missing, too.
  if (cwd !== undefined && !fs.existsSync(cwd)) return `its folder does not exist: ${plain(cwd)}`
  const [first, isAlone] = programOf(command)
  const program = plain(first, 60)
  if (code === 'ENOENT' && !isAlone)
    return `command holds more than a program: put ${program} into command, and what is behind it into args (ENOENT)`
  // A script whose `#!` names a program that is not there fails as if it were missing itself.
  if (code === 'ENOENT' && /[\\/]/.test(command) && isFile(command))
    return `the program ${program} is there, and the interpreter that its first line names is not (ENOENT)`
  if (code === 'ENOENT') return `the program ${program} was not found; is it installed, and in PATH? (ENOENT)`
  if (code === 'EACCES') return `the program ${program} may not be run (EACCES)`
  return `the program ${program} cannot be started (${code})`
}

/**
 * The program of a command, and whether it stands there alone. A blank may belong to a path, as in `C:\\Program Files`.
 *
 * @returns {[string, boolean]}
 */
export function programOf(command) {
  const baseName = (file) => file.split(/[\\/]/).at(-1)
  const words = command.trim().split(/\s+/)
  const isPath = /^["']?([A-Za-z]:)?[\\/]|^["']?[~.]/.test(command)
  if (!isPath || words.length === 1) return [baseName(words[0]), words.length === 1]
  const [, onWindows, behind] = /^["']?(.+?\.(?:exe|cmd|bat|com))["']?(?:\s+(\S.*))?$/i.exec(command) ?? []
  if (onWindows !== undefined) return [baseName(onWindows), behind === undefined]
  const there = words.findIndex((_, at) => isFile(words.slice(0, at + 1).join(' ')))
  if (there >= 0) return [baseName(words.slice(0, there + 1).join(' ')), there === words.length - 1]
  const isOnePath = !/\s["'/~.-]/.test(command) && !/\s/.test(baseName(command))
  return [baseName(isOnePath ? command : words[0]), isOnePath]
}

/** The code deep in an error of fetch, which says only that it failed. */
function causeOf(error) {
  let level = [error]
  for (let depth = 0; depth < MAX_CAUSES && level.length > 0; depth++) {
    for (const { code, name } of level) if (CODES.has(code ?? name)) return code ?? name
    level = level.flatMap((each) => [each.cause, ...(Array.isArray(each.errors) ? each.errors : [])])
    level = level.filter((each) => each instanceof Error)
  }
  // One that is not in the table: fetch itself says only that it failed.
  const { cause } = error instanceof TypeError ? error : {}
  const own = cause instanceof Error ? ('code' in cause ? cause.code : cause.message) : undefined
  return typeof own === 'string' ? plain(own, 80) : undefined
}
