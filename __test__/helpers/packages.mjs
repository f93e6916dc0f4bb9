// The tarballs as a user gets them: packed from this checkout, or those of a folder that TOOL_ROUTER_TARBALLS names, and
// installed in folders outside the checkout, offline.
import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { npmCommand } from '../../scripts/npm.mjs'
import { hostPlatform } from '../../scripts/platforms.mjs'
import { publishOrder, unpack } from '../../scripts/release/tarballs.mjs'

export const run = promisify(execFile)
export const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..')

const folders = []

export async function folder(name = '') {
  const made = path.join(realpathSync(await mkdtemp(path.join(tmpdir(), 'tool-router-package-'))), name)
  folders.push(name ? path.dirname(made) : made)
  return made
}

export const removeFolders = () => Promise.all(folders.map((made) => rm(made, { recursive: true, force: true })))

/** Where each package's tarball is, by what `publishOrder` calls it. @returns {Promise<Map<string, string>>} */
export async function tarballs() {
  const given = process.env.TOOL_ROUTER_TARBALLS
  const target = given ?? (await folder())
  if (!given) await run(process.execPath, [path.join(ROOT, 'scripts', 'pack.mjs'), target])
  // Those of other platforms npm would refuse when they are named.
  const ids = ['main', 'model', 'programs', 'gateway', hostPlatform()]
  return new Map(publishOrder(target).flatMap(({ id, tarball }) => (ids.includes(id) ? [[id, tarball]] : [])))
}

/** Puts a package that depends on others of the registry beside those that are installed, without fetching them. */
export async function place(tarball, base, name) {
  const made = await folder()
  await cp(unpack(tarball, made), path.join(base, 'node_modules', ...name.split('/')), { recursive: true })
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
