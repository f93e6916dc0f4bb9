// Requests and answers over HTTP whose numbers stay as they were written, though the SDK writes and reads them.

import { parse, withMarks, withNumbers } from '@zoo-code/tool-router/exact-json'

const DATA = /^data:/

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
  if (/event-stream/i.test(type) && response.body !== null) {
    const body = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(eventsWithMarks())
      .pipeThrough(new TextEncoderStream())
    Object.defineProperty(response, 'body', { value: body })
  } else response.json = async () => parse(await response.text())
  return response
}

/** A line of an event ends within no number and no text, so each is read by itself, when it is whole. */
function eventsWithMarks() {
  let parts = []
  return new TransformStream({
    transform(text, controller) {
      const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
      if (end === 0) return void parts.push(text)
      controller.enqueue(linesWithMarks(parts.join('') + text.slice(0, end)))
      parts = [text.slice(end)]
    },
    flush(controller) {
      controller.enqueue(linesWithMarks(parts.join('')))
    },
  })
}

function linesWithMarks(text) {
  return text
    .split(/(\r\n|\n|\r)/)
    .map((line) => (DATA.test(line) ? withMarks(line) : line))
    .join('')
}
