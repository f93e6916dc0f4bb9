// Names of servers that the gateways of this process have. There is one router per process, and so one catalogue.

import { routerError } from './errors.mjs'

const taken = new Set()

/**
 * @param {string} name
 * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT` when a gateway of this process has a server of this name
 */
export function assertFree(name) {
  if (!taken.has(name)) return
  throw routerError(
    'ERR_INVALID_ARGUMENT',
    `mcpServers: expected names that no other gateway of this process has, got ${JSON.stringify(name)}; rename the server or close the other gateway`,
  )
}

/** Takes a name that is free. */
export function takeName(name) {
  assertFree(name)
  taken.add(name)
}

export function freeName(name) {
  taken.delete(name)
}
