// SPDX-License-Identifier: Apache-2.0
//
// Skills that say something else than before, held like tools that do: told, or with `changedTools: 'withhold'` off until
// somebody approves. The first entry of a skill is accepted as it comes.

import { isSkillName, nameOfSkill } from '../approvals.mjs'
import { warningLine, withheldLine } from '../catalogue-lines.mjs'
import { plain } from '../errors.mjs'
import { StoreAway } from '../store/away.mjs'
import { keyOf } from './entry.mjs'

/** Characters of a skill's name in the log. */
const NAMED = 60
/** Skills of one server that are remembered: those that are listed and those that were asked for. */
const MAX_SEEN = 3_000

/**
 * @typedef {import('./entry.mjs').Skill} Skill
 * @typedef {import('../catalogue.mjs').Entry} Entry
 * @typedef {{ says: string, reason?: 'changed' | 'unchecked' }} Seen `reason`: why it is off
 */

export class SkillChanges {
  #approvals
  #settings
  #log
  /** @type {WeakMap<Entry, Map<string, Seen>>} by key of the address */
  #seen = new WeakMap()

  /**
   * @param {import('../approvals.mjs').Approvals} approvals
   * @param {{ changedTools: string }} settings
   * @param {(line: string) => void} log
   */
  constructor(approvals, settings, log) {
    this.#approvals = approvals
    this.#settings = settings
    this.#log = log
  }

  /**
   * Compares entries of a server with what they were.
   *
   * @param {Entry} entry
   * @param {Skill[]} skills
   */
  async look(entry, skills) {
    const isHeld = this.#settings.changedTools === 'withhold'
    const reasons = isHeld ? await this.#reasons(entry, skills) : new Map()
    const seen = this.#seen.get(entry) ?? new Map()
    this.#seen.set(entry, seen)
    const [before, now] = [new Map(), new Map()]
    /** @type {{ toolName: string, code: string }[]} */
    const warnings = []
    for (const skill of skills) {
      const key = keyOf(skill.uri)
      const [known, says] = [seen.get(key), JSON.stringify([skill.frontmatter, skill.resources])]
      const reason = reasons.get(nameOfSkill(skill.uri))
      const toolName = `skill ${plain(skill.frontmatter.name, NAMED)}`
      if (known?.reason) before.set(toolName, known.reason)
      if (reason) now.set(toolName, reason)
      if (!isHeld && known && known.says !== says) warnings.push({ toolName, code: 'definition-changed' })
      seen.delete(key)
      seen.set(key, { says, reason })
    }
    for (const key of [...seen.keys()].slice(0, Math.max(0, seen.size - MAX_SEEN))) seen.delete(key)
    const { name } = entry.definition
    const lines = [warningLine(name, warnings), withheldLine({ definition: { name }, withheld: before }, now, 'skills')]
    for (const line of lines) if (line !== undefined) this.#log(line)
  }

  /** Why skills of a server are off, by the names that approvals have for them. */
  async #reasons({ definition }, skills) {
    const said = skills.map(asTool)
    try {
      const names = await this.#approvals.changed(definition, said, isSkillName)
      return new Map([...names].map((name) => [name, 'changed']))
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error
      return new Map(this.#approvals.unknown(definition, said).map((name) => [name, 'unchecked']))
    }
  }

  /**
   * Why a skill is off; undefined when it is on. One that was off is looked at again: somebody may have approved it.
   *
   * @param {Entry} entry
   * @param {Skill} skill
   */
  async whyOff(entry, skill) {
    const key = keyOf(skill.uri)
    if (this.isOn(entry, skill)) return undefined
    await this.look(entry, [skill])
    return this.#seen.get(entry)?.get(key)?.reason
  }

  /** @param {Entry} entry @param {Skill} skill */
  isOn(entry, skill) {
    return this.#seen.get(entry)?.get(keyOf(skill.uri))?.reason === undefined
  }
}

/** A skill as approvals compare it: what its entry says, and the digests of its files. */
function asTool({ uri, frontmatter, resources }) {
  return {
    name: nameOfSkill(uri),
    description: frontmatter.description,
    inputSchema: frontmatter,
    annotations: resources,
  }
}
