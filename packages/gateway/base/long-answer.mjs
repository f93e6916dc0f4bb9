// How much one answer of a server may be, over whatever it comes; and what whoever waits for one that is more gets instead.

import { randomUUID } from 'node:crypto'

import { parse, stringify, withMarks } from '@zoo-code/tool-router/exact-json'

import { END_BYTES, idOfEnds } from './lines.mjs'

/** An image of 20 MB in base64 fits; a server gone wild does not take the memory. Packed answers are counted unpacked. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
const MUCH = `more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB`
/** Made by chance, so that no server can say it. */
const LONG = randomUUID()

/** Bytes of what a server only tells, and nobody waits for: more is left out. */
export const MAX_NOTICE_BYTES = 1024 * 1024
const NOTICE = /^(?:data:)?\s*\{\s*("jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:\s*"notifications\//

/** How long a line of a server may be that begins so. @param {string} head */
export const mostOf = (head) => (NOTICE.test(head) ? MAX_NOTICE_BYTES : MAX_MESSAGE_BYTES)

/**
 * What whoever waits for an answer gets instead; undefined for what is no answer.
 *
 * @param {string} head @param {string} tail the two ends of the answer
 * @param {string} [asked] the id, as JSON, of the only request that can be meant
 * @param {string} [has] what there is too much of
 */
export function longAnswer(head, tail, asked, has = MUCH) {
  const id = idOfEnds(head, tail, 'result|error') ?? (/"method"\s*:/.test(head) ? undefined : asked)
  if (id === undefined) return undefined
  const error = { code: -32_603, message: `the answer has ${has}`, data: { long: LONG, has } }
  return { jsonrpc: /** @type {const} */ ('2.0'), id: parse(`{"id":${id}}`).id, error }
}

/**
 * A message of a server with marks in it, or what its waiter gets instead; undefined for what is left out.
 *
 * @param {string} json @param {string} [asked] see {@link longAnswer}
 */
export function received(json, asked) {
  const head = json.slice(0, END_BYTES)
  try {
    return withMarks(json)
  } catch (error) {
    return stringify(longAnswer(head, json.slice(-END_BYTES), asked, error.message))
  }
}

/** For an answer that is known by where it comes. */
export class TooLong extends Error {
  data = { long: LONG, has: MUCH }

  constructor() {
    super(`the answer has ${MUCH}`)
  }
}

export const isLong = (error) => error?.data?.long === LONG

/**
 * What a body holds, up to a bound.
 *
 * @param {Response} response
 * @param {number} maxBytes
 * @param {boolean} [isCut] whether more than that is cut, instead of an error
 */
export async function boundedBody(response, maxBytes, isCut = false) {
  const chunks = []
  let bytes = 0
  // Leaving the loop ends the reading.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes && !isCut) throw new TooLong()
    chunks.push(chunk)
    if (bytes > maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}
