// SPDX-License-Identifier: Apache-2.0
//
// A file of the user, for the user alone. It is written beside its place and renamed, so that another process never reads half
// of it.

import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

/** @param {string} file @param {unknown} value written as JSON */
export async function replaceFile(file, value) {
  const draft = `${file}.${randomUUID()}`
  try {
    await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await fs.writeFile(draft, JSON.stringify(value), { mode: 0o600, flag: 'wx' })
    await fs.rename(draft, file)
  } catch (error) {
    await fs.rm(draft, { force: true }).catch(() => {})
    throw error
  }
}
