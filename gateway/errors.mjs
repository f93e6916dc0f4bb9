// SPDX-License-Identifier: Apache-2.0
//
// Errors of the gateway in the one shape of this package, and what of a foreign error may be told.

import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'

/** Characters of a foreign text that stand in a message of ours. */
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
  error.name = 'ToolRouterError'
  error.code = code
  return error
}

/** A value of a caller's that cannot be used: where it stands, what was expected, what came. */
export function invalid(path, expected, got) {
  return routerError('ERR_INVALID_ARGUMENT', `${path}: expected ${expected}, got ${shown(got)}`)
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

/** Codes that the SDK gives to what happened on this side: their messages are its own. */
const OWN_CODES = new Set([ErrorCode.ConnectionClosed, ErrorCode.RequestTimeout])

/**
 * What went wrong with a server, in a few words of ours or of the SDK's. What the server answered is left out: this goes
 * into logs, and a server may repeat what it was sent.
 */
export function reasonOf(error) {
  if (error instanceof StreamableHTTPError) return `it answered with HTTP status ${error.code}`
  if (error instanceof McpError && !OWN_CODES.has(error.code)) return `it answered with error ${error.code}`
  const message = error instanceof Error ? error.message : String(error)
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.code ?? error.cause.name})` : ''
  return plain(withoutPrefix(message) + cause)
}

/**
 * An error that a server answered, as the gateway's client gets it: same code, message and data. The SDK puts a prefix
 * before each message it receives; without taking it off again a client would see it twice.
 */
export function passedOn(error) {
  if (!(error instanceof McpError)) return error
  const same = new Error(withoutPrefix(error.message))
  same.code = error.code
  if (error.data !== undefined) same.data = error.data
  return same
}

function withoutPrefix(message) {
  return message.replace(/^MCP error -?\d+: /, '')
}
