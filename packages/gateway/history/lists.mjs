// The tools that a person's servers have: asked now, or kept in a file.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { clientFiles } from '../clients/clients.mjs'
import { collect } from '../clients/collect.mjs'
import { shownPath } from '../reach/shown.mjs'
import { invalid, plain } from '../base/errors.mjs'
import { createGateway } from '../gateway/index.mjs'
import { isObject } from '../base/values.mjs'
import { parsed } from './marked.mjs'

/** How long is waited for servers: what starts later is left out, and said. */
const START_MS = 120_000
/** Bytes of a file of lists: 20,000 long definitions. */
const MAX_FILE = 64 * 1024 * 1024

/**
 * @typedef {{ name: string, tools: any[] }} Listed a server and its tools, as it sends them
 *
 * @typedef {object} Lists
 * @property {Listed[]} servers
 * @property {{ name: string, why: string }[]} missing servers whose tools are not known, and why
 * @property {string} [from] where the lists come from, for a reader
 */

/**
 * @param {{ tools?: string, config?: string, workspace?: string, ask?: boolean }} values
 * @param {(opened: { close: () => Promise<void> }) => void} opened told of the gateway, for a signal that comes meanwhile
 * @returns {Promise<Lists>} none without a source: then only what the transcripts say is known
 */
export async function listsOf({ tools, config, workspace, ask }, opened) {
  if ([tools, config, ask || undefined].filter((each) => each !== undefined).length > 1)
    throw invalid('replay', 'one of --tools, --config and --ask', 'several')
  if (tools !== undefined) return { servers: readLists(tools), missing: [], from: path.basename(tools) }
  if (config !== undefined) {
    const gateway = await createGateway({ configFile: config, ...(workspace && { workspace }) })
    return { ...(await askAll(gateway, opened)), from: `the servers of ${path.basename(config)}` }
  }
  if (!ask) return { servers: [], missing: [] }
  const home = os.homedir()
  // Files of a project are somebody else's word; those of the user are what the clients start anyway.
  const { servers, unread } = collect(clientFiles({ home, project: home }), { home, project: home })
  /** @type {any} entries are checked where they are read */
  const asked = { mcpServers: Object.fromEntries(servers) }
  const lists = await askAll(await createGateway({ config: asked }, { listDir: undefined }), opened)
  const missing = unread.map(({ file, why }) => ({ name: shownPath(file, home), why }))
  return { ...lists, missing: [...lists.missing, ...missing], from: 'the servers of your clients' }
}

async function askAll(gateway, opened) {
  opened(gateway)
  try {
    await gateway.ready({ timeoutMs: START_MS })
    const missing = gateway.servers
      .filter(({ state }) => state !== 'ready')
      .map(({ name, reason }) => ({ name, why: plain(reason ?? 'it is still starting') }))
    const left = gateway.config.leftOut.map(({ name, reason }) => ({ name, why: plain(reason) }))
    const servers = [...gateway.catalogue.entries.values()].map(({ definition, names, tools }) => ({
      name: definition.name,
      tools: [...names.keys()].map((name) => tools.get(name)).filter(Boolean),
    }))
    return { servers: servers.filter(({ tools }) => tools.length > 0), missing: [...missing, ...left] }
  } finally {
    await gateway.close()
  }
}

/** Lists in a file: lines of JSON with a `server` each, as {@link linesOfLists} writes them. */
function readLists(file) {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) throw invalid('--tools', 'a file with lists of tools', 'one that is not there')
  if (size > MAX_FILE) throw invalid('--tools', 'a file of at most 64 MB', `${size} bytes`)
  const tools = fs.readFileSync(file, 'utf8').split('\n').map(parsed)
  /** @type {Map<string, Listed>} */
  const servers = new Map()
  for (const { server, id, ...tool } of tools.filter(isObject)) {
    if (typeof server !== 'string' || typeof tool.name !== 'string') continue
    if (!servers.has(server)) servers.set(server, { name: server, tools: [] })
    servers.get(server)?.tools.push(tool)
  }
  if (servers.size === 0) throw invalid('--tools', 'tools with a server and a name', 'none')
  return [...servers.values()]
}

/** The lists as `--tools` reads them. @param {Listed[]} servers */
export function linesOfLists(servers) {
  const lines = servers.flatMap(({ name: server, tools }) =>
    tools.map(({ name, title, description, inputSchema, annotations }) =>
      JSON.stringify({ id: `${server}::${name}`, server, name, title, description, inputSchema, annotations }),
    ),
  )
  return `${lines.join('\n')}\n`
}
