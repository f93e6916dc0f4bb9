// Where a remote server may send the gateway for a login. The gateway runs where its user does, so an address of this
// machine or its network, named by a server from elsewhere, would be a way to reach what that server cannot reach itself.

import { lookup } from 'node:dns/promises'
import { BlockList, isIPv4, isIPv6 } from 'node:net'

import { proxyOf } from '../base/web-fetch.mjs'
import { isPrivate } from './provider.mjs'

/** Addresses of this machine, of private networks and of links (RFC 6890), an IPv4 address within IPv6 as well. */
const INSIDE = new BlockList()
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96'],
  ...['64:ff9b:1::/48', '2001::/32', '2002::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]) {
  const [address, bits] = range.split('/')
  INSIDE.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** Names that only a network of its own knows. */
const NAMES_INSIDE = /\.(localhost|internal|intranet|private|corp|local|svc|lan|home|home\.arpa)$/

/** Whether an address is one of this machine or its network, by what is written in it. */
export function isInside(address) {
  const name = new URL(address).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isIPv4(name)) return INSIDE.check(name, 'ipv4')
  if (isIPv6(name)) return INSIDE.check(name, 'ipv6')
  return !name.includes('.') || NAMES_INSIDE.test(name)
}

/** The same by what its name stands for; a proxy looks that up itself. */
async function leadsInside(address) {
  if (isInside(address)) return true
  if (proxyOf(address) !== undefined) return false
  const found = await lookup(new URL(address).hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => [])
  return found.some(({ address: each }) => isInside(`http://${isIPv6(each) ? `[${each}]` : each}`))
}

/** @throws for an address inside, named by a server that is not, and for one that others can read along to */
export async function assertReachable(address, server) {
  if ((await leadsInside(address)) && !(await leadsInside(server)))
    throw new Error('it names an address of this machine or its network for the login; that is not followed')
  if (!isPrivate(String(address))) throw new Error('it names an address for the login that is not https')
}
