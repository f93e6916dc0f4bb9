// Skills of all servers (the extension `io.modelcontextprotocol/skills`): whose they are, and whether their files are what
// the servers say about them. Of two servers with one address the first has it, as with resources. The shield reads them, and
// one that changes is held, as with tools.

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

import { Approvals, nameOfSkill } from '../store/approvals.mjs'
import { HeldChanges, HELD_SKILLS } from '../catalogue/held-changes.mjs'
import { plain } from '../base/errors.mjs'
import { SKILLS } from '../base/extensions.mjs'
import { send } from '../calls/rounds.mjs'
import { differenceOf } from './check.mjs'
import { folderOf, isBelow, isSkill, keyOf } from '../catalogue/skill-entry.mjs'
import { SkillShield } from './shield.mjs'

/** Skills of all servers that are listed, and of one server that were asked for by address. */
const MAX_LISTED = 2_000
const MAX_ASKED = 1_000

/**
 * @typedef {import('../catalogue/skill-entry.mjs').Skill} Skill
 * @typedef {import('../catalogue/catalogue.mjs').Entry} Entry
 * @typedef {import('../calls/caller.mjs').Caller} Caller
 *
 * @typedef {object} OfServer what a server has said about its skills
 * @property {boolean} isRead whether its list is known
 * @property {Map<string, Skill>} listed by key of the address
 * @property {Map<string, Skill>} asked that it gave when they were asked for
 * @property {Map<string, import('./check.mjs').Known>} files by key of the address
 * @property {number} malformed entries that were left out
 * @property {number} ttlMs for how long the list is said to be fresh
 * @property {string} told what the log was told last
 */

export class Skills {
  #catalogue
  #settings
  #log
  #shield
  #changes
  /** @type {WeakMap<Entry, OfServer>} */
  #known = new WeakMap()

  /** @param {Pick<import('../gateway/gateway.mjs').Gateway, 'catalogue' | 'config' | 'log' | 'router' | 'store'>} gateway */
  constructor({ catalogue, config: { settings }, log, router, store }) {
    this.#catalogue = catalogue
    this.#settings = settings
    this.#log = log
    this.#shield = new SkillShield(router, settings, log)
    this.#changes = new HeldChanges(HELD_SKILLS, new Approvals(store), settings, log)
    catalogue.on('ready', (name) => {
      const entry = catalogue.entries.get(name)
      if (entry) this.#of(entry).isRead = false
    })
  }

