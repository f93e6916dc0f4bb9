// Who may have what over HTTP: all servers, or one profile.

import { createHash, timingSafeEqual } from 'node:crypto'

/** Instead of the name of a profile: all servers of the configuration. */
export const ALL = Symbol('all')

/**
 * Whose token it is; undefined for that of a stranger. It is compared with each, so that time says nothing.
 *
 * @param {string} token as it was sent
 * @param {string} own that of the gateway
 * @param {Map<string, { token?: string }>} profiles
 * @returns {string | typeof ALL | undefined} the name of a profile, or all
 */
export function guestOf(token, own, profiles) {
  const isOf = (each) => isEqual(each, token)
  const [guest] = [...profiles].filter(([, profile]) => profile.token !== undefined && isOf(profile.token))
  return isOf(own) ? ALL : guest?.[0]
}

/**
 * What is served at a path; undefined for nothing. To the token of one profile the path of another is nothing too.
 *
 * @param {string | undefined} path
 * @param {string} root the path of all servers; that of a profile has its name behind it
 * @param {string | string[] | typeof ALL} guest whom several profiles are open to, all of them are served without a name
 * @param {Map<string, unknown>} profiles
 */
export function profileAt(path, root, guest, profiles) {
  if (path === root) return guest
  const name = [...profiles.keys()].find((each) => path === `${root}/${encodeURIComponent(each)}`)
  const isOpen = guest === ALL || (Array.isArray(guest) ? guest : [guest]).some((each) => each === name)
  return isOpen ? name : undefined
}

/** The path of a request; undefined for what is no address, as `//`. */
export function pathOf(target) {
  return URL.canParse(target, 'http://x') ? new URL(target, 'http://x').pathname : undefined
}

/** The token of a header `Bearer …`. The scheme is written in any case (RFC 9110, 11.1). */
export function bearerOf(authorization = '') {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
}

/** Whether two texts are the same. Digests are of equal length whatever was sent, so that comparing says nothing of it. */
export function isEqual(one, other) {
  const [digest, sent] = [one, other].map((text) => createHash('sha256').update(String(text)).digest())
  return timingSafeEqual(digest, sent)
}
