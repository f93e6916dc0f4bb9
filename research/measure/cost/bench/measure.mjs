// How costs are measured: CPU time of the process, so that what else the machine does counts little, and medians of
// repetitions that take turns.

import process from 'node:process'

/** CPU time of this process so far, all threads, in ms. */
function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** CPU time of a call until it has settled, in ms. */
export async function cpuOf(call) {
  const before = cpuMs()
  await call()
  return cpuMs() - before
}

/** How long a call keeps this thread, in ms: until it returns, not until it has settled. */
export async function blockOf(call) {
  const before = performance.now()
  const result = call()
  const own = performance.now() - before
  await result
  return own
}

/** The middle of some numbers. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Measures alternatives in turns, so that a busy minute is nobody's alone; the order rotates.
 *
 * @param {Record<string, (round: number) => Promise<number>>} alternatives
 * @param {number} rounds
 * @returns {Promise<Record<string, number[]>>} one value per round
 */
export async function inTurns(alternatives, rounds) {
  const names = Object.keys(alternatives)
  const measured = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round) % names.length]
      measured[name].push(await alternatives[name](round))
    }
  }
  return measured
}

/** How many times the one takes what the other takes: the median over rounds, which shared the machine. */
export function ratioOf(theirs, ours) {
  return median(theirs.map((value, at) => value / ours[at]))
}
