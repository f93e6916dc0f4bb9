// A store in files of the user, for the user alone. A damaged or foreign file is as good as none: it costs a start, never an
// error.

import fs from 'node:fs/promises'
import path from 'node:path'

import { parse } from '@zoo-code/tool-router/exact-json'

import { plain } from '../base/errors.mjs'
import { passedExtensions } from '../base/extensions.mjs'
import { NotKept } from './away.mjs'
import { FileCalls } from './file-calls.mjs'
import { identityOf } from './identity.mjs'
import { isPassing, readOwn } from '../base/own-files.mjs'
import { replaceFile } from '../base/replace-file.mjs'

/** Counts up when the form of the files changes. */
const VERSION = 1
/** Bytes of a file with a list: 5,000 tools with large schemas fit. */
const MAX_LIST_BYTES = 64 * 1024 * 1024
/** Bytes of a file with approvals: all that is kept of a server's definitions, each character written as six. */
const MAX_APPROVAL_BYTES = 64 * 1024 * 1024
/** Characters of a folder's name that are shown. */
const MAX_SHOWN = 300
/** How often it is looked whether somebody has approved. */
const LOOK_MS = 1_000

/** @typedef {import('./store.mjs').Store} Store @implements {Store} */
export class FileStore {
  isShared = false
  /** Tokens of profiles are the keys then, in the configuration. */
  keys = undefined
  /** @type {FileCalls | undefined} */
  calls
  /** What a session has loaded ends with the gateway. */
  loaded = undefined
  /** What it would offer stands in the configuration. */
  away = undefined
  #lists
  #approvals
  /** Approvals that could not be written, by file. @type {Map<string, import('./store.mjs').Approved>} */
  #unkept = new Map()

  /**
   * @param {{ listDir?: string, approvalDir: string, auditDir?: string }} settings folders that are made when something is kept; without `listDir` no list is
   * @param {string} [profile] that is served, if one is
   * @param {(line: string) => void} [log]
   */
  constructor(settings, profile, log) {
    const { listDir, approvalDir, auditDir } = settings
    /** @type {Store['of']} */
    this.of = ({ profile: its }) =>
      Object.assign(new FileStore(settings, its, log), {
        // One writes them.
        readApprovals: (definition) => this.readApprovals(definition),
        changeApprovals: (definition, change) => this.changeApprovals(definition, change),
      })
    this.#lists = listDir
    this.#approvals = approvalDir
    if (auditDir !== undefined) this.calls = new FileCalls(auditDir, profile, log)
  }

  /** @param {import('./store.mjs').ServerDefinition} definition */
  async readList(definition) {
    if (this.#lists === undefined) return undefined
    try {
      const file = fileOf(this.#lists, definition)
      const { version, tools, instructions, extensions } = parse(await readOwn(file, MAX_LIST_BYTES))
      if (version !== VERSION || !Array.isArray(tools)) return undefined
      const passed = passedExtensions(extensions)
      const isSaid = typeof instructions === 'string'
      return { tools, instructions: isSaid ? instructions : undefined, ...(passed && { extensions: passed }) }
    } catch {
      return undefined
    }
  }

  /** @param {import('./store.mjs').ServerDefinition} definition @param {import('./store.mjs').ServerList} list */
  async writeList(definition, { tools, instructions, extensions }) {
    if (this.#lists === undefined) return
    const kept = { version: VERSION, tools, instructions, extensions }
    await replaceFile(fileOf(this.#lists, definition), kept).catch(() => {})
  }

  /**
   * @param {import('./store.mjs').ServerDefinition} definition
   * @returns {Promise<import('./store.mjs').Approved>}
   * @throws {Error} when the file cannot be read now
   */
  async readApprovals(definition) {
    const file = fileOf(this.#approvals, definition)
    const unkept = this.#unkept.get(file)
    if (unkept) return unkept
    try {
      const { version, accepted, changed } = JSON.parse(await readOwn(file, MAX_APPROVAL_BYTES))
      if (version !== VERSION) throw new Error('of another version')
      return { accepted: new Map(accepted), changed: new Map(changed) }
    } catch (error) {
      if (isPassing(error)) throw error
      return { accepted: new Map(), changed: new Map() }
    }
  }

  /**
   * @template R
   * @param {import('./store.mjs').ServerDefinition} definition
   * @param {(before: import('./store.mjs').Approved) => { after: import('./store.mjs').Approved, result: R }} change
   * @throws {NotKept} when it cannot be written
   */
  async changeApprovals(definition, change) {
    const before = await this.readApprovals(definition)
    const { after, result } = change(before)
    const kept = ({ accepted, changed }) => ({ version: VERSION, accepted: [...accepted], changed: [...changed] })
    if (JSON.stringify(kept(after)) === JSON.stringify(kept(before))) return result
    const file = fileOf(this.#approvals, definition)
    try {
      await replaceFile(file, kept(after))
      this.#unkept.delete(file)
      return result
    } catch (error) {
      const isFirst = this.#unkept.size === 0
      this.#unkept.set(file, after)
      const where = plain(this.#approvals, MAX_SHOWN)
      throw new NotKept(`definitions that are accepted cannot be kept in ${where}: ${error.code}`, { result, isFirst })
    }
  }

  /** @param {import('./store.mjs').ServerDefinition} definition @param {() => void} told */
  async watchApprovals(definition, told) {
    let before = await this.#stamp(definition)
    const timer = setInterval(async () => {
      const now = await this.#stamp(definition)
      if (now === before) return
      before = now
      told()
    }, LOOK_MS)
    timer.unref()
    return () => clearInterval(timer)
  }

  /** What another process keeps is read with the next start. */
  watchLists() {
    return () => {}
  }

  /** Changes with each approval. */
  async #stamp(definition) {
    return fs.stat(fileOf(this.#approvals, definition)).then(
      ({ mtimeMs, ino }) => `${mtimeMs} ${ino}`,
      () => '',
    )
  }

  async close() {
    await this.calls?.flush()
  }
}

function fileOf(folder, definition) {
  return path.join(folder, `${identityOf(definition)}.json`)
}
