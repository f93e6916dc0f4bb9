// Modes that come with the package. They name no server: each says in words what its tools do, and is bound to the tools of
// whichever servers there are.

import { readFileSync } from 'node:fs'

import { oneOf, record } from '../base/values.mjs'

/** Sets of modes, by the names of their files. */
const SETS = ['coding']

/**
 * The modes of a configuration, behind them those of a set. A mode of the configuration replaces the one of its name.
 *
 * @param {unknown} own `modes` of the configuration
 * @param {string | undefined} set
 */
export function withShipped(own, set) {
  if (set === undefined) return own
  const name = oneOf(set, 'modes', SETS)
  const shipped = JSON.parse(readFileSync(new URL(`./modes/${name}.json`, import.meta.url), 'utf8'))
  return { ...shipped, ...record(own ?? {}, 'config.modes') }
}
