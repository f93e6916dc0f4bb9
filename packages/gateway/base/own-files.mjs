// Files that the gateway has written itself. Whoever can write beside them may have put something else there: a link, a pipe
// that is never filled, a device without an end.

import fs from 'node:fs/promises'
import { constants } from 'node:fs'
import path from 'node:path'

/** Nothing of it is waited for, and no link is followed, where the system can say so. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Why a file may not be read now, although nothing is wrong with it. */
const PASSING = ['EMFILE', 'ENFILE', 'ENOMEM', 'EIO', 'EAGAIN', 'EBUSY']

/** Whether what is in a file is only not known now: to go on as if it were empty would write over it. */
export const isPassing = (error) => PASSING.includes(error?.code)

/**
 * The text of a file.
 *
 * @param {string} file
 * @param {number} mostBytes
 * @returns {Promise<string>}
 * @throws where there is no file of its own in this place, or a larger one
 */
export async function readOwn(file, mostBytes) {
  const handle = await fs.open(file, FLAGS)
  try {
    const stat = await handle.stat()
    if (!stat.isFile() || stat.size > mostBytes) throw new Error('not one of our files')
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/**
 * Files in a folder that have our names, the latest first: what is called otherwise, or is behind a link, is not ours to
 * delete.
 *
 * @param {string} folder
 * @param {RegExp} ours what names look like
 */
export async function ownFiles(folder, ours) {
  const isFolder = (await fs.lstat(folder).catch(() => undefined))?.isDirectory()
  const names = isFolder ? await fs.readdir(folder).catch(() => []) : []
  const files = names
    .filter((name) => ours.test(name))
    .map(async (name) => {
      const file = path.join(folder, name)
      const stat = await fs.lstat(file).catch(() => undefined)
      return stat?.isFile() ? [{ file, at: stat.mtimeMs }] : []
    })
  return (await Promise.all(files)).flat().toSorted((a, b) => b.at - a.at)
}
