// Requests and answers over HTTP whose numbers stay as they were written, though the SDK writes and reads them; and no answer of
// more than a bound.

import { stringify, withNumbers } from '@zoo-code/tool-router/exact-json'

import { END_BYTES, idOfEnds, LineReader } from './lines.mjs'
import { boundedBody, longAnswer, MAX_MESSAGE_BYTES, MAX_NOTICE_BYTES, mostOf, received } from './long-answer.mjs'

/** Bytes of an answer that are read where only words for people can be in it: a page of an error is longer, and says no more. */
const MAX_WORDS_BYTES = 16_384
const [NEWLINE, RETURN] = [10, 13]
const DATA = /^data: ?/
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
    if (typeof init?.body !== 'string') return exactAnswer(await send(address, init))
    const body = withNumbers(init.body)
    const asked = idOfEnds(body.slice(0, END_BYTES), body.slice(-END_BYTES), 'method')
    return exactAnswer(await send(address, { ...init, body }), asked)
  }
}

/**
 * An answer of which no way to read it takes more than the bound.
 *
 * @param {Response} response
 * @param {string} [asked] the id, as JSON, of the request that it answers
 */
function exactAnswer(response, asked) {
  const type = response.headers.get('content-type') ?? ''
  const bounded = async (most, isCut) => (await boundedBody(response, most, isCut)).toString('utf8')
  if (/event-stream/i.test(type) && response.body !== null)
    Object.defineProperty(response, 'body', { value: response.body.pipeThrough(eventsWithMarks(asked)) })
  // The SDK reads words of a refusal so, and what it has no use for.
  response.text = () => bounded(MAX_WORDS_BYTES, true)
  response.json = async () => JSON.parse(received(await bounded(MAX_MESSAGE_BYTES), asked) ?? 'null')
  return response
}

/** An event is given when it is whole; who waits for one that is too long gets a refusal instead. @param {string} [asked] */
function eventsWithMarks(asked) {
  let [controller, wasReturn] = [/** @type {any} */ (undefined), false]
  let [event, bytes, head, tail] = [/** @type {string[]} */ ([]), 0, '', '']
  const add = (line, size, end = line.slice(-END_BYTES)) => {
    bytes += size
    if (DATA.test(line)) [head, tail] = [head || line.slice(0, END_BYTES).replace(DATA, ''), end]
    event = bytes > MAX_MESSAGE_BYTES ? event.filter((each) => !DATA.test(each)) : event
    if (bytes <= MAX_MESSAGE_BYTES) event.push(line)
  }
  const whole = () => {
    if (event.some((line) => OTHER.test(line))) return event
    const data = event.filter((line) => DATA.test(line)).map((line) => line.replace(DATA, ''))
    const isLong = bytes > MAX_MESSAGE_BYTES
    if (data.length === 0 && !isLong) return event
    // Where a message goes on in another line there is a blank in it.
    const message = isLong ? stringify(longAnswer(head, tail, asked)) : received(data.join(' '), asked)
    const fields = event.filter((line) => !DATA.test(line))
    return message === undefined ? fields : [...fields, `data: ${message}`]
  }
  const lines = new LineReader(MAX_NOTICE_BYTES, {
    mostOf,
    onLine: (line) => {
      // What begins with a colon only keeps the connection open.
      if (line !== '') return line.startsWith(':') || add(line, line.length)
      controller.enqueue(Buffer.from(`${whole().join('\n')}\n\n`))
      ;[event, bytes, head, tail] = [[], 0, '', '']
    },
    onTooLong: (start, end) => add(start, Infinity, end),
  })
  return new TransformStream({
    transform(given, to) {
      controller = to
      const chunk = Buffer.from(given.buffer, given.byteOffset, given.length)
      const isRest = wasReturn && chunk[0] === NEWLINE
      wasReturn = chunk.at(-1) === RETURN
      // A line may end with a return, a line feed, or both.
      const text = chunk.includes(RETURN) && chunk.toString('latin1').replace(/\r\n?/g, '\n')
      lines.take((text === false ? chunk : Buffer.from(text, 'latin1')).subarray(isRest ? 1 : 0))
    },
  })
}
