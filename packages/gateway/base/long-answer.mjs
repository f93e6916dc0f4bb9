// How much one answer of a server may be, over whatever it comes; and what whoever waits for one that is more gets instead.

import { randomUUID } from 'node:crypto'

import { parse } from '@zoo-code/tool-router/exact-json'

import { idOfEnds } from './lines.mjs'

/** An image of 20 MB in base64 fits; a server gone wild does not take the memory. Packed answers are counted unpacked. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
export const MUCH = `more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB`
/** Made by chance, so that no server can say it. */
const LONG = randomUUID()

/** What whoever waits for an answer gets instead, by the two ends of that; undefined for what is no answer. */
export function longAnswer(head, tail) {
  const id = idOfEnds(head, tail, 'result|error')
  if (id === undefined) return undefined
  const error = { code: -32_603, message: `the answer has ${MUCH}`, data: { long: LONG } }
  return { jsonrpc: /** @type {const} */ ('2.0'), id: parse(`{"id":${id}}`).id, error }
}

/** For an answer that is known by where it comes. */
export class TooLong extends Error {
  data = { long: LONG }

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
