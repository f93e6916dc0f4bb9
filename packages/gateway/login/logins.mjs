// Logins of one gateway: tokens for requests, renewed where they can be, and the address to open where somebody must be
// asked. The flow is the SDK's; what is ours is who is asked, and what is kept.

import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'

import { missesRights, plain } from '../base/errors.mjs'
import { isRemote } from '../config/server.mjs'
import { Replica } from '../base/replica.mjs'
import { settled } from '../base/settled.mjs'
import { webFetch } from '../base/web-fetch.mjs'
import { Pauses } from '../reach/pauses.mjs'
import { hasOwnKey } from '../base/secrets.mjs'
import { fetchFor, probe } from './asking.mjs'
import { ANSWERS, listenForAnswer, WayBack } from './callback.mjs'
import { wayTo } from './places.mjs'
import { isPrivate, LoginRequired, newState, OAuthProvider, RenewalFailed } from './provider.mjs'
import { renewed } from './renewal.mjs'
import { loginKey, LoginStore } from './store.mjs'

/** How long a login may take: a password manager, a second factor, a consent. */
const LOGIN_MS = 10 * 60_000
/** How long one request of a renewal may take, for which calls wait. */
const RENEWAL_MS = 8_000
/** How long a call waits for a renewal that it does not need yet. */
const SHORT_MS = 1_000
/** Characters of an address to log in at: models and people get it. */
const MAX_ADDRESS = 4_096
/** Characters of a reason: one of a proxy says what to write. */
const MAX_REASON = 400
/** A token that ends sooner than this is renewed before it is used; one that never lives so long, in its last quarter. */
const SOON_MS = 30_000
/** A server that has refused so many tokens one after the other, each just given, wants somebody and not another token. */
const MAX_REFUSED = 4
/** Answers of an authorization server that say something to a user; its own words are not repeated. */
const REFUSALS = new Map([
  ['access_denied', 'it was refused in the browser'],
  ['invalid_scope', 'the authorization server does not know what was asked for'],
  ['unauthorized_client', 'the authorization server does not let this client log in'],
  ['server_error', 'the authorization server failed'],
  ['temporarily_unavailable', 'the authorization server is not available now'],
])
/** Sentences of the SDK about logins, and ours in their place, with the next step. */
const SAID = /** @type {[RegExp, string][]} */ ([
  [
    /dynamic client registration/,
    'its authorization server registers no clients; register one by hand and name it as oauth.clientId',
  ],
  [
    /^Protected resource/,
    'the server says that it is at another address; correct the url of its entry to the one that it is known by',
  ],
  [
    /response type/,
    'its authorization server offers no login in a browser; put a key of its own into the headers of its entry',
  ],
  [
    /^HTTP \d+ trying to load/,
    'the description of its login could not be read; try again later, or ask whoever runs the server',
  ],
])
/** A way back that is never gone: for a renewal, which asks nobody. */
const NO_WAY_BACK = 'http://127.0.0.1/callback'

/**
 * @typedef {import('../config/server.mjs').Remote} Remote
 * @typedef {{ resourceMetadataUrl?: URL, scope?: string }} Challenge what a server says about the login it wants
 *
 * @typedef {object} Pending a login that somebody has to make in a browser
 * @property {string} url the address to open
 * @property {Promise<void>} done rejects when it failed or nobody came
 * @property {() => void} cancel
 */

export class Logins {
  #store
  #replica
  #way
  /** Logins that wait for somebody, by the address of their server. @type {Map<string, Promise<Pending>>} */
  #pending = new Map()
  /** What servers have said about the login they want, by address. @type {Map<string, Challenge>} */
  #challenges = new Map()
  /**
   * Logins that could not be renewed, by address, and until when that is not tried again.
   *
   * @type {Map<string, { pauses: Pauses, until: number, error: RenewalFailed }>}
   */
  #failed = new Map()
  /** Tokens that a server has refused since it took one, by address. @type {Map<string, Set<string>>} */
  #refused = new Map()
  /** Why another login would not help, by address. @type {Map<string, string>} */
  #noHelp = new Map()
  #closed = false
  /** Where browsers come back to a gateway behind a proxy; otherwise to a port of this machine. */
  publicWay = /** @type {WayBack | undefined} */ (undefined)

