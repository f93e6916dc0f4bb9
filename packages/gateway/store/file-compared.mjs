// Sessions of comparisons, a file each: a session is of one process, so no two write the same file.

import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import { added, isWhole, KEPT_DAYS, MOST_SESSIONS, StoredCounts } from './compared.mjs'
import { ownFiles, readOwn } from '../base/own-files.mjs'
import { replaceFile } from '../base/replace-file.mjs'

/** Counts up when the form of the files changes. */
const VERSION = 1
/** Bytes of a file. */
const MOST_BYTES = 4_096
const DAY_MS = 86_400_000
/** Names that are written here; a draft of one may have been left behind. */
const FOLDER = /^[\da-f]{32}$/
const FILE = /^[\w-]+\.json(\.[\da-f-]{36})?$/

/**
 * @param {string} folder made when something is kept
 * @param {string} [profile] that is served, if one is: others are not read
 */
export function fileCompared(folder, profile) {
  const folderOf = (comparison) => {
    const name = createHash('sha256').update(JSON.stringify([profile ?? null, comparison]))
    return path.join(folder, name.digest('hex').slice(0, 32))
  }
  const fileOf = ({ comparison, session }) => path.join(folderOf(comparison), `${session}.json`)
  return new StoredCounts({
    async insert(rows) {
      for (const row of rows) {
        const before = await read(fileOf(row))
        await replaceFile(fileOf(row), { version: VERSION, arm: row.arm, ...added(before, row) })
      }
    },
    async read(comparison) {
      const latest = (await ownFiles(folderOf(comparison), FILE)).slice(0, MOST_SESSIONS)
      return (await Promise.all(latest.map(({ file }) => read(file)))).filter((each) => each !== undefined)
    },
    async sweep() {
      for (const name of (await fs.readdir(folder).catch(() => [])).filter((each) => FOLDER.test(each))) {
        const files = await ownFiles(path.join(folder, name), FILE)
        const isOld = ({ at }, place) => at < Date.now() - KEPT_DAYS * DAY_MS || place >= MOST_SESSIONS
        for (const { file } of files.filter(isOld)) await fs.rm(file, { force: true })
        // This fails unless the folder is empty.
        await fs.rmdir(path.join(folder, name)).catch(() => {})
      }
    },
  })
}

/** @returns {Promise<import('./compared.mjs').SessionCounts | undefined>} undefined where a file is damaged, foreign or not there */
async function read(file) {
  try {
    const { version, ...counts } = JSON.parse(await readOwn(file, MOST_BYTES))
    return version === VERSION && isWhole(counts) ? { arm: counts.arm, ...added(counts) } : undefined
  } catch {
    return undefined
  }
}
