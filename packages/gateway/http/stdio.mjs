// The gateway's own standard streams as a transport of the SDK. Unlike the SDK's it reads large messages in linear time,
// and answers one that is too large instead of falling silent.

import process from 'node:process'

import { deserializeMessage } from '@modelcontextprotocol/server'

import { parse, withMarks } from '@zoo-code/tool-router/exact-json'

import { idOfEnds, LineReader, LineWriter } from '../base/lines.mjs'

const INVALID_REQUEST = -32600
const NO_MESSAGE = {
  code: INVALID_REQUEST,
  message: 'Invalid Request: expected one message of JSON-RPC 2.0 per line, with params that are an object or left out',
}
const NO_JSON = { code: -32700, message: 'Parse error: expected one message of JSON-RPC 2.0 per line' }
/** Requests of one line that are answered, where it is none of the protocol. */
const MAX_ANSWERED = 100
/**
 * Answers to a line that is no message. Who has asked in another form would wait for ever; what asks for nothing, as a
 * notification or an answer, is ignored. An id that is none of JSON-RPC cannot be repeated.
 *
 * @returns {any[]}
 */
function answersTo(line) {
  let value
  try {
    value = parse(line)
  } catch {
    return [{ jsonrpc: '2.0', id: null, error: NO_JSON }]
  }
  const all = (Array.isArray(value) && value.length > 0 ? value : [value]).slice(0, MAX_ANSWERED)
  return all.filter(asks).map((each) => {
    const id = typeof each?.id === 'string' || typeof each?.id === 'number' ? each.id : null
    return { jsonrpc: '2.0', id, error: NO_MESSAGE }
  })
}

/** Whether a value wants an answer: whatever is neither a notification nor an answer itself. */
function asks(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return true
  const isAnswer = value.method === undefined && ('result' in value || 'error' in value)
  return !isAnswer && (value.id !== undefined || typeof value.method !== 'string')
}

/**
 * @typedef {import('@modelcontextprotocol/server').Transport} Transport
 * @typedef {import('@modelcontextprotocol/server').JSONRPCMessage} Message
 */

/** @implements {Transport} */
export class StdioTransport {
  /** Numbers are written as they were received. */
  isExact = true
  /** @type {Transport['onmessage']} */
  onmessage
  /** @type {Transport['onclose']} */
  onclose
  /** @type {Transport['onerror']} */
  onerror
  #input
  #output
  #maxBytes
  #writer
  #lines
  #closed = false
  #take = (chunk) => this.#lines.take(chunk)
  #leave = () => void this.close()

  /** @param {{ maxBytes: number, input?: import('node:stream').Readable, output?: import('node:stream').Writable }} options */
  constructor({ maxBytes, input = process.stdin, output = process.stdout }) {
    this.#maxBytes = maxBytes
    this.#input = input
    this.#output = output
    this.#writer = new LineWriter(output)
    this.#lines = new LineReader(maxBytes, {
      onLine: (line) => this.#read(line),
      onTooLong: (head, tail) => this.#refuse(head, tail),
    })
  }

  async start() {
    this.#input.on('data', this.#take).on('end', this.#leave).on('close', this.#leave)
    // Nobody reads any more.
    this.#output.on('error', this.#leave)
  }

  #read(line) {
    if (line.trim() === '') return
    let message
    try {
      message = deserializeMessage(withMarks(line))
    } catch {
      for (const answer of answersTo(line)) this.send(answer).catch(() => {})
      return
    }
    this.onmessage?.(message)
  }

  /** Answers a request that is too large. What cannot be answered ends the connection, which the client sees. */
  #refuse(head, tail) {
    const text = `a message has at most ${this.#maxBytes} bytes; send less`
    this.onerror?.(new Error(text))
    const id = idOfEnds(head, tail, 'method')
    if (!id) return void this.close()
    const error = { code: INVALID_REQUEST, message: text }
    this.send({ jsonrpc: '2.0', id: parse(`{"id":${id}}`).id, error }).catch(() => {})
  }

  /** @param {Message} message */
  send(message) {
    if (this.#closed) return Promise.reject(new Error('the client has gone'))
    return this.#writer.write(message)
  }

  async close() {
    if (this.#closed) return
    this.#closed = true
    this.#input.off('data', this.#take).off('end', this.#leave).off('close', this.#leave)
    this.#input.pause()
    this.#lines.clear()
    this.onclose?.()
  }
}
