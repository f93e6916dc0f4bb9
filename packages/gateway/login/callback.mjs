// Where the browser comes back to after a login: a page on the loopback interface, open for as long as the login is.

import { timingSafeEqual } from 'node:crypto'
import http from 'node:http'

const HOST = '127.0.0.1'
const PATH = '/callback'
/** Characters of what comes back: a code and an address. */
const MAX_TARGET = 16 * 1024

/** A small page that says how a login stands. */
export function sayPage(response, status, title, text) {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'Referrer-Policy': 'no-referrer', // the code stands in the address
    'Cache-Control': 'no-store',
    Connection: 'close',
  })
  response.end(PAGE(title, text))
}

const PAGE = (title, text) =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title><style>body{font:1.1em system-ui;margin:4em}</style>` +
  `<h1>${title}</h1><p>${text}</p>`

/**
 * Waits for the answer to one login.
 *
 * @param {{ port?: number, isFixed?: boolean }} [where] the port; another one is taken where this is not free, unless it
 * is fixed
 * @returns {Promise<{ redirectUrl: string, answer: (state: string) => Promise<URLSearchParams>, close: () => void }>}
 */
export async function listenForAnswer({ port = 0, isFixed = false } = {}) {
  let expected
  let resolveAnswer
  const answered = new Promise((resolve) => (resolveAnswer = resolve))
  const server = http.createServer({ maxHeaderSize: MAX_TARGET }, (request, response) => {
    const say = (status, title, text) => sayPage(response, status, title, text)
    const target = URL.canParse(request.url ?? '', redirectUrl) ? new URL(request.url ?? '', redirectUrl) : undefined
    const isHere = request.headers.host === new URL(redirectUrl).host && target?.pathname === PATH
    if (request.method !== 'GET' || !isHere) return say(404, 'Not here', 'This address answers one login only.')
    const given = target.searchParams.get('state') ?? ''
    // Any page can send a browser here; only the answer to our own question has its state.
    if (expected === undefined || !isSame(given, expected))
      return say(400, 'Not this login', 'This is not the answer to the login that is under way. Begin it again.')
    say(200, 'Done', 'You can close this page and go back.')
    resolveAnswer(target.searchParams)
    return undefined
  })
  const opened = (await open(server, port)) || (!isFixed && (await open(server, 0)))
  if (!opened) throw new Error(`port ${port} for the way back from the browser is not free`)
  // The login is no reason to keep the process.
  server.unref()
  const redirectUrl = `http://${HOST}:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}${PATH}`
  return {
    redirectUrl,
    answer: (state) => {
      expected = state
      return answered
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function open(server, port) {
  return new Promise((resolve) => {
    const failed = () => resolve(false)
    server.once('error', failed)
    server.listen({ host: HOST, port, exclusive: true }, () => {
      server.off('error', failed)
      resolve(true)
    })
  })
}

function isSame(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
