// Tokens of an issuer of the organisation (OpenID Connect), at the door: whether one is good, and which profiles the groups
// of its person open. Where clients get one is said as the protocol has it (RFC 9728). The library `jose` checks signatures.

import { createHash } from 'node:crypto'

import { invalid, routerError } from '../base/errors.mjs'
import { shortHash } from '../base/short-hash.mjs'
import { webFetch } from '../base/web-fetch.mjs'
import { AWAY } from './keys.mjs'

/** Signatures that only the issuer can make. With HMAC whoever checks could sign as well. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]
/** Seconds by which two clocks may differ. */
const TOLERANCE_S = 10
/** How long the issuer may take to answer, and after how long one that did not is asked again. */
const ANSWER_MS = 5_000
const AGAIN_MS = 5_000
/** Bytes of the issuer's description: real ones have under 10,000. */
const MAX_DOCUMENT = 200_000
/** Characters of a token: with more, no header would hold it. */
const MAX_TOKEN = 16_000
/** How long keys of the issuer are known: until then a token of one that it has withdrawn is taken. */
const KEYS_MS = 600_000
/** Groups of a person that are read. */
const MAX_GROUPS = 1_000
/** Tokens that are remembered, and for how long: their signatures are not checked with each request. */
const KEPT = 1_000
const FRESH_MS = 60_000
/** Where the description of a protected resource is found; its path stands behind it (RFC 9728, 3.1). */
const METADATA = '/.well-known/oauth-protected-resource'
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** Codes of `jose` for what is wrong with the keys of the issuer, not with a token. */
const NOT_OF_TOKEN = ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC']

/**
 * @typedef {Pick<typeof import('jose'), 'createRemoteJWKSet' | 'jwtVerify'>} Jose
 * @typedef {import('../config/oidc.mjs').OidcSettings} OidcSettings
 */

/**
 * The issuer of a configuration; none where it names none, or where one profile alone is served.
 *
 * @param {import('../config/read.mjs').Config} config
 * @param {() => Map<string, unknown>} profiles those of the configuration now
 */
export async function openIssuer({ settings: { oidc } }, profiles) {
  if (oidc === undefined || profiles().size === 0) return undefined
  try {
    return new Issuer(await import('jose'), oidc, profiles)
  } catch (error) {
    const message = 'config.gateway.oidc: tokens are checked by the package jose; install it with: npm install jose'
    throw routerError('ERR_INVALID_ARGUMENT', message, error)
  }
}

export class Issuer {
  #jose
  #settings
  #profiles
  /** Finds the key of a token. @type {ReturnType<Jose['createRemoteJWKSet']> | undefined} */
  #keys
  /** @type {Promise<ReturnType<Jose['createRemoteJWKSet']>> | undefined} */
  #finding
  #failedAt = -AGAIN_MS
  /** By the hash of the token: whose it is, its groups, and until when it opens what they open. */
  #known = new Map()

  /**
   * @param {Jose} jose
   * @param {OidcSettings} settings
   * @param {() => Map<string, unknown>} profiles
   */
  constructor(jose, settings, profiles) {
    this.#jose = jose
    this.#settings = settings
    this.#profiles = profiles
  }

  /**
   * What a token opens, as far as it was checked lately.
   *
   * @param {string} token
   * @returns {string[] | undefined} names of profiles
   */
  known(token) {
    const known = this.#known.get(hashOf(token))
    return known !== undefined && Date.now() < known.until ? this.#opens(known.groups) : undefined
  }

