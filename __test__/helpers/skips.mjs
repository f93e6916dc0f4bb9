// A test that cannot be tried here says why, where its result would stand.
import test from 'ava'

/**
 * `test` where something holds; elsewhere tests are skipped, and their titles say the reason.
 *
 * @param {boolean} holds
 * @param {string} reason
 */
export function where(holds, reason) {
  if (holds) return test
  const skipped = (title, ...rest) => test.skip(`${title} (skipped: ${reason})`, ...rest)
  skipped.serial = (title, ...rest) => test.serial.skip(`${title} (skipped: ${reason})`, ...rest)
  return skipped
}
