// Errors of the gateway in the one shape of this package, and what of a foreign error may be told.

import { ProtocolError } from '@modelcontextprotocol/client'

/** Characters of a foreign text that stand in one of the gateway's messages. */
const SHOWN = 200

/**
 * An error as the router throws it: `name` is `ToolRouterError`, `code` says what to do.
 *
 * @param {string} code
 * @param {string} message
 * @param {unknown} [cause]
 */
export function routerError(code, message, cause) {
  const error = new Error(message, cause === undefined ? undefined : { cause })
  return Object.assign(error, { name: 'ToolRouterError', code })
}

/** A call that could not be made or whose answer cannot come. The message is for the model. */
export class Unavailable extends Error {
  name = 'Unavailable'
}

/** A caller's value that cannot be used: its path, what was expected, what was received. */
export function invalid(path, expected, got) {
  return routerError('ERR_INVALID_ARGUMENT', `${path}: expected ${expected}, got ${shown(got)}`)
}

/**
 * An error that may carry what Node.js and the SDK add to theirs.
 *
 * @returns {error is Error & { code?: string | number, status?: number }}
 */
function isCoded(error) {
  return error instanceof Error
}

/** A value in a message: short, on one line, and of objects only their kind. */
export function shown(value) {
  if (typeof value === 'string') return JSON.stringify(plain(value, 60))
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value !== null && typeof value === 'object') return 'an object'
  return String(value)
}

/** Foreign text for a terminal or a message: no control characters, one line, bounded. */
export function plain(text, most = SHOWN) {
  // Cut before the work: an error message may be megabytes.
  const line = String(text)
    .slice(0, most * 4)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  const characters = [...line]
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`
}

/**
 * What went wrong with a server, in a few words of the gateway or of the SDK. What the server answered is left out: this goes
 * into logs, and a server may repeat what it was sent.
 */
export function reasonOf(error) {
  const status = httpStatus(error)
  if (status !== undefined) return `it answered with HTTP status ${status}`
  if (error instanceof ProtocolError) {
    const method = Reflect.get(error, 'listMethod')
    return `it answered ${method === undefined ? '' : `${method} `}with error ${error.code}`
  }
  const message = error instanceof Error ? error.message : String(error)
  const cause = error instanceof Error && isCoded(error.cause) ? ` (${error.cause.code ?? error.cause.name})` : ''
  return plain(message + cause)
}

/** Why a call came to nothing, for people: without what the server said, or what the call was about. */
export function whyFailed(error) {
  if (error instanceof Unavailable) return error.message.split(/\. |; it says: /, 1)[0]
  return error instanceof ProtocolError ? reasonOf(error) : String(error?.code ?? error?.name)
}

/** Whether a login lacks rights that a request wants. With a status it is no login: the key of the entry was refused. */
export const missesRights = (error) =>
  error instanceof Error && 'requiredScope' in error && Reflect.get(error, 'status') === undefined

/**
 * The status that a server answered with, whichever transport of the SDK tells of it. Their messages repeat the answer,
 * and that may repeat what was sent.
 */
export function httpStatus(error) {
  if (!isCoded(error)) return undefined
  const ofTransport = error.constructor.name === 'SseError' ? error.code : error.status
  const status = ofTransport ?? Number(/^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(error.message)?.[1])
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status < 600 ? status : undefined
}