  /** Whether it was good the last time and has not ended. @param {string} token */
  wasGood(token) {
    return Date.now() < (this.#known.get(hashOf(token))?.end ?? 0)
  }

  /**
   * What a token opens: nothing where no group of its person opens anything. Undefined for what is no good token.
   *
   * @param {string} token
   * @returns {Promise<string[] | typeof AWAY | undefined>} names of profiles, in the order of the configuration
   */
  async guestOf(token) {
    if (token.length > MAX_TOKEN || !JWT.test(token)) return undefined
    const { issuer, audience, groupsClaim } = this.#settings
    let payload
    try {
      const keys = await this.#keySet()
      const checks = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: TOLERANCE_S, requiredClaims: ['exp'] }
      payload = (await this.#jose.jwtVerify(token, keys, checks)).payload
    } catch (error) {
      return isOfToken(error) ? undefined : AWAY
    }
    const groups = groupsOf(payload[groupsClaim])
    const until = Math.min(Date.now() + FRESH_MS, 1_000 * (Number(payload.exp) + TOLERANCE_S))
    this.#known.delete(hashOf(token))
    // Without a subject each of a person's tokens is a client of its own.
    const who = payload.sub === undefined ? token : JSON.stringify([issuer, payload.sub])
    const client = hashOf(who)
    const person = `person ${shortHash(who)}`
    this.#known.set(hashOf(token), { groups, until, client, person, end: 1_000 * Number(payload.exp) })
    if (this.#known.size > KEPT) this.#known.delete(this.#known.keys().next().value)
    return this.#opens(groups)
  }

  /** The person of a token that was checked lately. @param {string} token */
  askerOf(token) {
    const known = this.#known.get(hashOf(token))
    return known && { client: known.client, person: known.person, end: known.end }
  }

  /** @param {string[]} groups */
  #opens(groups) {
    const mine = new Set(groups)
    const opened = [...this.#settings.groups].flatMap(([name, profiles]) => (mine.has(name) ? profiles : []))
    const served = this.#profiles()
    return [...new Set(opened)].filter((name) => served.has(name))
  }

  /** The keys of the issuer. They are looked up with its first token, and an issuer that is away is not asked each time. */
  async #keySet() {
    if (this.#keys !== undefined) return this.#keys
    if (Date.now() - this.#failedAt < AGAIN_MS) throw invalid('issuer', 'an answer', 'none')
    this.#finding ??= this.#find().finally(() => (this.#finding = undefined))
    this.#keys = await this.#finding.catch((error) => {
      this.#failedAt = Date.now()
      throw error
    })
    return this.#keys
  }

  async #find() {
    const { issuer } = this.#settings
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const answer = await webFetch(address, { redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS) })
    if (!answer.ok) throw invalid(address, 'status 200', answer.status)
    const found = JSON.parse(await bounded(answer))
    // Otherwise another one could take its place (OpenID Connect Discovery, 4.3).
    if (found.issuer !== issuer) throw invalid(`${address}: issuer`, issuer, found.issuer)
    const keys = new URL(found.jwks_uri)
    if (keys.protocol !== 'https:' && keys.protocol !== new URL(issuer).protocol)
      throw invalid(`${address}: jwks_uri`, 'an https address', keys.protocol)
    const how = { timeoutDuration: ANSWER_MS, cacheMaxAge: KEYS_MS, [this.#jose.customFetch]: webFetch }
    return this.#jose.createRemoteJWKSet(keys, how)
  }

  /**
   * Says where a token comes from, to everybody who asks.
   *
   * @param {string | undefined} path
   * @param {string} url of the gateway
   * @param {import('node:http').ServerResponse} response
   * @returns {boolean} whether the path is that of the description
   */
  describe(path, url, response) {
    const resource = this.#resource(url)
    if (path !== METADATA && path !== resource.metadata.pathname) return false
    const { issuer, scopes } = this.#settings
    const document = {
      resource: resource.written,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
    }
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(document))
    return true
  }

  /**
   * What a client without a good token is told in `WWW-Authenticate`.
   *
   * @param {string} url of the gateway
   * @param {boolean} hasToken whether it sent one
   */
  challenge(url, hasToken) {
    const { scopes } = this.#settings
    const parts = [
      `resource_metadata="${this.#resource(url).metadata}"`,
      ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
      ...(hasToken ? ['error="invalid_token"'] : []),
    ]
    return `Bearer ${parts.join(', ')}`
  }

  /** The gateway as clients have it, to the letter, and where it is described. */
  #resource(url) {
    const written = this.#settings.resource ?? url
    const { origin, pathname } = new URL(written)
    return { written, metadata: new URL(METADATA + (pathname === '/' ? '' : pathname), origin) }
  }
}

/** Whether it is the token that is wrong. What is not of `jose` is of the way to the issuer. */
function isOfToken({ code }) {
  return typeof code === 'string' && /^ERR_(JW|JOSE)/.test(code) && !NOT_OF_TOKEN.includes(code)
}

/** Groups as issuers write them: a list of names, or one name. */
function groupsOf(claim) {
  const all = Array.isArray(claim) ? claim.slice(0, MAX_GROUPS) : [claim]
  return all.filter((each) => typeof each === 'string')
}

async function bounded(answer) {
  const chunks = []
  let bytes = 0
  for await (const chunk of answer.body) {
    bytes += chunk.length
    if (bytes > MAX_DOCUMENT) throw invalid(answer.url, `at most ${MAX_DOCUMENT} bytes`, bytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function hashOf(token) {
  return createHash('sha256').update(token).digest('base64url')
}
