// What authorization servers and servers that want a login are asked: soon, not much, and only where they may send the gateway.

import { randomBytes } from 'node:crypto'

import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client'

import { plain } from '../base/errors.mjs'
import { boundedBody } from '../base/long-answer.mjs'
import { webFetch } from '../base/web-fetch.mjs'
import { networkReason } from '../reach/failure.mjs'
import { isNotFollowed, wayTo } from './places.mjs'

/** How long one request may take, and how much may be answered. */
const REQUEST_MS = 30_000
const MAX_ANSWER = 1024 * 1024
/** Redirects of a question. What proves something is sent nowhere else. */
const MAX_HOPS = 5

/** Asks the server what login it wants, or with a token of one what rights its list wants: it says so when it refuses. */
export async function probe({ url, headers }, token) {
  const response = await boundedFetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      ...Object.fromEntries(headers),
      ...(token && { Authorization: `Bearer ${token}` }),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: randomBytes(4).toString('hex'), method: token ? 'tools/list' : 'ping' }),
  })
  if (response.ok) throw new Error('it lets everybody in, and asks for no login')
  return extractWWWAuthenticateParams(response)
}

/** fetch for a login at a server: what that names is asked, and where it redirects to, as far as it may be. */
export function fetchFor({ url: server }, withinMs = REQUEST_MS, way = wayTo) {
  const late = withinMs === REQUEST_MS ? undefined : AbortSignal.timeout(withinMs)
  return async (address, init = {}) => {
    let next = new URL(address)
    for (let hop = 0; hop <= MAX_HOPS; hop++) {
      const send = await way(next, server)
      const response = await boundedFetch(next, { signal: late, ...init, redirect: 'manual' }, send)
      const location = response.headers.get('location')
      const isQuestion = (init.method ?? 'GET') === 'GET'
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null || !isQuestion) return response
      next = new URL(location, next)
    }
    throw new Error('it redirects in a circle')
  }
}

/** @param {string | URL} address @param {RequestInit} [init] @param {typeof fetch} [send] */
async function boundedFetch(address, init = {}, send = webFetch) {
  const late = AbortSignal.timeout(REQUEST_MS)
  const signal = init.signal ? AbortSignal.any([init.signal, late]) : late
  const [response, given] = await answerTo(address, { ...init, signal }, send)
  const { status, statusText, headers } = response
  // Some statuses may have no body, not even an empty one.
  const read = status < 400 ? () => mended(given, init.body) : () => withoutWords(given)
  const bounded = new Response([101, 204, 205, 304].includes(status) ? null : read(), { status, statusText, headers })
  Object.defineProperty(bounded, 'url', { value: response.url })
  return bounded
}

/** @returns {Promise<[Response, Buffer]>} */
async function answerTo(address, init, send) {
  try {
    const response = await send(address, init)
    return [response, await boundedBody(response, MAX_ANSWER)]
  } catch (error) {
    if (isNotFollowed(error.cause)) throw error.cause
    const network = init.signal.aborted ? undefined : networkReason(error)
    if (network === undefined && !init.signal.aborted) throw error
    const why = network ? `cannot be reached: ${network.reason} (${network.code})` : 'does not answer'
    // Of the same kind as what fetch throws: the SDK goes on after others.
    throw new TypeError(`${new URL(address).host} ${why}`, { cause: error })
  }
}

/** An error without the server's own words, which may repeat what was sent; the SDK would print them. */
function withoutWords(body) {
  try {
    const { error } = JSON.parse(body.toString('utf8'))
    return JSON.stringify(typeof error === 'string' ? { error: plain(error, 60) } : {})
  } catch {
    return ''
  }
}

const text = (value) =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value ? value : undefined
const address = (value) => (URL.canParse(text(value) ?? '') ? value : undefined)
const isTrue = (value) => (value === true ? value : undefined)
const seconds = (value) => (Number.isFinite(Number(text(value))) ? Number(value) : undefined)
/** A list, also where it is one text. */
const texts = (value) => {
  const found = [value].flat().flatMap((each) => text(each)?.split(/\s+/) ?? [])
  return found.length > 0 ? found : undefined
}

/** What a login needs of each kind of answer, by the key that tells the kind; what else is said may be odd, and is left out. */
const NEEDED = {
  access_token: {
    ...{ access_token: text, token_type: text, refresh_token: text, expires_in: seconds },
    scope: (value) => texts(value)?.join(' '),
  },
  client_id: {
    ...{ client_id: text, client_secret: text, client_secret_expires_at: seconds, token_endpoint_auth_method: text },
    redirect_uris: (value) => texts(value)?.filter(address),
  },
  authorization_endpoint: {
    ...{ issuer: text, authorization_endpoint: address, token_endpoint: address, registration_endpoint: address },
    ...{ scopes_supported: texts, response_types_supported: texts, grant_types_supported: texts },
    ...{ code_challenge_methods_supported: texts, token_endpoint_auth_methods_supported: texts },
    ...{ client_id_metadata_document_supported: isTrue, authorization_response_iss_parameter_supported: isTrue },
  },
  resource: { resource: text, authorization_servers: texts, scopes_supported: texts },
}

/**
 * An answer as the SDK's schemas want it: authorization servers leave out or misspell what nobody asks for here, and do not all
 * repeat what a client has registered.
 */
function mended(body, sent) {
  try {
    const given = JSON.parse(body.toString('utf8'))
    const kind = Object.keys(NEEDED).find((key) => given[key] !== undefined && given[key] !== null)
    if (kind === undefined) return body
    const read = Object.entries(NEEDED[kind]).map(([key, as]) => [key, as(given[key])])
    const said = Object.fromEntries(read.filter(([, value]) => value !== undefined))
    if (kind === 'client_id' && typeof sent === 'string') {
      // Its own address alone would have our client refused when it comes back.
      const all = [...JSON.parse(sent).redirect_uris, ...(said.redirect_uris ?? [])]
      said.redirect_uris = [...new Set(all)]
    }
    return JSON.stringify({ ...assumed(kind, said), ...said })
  } catch {
    return body
  }
}

/** What answers are wanted to have, and is not looked at, or goes without saying. */
function assumed(kind, { issuer }) {
  if (kind === 'access_token') return { token_type: 'Bearer' }
  if (kind !== 'authorization_endpoint') return {}
  return {
    response_types_supported: ['code'],
    jwks_uri: issuer,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
}
