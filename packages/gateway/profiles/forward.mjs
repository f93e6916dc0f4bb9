// A request of a client, passed on to the gateway of a profile as it comes, and the answer back.

import http from 'node:http'
import { pipeline } from 'node:stream/promises'

import { KEY_HEADER } from '../doors/page-door.mjs'
import { CLIENT_HEADER, PERSON_HEADER, VISIT_HEADER, whoAsks } from '../calls/asking.mjs'

/** Headers of one connection; they say nothing about the message. */
const OF_CONNECTION = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect'],
]
/** What the door has looked at: behind it they would be those of another port. */
const OF_DOOR = [
  'host',
  'origin',
  'authorization',
  'cookie',
  KEY_HEADER,
  CLIENT_HEADER,
  PERSON_HEADER,
  VISIT_HEADER,
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
]

/**
 * @param {http.IncomingMessage} request
 * @param {http.ServerResponse} response
 * @param {{ url: string, token: string }} address of the gateway
 * @param {string} [path] other than that of the address; what is behind `?` is the request's
 * @returns {Promise<void>} settles when the answer is over
 * @throws when the gateway cannot be reached and nothing was answered
 */
export async function forward(request, response, { url, token }, path) {
  const { client, person, visit } = whoAsks()
  const headers = {
    ...without(request.headers, [...OF_CONNECTION, ...OF_DOOR]),
    authorization: `Bearer ${token}`,
    ...(client !== undefined && { [CLIENT_HEADER]: client }),
    ...(person !== undefined && { [PERSON_HEADER]: encodeURIComponent(person.toWellFormed()) }),
    ...(visit !== undefined && { [VISIT_HEADER]: visit }),
  }
  const target = path === undefined ? url : new URL(path + new URL(String(request.url), url).search, url)
  const asked = http.request(target, { method: request.method, headers, agent: false })
  response.once('close', () => asked.destroy())
  const answered = new Promise((resolve, reject) => {
    asked.once('response', resolve)
    // Also after an answer that came before the end of what was sent.
    asked.on('error', reject)
  })
  request.pipe(asked)
  const answer = await answered
  const isOver = request.complete || request.method === 'GET' || request.method === 'DELETE'
  response.writeHead(answer.statusCode, {
    ...without(answer.headers, OF_CONNECTION),
    // What is still to come of a request that was refused is not waited for.
    ...(!isOver && { Connection: 'close' }),
  })
  response.flushHeaders()
  await pipeline(answer, response).catch(() => response.destroy())
}

function without(headers, names) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}
