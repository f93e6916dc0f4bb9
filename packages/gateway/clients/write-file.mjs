// Writing a file of the user's: whole or not at all, and never through a link.

import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** Permissions of a file that may hold keys. */
const PRIVATE = 0o600

/**
 * Writes beside the file and renames, under a name that nobody can guess, so that a link that waits there is not followed.
 *
 * @param {string} file
 * @param {string | Buffer} text
 * @param {{ force?: boolean, mode?: number }} [options] `force`: replaces what is there
 */
export function writeNew(file, text, { force = false, mode = PRIVATE } = {}) {
  const exists = fs.lstatSync(file, { throwIfNoEntry: false })
  if (exists && !force) throw new Error(`${file} is there already; name another file, or replace it with --force`)
  if (exists && !exists.isFile()) throw new Error(`${file} is no regular file; name another one`)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}`
  try {
    fs.writeFileSync(draft, text, { mode, flag: 'wx' })
    fs.renameSync(draft, file)
  } catch (error) {
    fs.rmSync(draft, { force: true })
    throw error
  }
}
