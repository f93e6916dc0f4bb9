// Ways to reach a server: a process, Streamable HTTP, and the transport over server-sent events that came before it.

import { childTransport } from './child-transport.mjs'
import { settled } from '../base/settled.mjs'
import { isProgram, isRemote } from '../config/server.mjs'
import { httpStatus } from '../base/errors.mjs'
import { HttpTransport, SseTransport } from './exchanges.mjs'

/** How long the old transport may take to say where messages go: it is the first thing that such a server says. */
const ENDPOINT_MS = 10_000

/**
 * @typedef {import('../config/server.mjs').ServerDefinition} ServerDefinition
 * @typedef {import('@modelcontextprotocol/client').Transport} Transport
 */

/**
 * Transports for a server in the order in which they are tried, each made when its turn comes.
 *
 * @param {ServerDefinition} definition
 * @param {ReturnType<import('../login/logins.mjs').Logins['authProvider']>} authProvider
 * @returns {((onStderr: (chunk: Buffer) => void) => Transport)[]}
 */
export function waysTo(definition, authProvider) {
  if (isProgram(definition)) return [(onStderr) => childTransport(definition, onStderr)]
  if (!isRemote(definition)) return []
  const options = {
    requestInit: { headers: Object.fromEntries(definition.headers) },
    authProvider,
    fetch: authProvider?.fetch,
  }
  const ways = [
    () => new HttpTransport(definition.url, options),
    () => new OldTransport(definition.url, options, Math.min(ENDPOINT_MS, definition.startMs)),
  ]
  // A server that is said to be of the old kind may be of the new one by now.
  return definition.isOldSse ? ways.reverse() : ways
}

/**
 * Whether the next way may lead to a server that answered so. A server of the other kind does not know the method or the
 * path, or opens a stream and says nothing in it; one that wants a key, or fails, would do so in any other way.
 */
export function triesNextWay(error) {
  const status = httpStatus(error)
  if (status !== undefined) return [400, 404, 405, 406, 410, 415, 501].includes(status)
  return error instanceof NoEndpoint || (error instanceof Error && /content.type/i.test(error.message))
}

class NoEndpoint extends Error {
  code = 'REQUEST_TIMEOUT'

  constructor(withinMs) {
    super('the stream says nothing')
    this.withinMs = withinMs
  }
}

class OldTransport extends SseTransport {
  #ms

  constructor(url, options, ms) {
    super(url, options)
    this.#ms = ms
  }

  /** The SDK's own waits without end. */
  async start() {
    const started = super.start()
    if (await settled(started, this.#ms)) return started
    started.catch(() => {})
    throw new NoEndpoint(this.#ms)
  }
}