  /**
   * @param {string} folder where logins are kept
   * @param {Replica} [replica] to which the browser comes back
   * @param {typeof wayTo} [way] how what servers name is asked
   */
  constructor(folder, replica = new Replica(), way = wayTo) {
    this.#store = new LoginStore(folder)
    this.#replica = replica
    this.#way = way
  }

  /** Browsers come back to this address of the gateway. @param {string} origin */
  comeBackTo(origin) {
    this.publicWay = new WayBack(origin + ANSWERS)
  }

  /** Changes when somebody has logged in, or a token was renewed, here or in another process. */
  async stamp(definition) {
    return definition.url === undefined ? 'none' : this.#store.stamp(loginKey(definition))
  }

  /** Forgets a login. @returns {Promise<boolean>} whether there was one */
  forget(definition) {
    return this.#store.remove(loginKey(definition))
  }

  /**
   * What a transport of the SDK sends as proof of a login; undefined for a server whose headers hold a key of its own.
   *
   * @param {Remote} definition
   */
  authProvider(definition) {
    const hasAuthorization = [...definition.headers.keys()].some((name) => name.toLowerCase() === 'authorization')
    // A token is not sent in the clear, and none is asked for that could only be sent so.
    if (hasAuthorization || hasOwnKey(definition) || !isPrivate(definition.url.href)) return undefined
    const { href } = loginKey(definition)
    /** What each request was sent with: an answer may come after the token was renewed for another. */
    const sent = new WeakMap()
    return {
      fetch: async (address, init) => {
        const response = await webFetch(address, init)
        const [, token] = /^Bearer (.+)$/.exec(new Headers(init?.headers).get('Authorization') ?? '') ?? []
        sent.set(response, token)
        if (token !== undefined && response.status !== 401) this.#refused.delete(href)
        return response
      },
      token: async () => {
        const tokens = await this.#tokens(definition)
        // One that cannot be renewed now is tried: the server says what it wants.
        if (tokens?.refresh_token && endsSoon(tokens)) {
          const renewed = this.#renew(definition, tokens.access_token).catch(() => {})
          // One that is still good is used while an authorization server takes its time.
          await (Date.now() < tokens.expires_at ? settled(renewed, SHORT_MS) : renewed)
        }
        return (await this.#tokens(definition))?.access_token
      },
      onUnauthorized: async ({ response }) => {
        const challenge = extractWWWAuthenticateParams(response)
        this.#challenges.set(href, challenge)
        const tokens = await this.#tokens(definition)
        const used = sent.has(response) ? sent.get(response) : tokens?.access_token
        // There is a newer one by now.
        if (tokens && tokens.access_token !== used) return
        if (!tokens?.refresh_token || this.#isRefusedAlways(href, used)) throw new LoginRequired(definition, challenge)
        await this.#renew(definition, used, challenge)
      },
    }
  }

  /**
   * A server may want more rights than the login has: whoever logs in next asks for them, here or on the command line.
   *
   * @returns {Promise<string | undefined>} why another login would not help
   */
  async missed(definition, error) {
    this.#noHelp.delete(loginKey(definition).href)
    if (!missesRights(error)) return undefined
    const scope = error.requiredScope ?? ''
    let isAskedFor = false
    await this.#store.change(loginKey(definition), (login) => {
      const asked = login.asked?.split(' ') ?? []
      isAskedFor = login.current !== undefined && scope.split(' ').every((each) => each === '' || asked.includes(each))
      login.wanted = computeScopeUnion(login.wanted, scope)
    })
    const rights =
      scope === '' ? 'rights that it does not name' : `rights that its login has asked for (${plain(scope, 100)})`
    if (!isAskedFor) return undefined
    const noHelp = `it goes on to want ${rights}; this account may lack them, or the server is wrong`
    this.#noHelp.set(loginKey(definition).href, noHelp)
    return noHelp
  }

