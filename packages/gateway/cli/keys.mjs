// tool-router-gateway add-key, keys and revoke-key: keys of clients in the database that gateways share.

import { readConfigFile } from '../config/read.mjs'
import { invalid, plain } from '../base/errors.mjs'
import { isSealed, newKey, sealOf } from '../doors/keys.mjs'
import { openStore } from '../store/store.mjs'
import { rowOfCommand } from './audit.mjs'
import { integer, text } from '../base/values.mjs'

/** Characters of a name. */
const MAX_NAME = 100
const MAX_DAYS = 3_650
const DAY_MS = 86_400_000

/**
 * @param {{ config: string, workspace?: string, profile?: string, days?: string }} values
 * @param {string} command one of the three
 * @param {string | undefined} name of the key
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit code: 1 when nothing was done
 */
export async function runKeys({ config: file, workspace, profile, days }, command, name, print) {
  const { settings, profiles } = readConfigFile(file, workspace === undefined ? {} : { workspace })
  if (settings.store === undefined)
    throw invalid('config.gateway.store', 'a database; without one the tokens of profiles are the keys', undefined)
  if (profile !== undefined && !profiles.has(profile))
    throw invalid(
      '--profile',
      `a profile of the configuration (${[...profiles.keys()].join(', ') || 'it has none'})`,
      profile,
    )
  const store = await openStore(settings)
  const keys = /** @type {NonNullable<typeof store.keys>} */ (store.keys)
  try {
    const { keySecret: secret } = settings
    if (command === 'keys') return await listed(keys, secret, print)
    const named = text(name, 'name', MAX_NAME)
    const code = await (command === 'add-key'
      ? added(keys, { name: named, profile, days, secret }, print)
      : revoked(keys, named, print))
    if (code === 0) rowOfCommand(store).acted('', `${command} ${named}`)
    return code
  } finally {
    await store.close()
  }
}

async function added(keys, { name, profile, days, secret }, print) {
  const lives = days === undefined ? undefined : integer(Number(days), '--days', 1, MAX_DAYS)
  const { key, hash } = newKey()
  const expiresAt = lives === undefined ? undefined : new Date(Date.now() + lives * DAY_MS)
  const made = { name, hash, profile, expiresAt }
  if (!(await keys.add({ ...made, seal: secret === undefined ? undefined : sealOf(secret, made) }))) {
    print(`There was a key ${plain(name)} already; choose another name. Nothing was made.`)
    return 1
  }
  print(key)
  print(`It opens ${profile === undefined ? 'all servers' : `the profile ${plain(profile)}`}, and is shown this once.`)
  return 0
}

async function revoked(keys, name, print) {
  const wasOne = await keys.revoke(name)
  print(
    wasOne ? `The key ${plain(name)} opens nothing any more.` : `There is no key ${plain(name)} that opens anything.`,
  )
  return wasOne ? 0 : 1
}

async function listed(keys, secret, print) {
  const day = (date) => date.toISOString().slice(0, 10)
  for (const key of await keys.list()) {
    const { name, profile, expiresAt, revokedAt, usedOn } = key
    const isOver = expiresAt !== undefined && expiresAt.getTime() <= Date.now()
    const parts = [
      profile === undefined ? 'all servers' : `profile ${plain(profile)}`,
      usedOn === undefined ? 'never used' : `last used on ${usedOn}`,
      ...(revokedAt === undefined ? [] : [`revoked on ${day(revokedAt)}`]),
      ...(isSealed(secret, key) ? [] : ['not sealed by keySecret: it opens nothing']),
      ...(expiresAt === undefined ? [] : [`${isOver ? 'ended' : 'ends'} on ${day(expiresAt)}`]),
    ]
    print(`${plain(name)}: ${parts.join(', ')}`)
  }
  return 0
}
