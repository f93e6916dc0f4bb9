// Whose request is being answered, as far as the door knows: the person of a key or of a token of the issuer. By `client`, a hash,
// many sessions of one person are one client where something is shared out; `person` is what an audit says.

import { AsyncLocalStorage } from 'node:async_hooks'

import { ALL } from '../doors/door.mjs'

/** In which the gateway of a profile is told who asks. */
export const CLIENT_HEADER = 'zoo-tool-router-client'
export const PERSON_HEADER = 'zoo-tool-router-person'
/** In which it is told what a visitor of the page may do there: to look, or as who is known by name, at own calls alone. */
export const VISIT_HEADER = 'zoo-tool-router-visit'
const HASH = /^[\w-]{43}$/
/** Characters of a person's name, encoded: 300, of which each may become nine. */
const MOST_NAME = 2_700
const asking = new AsyncLocalStorage()

/** @typedef {{ client?: string, person?: string, visit?: 'look' | 'named' }} Asker */

/**
 * Answers a request of somebody.
 *
 * @template R
 * @param {Asker} asker
 * @param {() => R} answer
 */
export function askedBy(asker, answer) {
  return asking.run(asker, answer)
}

/** Who asks; nothing of it where that is not known. @returns {Asker} */
export function whoAsks() {
  return asking.getStore() ?? {}
}

/**
 * Who asks through another gateway: only that of this one's own token is believed.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {unknown} guest
 * @returns {Asker}
 */
export function askerThrough({ headers }, guest) {
  if (guest !== ALL) return { person: `the token of profile ${String(guest)}` }
  const { [CLIENT_HEADER]: client, [PERSON_HEADER]: person } = headers
  return {
    client: typeof client === 'string' && HASH.test(client) ? client : undefined,
    person: typeof person === 'string' && person.length <= MOST_NAME ? decoded(person) : "the gateway's token",
  }
}

/**
 * Who looks at the page with a token, or through another gateway: only that of this one's own token is believed.
 *
 * @template G
 * @param {import('node:http').IncomingMessage} request
 * @param {G} guest
 * @returns {{ guest: G, isGuest?: true, person?: string }}
 */
export function visitorThrough({ headers }, guest) {
  const { [VISIT_HEADER]: visit, [PERSON_HEADER]: person } = headers
  if (guest !== ALL || visit === undefined) return { guest }
  return { guest, isGuest: true, ...(visit === 'named' && { person: decoded(String(person)) }) }
}

function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
