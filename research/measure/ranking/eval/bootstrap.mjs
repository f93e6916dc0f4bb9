// Confidence intervals by resampling requests, and the only source of chance in the evaluation.

import { createHash } from 'node:crypto'

import { percentile } from './metrics.mjs'

/** Width of the intervals. */
export const CONFIDENCE = 0.95

/**
 * Numbers from 0 to below 1 that depend on the seed alone (xorshift128 by G. Marsaglia).
 *
 * @param {...(string | number)} seed
 * @returns {() => number}
 */
export function seeded(...seed) {
  const state = new Uint32Array(createHash('sha256').update(seed.join('\0')).digest().buffer.slice(0, 16))
  if (state.every((word) => word === 0)) state[0] = 1 // the one state that it cannot leave
  return () => {
    let word = state[3]
    word ^= word << 11
    word ^= word >>> 8
    state.copyWithin(1, 0, 3)
    state[0] = word ^ state[1] ^ (state[1] >>> 19)
    return state[0] / 2 ** 32
  }
}

/** Some of the items, without repetition and in their own order; all of them when there are no more. */
export function sample(items, count, random) {
  if (items.length <= count) return [...items]
  const places = items.map((_, at) => at)
  for (let at = 0; at < count; at++) {
    const other = at + Math.floor(random() * (places.length - at))
    ;[places[at], places[other]] = [places[other], places[at]]
  }
  return places
    .slice(0, count)
    .sort((a, b) => a - b)
    .map((at) => items[at])
}

/**
 * Means of resampled requests. The same requests are drawn for every column, so that two columns can be compared draw
 * by draw.
 *
 * @param {Record<string, Float64Array>} columns one value a request, all of one length
 * @param {number} resamples
 * @param {() => number} random
 * @returns {Record<string, Float64Array>} one mean a resample
 */
export function resampledMeans(columns, resamples, random) {
  const names = Object.keys(columns)
  const size = columns[names[0]]?.length ?? 0
  const means = Object.fromEntries(names.map((name) => [name, new Float64Array(resamples)]))
  const drawn = new Uint32Array(size)
  for (let round = 0; round < resamples; round++) {
    for (let at = 0; at < size; at++) drawn[at] = Math.floor(random() * size)
    for (const name of names) {
      const values = columns[name]
      let total = 0
      for (let at = 0; at < size; at++) total += values[drawn[at]]
      means[name][round] = total / size
    }
  }
  return means
}

/** The interval that holds the middle 95 % of resampled values. */
export function interval(values) {
  const tail = (1 - CONFIDENCE) / 2
  return { low: percentile(values, tail), high: percentile(values, 1 - tail) }
}
