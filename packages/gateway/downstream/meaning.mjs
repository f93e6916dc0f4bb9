// What a server answers, and what it means. One table for all ways to a server, since an error of the SDK says only
// what it could not do: whether a call took effect, and whether anybody else is concerned, is decided here and nowhere else.

import { ProtocolError, ProtocolErrorCode, SdkErrorCode } from '@modelcontextprotocol/client'

import { httpStatus, reasonOf, Unavailable } from '../base/errors.mjs'
import { isLong } from '../base/long-answer.mjs'
import { RenewalFailed, wantsLogin } from '../login/provider.mjs'
import { answerBehind, isEnded, isForgotten, isOdd } from '../reach/exchanges.mjs'
import { contentOf, isNewTokenRefused, networkReason, saying, statusReason, wordsOf } from '../reach/failure.mjs'

/** Codes of an error that may say that a session is not known; the words must say so as well. */
const FORGETTING = [-32_001, -32_600]
const OF_A_SESSION = /\bsessions?\b|session[-_ ]?id|not (yet )?initiali[sz]ed|terminated/i
/** A result of a tool that may mean the session; it is only a reason to look. */
const PERHAPS_FORGOTTEN = /\bsession\b.{0,40}\b(not found|terminated|expired|unknown|invalid|closed)\b/i
/** Where a request that failed so has not left this machine, or has reached nobody. */
const REACHED_NOBODY =
  /^(CONNECT .+|HTTP status \d+|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO\w+|SELF_SIGNED\w+|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+)$/
/** Answers of HTTP to a request that came at a bad time, and was not taken. */
const BAD_TIME = [408, 425, 429]

/**
 * @typedef {object} Meaning
 * @property {string} kind
 * @property {'request' | 'session' | 'connection' | 'login'} of whom it concerns
 * @property {'no' | 'unknown' | 'answered'} done whether the call took effect
 * @property {'caller' | 'now' | 'soon' | 'seldom' | 'change' | 'login'} again when a server that does not start so is asked
 * again: after pauses of up to 10 minutes, of up to 30, or when its entry, a variable or the output of its helper has
 * changed or a call asks for it; `now` is once
 *
 * @typedef {object} Seen
 * @property {any} error
 * @property {number} [status] of HTTP
 * @property {string} [code] of the network
 * @property {number} [rpc] the code of an error of the protocol
 * @property {string} words that came with it
 * @property {string} [contentType]
 * @property {boolean} hasSession whether the request was one of a session
 * @property {boolean} mayForget whether it is a server over HTTP of the era that has sessions
 * @property {boolean} hasHelper whether a program gives the key
 *
 * @typedef {Meaning & { seen: string, is: (seen: Seen) => boolean }} Row `seen`: for people, as in docs/inside/gateway-protocol.md
 */

