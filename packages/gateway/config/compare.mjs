// The setting `compare`: other settings that a share of the sessions gets.

import { invalid } from '../base/errors.mjs'
import { integer, known } from '../base/values.mjs'

/**
 * @typedef {object} CompareSettings
 * @property {Record<string, unknown>} settings those of the other arm, as they hold there
 * @property {number} percent of the sessions that get them
 */

/**
 * @param {unknown} value
 * @param {string} at
 * @param {{ names: string[], given: Record<string, unknown>, isKept: boolean, read: (given: object, at?: string) => Record<string, any> }} of settings
 * that can differ between two sessions, what stands beside it, whether counts are kept anywhere, and how settings are read
 * @returns {CompareSettings | undefined}
 */
export function readCompare(value, at, { names: possible, given, isKept, read }) {
  if (value === undefined) return undefined
  const { settings, percent } = known(value, at, ['settings', 'percent'])
  const names = Object.keys(known(settings, `${at}.settings`, possible))
  const { compare: _, ...base } = given
  const [here, there] = [read(base), read({ ...base, ...settings }, `${at}.settings`)]
  const isOther = (name) => JSON.stringify(here[name]) !== JSON.stringify(there[name])
  if (!names.some(isOther))
    throw invalid(`${at}.settings`, 'a value that differs from the one beside compare', JSON.stringify(settings))
  if (!isKept) throw invalid(at, 'a cacheDir or a store beside it, where counts are kept', 'neither')
  return {
    settings: Object.fromEntries(names.map((name) => [name, there[name]])),
    percent: integer(percent, `${at}.percent`, 1, 99, 50),
  }
}
