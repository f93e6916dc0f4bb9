// SPDX-License-Identifier: Apache-2.0
//
// What servers answered to `tools/list` last, on disk, so that they need not be started to be known. A damaged or
// foreign file costs a start, never an error.

import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

/** Counts up when the form of the file changes. */
const VERSION = 1
/** Bytes of one file: 5,000 tools with large schemas fit. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * The file of a server. Its name holds what makes another server of it; values of variables and headers do not go in,
 * since a hash of a short secret can be guessed.
 */
export function identityFile(folder, { name, transport, command, args, cwd, env, url, headers }) {
  const identity = {
    name,
    transport,
    command,
    args,
    cwd,
    env: env && [...env.keys()],
    url: url?.href,
    headers: headers && [...headers.keys()],
  }
  return path.join(folder, `${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32)}.json`)
}

/** @returns {Promise<{ tools: object[], instructions?: string } | undefined>} */
export async function readList(folder, definition) {
  if (folder === undefined) return undefined
  try {
    const file = identityFile(folder, definition)
    if ((await fs.stat(file)).size > MAX_BYTES) return undefined
    const { version, tools, instructions } = JSON.parse(await fs.readFile(file, 'utf8'))
    if (version !== VERSION || !Array.isArray(tools)) return undefined
    return { tools, instructions: typeof instructions === 'string' ? instructions : undefined }
  } catch {
    return undefined
  }
}

/** Writes beside the file and renames, so that another process never reads half of it. */
export async function writeList(folder, definition, { tools, instructions }) {
  if (folder === undefined) return
  const file = identityFile(folder, definition)
  const draft = `${file}.${randomUUID()}`
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 })
    await fs.writeFile(draft, JSON.stringify({ version: VERSION, tools, instructions }), { mode: 0o600, flag: 'wx' })
    await fs.rename(draft, file)
  } catch {
    await fs.rm(draft, { force: true }).catch(() => {})
  }
}
