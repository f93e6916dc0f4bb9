// Who uses the gateway of this machine, for an audit: the user of the system.

import os from 'node:os'

import { shortHash } from './short-hash.mjs'

/** @param {{ auditPersons: string }} settings */
export function personOfThisMachine({ auditPersons }) {
  const [name, machine] = [nameOfUser(), os.hostname()]
  if (auditPersons === 'plain') return `user ${name} of ${machine}`
  return `user ${shortHash(JSON.stringify([machine, name]))}`
}

/** A container may run as a number without a name. */
function nameOfUser() {
  try {
    return os.userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
