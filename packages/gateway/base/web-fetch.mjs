// fetch for servers and their logins: through the proxy that the environment names, as other programs of a company's network;
// never for this machine.

import process from 'node:process'

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/i
const NAMES = { 'https:': ['HTTPS_PROXY', 'HTTP_PROXY'], 'http:': ['HTTP_PROXY'] }
/** @type {Promise<typeof fetch> | undefined} */
let proxied

/** The variable that names the proxy for an address, if any does; `NO_PROXY` may except the address. */
export function proxyVariable(address) {
  const { protocol, hostname } = new URL(address)
  if (LOOPBACK.test(hostname)) return undefined
  return NAMES[protocol]?.flatMap((name) => [name.toLowerCase(), name]).find((name) => process.env[name])
}

/**
 * @param {string | URL | Request} address
 * @param {RequestInit} [init]
 */
export async function webFetch(address, init) {
  if (proxyVariable(String(address)) === undefined) return fetch(address, init)
  proxied ??= throughProxy()
  return (await proxied)(address, init)
}

/** Many write a proxy as host:port. @param {string} address that it is for */
export function proxyFor(address) {
  const name = proxyVariable(address)
  const value = name === undefined ? undefined : process.env[name]?.trim()
  const proxy = value === undefined || value.includes('://') ? value : `http://${value}`
  if (proxy !== undefined && !(/^https?:/i.test(proxy) && URL.canParse(proxy)))
    throw new Error(`${name} is no address of a proxy, as http://host:port is`)
  return proxy
}

/** Read when it is needed: it takes a while, and most machines have no proxy. @returns {Promise<typeof fetch>} */
async function throughProxy() {
  const { EnvHttpProxyAgent, fetch: send } = await import('undici')
  const [httpProxy, httpsProxy] = ['http://host.invalid', 'https://host.invalid'].map(proxyFor)
  const dispatcher = new EnvHttpProxyAgent({ httpProxy, httpsProxy, proxyTunnel: false })
  return /** @type {any} */ ((address, init) => send(address, { ...init, dispatcher }))
}
