// tool-router-gateway prepare-store: the tables of a shared database, made or changed by who owns them, before gateways start
// whose user may only use them.

import os from 'node:os'
import process from 'node:process'

import { readStoreAddress } from '../config/address.mjs'
import { readConfigFile } from '../config/read.mjs'
import { expandAddress } from '../config/variables.mjs'
import { invalid, plain } from '../base/errors.mjs'
import { onlyGiven, text } from '../base/values.mjs'
import { openStore } from '../store/store.mjs'

/** PostgreSQL cuts longer names. */
const MAX_ROLE = 63

/**
 * @param {{ config?: string, workspace?: string, to?: string, grant?: string }} values
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit code
 */
export async function runPrepareStore({ config: file, workspace, to, grant }, print) {
  const [folder, home] = [process.cwd(), os.homedir()]
  const scope = { env: process.env, workspace: folder, folder, home }
  const address =
    to === undefined
      ? file && readConfigFile(file, onlyGiven({ workspace })).settings.store
      : readStoreAddress(expandAddress(to, '--to', scope), '--to')
  if (!address) {
    const expected = 'the database, here as postgres://user:password@host:5432/name or as gateway.store of --config'
    throw invalid('--to', expected, undefined)
  }
  const role = grant === undefined ? undefined : text(grant, '--grant', MAX_ROLE)
  const store = /** @type {import('../store/postgres/store.mjs').PostgresStore} */ (
    await openStore(/** @type {any} */ ({ store: address }))
  )
  try {
    const version = await store.prepare(role)
    print(`The tables of ${address} have version ${version}.`)
    if (role !== undefined) print(`The user ${plain(role)} may use them.`)
    return 0
  } finally {
    await store.close()
  }
}
