// Logins to remote servers, on disk: one file for each address, for the user alone. What an authorization server gave is
// kept under that server's name, and given to no other.

import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { isPassing } from '../base/own-files.mjs'
import { replaceFile } from '../base/replace-file.mjs'

/** Counts up when the form of the file changes. */
const VERSION = 1
/** Bytes of one file: tokens of a few kilobytes, of a few authorization servers. */
const MAX_BYTES = 256 * 1024
/** How long another process may hold a file while it renews a token, and how often one looks. */
const LOCK_MS = 20_000
const LOOK_MS = 20

/**
 * @typedef {object} Login what is known of one address
 * @property {string} server its address
 * @property {string} [current] the authorization server whose tokens are in use
 * @property {string} [boundIssuer] the one that a configured client id was first used with
 * @property {boolean} [begun] whether somebody was sent to log in and has not come back
 * @property {string} [wanted] rights that the server has missed
 * @property {string} [asked] rights that somebody was asked for, by any login that was finished
 * @property {Record<string, { client?: object, tokens?: Record<string, any> }>} issuers by the name of the authorization server
 */

/** What marks an account behind an address. */
const ACCOUNT = 'account='

/**
 * What a login is kept under: the address of its server, and the account where somebody has several there.
 *
 * @param {{ url: URL, oauth?: { account?: string } }} definition
 */
export function loginKey({ url, oauth = {} }) {
  if (oauth.account === undefined) return url
  const key = new URL(url)
  key.hash = ACCOUNT + encodeURIComponent(oauth.account)
  return key
}

export class LoginStore {
  #folder

  /** @param {string} folder made when the first login is kept */
  constructor(folder) {
    this.#folder = folder
  }

  #file(url) {
    const { href } = new URL(url)
    const [page, fragment = ''] = href.split('#')
    // Of the rest of an address only the account is part of the key; see `loginKey`.
    const address = fragment.startsWith(ACCOUNT) ? `${page}#${fragment}` : page
    return path.join(this.#folder, `${createHash('sha256').update(address).digest('hex').slice(0, 32)}.json`)
  }

  /**
   * What is known of an address. A damaged file, or one that is not the user's alone, is as good as none.
   *
   * @param {string | URL} url
   * @returns {Promise<Login>}
   * @throws {Error} when the file cannot be read now
   */
  async read(url) {
    const none = { server: String(url), issuers: {} }
    try {
      const file = this.#file(url)
      const stat = await fs.lstat(file)
      if (!stat.isFile() || stat.size > MAX_BYTES) return none
      // Others could have read it, or put their own authorization server into it.
      if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) return none
      const { version, login } = JSON.parse(await fs.readFile(file, 'utf8'))
      const isOne = version === VERSION && login?.issuers !== null && typeof login?.issuers === 'object'
      return isOne ? login : none
    } catch (error) {
      if (isPassing(error)) throw error
      return none
    }
  }

  /**
   * Changes what is known of an address. Who writes at the same time, in this process or another, loses nothing: a token that has just
   * come is not overwritten by what was read before it.
   *
   * @param {string | URL} url
   * @param {(login: Login) => void} change
   * @throws {Error} when others take too long, one after the other
   */
  change(url, change) {
    return this.#locked(`${this.#file(url)}.change`, async () => {
      const login = await this.read(url)
      change(login)
      await replaceFile(this.#file(url), { version: VERSION, login })
    })
  }

  /** Forgets an address; false when nothing was known. */
  async remove(url) {
    try {
      await fs.rm(this.#file(url))
      return true
    } catch {
      return false
    }
  }

  /** Changes with each login and each renewal, of any process; not when a client is registered. */
  async stamp(url) {
    const { current, issuers } = await this.read(url)
    const token = issuers[current ?? '']?.tokens?.access_token
    return typeof token === 'string' ? createHash('sha256').update(token).digest('hex') : 'none'
  }

  /**
   * Does something that no other process does at the same time with this address: a refresh token may be used once. A
   * lock that its process has left behind does not hold for ever.
   *
   * @template T
   * @param {string | URL} url
   * @param {() => Promise<T>} action
   * @returns {Promise<T>}
   * @throws {Error} when others take too long, one after the other
   */
  alone(url, action) {
    return this.#locked(`${this.#file(url)}.lock`, action)
  }

  async #locked(lock, action) {
    await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const deadline = Date.now() + LOCK_MS
    while (!(await taken(lock))) {
      const { mtimeMs } = await fs.stat(lock).catch(() => ({ mtimeMs: Date.now() }))
      if (Date.now() - mtimeMs > LOCK_MS) await fs.rm(lock, { force: true })
      else if (Date.now() > deadline) throw new Error('other processes are at it')
      else await pause(LOOK_MS, undefined, { ref: false })
    }
    try {
      return await action()
    } finally {
      await fs.rm(lock, { force: true }).catch(() => {})
    }
  }
}

async function taken(lock) {
  try {
    await fs.writeFile(lock, '', { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}
