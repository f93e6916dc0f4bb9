// SPDX-License-Identifier: Apache-2.0
//
// The files of a folder, the latest first; links are not followed.

import fs from 'node:fs/promises'
import path from 'node:path'

/**
 * @param {string} folder that need not exist
 * @returns {Promise<{ file: string, at: number, bytes: number }[]>} `at`: when it was written, in milliseconds
 */
export async function latestFiles(folder) {
  const names = await fs.readdir(folder).catch(() => [])
  const files = names.map(async (name) => {
    const file = path.join(folder, name)
    const stat = await fs.lstat(file).catch(() => undefined)
    return stat?.isFile() ? [{ file, at: stat.mtimeMs, bytes: stat.size }] : []
  })
  return (await Promise.all(files)).flat().toSorted((a, b) => b.at - a.at)
}