/** The first row that fits counts. @type {Row[]} */
export const MEANINGS = [
  row('login', 'a login is wanted, or more rights', 'login no login', ({ error }) => wantsLogin(error)),
  row('renewal', 'a login that cannot be renewed now, and was not refused', 'connection no soon', ({ error }) => {
    return error instanceof RenewalFailed
  }),
  row('new-token', '401 to a token that was just given', 'session no now', ({ error }) => isNewTokenRefused(error)),
  row('forgotten', '404 or 410 to a session; 400, 401, 404 or 410 that speaks of one', 'session no now', (seen) => {
    const { status = 0, hasSession, mayForget, words, error } = seen
    if (!mayForget) return false
    if (isForgotten(error) || (hasSession && [404, 410].includes(status))) return true
    return [400, 404, 410].includes(status) && OF_A_SESSION.test(words)
  }),
  row('forgotten-within', 'error -32001 or -32600 that speaks of a session, over HTTP', 'session no now', (seen) => {
    return seen.mayForget && FORGETTING.includes(seen.rpc ?? 0) && OF_A_SESSION.test(seen.words)
  }),
  row('odd', 'an answer that is none of the protocol', 'request unknown seldom', ({ error }) => {
    return isOdd(error) || [SdkErrorCode.InvalidResult, SdkErrorCode.UnsupportedResultType].includes(error?.code)
  }),
  row(
    'long',
    'an answer of more than 32 MB, unpacked, or of too many long numbers',
    'request unknown seldom',
    ({ error }) => isLong(error),
  ),
  row('ended', 'a stream or body that ended without the answer, a 202', 'request unknown seldom', ({ error }) => {
    return isEnded(error)
  }),
  row('unlisted', 'error -32601 to the list of its tools', 'request answered change', ({ rpc, error }) => {
    return rpc === ProtocolErrorCode.MethodNotFound && error.listMethod === 'tools/list'
  }),
  row('answer', 'any other error of the protocol', 'request answered caller', ({ rpc }) => rpc !== undefined),
  row('old-key', '401 to the key of a helper', 'session no now', (seen) => seen.status === 401 && seen.hasHelper),
  row('key', '401 to a key of the entry, or without one', 'request no change', ({ status }) => status === 401),
  row('moved', '3xx', 'request no change', ({ status = 0 }) => status >= 300 && status < 400),
  row('bad-time', '408, 425, 429', 'request no seldom', ({ status = 0 }) => BAD_TIME.includes(status)),
  row('refused', 'any other 4xx', 'request no change', ({ status = 0 }) => status >= 400 && status < 500),
  row('failed', '5xx', 'request unknown seldom', ({ status = 0 }) => status >= 500),
  row('page', 'another kind of content, such as HTML', 'request unknown change', ({ error, contentType, status }) => {
    const isOther = (status ?? 200) === 200 && contentType !== undefined && contentOf(contentType) !== undefined
    return error?.code === SdkErrorCode.ClientHttpUnexpectedContent || isOther
  }),
  row('unreadable', 'a body that is no message', 'request unknown seldom', ({ error, contentType }) => {
    return contentType !== undefined && !(error instanceof TypeError)
  }),
  row('late', 'nothing within the time-out; the call is cancelled', 'request unknown seldom', ({ error }) => {
    return [SdkErrorCode.RequestTimeout, 'REQUEST_TIMEOUT'].includes(error?.code)
  }),
  row('unversioned', 'a method that its version of the protocol lacks', 'request no change', ({ error }) => {
    return error?.code === SdkErrorCode.MethodNotSupportedByProtocolVersion
  }),
  row('unreachable', 'nobody at its address, no way to it, a certificate', 'connection no soon', ({ code }) => {
    return code !== undefined && REACHED_NOBODY.test(code)
  }),
  row('cut', 'a connection of the network that broke', 'request unknown soon', ({ error, code }) => {
    return code !== undefined || error instanceof TypeError
  }),
  row('gone', 'the process or the stream of the server has ended', 'connection unknown soon', ({ error }) => {
    return [SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected].includes(error?.code)
  }),
  row('other', 'anything else', 'request unknown soon', () => true),
]

function row(kind, seen, meaning, is) {
  const [of, done, again] = meaning.split(' ')
  return /** @type {Row} */ ({ kind, seen, of, done, again, is })
}

/**
 * What a failed request, or a failed start, means.
 *
 * @param {any} thrown
 * @param {object} about
 * @param {import('./downstream.mjs').ServerDefinition} about.definition of the server
 * @param {boolean} [about.hasSession] whether the request was one of a session
 * @param {boolean} [about.isModern]
 * @returns {Row & { said: Seen, retryAfterMs?: number }}
 */
export function meaningOf(thrown, { definition, hasSession = false, isModern = false }) {
  const error = answered(thrown)
  const answer = answerBehind(error) ?? answerBehind(thrown)
  const rpc = error instanceof ProtocolError ? error.code : undefined
  const seen = {
    error,
    status: httpStatus(thrown),
    code: networkReason(error)?.code,
    rpc,
    words: rpc === undefined ? (answer?.text ?? '') : error.message,
    contentType: answer?.contentType,
    hasSession,
    mayForget: definition.url !== undefined && !isModern,
    hasHelper: definition.headersHelper !== undefined,
  }
  const found = /** @type {Row} */ (MEANINGS.find(({ is }) => is(seen)))
  return { ...found, said: seen, retryAfterMs: answer?.retryAfterMs ?? error?.retryAfterMs }
}

