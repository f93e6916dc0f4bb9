// Profiles that want another environment than the gateway has: each is a gateway in a process of its own, with servers of its own,
// which its first client starts.

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { plain } from '../base/errors.mjs'
import { forward } from './forward.mjs'

const CHILD = fileURLToPath(new URL('../cli/child.mjs', import.meta.url))
/** How long one may take until it listens. It does before its servers have started. */
const START_MS = 180_000

/**
 * @typedef {object} Running
 * @property {import('node:child_process').ChildProcess} child
 * @property {Promise<{ url: string, token: string }>} address rejects when it has ended or does not listen
 * @property {number} underWay requests that are being answered
 * @property {NodeJS.Timeout} [timer] ends it when nobody asks
 */

export class ProfilesApart {
  /** @type {Map<string, Running>} */
  #running = new Map()
  #ended = new Set()
  #gateway
  #options
  #hasPage = false

  /**
   * @param {Pick<import('../gateway/gateway.mjs').Gateway, 'config' | 'log' | 'router'>} gateway whose configuration has the profiles
   * @param {Partial<import('../index.d.mts').GatewayOptions>} options with which it was made
   */
  constructor(gateway, options) {
    this.#gateway = gateway
    this.#options = options
  }

  /**
   * Answers a request by the gateway of a profile.
   *
   * @param {string} name
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   * @param {string} [path] of its page; where clients of the protocol ask, when it is left out
   * @throws when it cannot be started or reached, and nothing was answered
   */
  async pass(name, request, response, path) {
    const running = this.#running.get(name) ?? this.#start(name)
    running.underWay += 1
    clearTimeout(running.timer)
    try {
      await forward(request, response, await running.address, path)
    } finally {
      running.underWay -= 1
      if (running.underWay === 0) this.#rest(name, running)
    }
  }

  /** From now on profiles have a page too. Those that run begin again when they are next asked for. */
  servePages() {
    this.#hasPage = true
    for (const [name, running] of this.#running) this.#end(name, running)
  }

  #start(name) {
    const { log, router } = this.#gateway
    const child = fork(CHILD, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
    const address = addressOf(child, (line) => log(`profile ${plain(name, 60)}: ${line}`))
    const running = { child, address, underWay: 0, timer: undefined }
    this.#running.set(name, running)
    const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
    this.#ended.add(ended)
    void ended.then(() => {
      this.#ended.delete(ended)
      this.#forget(name, running)
    })
    address.catch(({ message }) => {
      log(`profile ${plain(name, 60)} cannot be served: ${message}`)
      this.#end(name, running)
    })
    const wantsModel = router.status.state !== 'cold'
    // One that cannot be told has ended, which is heard.
    child.send({ options: { ...this.#options, profile: name }, wantsModel, page: this.#hasPage }, () => {})
    return running
  }

  /** One that nobody has asked for as long as a silent session lives has none any more. */
  #rest(name, running) {
    const { sessionIdleMs } = this.#gateway.config.settings
    running.timer = setTimeout(() => this.#end(name, running), sessionIdleMs)
    running.timer.unref()
  }

  #end(name, running) {
    this.#forget(name, running)
    if (running.child.connected) running.child.disconnect()
  }

  #forget(name, running) {
    clearTimeout(running.timer)
    if (this.#running.get(name) === running) this.#running.delete(name)
  }

  /** The configuration was read again: profiles that it has no more end, the others read it too. */
  reloaded() {
    for (const [name, running] of this.#running) {
      if (!this.#gateway.config.profiles.get(name)?.isApart) this.#end(name, running)
      else if (running.child.connected) running.child.send({ reload: true }, () => {})
    }
  }

  /** Settles when none of them has calls under way, at the latest after so many milliseconds. */
  async drain(ms) {
    await Promise.all(
      [...this.#running.values()].map(
        ({ child }) =>
          new Promise((resolve) => {
            child.once('exit', resolve).on('message', (/** @type {any} */ { drained }) => drained && resolve(drained))
            child.send({ drain: ms }, (error) => error && resolve(error))
          }),
      ),
    )
  }

  async close() {
    for (const [name, running] of this.#running) this.#end(name, running)
    await Promise.all(this.#ended)
  }
}

/** Where a gateway listens. Rejects when it cannot be made, ends, or takes too long. */
function addressOf(child, log) {
  let timer
  const address = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not listen within ${START_MS / 1000} s`)), START_MS)
    child.on('message', ({ line, url, token, failed }) => {
      if (line !== undefined) log(line)
      else if (failed !== undefined) reject(new Error(failed))
      else if (url !== undefined) resolve({ url, token })
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error('its process has ended')))
  })
  return address.finally(() => clearTimeout(timer))
}
