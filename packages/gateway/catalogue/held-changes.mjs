// Skills and prompts that say something else than before, held like tools that do: told, or with `changedTools: 'withhold'` off
// until somebody approves. The first entry of each is accepted as it comes.

import { isPromptName, isSkillName, nameOfPrompt, nameOfSkill } from '../store/approvals.mjs'
import { warningLine, withheldLine } from './catalogue-lines.mjs'
import { textOf } from '../store/definitions.mjs'
import { plain } from '../base/errors.mjs'
import { keyOf } from './skill-entry.mjs'
import { StoreAway } from '../store/away.mjs'

/** Characters of a name in the log. */
const NAMED = 60
/** Of one server that are remembered: those that are listed and those that were asked for. */
const MAX_SEEN = 3_000

/**
 * What is held: how the log calls one, by what it is remembered, and what of it is compared, under the name that approvals
 * have for it.
 *
 * @typedef {{ word: string, isName: (name: string) => boolean, called: (held: any) => unknown, keyOf: (held: any) => string,
 * listed: (held: any) => import('../store/definitions.mjs').Listed }} Kind
 */

/** @type {Kind} a skill: what its entry says, and the digests of its files */
export const HELD_SKILLS = {
  word: 'skill',
  isName: isSkillName,
  called: ({ frontmatter }) => frontmatter.name,
  keyOf: ({ uri }) => keyOf(uri),
  listed: ({ uri, frontmatter, resources }) => ({
    name: nameOfSkill(uri),
    description: frontmatter.description,
    inputSchema: frontmatter,
    annotations: resources,
  }),
}

/** @type {Kind} a prompt: what its entry says. What it expands to is written again each time */
export const HELD_PROMPTS = {
  word: 'prompt',
  isName: isPromptName,
  called: ({ name }) => name,
  keyOf: ({ name }) => name,
  listed: (prompt) => ({ ...prompt, name: nameOfPrompt(prompt.name) }),
}

/**
 * @typedef {import('./catalogue.mjs').Entry} Entry
 * @typedef {{ says: string, reason?: 'changed' | 'unchecked' }} Seen `reason`: why it is off
 */

export class HeldChanges {
  #kind
  #approvals
  #settings
  #log
  /** @type {WeakMap<Entry, Map<string, Seen>>} by key of the address */
  #seen = new WeakMap()

  /**
   * @param {Kind} kind
   * @param {import('../store/approvals.mjs').Approvals} approvals
   * @param {{ changedTools: string }} settings
   * @param {(line: string) => void} log
   */
  constructor(kind, approvals, settings, log) {
    this.#kind = kind
    this.#approvals = approvals
    this.#settings = settings
    this.#log = log
  }

  /**
   * Compares entries of a server with what they were.
   *
   * @param {Entry} entry
   * @param {any[]} all
   */
  async look(entry, all) {
    const { word, called, keyOf: keyed, listed } = this.#kind
    const isHeld = this.#settings.changedTools === 'withhold'
    const reasons = isHeld ? await this.#reasons(entry, all) : new Map()
    const seen = this.#seen.get(entry) ?? new Map()
    this.#seen.set(entry, seen)
    const [before, now] = [new Map(), new Map()]
    /** @type {{ toolName: string, code: string }[]} */
    const warnings = []
    for (const each of all) {
      const said = listed(each)
      const [known, says] = [seen.get(keyed(each)), textOf(said)]
      const reason = reasons.get(said.name)
      const toolName = `${word} ${plain(called(each), NAMED)}`
      if (known?.reason) before.set(toolName, known.reason)
      if (reason) now.set(toolName, reason)
      if (!isHeld && known && known.says !== says) warnings.push({ toolName, code: 'definition-changed' })
      seen.delete(keyed(each))
      seen.set(keyed(each), { says, reason })
    }
    for (const key of [...seen.keys()].slice(0, Math.max(0, seen.size - MAX_SEEN))) seen.delete(key)
    const { name } = entry.definition
    const withheld = withheldLine({ definition: { name }, withheld: before }, now, `${word}s`)
    for (const line of [warningLine(name, warnings), withheld]) if (line !== undefined) this.#log(line)
  }

  /** Why entries of a server are off, by the names that approvals have for them. */
  async #reasons({ definition }, all) {
    const said = all.map((each) => this.#kind.listed(each))
    try {
      const names = await this.#approvals.changed(definition, said, this.#kind.isName)
      return new Map([...names].map((name) => [name, 'changed']))
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error
      return new Map(this.#approvals.unknown(definition, said).map((name) => [name, 'unchecked']))
    }
  }

  /**
   * Why one is off; undefined when it is on. One that was off is looked at again: somebody may have approved it.
   *
   * @param {Entry} entry
   * @param {any} held
   */
  async whyOff(entry, held) {
    if (this.isOn(entry, held)) return undefined
    await this.look(entry, [held])
    return this.#seen.get(entry)?.get(this.#kind.keyOf(held))?.reason
  }

  /** @param {Entry} entry @param {any} held */
  isOn(entry, held) {
    return this.#seen.get(entry)?.get(this.#kind.keyOf(held))?.reason === undefined
  }
}
