import { readDefinitions, RunningServers } from '../../examples/demo/servers.mjs'

/** Stands for the nameless server: a name is required, and this one has no letters to match. */
const NAMELESS = '_'

const key = (serverName, toolName) => JSON.stringify([serverName, toolName])

/**
 * Labelled tools (tools.jsonl) as the router takes them.
 *
 * @param {Iterable<import('./ranking/eval/sets.mjs').LabelledTool>} tools
 * @returns {{ servers: { name: string, tools: object[] }[], idOf: (tool: { serverName: string, toolName: string }) => string }}
 *   servers in the order of their first tools, and the label of a tool that the router names
 */
export function catalogueOf(tools) {
  const servers = new Map()
  const ids = new Map()
  for (const { id, server, name, title, description, inputSchema, annotations } of tools) {
    const serverName = server || NAMELESS
    if (!servers.has(serverName)) servers.set(serverName, { name: serverName, tools: [] })
    servers.get(serverName).tools.push({ name, title, description, inputSchema, annotations })
    // Of two tools of one name the router takes the first.
    if (!ids.has(key(serverName, name))) ids.set(key(serverName, name), id)
  }
  return {
    servers: [...servers.values()],
    idOf: ({ serverName, toolName }) => ids.get(key(serverName, toolName)),
  }
}

/** What the router is asked to rank by in a mode of the command line: 'auto' is its own choice. */
export const rankerOf = (mode) => (mode === 'auto' ? undefined : mode)

/** What the servers of examples/servers list now. */
export async function liveServers() {
  const running = new RunningServers()
  const servers = []
  try {
    await running.startAll(readDefinitions(), ({ name, tools, reason }) => {
      if (!tools) throw new Error(`${name}: ${reason}`)
      servers.push({ name, tools })
    })
  } finally {
    await running.close()
  }
  return servers
}
