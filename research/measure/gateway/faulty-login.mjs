// An MCP server behind a login on loopback, whose tokens end every few seconds and whose authorization server fails for a while
// now and then, as networks do at night: the refresh token stays good.

import { Logins } from '../../../packages/gateway/login/logins.mjs'
import { readServer } from '../../../packages/gateway/config/server.mjs'
import { authorizationServer, browse, protectedServer } from '../../../__test__/helpers/authorization-server.mjs'

/** How often tokens end. */
const TOKEN_MS = 4_000
/** How long the authorization server fails, at most, and how often: once in so many ends of tokens. */
const FAULT_MS = 3_000
const FAULT_EVERY = 4

const FAULTS = [
  (response) => response.destroy(),
  (response) => response.writeHead(502, { 'Content-Type': 'text/html' }).end('<p>bad gateway</p>'),
  (response) => response.writeHead(504, { 'Content-Type': 'text/html' }).end('<p>timeout</p>'),
  (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>portal</p>'),
  (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(''),
  () => {}, // hangs
]

/**
 * @param {string} name the server's, as the configuration has it
 * @param {string} folder for the login
 * @param {(below: number) => number} random
 * @returns {Promise<{ url: string, folder: string, begin: () => void, end: () => void, close: () => void, readonly renewals: number }>}
 *   logged in; faults come from `begin` to `end`
 */
export async function faultyLogin(name, folder, random) {
  const closing = []
  const t = { teardown: (close) => void closing.push(close) }
  const current = await authorizationServer(t)
  const { url } = await protectedServer(t, { current })
  const logins = new Logins(folder)
  const pending = await logins.begin(readServer(name, { url }))
  await Promise.all([browse(pending.url), pending.done])
  let timer
  let calm
  const end = () => {
    clearInterval(timer)
    clearTimeout(calm)
    current.faults.token = undefined
  }
  const begin = () => {
    timer = setInterval(() => {
      current.revoke()
      if (random(FAULT_EVERY) > 0) return
      current.faults.token = FAULTS[random(FAULTS.length)]
      clearTimeout(calm)
      calm = setTimeout(() => (current.faults.token = undefined), random(FAULT_MS))
    }, TOKEN_MS)
  }
  const close = () => {
    end()
    for (const each of closing) each()
  }
  return {
    url,
    folder,
    begin,
    end,
    close,
    get renewals() {
      return current.seen.tokenRequests.length - 1
    },
  }
}
