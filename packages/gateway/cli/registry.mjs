// tool-router-gateway registry, registry-add and registry-remove: servers that an organisation offers, in the database that
// gateways share.

import { readFile } from '../config/file.mjs'
import { serversOf } from '../config/places.mjs'
import { readConfigFile } from '../config/read.mjs'
import { entryOf } from '../config/server.mjs'
import { invalid, plain, shown } from '../base/errors.mjs'
import { digestOf, toRegistry } from '../config/registry-entry.mjs'
import { openStore } from '../store/store.mjs'
import { rowOfCommand } from './audit.mjs'
import { onlyGiven } from '../base/values.mjs'

const SUMMARY = 200

/**
 * @param {{ config: string, workspace?: string }} values
 * @param {string} command one of the three
 * @param {string | undefined} name of a server
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit code: 1 when nothing was done
 */
export async function runRegistry({ config: file, workspace }, command, name, print) {
  const config = readConfigFile(file, onlyGiven({ workspace }))
  if (config.settings.store === undefined)
    throw invalid('config.gateway.store', 'a database; without one there is no registry', undefined)
  const store = await openStore(config.settings)
  const registry = /** @type {NonNullable<typeof store.registry>} */ (store.registry)
  try {
    if (command === 'registry') return await listed(registry, config, print)
    const { acted } = rowOfCommand(store)
    if (command === 'registry-remove') {
      const code = await removed(registry, String(name), print)
      if (code === 0) acted(String(name), command)
      return code
    }
    const entry = await entryOfFile({ file, config, store }, String(name))
    const isNew = await registry.put(entry)
    acted(entry.name, command)
    print(`${plain(entry.name)} ${isNew ? 'is now in the registry' : 'is changed in the registry'}. It starts`)
    tellOf(entry, config, print)
    return 0
  } finally {
    await store.close()
  }
}

/** The entry of a configuration, with the names of its tools as far as the database knows them. */
async function entryOfFile({ file, config, store }, name) {
  const { entries, client } = serversOf(readFile(file, []))
  const definition = config.servers.get(name)
  const reason = config.leftOut.find((each) => each.name === name)?.reason ?? 'none of this name that is on'
  if (definition === undefined || !entries.has(name))
    throw invalid('registry-add', 'a server of the configuration', reason)
  const at = `config.mcpServers[${shown(name)}]`
  const tools = ((await store.readList(definition))?.tools ?? []).map((tool) => tool?.name)
  const named = tools.filter((tool) => typeof tool === 'string')
  return toRegistry(name, entryOf(entries.get(name), at), { at, client, tools: named })
}

async function listed(registry, config, print) {
  let count = 0
  for await (const entry of registry.all()) {
    count += 1
    const { description } = entry.said
    print(`${plain(entry.name)}${description === undefined ? '' : `: ${plain(description, SUMMARY)}`}`)
    tellOf(entry, config, print)
  }
  if (count === 0) print('The registry has no entries.')
  return 0
}

function tellOf(entry, { settings, servers }, print) {
  const pin = `${entry.name}@${digestOf(entry)}`
  const isAllowed = settings.registry.get(entry.name) === digestOf(entry)
  print(`  ${startOf(entry)}`)
  if (servers.has(entry.name)) print('  this configuration has a server of this name, which counts')
  else if (isAllowed) print('  this configuration allows it')
  else print(`  to allow it: "gateway": { "registry": [${plain(JSON.stringify(pin))}] }`)
}

/**
 * What an entry starts, as it is read: once where it says something twice, and with every character that may not be seen, or
 * be taken for another, by its number.
 */
function startOf({ start }) {
  try {
    const code = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    return JSON.stringify(JSON.parse(start)).replaceAll(/[^ -~]/g, code)
  } catch {
    return 'nothing: it is not JSON'
  }
}

async function removed(registry, name, print) {
  const wasOne = await registry.remove(name)
  print(wasOne ? `${plain(name)} is offered no more.` : `The registry has no ${plain(name)}.`)
  return wasOne ? 0 : 1
}
