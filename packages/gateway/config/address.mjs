// The address of a database. It may hold a password, which nothing shows: whatever prints or keeps the address has it without.

import { inspect } from 'node:util'

import { invalid } from '../base/errors.mjs'

const PROTOCOLS = ['postgres:', 'postgresql:']

export class StoreAddress {
  #url

  /** @param {URL} url */
  constructor(url) {
    this.#url = url
  }

  /** All of it: for the driver alone. */
  get whole() {
    return this.#url.href
  }

  toString() {
    const { username, host, pathname } = this.#url
    return `postgres://${username && `${username}@`}${host}${pathname}`
  }

  toJSON() {
    return this.toString()
  }

  [inspect.custom]() {
    return this.toString()
  }
}

/** @param {unknown} value @param {string} at */
export function readStoreAddress(value, at) {
  const isOne = typeof value === 'string' && URL.canParse(value) && PROTOCOLS.includes(new URL(value).protocol)
  if (!isOne) {
    const got = typeof value === 'string' ? `another text of ${value.length} characters` : typeof value
    throw invalid(at, 'the address of a database, as postgres://user:password@host:5432/name', got)
  }
  return new StoreAddress(new URL(value))
}
