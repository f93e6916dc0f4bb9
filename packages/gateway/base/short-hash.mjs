// What stands for a name where the name itself is not told: long enough to tell two apart.

import { createHash } from 'node:crypto'

/** Characters of it: 132 bits. */
const LENGTH = 22

/** @param {string} text */
export const shortHash = (text) => createHash('sha256').update(text).digest('base64url').slice(0, LENGTH)
