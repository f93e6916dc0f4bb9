// One server under two names, with a key of its own for each: what it lists twice needs one place in a search.

/**
 * Tools, or servers, without those that another account of the same server has before them.
 *
 * @template {{ serverName: string, toolName?: string | undefined }} T
 * @param {import('../catalogue/catalogue.mjs').Catalogue} catalogue
 * @param {T[]} tools the best first
 */
export function oncePerServer({ entries }, tools) {
  const first = new Map()
  const isAgain = (/** @type {T} */ { serverName, toolName }) => {
    const definition = entries.get(serverName)?.definition
    if (definition === undefined) return false
    const key = JSON.stringify([placeOf(definition), toolName])
    const before = first.get(key) ?? definition
    first.set(key, before)
    return before !== definition && keysOf(before) !== keysOf(definition)
  }
  const again = new Set(tools.filter(isAgain))
  return { once: tools.filter((tool) => !again.has(tool)), again: [...again] }
}

/** @param {Record<string, any>} definition */
const placeOf = ({ command, args, cwd, url }) => [command, args, cwd, url?.href]
/** @param {Record<string, any>} definition */
const keysOf = ({ env, headers, oauth }) => JSON.stringify([[...(env ?? [])], [...(headers ?? [])], oauth])
