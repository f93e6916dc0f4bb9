// fetch for servers and their logins: through the proxy that the environment names, as other programs of a company's network;
// never for this machine.

import { BlockList, isIP } from 'node:net'
import process from 'node:process'
import { unescape as decoded } from 'node:querystring'

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/i
const NAMES = { 'https:': ['HTTPS_PROXY', 'HTTP_PROXY'], 'http:': ['HTTP_PROXY'] }
const PORTS = { 'https:': '443', 'http:': '80' }
/** Of an address, by its version. */
const BITS = { 4: 32, 6: 128 }
/** How long a proxy may take to open a way. */
const OPEN_MS = 20_000

/**
 * @typedef {object} Proxy
 * @property {string} variable that names it
 * @property {string} origin
 * @property {string} host with its port
 * @property {string} [token] who asks, as the proxy wants it
 * @property {boolean} isPlain whether it reads the requests, and answers them: otherwise it opens a tunnel
 */

/** A proxy that has let nothing through to a host: `status` is its answer, `cause` is why there was none. */
export class ProxyFailed extends Error {
  /** @param {Proxy} proxy @param {string} host @param {{ status?: number, cause?: any }} how */
  constructor({ token, ...proxy }, host, { status, cause }) {
    super('the proxy has failed', { cause })
    Object.assign(this, { proxy, isKnown: token !== undefined, host, status })
  }
}

/** The proxy that the environment names for an address; many write it as host:port. @returns {Proxy | undefined} */
export function proxyOf(address) {
  const url = new URL(address)
  const set = (name) => process.env[name]?.trim()
  const variable = NAMES[url.protocol]?.flatMap((name) => [name.toLowerCase(), name]).find(set)
  if (variable === undefined || LOOPBACK.test(url.hostname) || isExcepted(url)) return undefined
  const value = String(set(variable))
  const given = value.includes('://') ? value : `http://${value}`
  if (!(/^https?:/i.test(given) && URL.canParse(given)))
    throw new Error(`${variable} is no address of a proxy, as http://host:port is`)
  const { protocol, origin, hostname, port, username, password } = new URL(given)
  // Not every percent sign of a password is an encoded one.
  const user = [username, password].map(decoded).join(':')
  const token = user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`
  const isPlain = url.protocol === 'http:' && protocol === 'http:'
  return { variable, origin, host: `${hostname}:${port || PORTS[protocol]}`, token, isPlain }
}

/** Whether `NO_PROXY` lists an address: its host, a domain of it, a range of addresses, or all. */
function isExcepted({ protocol, hostname, port }) {
  const host = hostname.replaceAll(/^\[|\]$|\.$/g, '')
  const listed = (process.env.no_proxy ?? process.env.NO_PROXY ?? '').toLowerCase().split(/[\s,]+/)
  return listed.some((each) => {
    if (isIP(host) && each.includes('/')) return isWithin([each])(host)
    const [, named, at] = (!isIP(each) && /^(.+):(\d+)$/.exec(each)) || [each, each]
    if (at !== undefined && at !== (port || PORTS[protocol])) return false
    const domain = named.replaceAll(/^\*?\.|^\[|\]$/g, '')
    return named === '*' || (domain !== '' && (host === domain || host.endsWith(`.${domain}`)))
  })
}

/** Whether an address is within ranges, written with a slash and bits. @param {string[]} ranges */
export function isWithin(ranges) {
  const list = new BlockList()
  const family = (address) => (isIP(address) === 4 ? 'ipv4' : 'ipv6')
  for (const range of ranges) {
    const [address, bits] = range.split('/')
    if (Number(bits) <= (BITS[isIP(address)] ?? -1)) list.addSubnet(address, Number(bits), family(address))
  }
  return (address) => isIP(address) > 0 && list.check(address, family(address))
}

/** @type {Map<string, Promise<typeof fetch>>} */
const ways = new Map()

/** @param {any} address no Request @param {RequestInit} [init] */
export async function webFetch(address, init) {
  const proxy = proxyOf(address)
  if (proxy === undefined) return fetch(address, init)
  const key = JSON.stringify(proxy)
  if (!ways.has(key)) ways.set(key, through(proxy))
  const send = /** @type {typeof fetch} */ (await ways.get(key))
  return send(address, init).catch((error) => {
    if (!proxy.isPlain || init?.signal?.aborted) throw error
    const status = /\(407\)$/.test(error.cause?.message) ? 407 : undefined
    const cause = new ProxyFailed(proxy, new URL(address).hostname, { status, cause: error })
    throw new TypeError(error.message, { cause })
  })
}

/** Read when it is needed: it takes a while, and most machines have no proxy. @param {Proxy} proxy @returns {Promise<typeof fetch>} */
async function through(proxy) {
  const { fetch: send, Pool, ProxyAgent } = await import('undici')
  /** @param {URL} origin @param {object} options */
  const clientFactory = (origin, options) => {
    const pool = new Pool(origin, { ...options, headersTimeout: OPEN_MS })
    const connect = pool.connect.bind(pool)
    const opened = async (asked) => {
      const host = asked.path.replace(/:\d+$/, '')
      const answer = await connect(asked).catch((cause) => {
        throw new ProxyFailed(proxy, host, { cause })
      })
      if (answer.statusCode === 200) return answer
      answer.socket.on('error', () => {}).destroy()
      throw new ProxyFailed(proxy, host, { status: answer.statusCode })
    }
    return Object.assign(pool, { connect: opened })
  }
  const { origin: uri, token } = proxy
  const dispatcher = new ProxyAgent({ uri, token, proxyTunnel: false, clientFactory })
  return /** @type {any} */ ((address, init) => send(address, { ...init, dispatcher }))
}