/**
 * What the client of a call hears.
 *
 * @param {ReturnType<typeof meaningOf>} meaning
 * @param {import('./downstream.mjs').ServerDefinition} definition
 * @param {(text: string) => string} hide what a text may hold of secrets
 * @returns {Error} the server's own answer, or {@link Unavailable}
 */
export function toldOf({ kind, of, done, said, retryAfterMs }, definition, hide) {
  const { error } = said
  if (done === 'answered') return error
  const what = SEEN_AS[kind]?.(said, definition.timeoutMs) ?? answeredOrAway(said, definition)
  const hasOwn = of !== 'login' && said.status !== undefined
  const words = saying(hasOwn && wordsOf({ text: said.words, contentType: said.contentType }), { hide })
  const effect = done === 'no' ? 'The call was not done' : 'Whether the call took effect is unknown'
  return new Unavailable(`server ${definition.name} ${what}${words}. ${effect}${whenAgain({ of, done, retryAfterMs })}`)
}

function whenAgain({ of, done, retryAfterMs }) {
  if (retryAfterMs !== undefined) return `; it may be asked again in ${Math.ceil(retryAfterMs / 1000)} s`
  if (of === 'connection') return '; the server is started again'
  return done === 'unknown' ? '; look before it is made again' : ''
}

/** What a server has done, where the kind of a failure says it. @type {Record<string, (seen: Seen, timeoutMs: number) => string>} */
const SEEN_AS = {
  odd: () => 'answered what the protocol does not know',
  long: ({ error }) => `answered with ${error.data.has}, which is not passed on; ask for less at a time`,
  ended: () => 'ended its answer before the result had come',
  page: ({ contentType }) =>
    `answered with ${contentOf(contentType) ?? 'another kind of content'}, which is none of MCP`,
  unreadable: () => 'answered what cannot be read',
  late: ({ error }, timeoutMs) =>
    `${error?.isTotal ? 'was still at work after' : 'did not answer within'} ${(error?.withinMs ?? timeoutMs) / 1000} s; the call was cancelled`,
  unversioned: () => 'does not have this in its version of the protocol',
  gone: () => 'ended during the call',
  'new-token': () => 'refuses tokens that its authorization server has just given',
  renewal: ({ error }) => `is unavailable: ${error.message}`,
  'forgotten-within': () => 'has forgotten its sessions, one after the other',
}

/** What it has done otherwise. @param {Seen} seen @param {import('./downstream.mjs').ServerDefinition} definition */
function answeredOrAway({ error, status }, definition) {
  if (status !== undefined) return `answered with HTTP status ${status}${statusReason(status, definition)}`
  const network = networkReason(error)
  return `could not be reached: ${network ? `${network.reason} (${network.code})` : reasonOf(error)}`
}

/** An error of the protocol that a modern server has answered with a status of its own, as it does for a method it lacks. */
export function answered(error) {
  const status = httpStatus(error)
  if (status === undefined || [401, 403, ...BAD_TIME].includes(status)) return error
  try {
    const { code, message, data } = JSON.parse(answerBehind(error)?.text ?? '').error
    // Codes of the older era mean different things to different servers, as a session that is not known.
    const isModern = Number.isInteger(code) && (code <= -32020 || code > -32000)
    return isModern ? ProtocolError.fromError(code, String(message), data) : error
  } catch {
    return error
  }
}

/** Whether the text of a result is a reason to look whether the session still exists. */
export function isPerhapsForgotten({ isError, content }) {
  return isError === true && Array.isArray(content) && content.some(({ text }) => PERHAPS_FORGOTTEN.test(text))
}