  /** @returns {Entry[]} servers that run and have skills, in order */
  get #servers() {
    return [...this.#catalogue.entries.values()].filter(
      ({ downstream }) => downstream.state === 'ready' && skillsOf(downstream) !== undefined,
    )
  }

  /** @param {Entry} entry @returns {OfServer} */
  #of(entry) {
    const found = this.#known.get(entry)
    if (found) return found
    const nothing = { isRead: false, malformed: 0, ttlMs: 0, told: '' }
    const made = { ...nothing, listed: new Map(), asked: new Map(), files: new Map() }
    this.#known.set(entry, made)
    return made
  }

  /** Reads the lists that are not known yet, so that it is known whose an address is. */
  async known() {
    await Promise.all(this.#servers.filter((entry) => !this.#of(entry).isRead).map((entry) => this.#read(entry)))
  }

  /** @param {Entry} entry */
  async #read(entry) {
    const pages = await entry.downstream.pages('skills/list', 'skills', (_, extensions) => extensions[SKILLS])
    // What cannot be read now stays as it was, and is asked for again.
    if (pages === undefined) return
    const of = this.#of(entry)
    const usable = pages.entries.filter((skill) => isSkill(skill, this.#settings.hiddenCharacters))
    of.isRead = true
    of.malformed = pages.entries.length - usable.length
    of.ttlMs = pages.ttlMs ?? 0
    of.listed = new Map()
    // The first of an address counts.
    for (const skill of usable) if (!of.listed.has(keyOf(skill.uri))) of.listed.set(keyOf(skill.uri), skill)
    note(of)
    await this.#look(entry, [...of.listed.values()])
  }

  /** @param {Entry} entry @param {Skill[]} skills */
  async #look(entry, skills) {
    await this.#changes.look(entry, skills)
    await this.#shield.entries(entry, skills)
  }

  /**
   * An answer to `skills/list`: skills of all servers that run, in their order.
   *
   * @param {(uri: string) => Entry | undefined} ownerOf whose an address is, of a resource or of a file of a skill
   */
  async list(ownerOf) {
    await this.#catalogue.caughtUp(this.#catalogue.patienceMs)
    const starting = await this.#catalogue.answered(this.#catalogue.patienceMs)
    const servers = this.#servers
    await Promise.all(servers.map((entry) => this.#read(entry)))
    const skills = []
    for (const entry of servers) {
      const of = this.#of(entry)
      const own = [...of.listed.values()].filter((skill) => isOwn(skill, entry, ownerOf))
      const shown = own.filter((skill) => this.#changes.isOn(entry, skill)).slice(0, MAX_LISTED - skills.length)
      skills.push(...shown)
      const tooMany = own.filter((skill) => this.#changes.isOn(entry, skill)).length - shown.length
      this.#tell(entry, of.malformed, of.listed.size - own.length, tooMany)
    }
    const ttlMs = starting.length > 0 ? 0 : Math.min(...servers.map((entry) => this.#of(entry).ttlMs))
    return { skills, ttlMs: Number.isFinite(ttlMs) ? ttlMs : 0, cacheScope: 'private' }
  }

  /** Tells of skills that are left out, once for as long as they are. */
  #tell(entry, malformed, taken, tooMany) {
    const why = [
      malformed > 0 && `${malformed} cannot be used`,
      taken > 0 && `${taken} have addresses of another server`,
      tooMany > 0 && `${tooMany} are more than the ${MAX_LISTED} that are listed`,
    ].filter(Boolean)
    const line = why.join(', ')
    const of = this.#of(entry)
    if (line !== of.told && line !== '') this.#log(`server ${entry.definition.name}: skills are left out: ${line}`)
    of.told = line
  }

  /**
   * The server that has a file of a skill, or the whole folder of a skill about whose files nothing is said.
   *
   * @param {string} uri
   * @returns {Entry | undefined}
   */
  ownerOf(uri) {
    const key = keyOf(uri)
    return this.#first(({ files, listed, asked }) => {
      if (files.has(key)) return true
      const dynamic = [...listed.values(), ...asked.values()].filter(({ resources }) => resources === 'dynamic')
      return dynamic.some((skill) => isBelow(folderOf(skill.uri) ?? '', key))
    })
  }

  /** @param {(of: OfServer) => boolean} has */
  #first(has) {
    return [...this.#catalogue.entries.values()].find((entry) => has(this.#of(entry)))
  }

  /**
   * An answer to `skills/get`, also for a skill that is not listed.
   *
   * @param {{ uri: string }} params
   * @param {Caller} caller
   * @param {(uri: string) => Entry | undefined} ownerOf see {@link Skills.list}
   */
  async get(params, caller, ownerOf) {
    await this.known()
    const key = keyOf(params.uri)
    const owner = this.#first(({ listed, asked }) => listed.has(key) || asked.has(key))
    for (const entry of owner ? [owner] : this.#servers) {
      const result = await this.#ask(entry, params, caller, owner !== undefined)
      if (result === undefined || result.resultType === 'input_required') {
        if (result) return result
        continue
      }
      const { skill } = result
      if (!isSkill(skill, this.#settings.hiddenCharacters) || keyOf(skill.uri) !== key)
        throw refused(entry, params.uri, 'entry', 'a complete entry of this address', 'another one')
      this.#of(entry).asked.delete(key)
      this.#keep(entry, skill)
      if (!isOwn(skill, entry, ownerOf))
        throw refused(entry, params.uri, 'owner', 'files that no other server has', 'one that another server has')
      await this.#look(entry, [skill])
      await this.#assertOn(entry, skill)
      return { ...result, cacheScope: 'private', ttlMs: result.ttlMs ?? 0 }
    }
    const message = `no server that runs has the skill ${plain(params.uri, 200)}; skills/list names those that are listed`
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri: params.uri })
  }

  /** @throws {ProtocolError} for a skill that is off, since it says something else than somebody has accepted */
  async #assertOn(entry, skill) {
    const why = await this.#changes.whyOff(entry, skill)
    if (why === undefined) return
    const next = `It is off until the user runs: npx @zoo-code/tool-router-gateway approve ${entry.definition.name}/${nameOfSkill(skill.uri)}`
    throw refused(entry, skill.uri, why, 'the skill that was accepted', OFF[why], next)
  }

  /** What a server answers about a skill; undefined when it does not have it and others may. */
  async #ask(entry, params, caller, isOwner) {
    try {
      return await send(entry.downstream, 'skills/get', params, caller)
    } catch (error) {
      if (isOwner || caller.signal?.aborted) throw error
      return undefined
    }
  }

  /** @param {Entry} entry @param {Skill} skill */
  #keep(entry, skill) {
    const of = this.#of(entry)
    const key = keyOf(skill.uri)
    if (of.listed.has(key)) of.listed.set(key, skill)
    else of.asked.set(key, skill)
    const [oldest = key] = of.asked.keys()
    if (of.asked.size > MAX_ASKED) of.asked.delete(oldest)
    note(of)
  }

  /**
   * The server that lists a folder: of a skill, or one that skills are in.
   *
   * @param {string} uri
   * @returns {Promise<Entry | undefined>}
   */
  async directoryOwner(uri) {
    await this.known()
    const key = keyOf(uri).replace(/\/+$/, '')
    const isOf = (folder) => folder === key || isBelow(folder, key)
    const owner = this.#first((of) => foldersOf(of).some(isOf))
    const reading = this.#servers.filter(({ downstream }) => skillsOf(downstream).directoryRead === true)
    if (owner) return reading.find((entry) => entry === owner)
    const above = reading.find((entry) => foldersOf(this.#of(entry)).some((folder) => folder.startsWith(`${key}/`)))
    return above ?? (reading.length === 1 ? reading[0] : undefined)
  }

  /**
   * Compares what a server answered to `resources/read` with its entries. One that differs is asked for again: the skill
   * may have changed since.
   *
   * @param {Entry} entry
   * @param {string} uri
   * @param {any} result
   * @param {Caller} caller
   * @throws {ProtocolError} for content that is not to be passed on
   */
  async check(entry, uri, { contents }, caller) {
    if (!Array.isArray(contents)) return
    const of = this.#of(entry)
    const look = () => differenceOf(uri, contents, (key) => of.files.get(key))
    const first = look()
    if (first === undefined) return this.#readFiles(entry, contents)
    const answer = await this.#ask(entry, { uri: first.skill.uri }, caller, false)
    const isSame =
      isSkill(answer?.skill, this.#settings.hiddenCharacters) && keyOf(answer.skill.uri) === keyOf(first.skill.uri)
    if (isSame) {
      this.#keep(entry, answer.skill)
      await this.#look(entry, [answer.skill])
    }
    const difference = look()
    if (difference === undefined) return this.#readFiles(entry, contents)
    this.#log(`server ${entry.definition.name}: a file of a skill was refused: ${difference.reason}`)
    throw refused(entry, difference.uri, difference.reason, difference.expected, difference.got)
  }

  /** Has the shield read files of skills. @param {Entry} entry @param {any[]} contents */
  async #readFiles(entry, contents) {
    for (const content of contents.filter((each) => typeof each?.uri === 'string')) {
      const skill = this.#skillOf(entry, content.uri)
      if (!skill) continue
      await this.#assertOn(entry, skill)
      if (typeof content.text !== 'string' || (await this.#shield.file(entry, skill, content))) continue
      this.#log(`server ${entry.definition.name}: a file of a skill was refused: hidden-characters`)
      const next = 'Do not use the skill until its server is mended'
      throw refused(
        entry,
        content.uri,
        'hidden-characters',
        'what a person can see',
        'characters that nobody sees',
        next,
      )
    }
  }

  /** The skill that a file belongs to. @param {Entry} entry @param {string} uri @returns {Skill | undefined} */
  #skillOf(entry, uri) {
    const { files, listed, asked } = this.#of(entry)
    const key = keyOf(uri)
    const isIn = ({ uri: own, resources }) => resources === 'dynamic' && isBelow(folderOf(own) ?? '', key)
    return files.get(key)?.skill ?? [...listed.values(), ...asked.values()].find(isIn)
  }
}

const OFF = {
  changed: 'another one',
  unchecked: 'one that cannot be looked up now, since the database is out of reach',
}

/** What a server declares about its skills. */
function skillsOf({ capabilities }) {
  const declared = capabilities?.extensions?.[SKILLS]
  return declared !== null && typeof declared === 'object' ? declared : undefined
}

/** Folders of the skills of a server. */
function foldersOf({ listed, asked }) {
  return [...listed.values(), ...asked.values()].map(({ uri }) => folderOf(uri) ?? '')
}

/** Notes the files of all skills of a server. Of two entries with one file the first counts, and listed ones come first. */
function note(of) {
  of.files = new Map()
  for (const skill of [...of.listed.values(), ...of.asked.values()]) {
    const files = skill.resources === 'dynamic' ? [] : skill.resources
    const known = [...files.map((file) => [keyOf(file.uri), { skill, file }]), [keyOf(skill.uri), { skill }]]
    for (const [key, each] of known) if (!of.files.has(key)) of.files.set(key, each)
  }
}

/** Whether all files of a skill belong to its server. */
function isOwn({ uri, resources }, entry, ownerOf) {
  const files = resources === 'dynamic' ? [{ uri }] : resources
  return files.every((file) => [undefined, entry].includes(ownerOf(file.uri)))
}

const AGAIN =
  'Ask for its entry again (skills/get); if it still differs, do not use the skill until its server is mended'

function refused({ definition: { name } }, uri, reason, expected, got, next = AGAIN) {
  const data = { code: 'ERR_SKILL_REFUSED', server: name, uri, reason, expected, got }
  const message =
    `ERR_SKILL_REFUSED: ${plain(uri, 200)} of server ${name} is not passed on (${reason}): expected ${expected}, got ${got}. ` +
    next
  return new ProtocolError(ProtocolErrorCode.InternalError, message, data)
}
