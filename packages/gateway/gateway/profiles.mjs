// Profiles that clients reach by a path, a token or their groups. They share the servers, the router and its catalogue: a profile is
// a gateway that has of them what its people may use.

import { settled } from '../base/settled.mjs'
import { onlyGiven } from '../base/values.mjs'
import { readConfig, readConfigFile } from '../config/read.mjs'

/** Sets of profiles that are served at the same time: people are in many groups. */
const MOST = 500

/** @typedef {import('./gateway.mjs').Gateway} Gateway */

export class ProfileGateways {
  /** By the names of their profiles. @type {Map<string, Promise<Gateway>>} */
  #views = new Map()
  #gateway
  #options
  #open

  /**
   * @param {Gateway} gateway whose configuration has the profiles
   * @param {Partial<import('../index.d.mts').GatewayOptions> & { fixed?: import('../config/server.mjs').Where['fixed'] }} options with which it was made
   * @param {(config: import('../config/read.mjs').Config, name: string, readFile?: () => import('../config/read.mjs').Config) => Gateway} open
   * makes the gateway of a profile
   */
  constructor(gateway, options, open) {
    this.#gateway = gateway
    this.#options = options
    this.#open = open
  }

  /** Gateways of profiles that run now. */
  async all() {
    const opened = await Promise.allSettled(this.#views.values())
    return opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  }

  /**
   * The gateway of a profile, or of several together: what any of them may use.
   *
   * @param {string | string[]} asked
   * @returns {Promise<Gateway>} rejects when its configuration cannot be read
   */
  of(asked) {
    const names = [asked].flat()
    const key = JSON.stringify(names)
    const known = this.#views.get(key)
    this.#views.delete(key)
    const view = known ?? this.#begin(names)
    this.#views.set(key, view)
    if (this.#views.size > MOST) this.#end(String(this.#views.keys().next().value))
    view.catch(() => this.#views.delete(key))
    return view
  }

  async #begin(names) {
    const { config, configFile, workspace, modes, fixed } = this.#options
    const profile = names.length === 1 ? names[0] : names
    const where = { ...onlyGiven({ workspace, modes }), ...(fixed && { fixed }), profile }
    const readFile = configFile === undefined ? undefined : () => readConfigFile(configFile, where)
    const read = readFile?.() ?? readConfig(config, where)
    return this.#open(read, names.join(' and '), readFile)
  }

  #end(key) {
    const view = this.#views.get(key)
    this.#views.delete(key)
    void view?.then((gateway) => gateway.close()).catch(() => {})
  }

  /** The configuration was read again: profiles that it has no more end, the others read it too. */
  reloaded() {
    const { profiles } = this.#gateway.config
    for (const [key, view] of [...this.#views]) {
      const isThere = JSON.parse(key).every((name) => profiles.has(name))
      if (!isThere) this.#end(key)
      // What is wrong is in the log.
      else void view.then((gateway) => gateway.reloader?.reload()).catch(() => {})
    }
  }

  /** Settles when none of them has calls under way, at the latest after so many milliseconds. */
  async drain(ms) {
    await Promise.all((await this.all()).map((view) => settled(view.drain(ms), ms)))
  }

  async close() {
    const views = await this.all()
    this.#views.clear()
    await Promise.all(views.map((view) => view.close()))
  }
}
