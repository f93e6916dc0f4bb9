// What the shield finds in texts of servers that are no definitions of tools, by how severe a finding has to be to act.

import { hashOf } from '../store/definitions.mjs'

/** Severities of findings from which on something is off. */
export const SEVERITIES = { never: [], high: ['high'], medium: ['high', 'medium'] }
/** Characters that are looked at together: of a longer text the router reads the beginning alone. */
const PIECE = 200_000
/** What stands at the end of one piece begins the next, so that no sentence is cut in both. */
const SHARED = 2_000
/** Texts of which is known what is found in them. */
const MAX_KNOWN = 20_000

export class Shield {
  #router
  #settings
  /** Severities of what was found, by hash of the text. @type {Map<string, Set<string>>} */
  #known = new Map()

  /**
   * @param {Pick<import('@zoo-code/tool-router/internal').ToolRouter, 'checkText'>} router
   * @param {{ withholdTools?: string }} settings
   */
  constructor(router, settings) {
    this.#router = router
    this.#settings = settings
  }

  get #severities() {
    return SEVERITIES[this.#settings.withholdTools ?? 'never']
  }

  /** Whether anything is off by it. */
  get acts() {
    return this.#severities.length > 0
  }

  /** Whether what somebody would read of a value tries something that is severe enough. @param {unknown} value */
  async isSevere(value) {
    const text = this.acts ? textsIn(value).join('\n\n').toWellFormed() : ''
    if (text.trim() === '') return false
    const hash = hashOf(text)
    const found = this.#known.get(hash) ?? new Set()
    if (!this.#known.has(hash)) {
      for (let from = 0; from < text.length; from += PIECE - SHARED)
        for (const { severity } of await this.#router.checkText(text.slice(from, from + PIECE).toWellFormed()))
          found.add(severity)
      this.#known.set(hash, found)
      if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value ?? '')
    }
    return this.#severities.some((severity) => found.has(severity))
  }

  /**
   * Those of a list that try something. Of most lists none does, and one look says so.
   *
   * @template T
   * @param {T[]} all
   * @returns {Promise<Set<T>>}
   */
  async severeOf(all) {
    const severe = new Set()
    if (!(await this.isSevere(all))) return severe
    for (const each of all) if (await this.isSevere(each)) severe.add(each)
    return severe
  }
}

/** All texts of a value, names of its members among them, without recursion: a server chooses how deep it is. */
export function textsIn(value) {
  const texts = []
  let level = [value]
  while (level.length > 0) {
    for (const each of level) if (typeof each === 'string') texts.push(each)
    level = level.flatMap((each) => (each !== null && typeof each === 'object' ? partsOf(each) : []))
  }
  return texts
}

const partsOf = (value) => (Array.isArray(value) ? value : Object.entries(value).flat())
