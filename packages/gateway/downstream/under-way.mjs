// What a server asks of a client: its answer to a question, a completion of its model, its folders. A server does not say
// which call it asks for, and all clients share it; so it is asked on behalf of the one client whose calls are under way. A server
// works on when a client has left its call: until it answers, what it asks may be of that call.

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'

/** What is asked, by the capability that a client declares for it. */
const CAPABILITY = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
])

/** How long a call that was left counts at most: as long as one of the default time-out with progress may take. */
const MAX_LEFT_MS = 600_000

/** The most and least severe first, as syslog has them. */
export const LOG_LEVELS = ['emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug']

export class UnderWay {
  #calls = new Set()
  /** Calls that nobody waits for and the server has not answered. */
  #left = new Set()
  #onlyClient
  #shown

  /**
   * @param {() => import('../calls/caller.mjs').Caller | undefined} onlyClient the client of the gateway, where there
   * is but one: for what a server asks outside of a call
   * @param {(request: { method: string, params?: any }) => Promise<{ method: string, params?: any }>} [shown] as a client shows it
   */
  constructor(onlyClient = () => undefined, shown = async (request) => request) {
    this.#onlyClient = onlyClient
    this.#shown = shown
  }

  get size() {
    return this.#calls.size
  }

  /** @param {import('./calls.mjs').Call} call */
  add(call) {
    this.#calls.add(call)
  }

  delete(call) {
    this.#calls.delete(call)
    this.#left.delete(call)
  }

  /** A server that obeys a cancellation answers nothing: no call counts for longer than any may take. */
  leave(call) {
    this.#left.add(call)
    setTimeout(() => this.#left.delete(call), MAX_LEFT_MS).unref()
  }

  /** Whom the server means; undefined when nobody is there or two clients could be meant. */
  #meant() {
    // A call that waits for an answer asks for nothing else. Its client may have left without a word, and blocks nobody.
    const active = [...this.#calls].filter(({ isSilent }) => !isSilent)
    const calls = active.length > 0 ? active : [...this.#calls]
    const caller = calls.at(-1)?.caller ?? this.#onlyClient()
    const peers = new Set([...calls, ...this.#left].map((call) => call.caller.peer))
    if (caller) peers.add(caller.peer)
    if (peers.size > 1) return { isUnclear: true, calls: [] }
    return { caller, calls }
  }

  /**
   * Asks the client whose call is under way.
   *
   * @param {{ method: string, params?: Record<string, unknown> }} request of the server
   * @param {AbortSignal} signal of the server, which may take its question back
   * @throws {ProtocolError} for the server, when nobody can be asked
   */
  async ask({ method, params = {} }, signal) {
    const capability = CAPABILITY.get(method)
    if (!capability) throw refused(ProtocolErrorCode.MethodNotFound, `the gateway has no method ${method}`)
    const { caller, calls, isUnclear } = this.#meant()
    if (isUnclear)
      throw refused(
        ProtocolErrorCode.InvalidRequest,
        'calls of several clients are under way; which of them is asked cannot be told',
      )
    // A server that starts before its client asks for folders too early; it is told when there are some.
    if (!caller && capability === 'roots') return { roots: [] }
    if (!caller) throw refused(ProtocolErrorCode.InvalidRequest, 'there is no client that could be asked')
    if (!canAnswer(caller.capabilities, capability, params))
      throw refused(ProtocolErrorCode.MethodNotFound, `the client does not have ${capability} of this kind`)
    for (const call of calls) call.pause()
    try {
      return await caller.ask(await this.#shown({ method, params: withoutToken(params) }), signal)
    } finally {
      for (const call of calls) call.resume()
    }
  }

  /** Questions of a modern server that answers with them. @param {any} result */
  async shown(result) {
    if (result?.resultType !== 'input_required') return result
    const all = Object.entries(result.inputRequests ?? {})
    const shown = await Promise.all(all.map(async ([key, request]) => [key, await this.#shown(request)]))
    return { ...result, inputRequests: Object.fromEntries(shown) }
  }

  /** Hands a log message to the client whose call is under way, or to the only one. */
  log(params) {
    const { caller } = this.#meant()
    if (caller && isWanted(params?.level, caller.logLevel)) caller.log(params)
  }

  /** Hands any other notification on. */
  tell(notification) {
    this.#meant().caller?.tell?.(notification)
  }
}

function refused(code, message) {
  return new ProtocolError(code, message)
}

/** Whether a client can be asked for something, as it said itself. */
export function canAnswer(capabilities = {}, capability, params = {}) {
  const declared = capabilities[capability]
  if (declared === null || typeof declared !== 'object') return false
  if (capability === 'sampling')
    return (params.tools === undefined && params.toolChoice === undefined) || !!declared.tools
  if (capability !== 'elicitation') return true
  // Before there were modes there were forms.
  if (params.mode === 'url') return declared.url !== undefined
  return declared.form !== undefined || declared.url === undefined
}

/** Progress of an answer is told to nobody: the token is of another connection. @param {Record<string, unknown>} whole */
function withoutToken({ _meta, ...params }) {
  if (_meta === undefined) return params
  const { progressToken, ...meta } = /** @type {Record<string, unknown>} */ (_meta)
  return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta }
}

/** Whether a message is as severe as a client wants it; `wanted` is `none` where it wants none at all. */
function isWanted(level, wanted) {
  if (wanted === undefined || !LOG_LEVELS.includes(level)) return wanted === undefined
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(wanted)
}
