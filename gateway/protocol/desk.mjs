// SPDX-License-Identifier: Apache-2.0
//
// What a session of the older era and a question of the current one have in common: the parts of the gateway that
// answers of tools are made of.

export class Desk {
  #gateway

  /** @param {import('../gateway.mjs').Gateway} gateway */
  constructor(gateway) {
    this.#gateway = gateway
  }

  get config() {
    return this.#gateway.config
  }

  get catalogue() {
    return this.#gateway.catalogue
  }

  get router() {
    return this.#gateway.router
  }

  get callCheck() {
    return this.#gateway.callCheck
  }

  get results() {
    return this.#gateway.results
  }

  get activity() {
    return this.#gateway.activity
  }
}
