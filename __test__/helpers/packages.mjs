// The tarballs as a user gets them: packed from this checkout, or those of a folder that TOOL_ROUTER_TARBALLS names, and
// installed in folders outside the checkout, offline.
import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { npmCommand } from '../../scripts/npm.mjs'
import { hostPlatform } from '../../scripts/platforms.mjs'
import { publishOrder } from '../../scripts/release/tarballs.mjs'

export const run = promisify(execFile)
export const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..')

const folders = []

export async function folder(name = '') {
  const made = path.join(realpathSync(await mkdtemp(path.join(tmpdir(), 'tool-router-package-'))), name)
  folders.push(name ? path.dirname(made) : made)
  return made
}

export const removeFolders = () => Promise.all(folders.map((made) => rm(made, { recursive: true, force: true })))

export async function tarballs() {
  const given = process.env.TOOL_ROUTER_TARBALLS
  if (given) {
    // Those of other platforms npm would refuse when they are named.
    const ids = ['main', 'model', hostPlatform()]
    return publishOrder(given).flatMap(({ id, tarball }) => (ids.includes(id) ? [tarball] : []))
  }
  const target = await folder()
  const { stdout } = await run(process.execPath, [path.join(ROOT, 'scripts', 'pack.mjs'), target])
  return stdout.trim().split('\n')
}

/** Installs tarballs in a new folder; those of other platforms are left out by npm. */
export async function install(packed) {
  const made = await folder()
  await writeFile(path.join(made, 'package.json'), '{ "private": true }')
  const [command, ...first] = npmCommand()
  // As root npm hands its cache to the owner of HOME: this one stays in the folder.
  const flags = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts', `--cache=${path.join(made, '.npm')}`]
  await run(command, [...first, 'install', ...flags, ...packed], { cwd: made })
  return made
}

/** A clean environment: nothing that points to the checkout. */
export const env = { PATH: process.env.PATH, HOME: tmpdir(), USERPROFILE: tmpdir(), SystemRoot: process.env.SystemRoot }

/** Writes a program into a folder, runs it there, and reads the JSON that it prints. */
export async function answer(cwd, file, text, flags = []) {
  await writeFile(path.join(cwd, file), text)
  const { stdout } = await run(process.execPath, [...flags, file], { cwd, env })
  return JSON.parse(stdout)
}
