// What models looked for and called, for the page to play again with other settings. It is kept only where the user names a
// folder for it, in files for that user alone: a file per session. Arguments and results of servers' tools are in none.

import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import { ownFiles, readOwn } from '../base/own-files.mjs'
import { replaceFile } from '../base/replace-file.mjs'

/** Counts up when the form of the files changes. */
const VERSION = 1
/** Sessions that are kept, and for how long after their last step; steps of one, and bytes of a need. */
const MOST_SESSIONS = 200
const KEPT_DAYS = 30
const MOST_STEPS = 200
const MOST_NEED = 4_096
/** Bytes of a file: all steps fit. */
const MOST_BYTES = MOST_STEPS * 2 * MOST_NEED
/** How long a step waits to be written with others. */
const GATHER_MS = 500
const DAY_MS = 86_400_000
/** Names that are written here; a draft of one may have been left behind. */
const FILE = /^[\da-f-]{36}\.json(\.[\da-f-]{36})?$/
/** Meta tools by which a model comes to tools; what it says to others is not kept. */
const ASKED_BY = ['mcp_load', 'search_mcps', 'select_mode', 'manage_modules']

/**
 * @typedef {{ ask: string, args: object } | { server: string, tool: string }} Step a search, or a call of a server's tool
 * @typedef {{ file: string, steps: Step[] }} Recorded a session
 */

export class Recorder {
  #folder
  /** @type {WeakMap<object, Recorded>} */
  #sessions = new WeakMap()
  /** @type {Set<Recorded>} */
  #waiting = new Set()
  /** @type {Promise<unknown>} */
  #writing = Promise.resolve()

  /**
   * @param {string} folder made when something is kept
   * @param {string} [profile] that is served, if one is: others are not read
   */
  constructor(folder, profile) {
    const name = createHash('sha256').update(JSON.stringify(profile ?? null))
    this.#folder = path.join(folder, name.digest('hex').slice(0, 16))
  }

  /** A model looks for tools. @param {object} session @param {string} ask @param {unknown} args as the client sent them */
  asked(session, ask, args) {
    if (!ASKED_BY.includes(ask) || Buffer.byteLength(JSON.stringify(args ?? null)) > MOST_NEED) return
    this.#add(session, { ask, args: /** @type {object} */ (args) })
  }

  /** A tool of a server is called. @param {object} session @param {{ server: string, tool: string }} called */
  called(session, { server, tool }) {
    this.#add(session, { server, tool })
  }

  #add(session, step) {
    const kept = this.#sessions.get(session) ?? { file: path.join(this.#folder, `${randomUUID()}.json`), steps: [] }
    this.#sessions.set(session, kept)
    if (kept.steps.length >= MOST_STEPS) return
    kept.steps.push(step)
    if (this.#waiting.has(kept)) return
    this.#waiting.add(kept)
    setTimeout(() => void this.flush(), GATHER_MS).unref()
  }

  /** Writes what waits. What cannot be written is lost: it is worth no error. */
  flush() {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    this.#writing = this.#writing.then(() => this.#write(waiting)).catch(() => {})
    return this.#writing
  }

  async #write(waiting) {
    for (const { file, steps } of waiting) await replaceFile(file, { version: VERSION, steps })
    const isOld = ({ at }, place) => place >= MOST_SESSIONS || at < Date.now() - KEPT_DAYS * DAY_MS
    for (const { file } of (await this.#files()).filter(isOld)) await fs.rm(file, { force: true })
  }

  /** The latest first. */
  #files() {
    return ownFiles(this.#folder, FILE)
  }

  /** How many sessions are kept. */
  async count() {
    await this.flush()
    return (await this.#files()).length
  }

  /**
   * Steps of the latest sessions, the latest first. What is damaged or foreign is none.
   *
   * @param {number} most
   * @returns {Promise<Step[][]>}
   */
  async latest(most) {
    await this.flush()
    const files = (await this.#files()).slice(0, most)
    return (await Promise.all(files.map(read))).filter((steps) => steps !== undefined)
  }
}

/** @returns {Promise<Step[] | undefined>} */
async function read({ file }) {
  try {
    const { version, steps } = JSON.parse(await readOwn(file, MOST_BYTES))
    const isWhole = version === VERSION && Array.isArray(steps) && steps.length <= MOST_STEPS && steps.every(isStep)
    return isWhole ? steps : undefined
  } catch {
    return undefined
  }
}

function isStep(step) {
  const { ask, server, tool } = step ?? {}
  if (ask !== undefined) return ASKED_BY.includes(ask)
  return [server, tool].every((each) => typeof each === 'string')
}
