// What a gateway keeps beyond its own end, behind one interface: in files of the user, or in a database that several
// gateways share. What a store keeps is written by others and read with that in mind.

import { routerError } from '../base/errors.mjs'
import { FileStore } from './files.mjs'

/**
 * @typedef {import('../downstream/downstream.mjs').ServerDefinition} ServerDefinition
 * @typedef {import('../catalogue/catalogue.mjs').Tool} Tool
 *
 * @typedef {object} ServerList what a server answered to `tools/list` last
 * @property {Tool[]} tools
 * @property {string} [cut] where the gateway stopped reading it
 * @property {string} [instructions] what it says about its use
 * @property {import('../base/extensions.mjs').Extensions} [extensions] those of the protocol that it declares
 *
 * @typedef {object} Seen a definition of a tool
 * @property {string} hash
 * @property {string} definition all of it; empty for one that is too long to be kept
 *
 * @typedef {object} Approved what is known of the definitions of a server's tools, by tool name
 * @property {Map<string, Seen>} accepted
 * @property {Map<string, Seen>} changed those that wait for an approval
 *
 * @typedef {object} Store
 * @property {boolean} isShared by gateways of a team
 * @property {(definition: ServerDefinition) => Promise<ServerList | undefined>} readList what is damaged, foreign or out of
 * reach is as good as none
 * @property {(definition: ServerDefinition, list: ServerList) => Promise<void>} writeList never rejects: what cannot be
 * kept costs a start
 * @property {(definition: ServerDefinition) => Promise<Approved>} readApprovals
 * @property {<R>(definition: ServerDefinition, change: (before: Approved) => { after: Approved, result: R }) => Promise<R>}
 * changeApprovals `change` may be called again where another gateway was faster
 * @property {(definition: ServerDefinition, told: () => void) => Promise<() => void>} watchApprovals tells when approvals of
 * a server change, whoever changes them, until the function that it gives is called
 * @property {(told: (identity?: string) => void) => () => void} watchLists tells of lists that other gateways keep, by the
 * identity of the server, or without one where any may have changed
 * @property {import('./postgres/keys.mjs').PostgresKeys} [keys] of clients, where the store has them
 * @property {import('./postgres/calls.mjs').PostgresCalls | import('./file-calls.mjs').FileCalls} [calls] an audit of calls,
 * where the store has one
 * @property {import('./postgres/loaded.mjs').PostgresLoaded} [loaded] what sessions of the older era have loaded, where it outlives
 * their gateway
 * @property {string} [away] why it cannot be reached now
 * @property {(limits: { servers: () => string[], profile: string }) => Store} of the same for a profile: of its servers alone
 * @property {() => Promise<void>} close
 */

/**
 * The store that a configuration names. A database that is gone is waited for by nobody: the store says so when it is asked.
 *
 * @param {import('../config/read.mjs').Config['settings']} settings
 * @param {{ log?: (line: string) => void, listens?: boolean, servers?: () => string[], profile?: string }} [options]
 * `listens`: other gateways are heard. `servers`: names of those that alone are read and written. `profile`: what is served,
 * if not all
 * @returns {Promise<Store>}
 */
export async function openStore(settings, { log, listens = false, servers, profile } = {}) {
  const { store: address, listDir } = settings
  if (address === undefined) return new FileStore(settings, profile, log)
  const pg = await driver()
  const { PostgresStore } = await import('./postgres/store.mjs')
  const store = new PostgresStore(pg, address, { log, keepsLists: listDir !== undefined, servers, profile })
  if (listens) await store.listen()
  return store
}

async function driver() {
  try {
    return (await import('pg')).default
  } catch (error) {
    const message = 'config.gateway.store: a database needs the package pg; install it with: npm install pg'
    throw routerError('ERR_INVALID_ARGUMENT', message, error)
  }
}
