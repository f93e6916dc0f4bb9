// What the shield finds in skills: in what their entries say, and in the texts of their files. It is told like what it finds in
// tools. A file has to stay as it is, since clients compare its digest; so one with hidden characters is refused, not cleaned.

import { suspicions, warningLine } from '../catalogue/catalogue-lines.mjs'
import { plain } from '../base/errors.mjs'

/** Texts of one server whose findings are kept: those of all skills that are listed, and some files. */
const MAX_KEPT = 5_000
/** Characters of a skill's name in the log. */
const NAMED = 60
/** Levels of a frontmatter whose texts are read. */
const MAX_DEPTH = 20

/**
 * @typedef {import('../catalogue/skill-entry.mjs').Skill} Skill
 * @typedef {import('../catalogue/catalogue.mjs').Entry} Entry
 * @typedef {import('@zoo-code/tool-router/internal').Finding} Finding
 * @typedef {{ text: string, findings: Finding[] }} Looked
 */

export class SkillShield {
  #router
  #settings
  #log
  /** @type {WeakMap<Entry, Map<string, Looked>>} */
  #looked = new WeakMap()

  /**
   * @param {Pick<import('@zoo-code/tool-router/internal').ToolRouter, 'checkText'>} router
   * @param {{ hiddenCharacters: 'keep' | 'strip' | 'refuse' }} settings
   * @param {(line: string) => void} log
   */
  constructor(router, settings, log) {
    this.#router = router
    this.#settings = settings
    this.#log = log
  }

  /**
   * Reads what entries say, and tells of what is new.
   *
   * @param {Entry} entry of the server
   * @param {Skill[]} skills
   */
  async entries(entry, skills) {
    const warnings = []
    // One after the other: the router takes so many questions at a time, and others have some too.
    for (const skill of skills)
      warnings.push(...(await this.#look(entry, skill, skill.uri, textsOf(skill.frontmatter).join('\n\n'))).fresh)
    this.#tell(entry, warnings)
  }

  /**
   * Reads a file, and tells of what is new.
   *
   * @param {Entry} entry
   * @param {Skill} skill
   * @param {{ uri: string, text: string }} file
   * @returns {Promise<boolean>} whether it may be passed on
   */
  async file(entry, skill, { uri, text }) {
    const { findings, fresh } = await this.#look(entry, skill, `file ${uri}`, text.replace(/^\ufeff/, ''))
    this.#tell(entry, fresh)
    const { hiddenCharacters } = this.#settings
    const hidden = findings.filter(({ code }) => code === 'hidden-characters')
    if (hiddenCharacters === 'keep') return true
    // A few are left over from a copy; where they would be taken out of a tool, nothing is lost with them here.
    return !hidden.some(({ severity }) => hiddenCharacters === 'refuse' || severity === 'high')
  }

  /** @param {Entry} entry @param {Skill} skill @param {string} key @param {string} text */
  async #look(entry, skill, key, text) {
    const looked = this.#looked.get(entry) ?? new Map()
    this.#looked.set(entry, looked)
    const before = looked.get(key)
    if (before?.text === text) return { findings: before.findings, fresh: [] }
    // A gateway that closes reads no more.
    const findings = await this.#router.checkText(text.toWellFormed()).catch(() => [])
    looked.delete(key)
    looked.set(key, { text, findings })
    const [oldest = key] = looked.keys()
    if (looked.size > MAX_KEPT) looked.delete(oldest)
    const toolName = `skill ${plain(skill.frontmatter.name, NAMED)}`
    return { findings, fresh: suspicions(findings.map((finding) => ({ toolName, finding }))) }
  }

  /** @param {Entry} entry @param {{ toolName: string, code: string }[]} warnings */
  #tell({ definition }, warnings) {
    const line = warningLine(definition.name, warnings)
    if (line !== undefined) this.#log(line)
  }
}

/** All texts of a frontmatter, and the names of its keys. */
function textsOf(value, depth = 0) {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap((each) => textsOf(each, depth + 1))
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsOf(each, depth + 1)])
}
