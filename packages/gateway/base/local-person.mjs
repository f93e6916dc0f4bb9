// SPDX-License-Identifier: Apache-2.0
//
// Who uses the gateway of this machine, for an audit: the user of the system.

import { createHash } from 'node:crypto'
import os from 'node:os'

/** Characters of a hash. */
const HASHED = 22

/** @param {{ auditPersons: string }} settings */
export function personOfThisMachine({ auditPersons }) {
  const name = nameOfUser()
  const [machine, hash] = [os.hostname(), createHash('sha256')]
  if (auditPersons === 'plain') return `user ${name} of ${machine}`
  return `user ${hash
    .update(JSON.stringify([machine, name]))
    .digest('base64url')
    .slice(0, HASHED)}`
}

/** A container may run as a number without a name. */
function nameOfUser() {
  try {
    return os.userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
