// A gateway in the process of its host. `npx @zoo-code/tool-router-gateway` is the same on the command line.

import { readConfig, readConfigFile } from '../config/read.mjs'
import { MAX_TEXT } from '../base/command-line.mjs'
import { invalid, plain } from '../base/errors.mjs'
import { Gateway, version } from './gateway.mjs'
import { openStore } from '../store/store.mjs'
import { openTelemetry } from '../base/telemetry.mjs'
import { onlyGiven } from '../base/values.mjs'

/**
 * Makes a gateway and starts its servers in the background.
 *
 * @param {import('../index.d.mts').GatewayOptions} options
 * @param {Partial<import('../config/settings.mjs').Fixed>} [fixed] for tests: instead of what has one value
 */
export async function createGateway(options, fixed) {
  if (options === null || typeof options !== 'object') throw invalid('createGateway', 'an object of options', options)
  const {
    config,
    configFile,
    workspace,
    profile,
    modes,
    verbose = false,
    oneClient = false,
    watch = false,
    log = () => {},
  } = options
  if ((config === undefined) === (configFile === undefined))
    throw invalid('createGateway', 'one of config and configFile', 'both or none')
  const where = { ...onlyGiven({ workspace, profile, modes }), ...(fixed && { fixed }) }
  const readFile = configFile === undefined ? undefined : () => readConfigFile(configFile, where)
  const read = readFile ? readFile() : readConfig(config, where)
  // Whoever serves one profile has no business with what is stored of other servers.
  const servers = profile === undefined ? undefined : () => [...(gateway?.config ?? read).servers.keys()]
  /** @type {Gateway | undefined} */
  let gateway
  const told = (line) => log(plain(line, MAX_TEXT))
  const store = await openStore(read.settings, { log: told, listens: true, servers, profile })
  gateway = new Gateway(read, log, {
    store,
    telemetry: await openTelemetry(read.settings, version),
    verbose,
    readFile,
    ofProfiles: { config, configFile, workspace, modes, fixed },
  })
  // Who has profiles may want nothing else.
  if (oneClient || read.profiles.size > 0) gateway.catalogue.hold({ isPatient: !oneClient })
  try {
    for (const note of read.notes) gateway.log(note)
    for (const { kind, name, reason } of read.leftOut) gateway.log(`${kind} ${name} is left out: ${reason}`)
    for (const definition of read.servers.values()) gateway.catalogue.add(definition)
    if (watch) gateway.reloader?.watch(configFile)
  } catch (error) {
    await gateway.close()
    throw error
  }
  return gateway
}
