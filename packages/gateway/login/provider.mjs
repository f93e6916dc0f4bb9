// What the SDK asks of an OAuth client: who it is, what it has been given, and where the browser comes back to. All that
// lasts is in the store, under the authorization server that gave it.

import { randomBytes } from 'node:crypto'

import { computeScopeUnion } from '@modelcontextprotocol/client'

import { loginLine } from '../base/command-line.mjs'
import { missesRights, plain } from '../base/errors.mjs'
import { loginKey } from './store.mjs'

/** How the gateway calls itself on a page that asks for consent. */
const CLIENT_NAME = 'Zoo tool router'
/** The one way of proof that is used; a server without it is refused. */
const PROOF = 'S256'
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** A server wants somebody to log in. */
export class LoginRequired extends Error {
  name = 'LoginRequired'

  /**
   * @param {import('../config/server.mjs').ServerDefinition} server
   * @param {{ scope?: string, resourceMetadataUrl?: URL }} [challenge] what it said about the login it wants
   */
  constructor(server, challenge = {}) {
    super(`it wants a login; run: ${loginLine(server)}`)
    this.challenge = challenge
  }
}

/** A login that cannot be renewed now, although nobody has refused it: it is still good. */
export class RenewalFailed extends Error {
  name = 'RenewalFailed'
}

/** Whether a failed request needs somebody to log in, or to allow more. */
export function wantsLogin(error) {
  return error instanceof LoginRequired || missesRights(error)
}

/** What nobody guesses. */
export const newState = () => randomBytes(24).toString('base64url')

/**
 * @typedef {import('@modelcontextprotocol/client').OAuthClientProvider} OAuthClientProvider
 *
 * @implements {OAuthClientProvider}
 */
export class OAuthProvider {
  #store
  #definition
  #redirectUrl
  #scope
  #onRedirect
  #isAnew
  #verifier
  #discovery
  #state

  /**
   * @param {import('./store.mjs').LoginStore} store
   * @param {import('../downstream/downstream.mjs').ServerDefinition} definition
   * @param {{ redirectUrl: string, scope?: string, state?: string, isAnew?: boolean, onRedirect?: (url: URL) => void }} options without
   * `onRedirect` nobody can be asked: tokens are renewed, and a new login is an error. `isAnew`: it is registered again
   */
  constructor(store, definition, { redirectUrl, scope, state = newState(), isAnew = false, onRedirect }) {
    this.#store = store
    this.#definition = definition
    this.#redirectUrl = redirectUrl
    this.#scope = scope ?? definition.oauth?.scope
    this.#state = state
    this.#isAnew = isAnew
    this.#onRedirect = onRedirect
  }

  get redirectUrl() {
    return this.#redirectUrl
  }

  get clientMetadataUrl() {
    return this.#definition.oauth?.clientMetadataUrl
  }

