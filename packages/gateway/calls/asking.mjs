// SPDX-License-Identifier: Apache-2.0
//
// Whose request is being answered, as far as the door knows: the person of a key or of a token of the issuer, by a hash. Many
// sessions of one person are then one client where something is shared out.

import { AsyncLocalStorage } from 'node:async_hooks'

import { ALL } from '../doors/door.mjs'

/** In which the gateway of a profile is told who asks. */
export const CLIENT_HEADER = 'zoo-tool-router-client'
const HASH = /^[\w-]{43}$/
const asking = new AsyncLocalStorage()

/**
 * Answers a request of somebody.
 *
 * @template R
 * @param {string | undefined} client
 * @param {() => R} answer
 */
export function askedBy(client, answer) {
  return asking.run(client, answer)
}

/** Who asks; undefined where that is not known. @returns {string | undefined} */
export function whoAsks() {
  return asking.getStore()
}

/**
 * Who asks through another gateway: only that of this one's own token is believed.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {unknown} guest
 */
export function clientOf({ headers }, guest) {
  const client = headers[CLIENT_HEADER]
  return guest === ALL && typeof client === 'string' && HASH.test(client) ? client : undefined
}
