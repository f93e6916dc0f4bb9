// A file is written beside its place and renamed, so that another process never reads half of it.

import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import { stringify } from '@zoo-code/tool-router/exact-json'

/** A file of the user, for the user alone. @param {string} file @param {unknown} value written as JSON */
export async function replaceFile(file, value) {
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  await replaceText(file, stringify(value))
}

/** @param {string} file @param {string} text @param {{ mode: number, uid: number, gid: number }} [was] whose it stays, and who may read it */
export async function replaceText(file, text, was) {
  const draft = `${file}.${randomUUID()}`
  try {
    await fs.writeFile(draft, text, { mode: 0o600, flag: 'wx' })
    if (was !== undefined) {
      await fs.chown(draft, was.uid, was.gid)
      await fs.chmod(draft, was.mode & 0o777)
    }
    await fs.rename(draft, file)
  } catch (error) {
    await fs.rm(draft, { force: true }).catch(() => {})
    throw error
  }
}