  /** Why another login would not help, where that is known. */
  noHelp(definition) {
    return this.#noHelp.get(loginKey(definition).href)
  }

  /** A token may end between its renewal and its use, and a server may learn late of a new one: that is no lost login. */
  #isRefusedAlways(href, token) {
    const refused = this.#refused.get(href) ?? new Set()
    this.#refused.set(href, refused.add(token))
    if (refused.size < MAX_REFUSED) return false
    this.#refused.delete(href)
    return true
  }

  #tokens(definition) {
    return new OAuthProvider(this.#store, definition, { redirectUrl: NO_WAY_BACK }).tokens()
  }

  /**
   * Renews a token once, whoever asks: a refresh token may be used once. While that fails the login stays as it is.
   *
   * @param {Remote} definition
   * @param {string | undefined} used
   * @param {Challenge} [challenge]
   * @throws {LoginRequired} when the authorization server has refused it
   * @throws {RenewalFailed} when it could not be asked
   */
  async #renew(definition, used, challenge = {}) {
    const key = loginKey(definition)
    const before = this.#failed.get(key.href)
    if (before && Date.now() < before.until) throw before.error
    const pauses = before?.pauses ?? new Pauses()
    try {
      await this.#store.alone(key, async () => {
        // Somebody else has done it in the meantime.
        if ((await this.#tokens(definition))?.access_token !== used) return
        const provider = new OAuthProvider(this.#store, definition, { redirectUrl: NO_WAY_BACK })
        await renewed(provider, definition, { challenge, fetchFn: fetchFor(definition, RENEWAL_MS, this.#way) })
      })
      this.#failed.delete(key.href)
    } catch (error) {
      if (error instanceof LoginRequired) throw new LoginRequired(definition, challenge)
      const retryAfterMs = pauses.next()
      const failed = Object.assign(
        new RenewalFailed(`its login cannot be renewed now: ${plain(whyRefused(error), MAX_REASON)}`),
        { retryAfterMs },
      )
      this.#failed.set(key.href, { pauses, until: Date.now() + retryAfterMs, error: failed })
      throw failed
    }
  }

  /**
   * Begins a login, or gives the one that is under way.
   *
   * @param {import('../downstream/downstream.mjs').ServerDefinition} definition
   * @returns {Promise<Pending>}
   */
  begin(definition) {
    if (!isRemote(definition)) throw new Error('no login can be made: it is a program')
    const { href } = loginKey(definition)
    const before = this.#pending.get(href)
    if (before) return before
    const pending = this.#open(definition)
    this.#pending.set(href, pending)
    const gone = () => this.#pending.delete(href)
    pending.then(({ done }) => done.then(gone, gone), gone)
    return pending
  }

  /** @param {Remote} definition @returns {Promise<Pending>} */
  async #open(definition) {
    if (this.#closed) throw new Error('the gateway is closed')
    const { oauth = {}, url: address } = definition
    if (!isPrivate(address.href)) throw new Error('no login can be made: its address is not https')
    const key = loginKey(definition)
    const { begun, wanted } = await this.#store.read(key)
    const challenge = this.#challenges.get(key.href) ?? (await probe(definition))
    // Who names a port has a client that is registered for it.
    const callback =
      (oauth.redirectPort === undefined && this.publicWay?.open()) ||
      (await listenForAnswer({
        port: oauth.redirectPort ?? (await this.#portBefore(definition)),
        isFixed: oauth.redirectPort !== undefined,
      }))
    try {
      const tokens = await this.#tokens(definition)
      // A server names the rights for one request: those for its list are asked for as well.
      const ofList = wanted && tokens ? await probe(definition, tokens.access_token).catch(() => undefined) : undefined
      const asked = computeScopeUnion(challenge.scope, wanted, ofList?.scope) || undefined
      const scope = asked ? computeScopeUnion(tokens?.scope, asked) : undefined
      /** @type {URL | undefined} */
      let url
      const onRedirect = (page) => (url = page)
      const provider = new OAuthProvider(this.#store, definition, {
        redirectUrl: callback.redirectUrl,
        scope: asked,
        // The page of the last one may have said that it does not know the client.
        isAnew: begun === true,
        state: this.#replica.numbered(newState()),
        onRedirect,
      })
      const { resourceMetadataUrl } = challenge
      const about = {
        serverUrl: definition.url,
        resourceMetadataUrl,
        scope,
        fetchFn: fetchFor(definition, undefined, this.#way),
      }
      await auth(provider, { ...about, forceReauthorization: true })
      if (url === undefined) throw new Error('its authorization server gave no page to log in at')
      if (!/^https?:$/.test(url.protocol) || url.href.length > MAX_ADDRESS)
        throw new Error('its authorization server gave an address that is none of a page')
      await this.#way(url, definition.url)
      await this.#store.change(key, (login) => {
        login.begun = true
      })
      const { done, cancel } = this.#finish(definition, provider, callback)
      return { url: url.href, done, cancel }
    } catch (error) {
      callback.close()
      throw new Error(`no login can be made: ${plain(whyRefused(error), MAX_REASON)}`, { cause: error })
    }
  }

  #finish(definition, provider, callback) {
    let cancel
    const given = new Promise((_, reject) => (cancel = () => reject(new Error('the login was not finished'))))
    const timer = setTimeout(() => cancel(), LOGIN_MS)
    timer.unref()
    const done = (async () => {
      try {
        const answer = await Promise.race([callback.answer(provider.state()), given])
        // Checks who answered before it looks at what was answered.
        const transport = new StreamableHTTPClientTransport(definition.url, {
          authProvider: provider,
          fetch: fetchFor(definition, undefined, this.#way),
        })
        await transport.finishAuth(answer)
      } catch (error) {
        throw new Error(`the login failed: ${plain(whyRefused(error), MAX_REASON)}`, { cause: error })
      } finally {
        clearTimeout(timer)
        callback.close()
      }
    })()
    done.catch(() => {}) // nobody may be waiting
    return { done, cancel }
  }

  /** A client that is registered for one port is known there under that port. */
  async #portBefore(definition) {
    const { issuers, current } = await this.#store.read(loginKey(definition))
    const registered = [issuers[current], ...Object.values(issuers)].find((kept) => kept?.client?.redirect_uris)
    const [address] = registered?.client.redirect_uris ?? []
    return URL.canParse(address) ? Number(new URL(address).port) : undefined
  }

  /** Ends the logins that nobody has finished. */
  async close() {
    this.#closed = true
    const pending = [...this.#pending.values()]
    for (const each of pending) await each.then(({ cancel }) => cancel()).catch(() => {})
  }
}

/** An error of the SDK may repeat what an authorization server wrote; its kind is enough. */
function whyRefused(error) {
  const kind = error?.constructor?.name
  if (Array.isArray(error?.issues) || error instanceof SyntaxError) {
    const fields = [...new Set(error.issues?.map(({ path }) => path?.join('.')).filter(Boolean))]
    return `its authorization server answered what cannot be used${fields.length > 0 ? ` (${plain(fields.join(', '), 100)})` : ''}`
  }
  if (kind === 'IssuerMismatchError') return 'the answer came from another authorization server than was asked'
  if (kind === 'OAuthError') return REFUSALS.get(error.code) ?? `the authorization server answered ${error.code}`
  if (kind === 'RegistrationRejectedError')
    return `its authorization server does not register this client (HTTP status ${error.status}); register one by hand and name it as oauth.clientId`
  const said = String(error?.message)
  return SAID.find(([pattern]) => pattern.test(said))?.[1] ?? said
}

function endsSoon({ expires_at: end, expires_in: seconds }) {
  return end !== undefined && end - Date.now() < Math.min(SOON_MS, (1000 * seconds) / 4)
}
