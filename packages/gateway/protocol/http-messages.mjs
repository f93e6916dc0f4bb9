// Messages over HTTP as they come in and go out: bodies within bounds, answers as they come, refusals in one form.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { hasMarks, MARK, stringify, withNumbers } from '@zoo-code/tool-router/exact-json'

const NEWLINE = 10
/** How much of a body that is too large is still read, in parts of what is allowed: who sends it then hears why. */
const DRAINED = 4
/** What is said about a call that a replica was about to answer which has ended, or cannot be reached. */
const LOST_CALL = errorOf(
  'ERR_OUTCOME_UNKNOWN',
  'another replica was about to answer this and has not. Whether it took effect is unknown; look at what it was to change ' +
    'before you call it again',
)
const LOST_RESULT = errorOf(
  'ERR_RESULT_NOT_FOUND',
  'another replica holds this result and is not reached; call the tool again',
)

/** Bytes at the end of a part that may be the beginning of a mark. */
const HELD = 2 * MARK.length

export class TooLarge extends Error {}

/**
 * What the SDK wrote, with the numbers that were received. It writes a line at a time; of a longer text the end is held back until
 * it is whole.
 *
 * @param {AsyncIterable<Uint8Array>} body
 */
async function* written(body) {
  let held = []
  let isMarked = false
  for await (const part of body) {
    held.push(Buffer.from(part.buffer, part.byteOffset, part.byteLength))
    if (part.at(-1) === NEWLINE) {
      yield numbersIn(Buffer.concat(held))
      held = []
      isMarked = false
    } else if (!isMarked) {
      const all = Buffer.concat(held)
      isMarked = hasMarks(all)
      const isLong = !isMarked && all.length > HELD
      if (isLong) yield all.subarray(0, -HELD)
      held = [isLong ? all.subarray(-HELD) : all]
    }
  }
  if (held.length > 0) yield numbersIn(Buffer.concat(held))
}

const numbersIn = (bytes) => (hasMarks(bytes) ? withNumbers(bytes.toString('utf8')) : bytes)

/** Sends an answer of the SDK as it comes. A client that goes away ends the pipeline, and that cancels the stream. */
export async function send(answer, response) {
  if (response.destroyed) return answer.body?.cancel().catch(() => {})
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders()
  if (answer.body === null) return void response.end()
  await pipeline(Readable.fromWeb(answer.body), written, response).catch(() => {})
}

/** Numbers of the requests in a body. */
export function idsOf(body) {
  const messages = Array.isArray(body) ? body : [body]
  return messages.filter((each) => each?.method !== undefined && each.id !== undefined).map(({ id }) => id)
}

/** Answers requests whose answers a replica was about to send that has ended: nobody knows what became of them. */
export function sendLost(ids, response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  for (const id of ids)
    response.write(`event: message\ndata: ${stringify({ jsonrpc: '2.0', id, error: LOST_CALL })}\n\n`)
  response.end()
}

/**
 * Says at which replica a request goes on, to a proxy that can send it there. A client that is told so has nobody to go on with.
 *
 * @param {{ replica: string, isCall: boolean }} elsewhere
 */
export function sendElsewhere({ replica, isCall }, { id }, response) {
  response.writeHead(421, { 'Content-Type': 'application/json', 'Mcp-Replica': replica })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error: isCall ? LOST_CALL : LOST_RESULT }))
}

/**
 * Reads a body. One that is too large is read on for a while and dropped: an answer before the end of what is being
 * sent would reach few clients.
 */
export async function readBody(request, maxBytes) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
    else chunks.length = 0
    if (bytes > maxBytes * DRAINED) break
  }
  if (bytes > maxBytes) throw new TooLarge()
  return Buffer.concat(chunks).toString('utf8')
}

/** Refuses a request; what is still to come of it is not waited for. Nothing of it is repeated in the answer. */
export function refuse(request, response, status, message, headers = {}) {
  const code = status === 404 ? -32001 : -32000
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
  const arrived = request.complete || request.method === 'GET' || request.method === 'DELETE'
  response.writeHead(status, {
    'Content-Type': 'application/json',
    ...headers,
    ...(!arrived && { Connection: 'close' }),
  })
  response.end(body)
}

function errorOf(code, message) {
  return { code: -32000, message: `${code}: ${message}`, data: { code } }
}
