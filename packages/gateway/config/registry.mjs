// Which servers of a registry the configuration allows to be started: each by its name and a digest of what it starts.

import { invalid } from '../base/errors.mjs'
import { names } from './values.mjs'

/** Servers of one gateway. */
const MOST = 500
const PIN = /^(?<name>.{1,128})@(?<digest>[0-9a-f]{32})$/su

/** @param {unknown} value @param {string} at @returns {Map<string, string>} digests by name */
export function readAllowed(value, at) {
  const pins = names(value, at, { entries: MOST }).map((pin, index) => {
    const { name, digest } = PIN.exec(pin)?.groups ?? {}
    if (name === undefined) throw invalid(`${at}[${index}]`, 'name@digest, as the command registry prints it', pin)
    return /** @type {const} */ ([name, digest])
  })
  return new Map(pins)
}
