// Texts of servers for a person at the page: bounded, without secrets, and with what is invisible made visible. The page
// puts them there as text, never as markup.

import { Secrets } from './secrets.mjs'

/** Characters that a person does not see or that turn the direction of others; line ends and tabs stay. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/gu

/** @type {WeakMap<object, Secrets>} by definition of a server */
const known = new WeakMap()

/** @param {import('../config/server.mjs').ServerDefinition} definition */
function secretsOf(definition) {
  const secrets = known.get(definition) ?? new Secrets(definition)
  known.set(definition, secrets)
  return secrets
}

/**
 * @param {unknown} text
 * @param {number} most characters
 * @param {import('../config/server.mjs').ServerDefinition} [definition] of the server that says it
 */
export function shownText(text, most, definition) {
  const whole = typeof text === 'string' ? text.toWellFormed() : ''
  // Hidden before it is cut: half a secret is found by nobody.
  const hidden = definition ? secretsOf(definition).hide(whole.slice(0, most * 2)) : whole
  const cut = hidden.length > most ? `${hidden.slice(0, most - 1)}…` : hidden
  return cut.replaceAll(INVISIBLE, (character) => `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase()}⟩`)
}
