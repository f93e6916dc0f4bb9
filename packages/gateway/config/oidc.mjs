// The setting `oidc`: whose tokens are taken at the door, and which profiles the groups of a person open.

import { invalid, shown } from '../base/errors.mjs'
import { known, record, text } from '../base/values.mjs'
import { list, names, readUrl } from './values.mjs'

const KEYS = ['issuer', 'audience', 'groups', 'groupsClaim', 'scopes', 'resource']
/** Hosts to which nobody listens on the way. */
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']
/** Groups of a configuration, and characters of a name or address. */
const MAX_GROUPS = 1_000
const MAX_NAME = 500
/** What a scope may hold (RFC 6749, 3.3). */
const NO_SCOPE = /^$|[^\x21\x23-\x5b\x5d-\x7e]/

/**
 * @typedef {object} OidcSettings
 * @property {string} issuer as its tokens have it, to the letter
 * @property {string} audience whom tokens must be for
 * @property {Map<string, string[]>} groups profiles by the name of a group
 * @property {string} groupsClaim the claim of a token that has the groups
 * @property {string[]} scopes that clients are told to ask for
 * @property {string} [resource] the address of the gateway as clients have it; that of the endpoint without one
 */

/**
 * @param {unknown} value
 * @param {string} at
 * @returns {OidcSettings | undefined}
 */
export function readOidc(value, at) {
  if (value === undefined) return undefined
  const given = known(value, at, KEYS)
  const audience = text(given.audience, `${at}.audience`, MAX_NAME)
  const groups = Object.entries(record(given.groups, `${at}.groups`))
  if (groups.length === 0 || groups.length > MAX_GROUPS)
    throw invalid(`${at}.groups`, `1 to ${MAX_GROUPS} groups, each with the profiles that it opens`, groups.length)
  return {
    issuer: safeUrl(given.issuer, `${at}.issuer`),
    audience,
    groups: new Map(groups.map(([name, profiles]) => [name, profilesOf(profiles, `${at}.groups[${shown(name)}]`)])),
    groupsClaim: text(given.groupsClaim ?? 'groups', `${at}.groupsClaim`, MAX_NAME),
    scopes: list(given.scopes, `${at}.scopes`, 50).map((each, index) =>
      text(each, `${at}.scopes[${index}]`, MAX_NAME, NO_SCOPE),
    ),
    resource: resourceOf(given.resource, audience, `${at}.resource`),
  }
}

/** The name of one profile, or of several. */
function profilesOf(value, at) {
  return Array.isArray(value) ? names(value, at, { characters: MAX_NAME }) : [text(value, at, MAX_NAME)]
}

/** Where the audience is an address, it is that of the gateway, as the protocol has it. */
function resourceOf(value, audience, at) {
  const written = value ?? (/^https?:\/\//.test(audience) ? audience : undefined)
  return written === undefined ? undefined : safeUrl(written, at)
}

/** As it is written: an issuer is compared to the letter. */
function safeUrl(value, at) {
  const url = readUrl(value, at)
  const isSafe = url.protocol === 'https:' || LOOPBACK.includes(url.hostname)
  if (!isSafe || url.search || url.hash)
    throw invalid(at, 'an https address (http on loopback alone) without ? and #', isSafe ? 'one with them' : 'http:')
  return value
}
