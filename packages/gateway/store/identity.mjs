// What a server is known by in a store.

import { createHash } from 'node:crypto'

/**
 * 32 hexadecimal digits of what makes another server of it. Values of variables and headers do not go in, since a hash of a
 * short secret can be guessed.
 *
 * @param {import('../downstream/downstream.mjs').ServerDefinition} definition
 */
export function identityOf({ name, transport, command, args, cwd, env, url, headers }) {
  const identity = {
    name,
    transport,
    command,
    args,
    cwd,
    env: env && [...env.keys()],
    url: url?.href,
    headers: headers && [...headers.keys()],
  }
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32)
}
