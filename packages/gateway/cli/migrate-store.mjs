// tool-router-gateway migrate-store: copies lists of tools and accepted definitions from files into the database that gateways
// share. What the database knows already stays, so that the command can run again at any time.

import { readConfigFile } from '../config/read.mjs'
import { invalid, plain, routerError, Unavailable } from '../base/errors.mjs'
import { readStoreAddress } from '../config/address.mjs'
import { openStore } from '../store/store.mjs'
import { onlyGiven } from '../base/values.mjs'

const FOREIGN = 'no gateway writes such'

/**
 * @typedef {import('../store/store.mjs').Store} Store
 * @typedef {import('../store/store.mjs').Seen} Seen
 * @typedef {import('../config/server.mjs').ServerDefinition} ServerDefinition
 */

/**
 * @param {{ config: string, workspace?: string, profile?: string, to?: string }} values
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit code: 1 when something of a server was not copied
 */
export async function runMigrateStore({ config: file, workspace, profile, to }, print) {
  const { servers, leftOut, settings } = readConfigFile(file, onlyGiven({ workspace, profile }))
  const address = to === undefined ? settings.store : readStoreAddress(to, '--to')
  if (address === undefined) {
    const expected = 'the database to copy into, here or as --to postgres://user:password@host:5432/name'
    throw invalid('config.gateway.store', expected, undefined)
  }
  const files = await openStore({ ...settings, store: undefined })
  const said = []
  const store = await openStore({ ...settings, store: address }, { log: (line) => said.push(line) })
  try {
    let isWhole = true
    for (const definition of servers.values()) {
      const approvals = await copyApprovals(files, store, definition)
      const list = await copyList(files, store, definition, said)
      print(`${plain(definition.name, 128)}: ${list.text}; ${textOf(approvals)}`)
      for (const name of approvals.differing)
        print(`  ${plain(name, 128)}: the database has accepted another definition, which stays`)
      isWhole &&= list.isCopied && approvals.unreadable === 0
    }
    const unread = leftOut.filter(({ kind }) => kind === 'server')
    for (const { name, reason } of unread) print(`${name}: not copied, its entry cannot be read: ${reason}`)
    print(`The database is ${address}. The files are as they were.`)
    return isWhole && unread.length === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    const next = 'what was copied until then stays, and the command can run again'
    throw routerError('ERR_STORE_UNAVAILABLE', `${error.message}; ${next}`, error)
  } finally {
    await Promise.all([files.close(), store.close()])
  }
}

/**
 * @param {Store} files
 * @param {Store} store
 * @param {ServerDefinition} definition
 */
async function copyApprovals(files, store, definition) {
  const kept = await files.readApprovals(definition)
  const accepted = [...kept.accepted].filter(isReadable)
  const changed = [...kept.changed].filter(isReadable)
  return store.changeApprovals(definition, (before) => {
    const isNew = (name) => !before.accepted.has(name) && !before.changed.has(name)
    const [newlyAccepted, newlyChanged] = [accepted, changed].map((all) => all.filter(([name]) => isNew(name)))
    const after = {
      accepted: new Map([...before.accepted, ...newlyAccepted]),
      changed: new Map([...before.changed, ...newlyChanged]),
    }
    const names = [...new Set([...accepted, ...changed].map(([name]) => name))]
    const taken = names.filter(isNew).length
    const result = {
      taken,
      waiting: newlyChanged.length,
      there: names.length - taken,
      unreadable: kept.accepted.size + kept.changed.size - accepted.length - changed.length,
      differing: accepted
        .filter(([name, { hash }]) => !isNew(name) && before.accepted.get(name)?.hash !== hash)
        .map(([name]) => name),
    }
    return { after, result }
  })
}

/** A file is written by others, and may hold what no gateway wrote. @param {[unknown, Partial<Seen>?]} entry */
function isReadable([name, seen]) {
  const texts = [name, seen?.hash, seen?.definition ?? seen?.description]
  return texts.every((text) => typeof text === 'string') && /^[\w-]{1,100}$/.test(`${seen?.hash}`)
}

function textOf({ taken, waiting, there, unreadable }) {
  const waits = waiting === 0 ? '' : ` (${waiting} of them ${waiting === 1 ? 'waits' : 'wait'} for an approval)`
  const rest = unreadable === 0 ? '' : `, ${unreadable} not copied: ${FOREIGN}`
  return `definitions: ${taken} taken${waits}, ${there} already in the database${rest}`
}

/**
 * @param {Store} files
 * @param {Store} store
 * @param {ServerDefinition} definition
 * @param {string[]} said what the store has logged
 */
async function copyList(files, store, definition, said) {
  const list = await files.readList(definition)
  if (list === undefined) return { isCopied: true, text: 'no list in files' }
  if ((await store.readList(definition)) !== undefined) return { isCopied: true, text: 'list already in the database' }
  if (!list.tools.every((tool) => tool !== null && typeof tool === 'object'))
    return { isCopied: false, text: `list not copied: ${FOREIGN}` }
  await store.writeList(definition, list)
  if (store.away !== undefined) throw new Unavailable(store.away)
  // A list that is not taken is told to the log alone.
  const isCopied = (await store.readList(definition)) !== undefined
  const text = isCopied
    ? `list of ${list.tools.length} tools taken`
    : `list not copied: ${said.at(-1) ?? 'it is too large'}`
  return { isCopied, text }
}