  get clientMetadata() {
    return {
      client_name: CLIENT_NAME,
      redirect_uris: [this.#redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // One that comes back to this machine, or to a gateway behind a proxy.
      application_type: LOOPBACK.includes(new URL(this.#redirectUrl).hostname) ? 'native' : 'web',
      token_endpoint_auth_method: 'none',
      ...(this.#scope && { scope: this.#scope }),
    }
  }

  /** Comes back with the browser: an answer to another question is not taken. */
  state() {
    return this.#state
  }

  async clientInformation(context) {
    const { clientId, clientSecret, issuer } = this.#definition.oauth ?? {}
    const login = await this.#login()
    if (clientId !== undefined) {
      const bound = issuer ?? login.boundIssuer
      if (bound !== undefined && context && !same(bound, context.issuer)) {
        throw new Error(
          `the client id is one of ${plain(bound, 100)}, and the server names ${plain(context.issuer, 100)} now; it is given to no other`,
        )
      }
      return { client_id: clientId, client_secret: clientSecret, issuer: bound ?? context?.issuer }
    }
    if (this.#isAnew) return undefined
    const client = login.issuers[context?.issuer ?? login.current]?.client
    // To renew is not to register: at another authorization server somebody has to be asked.
    if (!client && !this.#onRedirect && context) throw new LoginRequired(this.#definition)
    // One that is registered for another way back would be refused when somebody is asked, and serves to renew.
    const fits = !this.#onRedirect || !client?.redirect_uris || client.redirect_uris.includes(this.#redirectUrl)
    return fits ? client : undefined
  }

  async saveClientInformation(client) {
    this.#isAnew = false
    await this.#change((login) => {
      if (this.#definition.oauth?.clientId !== undefined) login.boundIssuer = client.issuer
      else issuerOf(login, client.issuer).client = client
    })
  }

  async tokens(context) {
    const login = await this.#login()
    return login.issuers[context?.issuer ?? login.current]?.tokens
  }

  async saveTokens(tokens) {
    await this.#change((login) => {
      login.current = tokens.issuer
      delete login.begun
      if (this.#onRedirect) login.asked = computeScopeUnion(login.asked, this.#scope)
      // What a call has wanted and somebody has granted is asked for again; what was not granted is not.
      const granted = tokens.scope?.split(' ')
      if (this.#onRedirect && login.wanted && granted)
        login.wanted = login.wanted
          .split(' ')
          .filter((each) => granted.includes(each))
          .join(' ')
      const { expires_in: seconds } = tokens
      issuerOf(login, tokens.issuer).tokens = {
        ...tokens,
        ...(Number.isFinite(seconds) && { expires_at: Date.now() + 1000 * seconds }),
      }
      if (this.#definition.oauth?.clientId !== undefined) login.boundIssuer = tokens.issuer
    })
  }

  redirectToAuthorization(url) {
    if (!this.#onRedirect) throw new LoginRequired(this.#definition)
    this.#onRedirect(url)
  }

  saveCodeVerifier(verifier) {
    this.#verifier = verifier
  }

  codeVerifier() {
    return this.#verifier
  }

  /** Held for one login: the code is redeemed where it was asked for. */
  discoveryState() {
    return this.#discovery
  }

  saveDiscoveryState(state) {
    const { authorizationServerMetadata: metadata } = state
    if (metadata) {
      if (!metadata.code_challenge_methods_supported?.includes(PROOF))
        throw new Error(
          `its authorization server does not say that it knows PKCE with ${PROOF}; no login is made there`,
        )
      for (const key of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'])
        if (metadata[key] !== undefined && !isPrivate(metadata[key]))
          throw new Error(`its authorization server has a ${key} that is not https; no login is made there`)
    }
    this.#discovery = state
  }

  async invalidateCredentials(what) {
    if (what === 'verifier') this.#verifier = undefined
    if (what === 'discovery' || what === 'all') this.#discovery = undefined
    if (!['all', 'client', 'tokens'].includes(what)) return
    await this.#change((login) => {
      const kept = login.issuers[login.current]
      if (!kept) return
      if (what !== 'client') delete kept.tokens
      if (what !== 'tokens') delete kept.client
    })
  }

  #login() {
    return this.#store.read(loginKey(this.#definition))
  }

  #change(change) {
    return this.#store.change(loginKey(this.#definition), change)
  }
}

/** What is kept of one authorization server. Its name is a key that a server chose: only an own property counts. */
function issuerOf(login, issuer) {
  if (!Object.hasOwn(login.issuers, issuer)) {
    Object.defineProperty(login.issuers, issuer, { value: {}, enumerable: true, configurable: true, writable: true })
  }
  return login.issuers[issuer]
}

/** One with and one without a slash at its end are one issuer, as for the SDK. */
function same(one, other) {
  return one.replace(/\/$/, '') === String(other).replace(/\/$/, '')
}

/** Whether nobody between here and there can read along. */
export function isPrivate(address) {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname))
}
