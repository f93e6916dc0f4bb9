// SPDX-License-Identifier: Apache-2.0
//
// A gateway in the process of its host. `npx zoo-tool-router gateway` is the same on the command line.

import { readFileSync } from 'node:fs'

import addon from '../index.js'
import { Catalogue } from './catalogue.mjs'
import { ClientSession } from './client-session.mjs'
import { readConfig, readConfigFile, readServer } from './config.mjs'
import { invalid, plain } from './errors.mjs'
import { listenHttp } from './http.mjs'
import { modulesOf, toolsOf } from './modules.mjs'
import { Passthrough } from './passthrough.mjs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** How the gateway names itself to clients and servers. */
const CLIENT_INFO = { name: 'zoo-tool-router', version }

/**
 * Makes a gateway and starts its servers in the background.
 *
 * @param {import('./index.d.mts').GatewayOptions} options
 * @returns {Promise<Gateway>}
 */
export async function createGateway(options) {
  if (options === null || typeof options !== 'object') throw invalid('createGateway', 'an object of options', options)
  const { config, configFile, log = () => {} } = options
  if ((config === undefined) === (configFile === undefined)) throw invalid('createGateway', 'one of config and configFile', 'both or none')
  const read = configFile === undefined ? readConfig(config) : readConfigFile(configFile)
  const gateway = new Gateway(read, log)
  try {
    for (const definition of read.servers.values()) if (!definition.disabled) gateway.catalogue.add(definition)
  } catch (error) {
    await gateway.close()
    throw error
  }
  return gateway
}

export class Gateway {
  router = addon.ToolRouter.shared()
  clientInfo = CLIENT_INFO
  #sessions = new Set()
  #endpoints = new Set()
  #closing

  /** Made by {@link createGateway}. */
  constructor(config, log) {
    this.config = config
    this.log = (line) => log(plain(line, 500))
    const { router, clientInfo } = this
    this.catalogue = new Catalogue({ router, settings: config.settings, clientInfo, log: this.log })
    this.passthrough = new Passthrough(this.catalogue)
  }

  /** The servers and what is known of them. */
  get servers() {
    return [...this.catalogue.entries.values()].map(({ definition, downstream, tools, names }) => ({
      name: definition.name,
      state: downstream.state,
      toolCount: tools.size,
      scopedCount: names.size,
      pid: downstream.pid,
      ...(downstream.state === 'waiting' && { reason: downstream.reason }),
    }))
  }

  get sessionCount() {
    return this.#sessions.size
  }

  /** Waits until each server was asked for its tools once; names those that were not after `timeoutMs`. */
  ready({ timeoutMs = 60_000 } = {}) {
    return this.catalogue.settled(timeoutMs)
  }

  /** Serves one client over a transport of the SDK, until the transport ends. */
  async connect(transport) {
    this.#assertOpen()
    const session = new ClientSession(this)
    this.#sessions.add(session)
    try {
      await session.connect(transport)
    } catch (error) {
      await session.close()
      throw error
    }
    return session
  }

  /** Serves clients over Streamable HTTP on the loopback interface. */
  async listen(options = {}) {
    this.#assertOpen()
    const endpoint = await listenHttp(this, options)
    this.#endpoints.add(endpoint)
    return endpoint
  }

  /** Takes a server in: it is found with no other change. */
  addServer(name, entry) {
    this.#assertOpen()
    if (this.catalogue.entries.has(name)) throw invalid('addServer.name', 'a name that no server has', name)
    this.catalogue.add(readServer(name, entry))
  }

  /** Ends a server and forgets its tools; false when there is none of the name. */
  removeServer(name) {
    return this.catalogue.remove(name)
  }

  /** Tools that stand in the first list: `alwaysLoad` of servers and tools, and essential modules. */
  pins() {
    const { catalogue, config } = this
    const essential = modulesOf({ catalogue, config }).filter((module) => module.essential)
    const pinned = new Map(essential.flatMap((module) => toolsOf({ catalogue }, module)).map((tool) => [tool.name, tool]))
    for (const { definition, names, tools } of catalogue.entries.values()) {
      const { name: serverName, alwaysLoad } = definition
      for (const [toolName, name] of names) {
        // `false` in the configuration also refuses what a tool asks for itself.
        if (alwaysLoad === false) continue
        const asks = tools.get(toolName)._meta?.['anthropic/alwaysLoad'] === true
        if (asks || alwaysLoad === true || alwaysLoad.includes(toolName)) pinned.set(name, catalogue.tool({ serverName, toolName }))
      }
    }
    return [...pinned.values()]
  }

  /** Servers whose tools the configuration pins: the first list waits for them. */
  pinnedServers() {
    const essential = [...this.config.modules.values()].filter((module) => module.essential)
    const names = new Set(essential.flatMap(({ servers, tools }) => [...servers, ...tools.map(({ serverName }) => serverName)]))
    for (const { definition } of this.catalogue.entries.values()) {
      const { alwaysLoad } = definition
      if (definition.essential || alwaysLoad === true || alwaysLoad.length > 0) names.add(definition.name)
    }
    return [...names]
  }

  /** Called by a session when it has ended. */
  ended(session) {
    this.#sessions.delete(session)
  }

  /** Ends clients, endpoints and servers, with all that they started. Idempotent. */
  close() {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close() {
    await Promise.all([...this.#endpoints].map((endpoint) => endpoint.close()))
    await Promise.all([...this.#sessions].map((session) => session.close()))
    await this.catalogue.close()
  }

  #assertOpen() {
    if (this.#closing) throw invalid('gateway', 'a gateway that is open', 'a closed one')
  }
}
