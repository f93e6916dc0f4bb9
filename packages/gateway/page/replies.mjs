// Answers of the page, and what a request brings along: both bounded.

import { parse, stringify } from '@zoo-code/tool-router/exact-json'

import { isObject } from '../base/values.mjs'

/** What a browser may do with what the page has: run its own script and style, and ask its own address. Nothing else. */
const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ')

/** On each answer of the page. */
const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
}

/** Bytes of what the page sends: a query has 4,096 characters. */
const MAX_BODY = 32_768

/** A request that is not answered as it wishes. The message is for the person at the page. */
export class Refused extends Error {
  /** @param {number} status @param {string} message @param {Record<string, string>} [headers] */
  constructor(status, message, headers = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {Record<string, string>} headers
 * @param {string | Buffer} [body]
 */
export function reply(response, status, headers, body = '') {
  response.writeHead(status, { ...HEADERS, ...headers, 'Content-Length': Buffer.byteLength(body) })
  // The answer to HEAD has the headers alone; Node.js leaves the rest out.
  response.end(body)
}

/** @param {import('node:http').ServerResponse} response @param {unknown} value @param {Record<string, string>} [headers] */
export function replyJson(response, value, headers = {}, status = 200) {
  reply(response, status, { 'Content-Type': 'application/json', ...headers }, stringify(value))
}

/** Begins an answer that goes on: events. @param {import('node:http').ServerResponse} response */
export function replyEvents(response) {
  response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream' })
  response.flushHeaders()
}

/**
 * The object in the body of a request.
 *
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<Record<string, unknown>>}
 */
export async function bodyOf(request) {
  // A form of a foreign page can send neither this type nor the key.
  const [type] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json')
    throw new Refused(415, 'a request has the type application/json')
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > MAX_BODY) throw new Refused(413, `a request has at most ${MAX_BODY} bytes`, { Connection: 'close' })
    chunks.push(chunk)
  }
  try {
    const value = parse(Buffer.concat(chunks).toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // Told below, without what was sent.
  }
  throw new Refused(400, 'a request is a JSON object')
}

/**
 * A text of a request.
 *
 * @param {unknown} value
 * @param {string} name
 * @param {number} most
 */
export function textOf(value, name, most) {
  if (typeof value !== 'string' || value.trim() === '' || value.length > most)
    throw new Refused(400, `${name}: expected text of 1 to ${most} characters`)
  return value
}
