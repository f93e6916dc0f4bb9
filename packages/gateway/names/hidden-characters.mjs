// Characters that a person does not see and a model reads, in what a server says about its tools. The router tells which
// they are; its own setting holds for all hosts of the process and not for this gateway alone.

import addon from '@zoo-code/tool-router/internal'

const PLAIN = /^[\t\n\r -~]*$/

/** The text without hidden characters. Lone surrogates, which the router does not take, stay. */
export function stripped(text) {
  if (PLAIN.test(text)) return text
  return text.replaceAll(/\P{Cs}+/gu, (part) => addon.ToolRouter.withoutHidden(part))
}

/**
 * What a server says about a tool, without hidden characters. Its name, and names of its parameters, stay: calls need them.
 *
 * @param {import('../catalogue/catalogue.mjs').Tool} tool as the server listed it
 * @returns {import('../catalogue/catalogue.mjs').Tool}
 */
export function withoutHidden(tool) {
  const written = JSON.stringify(tool)
  if (PLAIN.test(written) && !written.includes('\\u')) return tool
  let found = false
  const clean = (value) => {
    if (typeof value === 'string') {
      const text = stripped(value)
      found ||= text !== value
      return text
    }
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(clean)
    const made = {}
    for (const [key, each] of Object.entries(value))
      Object.defineProperty(made, key, { value: clean(each), enumerable: true, configurable: true, writable: true })
    return made
  }
  const { name, ...said } = tool
  const cleaned = clean(said)
  return found ? { ...(name !== undefined && { name }), ...cleaned } : tool
}
