// A gateway before one server, and who speaks to it.
import { gateway, inProcess, odd, unique } from './gateway.mjs'

/** A gateway with one odd server, and the provider name of the server's tools. */
export async function oddGateway(t, { server = {}, args = [], log, ready, fixed, ...config } = {}) {
  const name = unique('odd')
  const opened = await gateway(t, { mcpServers: { [name]: odd(server, ...args) }, ...config }, { log, ready, fixed })
  return { name, opened, tool: (toolName) => `mcp--${name}--${toolName}`, status: () => opened.servers[0] }
}

/** The same with a client, and what a tool says to it. */
export async function oddClient(t, config) {
  const made = await oddGateway(t, config)
  const client = await inProcess(t, made.opened)
  const say = async (toolName, given) => (await client.use(made.tool(toolName), given)).content[0].text
  return { ...made, client, say }
}

/** A gateway before one server, and what it says. */
export async function before(t, entry, { verbose, config } = {}) {
  const name = unique('one')
  const lines = []
  const opened = await gateway(
    t,
    { mcpServers: { [name]: entry }, ...config },
    { log: (line) => lines.push(line), verbose },
  )
  return { name, opened, lines, status: () => opened.servers[0], client: await inProcess(t, opened) }
}
