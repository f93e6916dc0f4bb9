// Whose request is being answered, as far as the door knows: the person of a key or of a token of the issuer. By `client`, a hash,
// many sessions of one person are one client where something is shared out; `person` is what an audit says.

import { AsyncLocalStorage } from 'node:async_hooks'

const asking = new AsyncLocalStorage()

/** @typedef {{ client?: string, person?: string }} Asker */

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

/** Whose what is kept for them is: nobody else reads it, answers it or ends it. Empty where nobody is told apart. */
export const openerOf = () => whoAsks().client ?? whoAsks().person ?? ''
