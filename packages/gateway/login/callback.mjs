// Where the browser comes back to after a login: a page on the loopback interface, open for as long as the login is, or an
// address of the gateway, where that is behind a proxy.

import { createHash } from 'node:crypto'
import http from 'node:http'

const HOST = '127.0.0.1'
const PATH = '/callback'
/** The path of answers at a gateway behind a proxy. */
export const ANSWERS = '/login/callback'
/** Characters of what comes back: a code and an address. */
const MAX_TARGET = 16 * 1024

/** An address that answers come back to, which tells by each whose it is: any page can send a browser there. */
export class WayBack {
  #redirectUrl
  /** Who waits, by a hash of the state that only he and the browser know. @type {Map<string, (answer: URLSearchParams) => void>} */
  #waiting = new Map()

  /** @param {string} redirectUrl as browsers have it */
  constructor(redirectUrl) {
    this.#redirectUrl = redirectUrl
  }

  /** For one login. */
  open() {
    let key = ''
    return {
      redirectUrl: this.#redirectUrl,
      /** @returns {Promise<URLSearchParams>} */
      answer: (state) => {
        key = keyOf(state)
        return new Promise((resolve) => this.#waiting.set(key, resolve))
      },
      close: () => void this.#waiting.delete(key),
    }
  }

  /** Answers a browser that comes back. @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  answer({ method, url = '' }, response) {
    const target = URL.canParse(url, this.#redirectUrl) ? new URL(url, this.#redirectUrl) : undefined
    const isHere = method === 'GET' && target?.pathname === new URL(this.#redirectUrl).pathname
    if (!isHere) return sayPage(response, 404, 'Not here', 'This address answers logins only.')
    const key = keyOf(target.searchParams.get('state') ?? '')
    const resolve = this.#waiting.get(key)
    this.#waiting.delete(key)
    if (!resolve) return sayPage(response, 400, 'Not this login', 'No login waits for this answer. Begin it again.')
    resolve(target.searchParams)
    return sayPage(response, 200, 'Done', 'You can close this page and go back.')
  }
}

const keyOf = (state) => createHash('sha256').update(state).digest('base64url')

/** A small page that says how a login stands. */
function sayPage(response, status, title, text) {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'Referrer-Policy': 'no-referrer', // the code stands in the address
    'Cache-Control': 'no-store',
    Connection: 'close',
  })
  response.end(
    `<!doctype html><meta charset="utf-8"><title>${title}</title><style>body{font:1.1em system-ui;margin:4em}</style>` +
      `<h1>${title}</h1><p>${text}</p>`,
  )
}

/**
 * A way back on this machine, for one login.
 *
 * @param {{ port?: number, isFixed?: boolean }} [where] the port; another one is taken where this is not free, unless it
 * is fixed
 */
export async function listenForAnswer({ port = 0, isFixed = false } = {}) {
  const server = http.createServer({ maxHeaderSize: MAX_TARGET }, (request, response) => {
    // A page may reach this machine by a name of its own.
    if (request.headers.host === host) way.answer(request, response)
    else sayPage(response, 404, 'Not here', 'This address answers logins only.')
  })
  const opened = (await open(server, port)) || (!isFixed && (await open(server, 0)))
  if (!opened) throw new Error(`port ${port} for the way back from the browser is not free`)
  // The login is no reason to keep the process.
  server.unref()
  const host = `${HOST}:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  const way = new WayBack(`http://${host}${PATH}`)
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { ...way.open(), close }
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
