// Who uses the gateway of this machine, for an audit: the user of the system.

import os from 'node:os'

import { shortHash } from './short-hash.mjs'

/** A hash: an audit has no names of people. */
export function personOfThisMachine() {
  return `user ${shortHash(JSON.stringify([os.hostname(), nameOfUser()]))}`
}

/** A container may run as a number without a name. */
function nameOfUser() {
  try {
    return os.userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
