// An audit of calls in files of the user, one file a day: a line when a call begins, and one when it has ended. Several gateways
// write into one file, whole lines.

import { constants } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'

import { ownFiles, readOwn } from '../base/own-files.mjs'

/** How long calls are kept. */
const KEPT_DAYS = 90
const DAY_MS = 86_400_000
const FILE = /^calls-\d{4}-\d\d-\d\d\.jsonl$/
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
/** Bytes of a file that is read: some million calls. */
const MAX_BYTES = 1024 * 1024 * 1024

/** @typedef {import('./postgres/calls.mjs').Call} Call @typedef {import('./postgres/calls.mjs').Wanted} Wanted */

export class FileCalls {
  #folder
  #profile
  #say
  #isLost = false
  /** @type {Promise<void>} */
  #writing = Promise.resolve()

  /**
   * @param {string} folder made when the first call is written
   * @param {string} [profile] that is served, if one is
   * @param {(line: string) => void} [say] hears when calls cannot be written
   */
  constructor(folder, profile, say = () => {}) {
    this.#folder = folder
    this.#profile = profile
    this.#say = say
  }

  /** @param {Call} call that is about to be made */
  begin(call) {
    return this.#add(call)
  }

  /** @param {Call} call */
  record(call) {
    void this.#add(call)
  }

  flush() {
    return this.#writing
  }

  #add(call) {
    const line = `${JSON.stringify({ ...call, ...(this.#profile !== undefined && { profile: this.#profile }) })}\n`
    this.#writing = this.#writing.then(() => this.#append(call.at, line)).catch((error) => this.#lost(error))
    return this.#writing
  }

  async #append(at, line) {
    const file = path.join(this.#folder, `calls-${new Date(at).toISOString().slice(0, 10)}.jsonl`)
    const handle = await fs.open(file, FLAGS, 0o600).catch(async (error) => {
      if (error.code !== 'ENOENT') throw error
      await this.#begin()
      return fs.open(file, FLAGS, 0o600)
    })
    try {
      await handle.appendFile(line)
      this.#isLost = false
    } finally {
      await handle.close()
    }
  }

  /** Before the first line: the folder, without what is too old. */
  async #begin() {
    await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const files = await ownFiles(this.#folder, FILE)
    const old = files.filter(({ at }) => Date.now() - at > KEPT_DAYS * DAY_MS)
    await Promise.all(old.map(({ file }) => fs.rm(file, { force: true }).catch(() => {})))
  }

  #lost(error) {
    if (!this.#isLost) this.#say(`the audit cannot be written: ${error.code}`)
    this.#isLost = true
  }

  /** Calls as they ended, the latest first. @param {Wanted} wanted @returns {Promise<Call[]>} */
  async list({ since, most, is = {}, words = '' }) {
    await this.#writing
    const found = []
    for (const { file } of (await ownFiles(this.#folder, FILE)).toSorted((a, b) => (a.file < b.file ? 1 : -1))) {
      const day = Date.parse(path.basename(file).slice('calls-'.length, -'.jsonl'.length))
      if (day + DAY_MS < since || found.length >= most) break
      const calls = new Map()
      for (const line of (await readOwn(file, MAX_BYTES)).split('\n')) {
        const call = callIn(line)
        if (call !== undefined) calls.set(call.id, call)
      }
      const isOurs = ({ profile }) => this.#profile === undefined || profile === this.#profile
      const fits = (call) => isSo(call, is) && isNamed(call, words)
      const meant = [...calls.values()].filter((call) => call.at >= since && isOurs(call) && fits(call))
      found.push(...meant.toSorted((a, b) => b.at - a.at))
    }
    return found.slice(0, most)
  }
}

const isSo = (call, is) => Object.entries(is).every(([key, value]) => value === undefined || call[key] === value)

function isNamed({ person, server, tool, client, outcome }, words) {
  const names = [person, server, tool, client, outcome].join('\n')
  return names.toLowerCase().includes(words.toLowerCase())
}

/** Half a line may stand at the end, where a gateway was ended. */
function callIn(line) {
  try {
    const call = JSON.parse(line)
    return typeof call?.id === 'string' && Number.isFinite(call.at) ? call : undefined
  } catch {
    return undefined
  }
}
