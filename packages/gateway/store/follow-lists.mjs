// Lists of tools that other gateways keep in the same store, as soon as they are told.

import { identityOf } from './identity.mjs'

/**
 * @typedef {import('../catalogue/catalogue-entry.mjs').Entry} Entry
 *
 * @param {import('./store.mjs').Store} store
 * @param {Map<string, Entry>} entries
 * @param {(entry: Entry, list: import('./store.mjs').ServerList) => Promise<void>} take
 *   called with the new list; one that is already active changes nothing
 */
export function followLists(store, entries, take) {
  const look = async (entry) => {
    const list = await store.readList(entry.definition)
    if (list !== undefined) await take(entry, list)
  }
  store.watchLists((identity) => {
    // What cannot be taken leaves the list that is there.
    for (const entry of entries.values())
      if (identity === undefined || identityOf(entry.definition) === identity) void look(entry).catch(() => {})
  })
}
