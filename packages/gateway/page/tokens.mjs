// What definitions of tools cost a model, in tokens. Each is counted once.

import { setImmediate as turn } from 'node:timers/promises'

import { stringify } from '@zoo-code/tool-router/exact-json'

/** Definitions that are counted together: the router takes some thousand calls, and clients come first. */
const TOGETHER = 128
const PARTS = ['title', 'description', 'inputSchema', 'annotations']

/** @type {WeakMap<object, number>} by tool as its server listed it */
const counted = new WeakMap()

/** @param {object} tool @returns {number | undefined} undefined before {@link countTools} has counted it */
export const tokensOf = (tool) => counted.get(tool)

/** What is being counted, by gateway. */
const counting = new WeakMap()

/**
 * Has all tools counted that are not yet, and tells when they are: thousands take a second, for which nobody waits.
 *
 * @param {import('../activity/activity.mjs').Gateway} gateway
 */
export function countAll(gateway) {
  const { catalogue, activity } = gateway
  if (counting.has(gateway)) return
  const isWhole = [...catalogue.entries.values()].every(({ tools }) =>
    [...tools.values()].every((tool) => counted.has(tool)),
  )
  if (isWhole) return
  const ended = () => {
    counting.delete(gateway)
    for (const view of ['servers', 'tools', 'sessions']) activity.emit('change', view)
  }
  // A gateway that closes counts no more.
  counting.set(
    gateway,
    countTools(gateway, catalogue.entries.values()).then(ended, () => counting.delete(gateway)),
  )
}

/** What tools cost together; `null` before all of them are counted. @param {(object | undefined)[]} tools */
export function sumOf(tools) {
  const each = tools.map((tool) => (tool ? (counted.get(tool) ?? NaN) : NaN))
  const sum = each.reduce((all, tokens) => all + tokens, 0)
  return Number.isNaN(sum) ? null : sum
}

/**
 * @param {Pick<import('../activity/activity.mjs').Gateway, 'router'>} gateway
 * @param {Iterable<import('../catalogue/catalogue.mjs').Entry>} entries
 */
export async function countTools({ router }, entries) {
  const missing = [...entries].flatMap(({ tools }) => [...tools.values()].filter((tool) => !counted.has(tool)))
  for (let from = 0; from < missing.length; from += TOGETHER) {
    const count = async (tool) => {
      const definition = Object.fromEntries(PARTS.map((part) => [part, tool[part]]))
      counted.set(tool, await router.countTokens(stringify({ name: tool.name, ...definition })))
    }
    await Promise.all(missing.slice(from, from + TOGETHER).map(count))
    await turn()
  }
}
