// tool-router-gateway install-service: shows, or writes, what has the system start a gateway over HTTP with the user's session,
// and says how to switch it on. It runs nothing.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { readConfigFile } from '../config/read.mjs'
import { userFolder } from '../config/settings.mjs'
import { invalid } from '../base/errors.mjs'
import { serviceFile } from './service.mjs'
import { given, onlyGiven } from '../base/values.mjs'
import { writeNew } from '../clients/write-file.mjs'

const CLI = fileURLToPath(new URL('../cli.mjs', import.meta.url))
/** The port when none is named: one that no well-known program has. */
const ADDRESS = '127.0.0.1:7332'
const TOKEN_BYTES = 32

/**
 * @param {{ config: string, workspace?: string, http?: string, profile?: string, modes?: string, lexical?: boolean,
 * write?: boolean, undo?: boolean, force?: boolean }} values
 * @param {(line: string) => void} print
 * @returns {number} exit code
 */
export function runInstallService(values, print) {
  const { config, workspace, http = ADDRESS, profile, modes, lexical, write, undo, force } = values
  const where = { workspace, profile, modes }
  const folder = userFolder(undefined, 'service', '', 'state', 'service')
  const tokenFile = path.join(folder, 'token')
  const command = [
    ...[process.execPath, CLI, 'gateway', '--config', path.resolve(config), '--http', http, '--token-file', tokenFile],
    ...given(where).flatMap(({ name, value }) => [`--${name}`, name === 'workspace' ? path.resolve(value) : value]),
    ...(lexical ? ['--lexical'] : []),
  ]
  const { platform, env } = process
  const log = path.join(folder, 'gateway.log')
  const service = serviceFile({ platform, env, home: os.homedir(), command, folder: process.cwd(), log })
  if (undo) return remove(service, tokenFile, print)
  // In a unit a line of its own would be a setting of its own, and XML has no such characters.
  for (const word of [...command, process.cwd(), env.PATH ?? ''])
    if (/\p{Cc}/u.test(word))
      throw invalid('install-service', 'paths and a PATH without line breaks and controls', word)
  // A file that cannot be read would end the service each time.
  readConfigFile(config, onlyGiven(where))
  if (!write) {
    print(`${service.file} (--write writes it):\n\n${service.text.replace('\u{feff}', '')}`)
    return 0
  }
  if (there(service.file) && !force) {
    print(`${service.file} exists; --force replaces it, --undo removes it`)
    return 1
  }
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!there(tokenFile)) writeNew(tokenFile, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`)
  writeNew(service.file, Buffer.from(service.text, service.encoding), { force })
  print(`written: ${service.file}\nSwitch it on with:`)
  for (const line of service.begin) print(`  ${line}`)
  print(`Clients reach it at http://${http}/mcp with the bearer token in ${tokenFile}`)
  return 0
}

const there = (file) => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined

function remove({ file, end, encoding }, tokenFile, print) {
  if (!there(file)) {
    print(`${file} does not exist; nothing was removed`)
    return 1
  }
  // The token file is ours alone, whichever version has written it.
  const isOurs = fs.lstatSync(file).isFile() && fs.readFileSync(file, encoding).includes(tokenFile)
  if (!isOurs) {
    print(`${file} was not written by install-service; nothing was removed`)
    return 1
  }
  for (const each of [file, tokenFile]) fs.rmSync(each, { force: true })
  print(`removed: ${file}, and its token. If it is on, switch it off with:`)
  for (const line of end) print(`  ${line}`)
  return 0
}
