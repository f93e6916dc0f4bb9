// Which tool a model called. Every program puts its own prefix before the names of a server's tools, and each replaces other
// characters, so names are compared by their words alone.

import { withoutSecretWords } from '../base/secret-words.mjs'

/** How programs write a server and a tool in one name. */
const FORMS = [
  /^mcp__(?<server>.+?)__(?<tool>.+)$/,
  /^mcp--(?<server>.+?)--(?<tool>.+)$/,
  /^[\w-]+?_(?<tool>mcp--.+?--.+)$/,
  // The server stands as a key that only the running program knows.
  /^[\w-]{4,12}?0mcp0(?<tool>.+)$/,
  /^(?<server>[a-z][\w-]*?)__(?<tool>.+)$/i,
]
/** What some programs put behind a name that they had to change. */
const SUFFIX = /_[\da-f]{8}$/

/** @param {string} name @returns {{ server?: string, tool: string } | undefined} none for a program's own tool */
export function partsOf(name) {
  const groups = FORMS.map((form) => form.exec(name)?.groups).find(Boolean)
  // A gateway's own name for a tool of a server stands behind that of the gateway.
  const inner = groups && /^mcp(--|__)/.test(groups.tool) ? partsOf(groups.tool) : undefined
  if (inner) return inner
  return groups && { ...(groups.server && { server: groups.server }), tool: groups.tool }
}

const wordsOf = (name) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_')

/** @typedef {{ serverName: string, toolName: string }} ToolId */

/** The tools that a person's servers have, found by whatever a program calls them. */
export class KnownNames {
  /** @type {Map<string, ToolId | null>} null where several tools have the words */
  #whole = new Map()
  /** @type {Map<string, ToolId | null>} by the tool's own name */
  #tools = new Map()

  /** @param {ToolId[]} tools */
  constructor(tools) {
    for (const id of tools) {
      const { serverName, toolName } = id
      this.#whole.set(wordsOf(`${serverName}_${toolName}`), id)
      const own = wordsOf(toolName)
      this.#tools.set(own, this.#tools.has(own) ? null : id)
    }
  }

  /**
   * @param {{ name: string, server?: string, tool?: string }} called
   * @returns {ToolId | undefined} none where no server has it
   */
  find({ name, server, tool }) {
    const parts = tool === undefined ? partsOf(name) : { server, tool }
    const texts = parts?.server === undefined ? [name] : [`${parts.server}_${parts.tool}`, name]
    for (const text of [...texts, ...texts.map((each) => each.replace(SUFFIX, ''))]) {
      const found = this.#whole.get(wordsOf(text))
      if (found) return found
    }
    // A server may have another name by now; a tool of one name in all of them is that tool.
    return (parts && this.#tools.get(wordsOf(parts.tool))) ?? undefined
  }
}

/** A part of a name that a person gave: a word that can be spoken, an abbreviation, a version. */
const WORD = /^((?=.*[aeiouy]|.{1,3}$)(?!.*[^aeiouy]{5})[A-Z]?[a-z]{2,}|[A-Z]{1,5}|[a-z]|[vV]?\d{1,4})$/

/** How a call of a tool that no server has is shown: a model may write anything there, what it read before too. */
export function shownName({ name, server, tool }) {
  const parts = tool === undefined ? partsOf(name) : { server, tool }
  const shown = parts?.server === undefined ? (parts?.tool ?? name) : `${parts.server}/${parts.tool}`
  const words = shown.replaceAll(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$2 ').split(/[^A-Za-z\d]+/)
  // What is drawn by chance falls into short parts.
  const short = words.filter((word) => word.length < 3).length
  const isSpoken =
    !/(^|[/_-])(sk|pk|rk|gh[opsur]|xox[a-z]|glpat|hf|npm)[-_]/.test(shown) &&
    words.every((word) => word === '' || WORD.test(word)) &&
    short <= words.length / 2
  return isSpoken ? shown : withoutSecretWords(shown)
}
