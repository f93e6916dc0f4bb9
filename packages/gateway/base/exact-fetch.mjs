// Requests and answers over HTTP whose numbers stay as they were written, though the SDK writes and reads them; and no answer of
// more than a bound.

import { parse, stringify, withMarks, withNumbers } from '@zoo-code/tool-router/exact-json'

import { LineReader } from './lines.mjs'
import { boundedBody, longAnswer, MAX_MESSAGE_BYTES } from './long-answer.mjs'

const DATA = /^data:/
/** An event that is no message: what an older server says first is the address of its messages, and no JSON. */
const OTHER = /^event:(?! ?message$)./

/**
 * `fetch` for a transport of the SDK: what it sends has the numbers that were received, and what it receives has marks for those
 * that JavaScript would change.
 *
 * @param {typeof fetch} [send]
 * @returns {typeof fetch}
 */
export function exactFetch(send = fetch) {
  return async (address, init) => {
    const isText = typeof init?.body === 'string'
    return exactAnswer(await send(address, isText ? { ...init, body: withNumbers(String(init.body)) } : init))
  }
}

/** @param {Response} response */
function exactAnswer(response) {
  const type = response.headers.get('content-type') ?? ''
  if (/event-stream/i.test(type) && response.body !== null)
    Object.defineProperty(response, 'body', { value: response.body.pipeThrough(eventsWithMarks()) })
  else response.json = async () => parse((await boundedBody(response, MAX_MESSAGE_BYTES)).toString('utf8'))
  return response
}

/**
 * A line of an event ends within no number and no text, so each is read by itself, when it is whole. One that is too long is
 * replaced, and what makes an event of many lines too long is left out.
 */
function eventsWithMarks() {
  let [controller, bytes, wasReturn, isJson] = [/** @type {any} */ (undefined), 0, false, true]
  const give = (line) => controller.enqueue(Buffer.from(`${line}\n`))
  const lines = new LineReader(MAX_MESSAGE_BYTES, {
    onLine: (line) => {
      bytes = line === '' ? 0 : bytes + line.length
      isJson = line === '' || (isJson && !OTHER.test(line))
      if (bytes <= MAX_MESSAGE_BYTES) give(isJson && DATA.test(line) ? withMarks(line) : line)
    },
    onTooLong: (head, tail) => {
      const answer = longAnswer(head.replace(DATA, ''), tail)
      if (answer) give(`data: ${stringify(answer)}`)
    },
  })
  return new TransformStream({
    transform(given, to) {
      controller = to
      // A line may end with a return, a line feed, or both.
      const text = Buffer.from(given).toString('latin1')
      const ended = (wasReturn ? text.replace(/^\n/, '') : text).replace(/\r\n?/g, '\n')
      wasReturn = text.endsWith('\r')
      lines.take(Buffer.from(ended, 'latin1'))
    },
  })
}
