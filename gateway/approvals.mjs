// SPDX-License-Identifier: Apache-2.0
//
// Definitions of tools as somebody has accepted them, on disk: with `changedTools: 'withhold'` a tool that says something
// else, now or after a restart, is off until it is approved. The first list of a server is accepted as it comes.

import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'

import { identityFile } from './list-cache.mjs'

/** Counts up when the form of the file changes. */
const VERSION = 1
/** Bytes of one file: 5,000 tools with the texts below. */
const MAX_BYTES = 32 * 1024 * 1024
/** Characters of a description that are kept, to show a person what has changed. */
const KEPT = 1_000
/** What a model reads of a tool, or a client decides by. */
const PARTS = ['title', 'description', 'inputSchema', 'annotations']

/**
 * @typedef {object} Seen a definition
 * @property {string} hash
 * @property {string} description the beginning of it
 */

export class Approvals {
  #folder

  /** @param {string} folder made when the first list is kept */
  constructor(folder) {
    this.#folder = folder
  }

  /**
   * Compares a list with what was accepted, and keeps what is new.
   *
   * @param {import('./config/server.mjs').ServerDefinition} definition of the server
   * @param {import('./catalogue.mjs').Tool[]} tools as it lists them
   * @returns {Promise<Set<string>>} names of tools that have changed
   */
  async changed(definition, tools) {
    const before = await this.#read(definition)
    const accepted = new Map(before.accepted)
    const changed = new Map()
    for (const tool of tools) {
      if (typeof tool?.name !== 'string') continue
      const seen = seenOf(tool)
      const known = accepted.get(tool.name)
      if (known === undefined) accepted.set(tool.name, seen)
      else if (known.hash !== seen.hash) changed.set(tool.name, seen)
    }
    await this.#write(definition, { accepted, changed }, before)
    return new Set(changed.keys())
  }

  /** Tools of a server that wait, each with the beginnings of its descriptions. */
  async waiting(definition) {
    const { accepted, changed } = await this.#read(definition)
    return [...changed].map(([tool, is]) => ({ tool, was: accepted.get(tool)?.description ?? '', is: is.description }))
  }

  /** Accepts what has changed. @param {string} [only] one tool's name @returns {Promise<string[]>} names */
  async approve(definition, only) {
    const before = await this.#read(definition)
    const { accepted, changed } = before
    const names = [...changed.keys()].filter((name) => only === undefined || name === only)
    const left = new Map(changed)
    const now = new Map(accepted)
    for (const name of names) {
      now.set(name, changed.get(name))
      left.delete(name)
    }
    await this.#write(definition, { accepted: now, changed: left }, before)
    return names
  }

  /** Changes with each approval. */
  async stamp(definition) {
    return fs.stat(this.#file(definition)).then(
      ({ mtimeMs, ino }) => `${mtimeMs} ${ino}`,
      () => '',
    )
  }

  #file(definition) {
    return identityFile(this.#folder, definition)
  }

  /** A damaged file is as good as none: the next list is accepted as it comes. */
  async #read(definition) {
    try {
      const file = this.#file(definition)
      const stat = await fs.lstat(file)
      if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error('no file of ours')
      const { version, accepted, changed } = JSON.parse(await fs.readFile(file, 'utf8'))
      if (version !== VERSION) throw new Error('of another version')
      return { accepted: new Map(accepted), changed: new Map(changed) }
    } catch {
      return { accepted: new Map(), changed: new Map() }
    }
  }

  /** Writes beside the file and renames, so that another process never reads half of it. */
  async #write(definition, { accepted, changed }, before) {
    const text = (of) => JSON.stringify({ version: VERSION, accepted: [...of.accepted], changed: [...of.changed] })
    if (text({ accepted, changed }) === text(before)) return
    const file = this.#file(definition)
    const draft = `${file}.${randomUUID()}`
    await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await fs.writeFile(draft, text({ accepted, changed }), { mode: 0o600, flag: 'wx' })
    await fs.rename(draft, file)
  }
}

/** @returns {Seen} */
function seenOf(tool) {
  const said = PARTS.map((part) => tool[part] ?? null)
  const description = typeof tool.description === 'string' ? tool.description.slice(0, KEPT) : ''
  return { hash: createHash('sha256').update(JSON.stringify(said)).digest('base64url'), description }
}
