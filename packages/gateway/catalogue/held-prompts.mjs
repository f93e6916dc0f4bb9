// Prompts that say something else than before, held like tools that do: told, or with `changedTools: 'withhold'` off until
// somebody approves. The first entry of each is accepted as it comes. What a prompt expands to is written again each time.

import { isPromptName, nameOfPrompt } from '../store/approvals.mjs'
import { warningLine, withheldLine } from './catalogue-lines.mjs'
import { textOf } from '../store/definitions.mjs'
import { plain } from '../base/errors.mjs'
import { StoreAway } from '../store/away.mjs'
import { comes, isCompared, reasonsOf } from './withheld.mjs'

/** Characters of a name in the log. */
const NAMED = 60
/** Of one server that are remembered. */
const MAX_SEEN = 3_000

/**
 * @typedef {import('./catalogue.mjs').Entry} Entry
 * @typedef {{ name: string }} Prompt
 * @typedef {{ says: string, reason?: 'changed' | 'new' | 'suspicious' | 'unchecked' }} Seen `reason`: why it is off
 */

/** What of a prompt is compared, under the name that approvals have for it. @param {Prompt} prompt */
const listed = (prompt) => ({ ...prompt, name: nameOfPrompt(prompt.name) })

export class HeldPrompts {
  #approvals
  #settings
  #log
  #shield
  /** @type {WeakMap<Entry, Map<string, Seen>>} by name */
  #seen = new WeakMap()

  /**
   * @param {import('../store/approvals.mjs').Approvals} approvals
   * @param {{ changedTools: string, newTools: string }} settings
   * @param {(line: string) => void} log
   * @param {import('./shield.mjs').Shield} shield by which one is off from its first entry on
   */
  constructor(approvals, settings, log, shield) {
    this.#approvals = approvals
    this.#settings = settings
    this.#log = log
    this.#shield = shield
  }

  /** Compares prompts of a server with what they were. @param {Entry} entry @param {Prompt[]} prompts */
  async look(entry, prompts) {
    const isHeld = this.#settings.changedTools === 'withhold'
    const reasons = await this.#reasons(entry, prompts)
    const seen = this.#seen.get(entry) ?? new Map()
    this.#seen.set(entry, seen)
    const [before, now] = [new Map(), new Map()]
    /** @type {{ toolName: string, code: string }[]} */
    const warnings = []
    for (const prompt of prompts) {
      const said = listed(prompt)
      const [known, says] = [seen.get(prompt.name), textOf(said)]
      const reason = reasons.get(said.name)
      const toolName = `prompt ${plain(prompt.name, NAMED)}`
      if (known?.reason) before.set(toolName, known.reason)
      if (reason) now.set(toolName, reason)
      if (!isHeld && known && known.says !== says) warnings.push({ toolName, code: 'definition-changed' })
      seen.delete(prompt.name)
      seen.set(prompt.name, { says, reason })
    }
    for (const key of [...seen.keys()].slice(0, Math.max(0, seen.size - MAX_SEEN))) seen.delete(key)
    const { name } = entry.definition
    const withheld = withheldLine({ definition: entry.definition, withheld: before }, now, 'prompts')
    for (const line of [warningLine(name, warnings), withheld]) if (line !== undefined) this.#log(line)
  }

  /** Why prompts of a server are off, by the names that approvals have for them. */
  async #reasons({ definition }, prompts) {
    const all = prompts.map(listed)
    const severe = await this.#shield.severeOf(all)
    const said = isCompared(this.#settings) ? all : all.filter((each) => severe.has(each))
    if (said.length === 0) return new Map()
    const suspicious = new Set([...severe].map(({ name }) => name))
    try {
      const mayCome = comes(this.#settings, suspicious)
      const names = await this.#approvals.changed(definition, said, isPromptName, false, mayCome)
      return new Map(reasonsOf(this.#approvals, definition, names, suspicious, this.#settings))
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error
      return new Map(this.#approvals.unknown(definition, said).map((name) => [name, 'unchecked']))
    }
  }

  /** @param {Entry} entry @param {Prompt} prompt */
  isOn(entry, prompt) {
    return this.whyOff(entry, prompt) === undefined
  }

  /** @param {Entry} entry @param {Prompt} prompt */
  whyOff(entry, prompt) {
    return this.#seen.get(entry)?.get(prompt.name)?.reason
  }
}
