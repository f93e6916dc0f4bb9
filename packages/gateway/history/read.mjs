// All sessions of a person's programs, one after the other. Files are read and never written, locked or moved.

import fs from 'node:fs'
import path from 'node:path'

import { invalid } from '../base/errors.mjs'
import { Problems, whyOf } from './problems.mjs'
import { here, PROGRAMS } from './programs.mjs'

/** Folders in each other that are looked into: `sessions/2026/01/31` has three. */
const MAX_DEPTH = 6
/** Names of folders that hold no transcript, and many files. */
const PASSED = new Set(['node_modules', 'log', 'snapshot', 'message', 'part', 'checkpoints', 'tool-results', 'memory'])

/** @typedef {{ program: string, folders: string[] }} Source */

/**
 * Whose transcripts are read, and where.
 *
 * @param {string[]} [from] programs, or `program=folder` for a copy that is elsewhere
 * @param {import('./programs.mjs').Where} [where]
 * @returns {Source[]}
 */
export function sourcesOf(from, where = here()) {
  return (from ?? Object.keys(PROGRAMS)).map((text) => {
    const [, name, folder] = /** @type {string[]} */ (/^([^=]*)(?:=(.*))?$/s.exec(text))
    const program = name.toLowerCase().replaceAll(/[ _]/g, '-')
    if (!Object.hasOwn(PROGRAMS, program)) throw invalid('--from', `one of ${Object.keys(PROGRAMS).join(', ')}`, name)
    if (folder === undefined) return { program, folders: PROGRAMS[program].folders(where) }
    if (!fs.existsSync(folder)) throw invalid('--from', 'a folder that is there behind =', folder)
    return { program, folders: [path.resolve(folder)] }
  })
}

/** Files under a folder, in the order of their names, which begin with a time. Links are not followed. */
function* filesIn(folder, depth = 0) {
  let entries
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return
  }
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const whole = path.join(folder, entry.name)
    if (entry.isFile()) yield { name: entry.name, file: whole }
    else if (entry.isDirectory() && depth < MAX_DEPTH && !PASSED.has(entry.name)) yield* filesIn(whole, depth + 1)
  }
}

/**
 * @typedef {object} Counted of the files that were found
 * @property {string} program
 * @property {string} form
 * @property {number} files
 * @property {number} bytes
 * @property {number} sessions
 */

export class History {
  problems = new Problems()
  /** @type {Map<string, Counted>} */
  #counted = new Map()
  #sources
  #since

  /** @param {Source[]} sources @param {{ since?: number }} [options] `since`: files that were written later, in milliseconds */
  constructor(sources, { since = 0 } = {}) {
    this.#sources = sources
    this.#since = since
  }

  /** @returns {Counted[]} what was read, by program and version */
  get counted() {
    return [...this.#counted.values()]
  }

  /** @returns {AsyncGenerator<import('./told.mjs').Session>} */
  async *sessions() {
    for (const { program, folders } of this.#sources) {
      const seen = new Set()
      for (const reader of PROGRAMS[program].readers)
        for (const folder of folders)
          for (const { name, file } of filesIn(folder))
            if (reader.files.test(name) && this.#isMeant(file)) yield* this.#read({ program, reader, file, seen })
    }
  }

  #isMeant(file) {
    return (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= this.#since
  }

  async *#read({ program, reader, file, seen }) {
    const counted = this.#count(program, reader.form)
    counted.files += 1
    counted.bytes += fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
    try {
      for await (const session of reader.read(file, { program, problems: this.problems, seen })) {
        counted.sessions += 1
        yield session
      }
    } catch (error) {
      this.problems.unread(program, file, whyOf(error))
    }
  }

  #count(program, form) {
    const key = `${program}\0${form}`
    const counted = this.#counted.get(key) ?? { program, form, files: 0, bytes: 0, sessions: 0 }
    this.#counted.set(key, counted)
    return counted
  }
}
