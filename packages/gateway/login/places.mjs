// Where a remote server may send the gateway for a login. The gateway runs where its user does, so an address of this
// machine or its network, named by a server from elsewhere, would be a way to reach what that server cannot reach itself.

import dns from 'node:dns'
import { isIP } from 'node:net'
import { promisify } from 'node:util'

import { isWithin, proxyOf, webFetch } from '../base/web-fetch.mjs'
import { isPrivate } from './provider.mjs'

/** Addresses of this machine, of private networks and of links (RFC 6890), an IPv4 address within IPv6 as well. */
const isOfInside = isWithin([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96'],
  ...['64:ff9b:1::/48', '2001::/32', '2002::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
])

/** How long a server may take to show that it is of this network. */
const LOOK_MS = 5_000
/** Names that only a network of its own knows. */
const NAMES_INSIDE = /\.(localhost|internal|intranet|private|corp|local|svc|lan|home|home\.arpa)$/

const nameIn = (address) => new URL(address).hostname.replaceAll(/^\[|\]$|\.$/g, '')

/** Whether an address is one of this machine or its network, by what is written in it. */
export function isInside(address) {
  const name = nameIn(address)
  return isIP(name) ? isOfInside(name) : !name.includes('.') || NAMES_INSIDE.test(name)
}

/** The same by what its name stands for; a proxy looks that up itself. */
async function leadsInside(address) {
  if (isInside(address)) return true
  if (proxyOf(address) !== undefined) return false
  const found = await promisify(dns.lookup)(nameIn(address), { all: true }).catch(() => [])
  return found.some((each) => isOfInside(each.address))
}

const NOT_FOLLOWED = 'it names an address of this machine or its network for the login; that is not followed'
export const isNotFollowed = (error) => error?.message === NOT_FOLLOWED

/**
 * fetch that connects to the very addresses that were looked at: a name may stand for others a moment later.
 *
 * @param {(address: string) => boolean} isGood
 * @param {typeof dns.lookup} [lookup]
 * @returns {typeof fetch}
 */
export function onlyTo(isGood, lookup = dns.lookup) {
  const looked = (name, options, callback) =>
    lookup(name, { ...options, all: true }, (error, /** @type {any} */ found = []) => {
      const failed = error ?? (found.every(({ address }) => isGood(address)) ? undefined : new Error(NOT_FOLLOWED))
      if (failed || options.all) callback(failed, found)
      else callback(undefined, found[0].address, found[0].family)
    })
  /** @type {Promise<[Function, object]>} */
  let made
  return async (address, init) => {
    made ??= import('undici').then(({ Agent, fetch: send }) => [send, new Agent({ connect: { lookup: looked } })])
    const [send, dispatcher] = await made
    return send(address, { ...init, dispatcher })
  }
}

const outside = onlyTo((address) => !isOfInside(address))
const inside = onlyTo(isOfInside)

/** Whether a server is one of this machine or its network. A name that stands for one there may be somewhere else. */
async function isOfHere(server) {
  if (isInside(server) || proxyOf(server) !== undefined) return isInside(server)
  const signal = AbortSignal.timeout(LOOK_MS)
  const asked = inside(server, { method: 'HEAD', redirect: 'manual', signal })
  return asked.then(Boolean).catch(() => false)
}

/**
 * How an address is asked that a server names for a login.
 *
 * @returns {Promise<typeof fetch>}
 * @throws for an address inside, named by a server that is not, and for one that others can read along to
 */
export async function wayTo(address, server) {
  const leadsIn = await leadsInside(address)
  if (leadsIn && !(await isOfHere(server))) throw new Error(NOT_FOLLOWED)
  if (!isPrivate(String(address))) throw new Error('it names an address for the login that is not https')
  return leadsIn || proxyOf(address) ? webFetch : outside
}
