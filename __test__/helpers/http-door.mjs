// A gateway that listens, and requests as any program on the machine can send them.
import { gateway, odd, unique } from './gateway.mjs'
import { send as sent } from './visits.mjs'

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '0' } },
}

export const ACCEPT = 'application/json, text/event-stream'

export async function listening(t, { fixed, ...config } = {}, options = {}) {
  const name = unique('odd')
  const opened = await gateway(t, { mcpServers: { [name]: odd() }, ...config }, { fixed })
  const endpoint = await opened.listen(options)
  return { opened, endpoint, name, tool: (toolName) => `mcp--${name}--${toolName}` }
}

/** A request as any program on the machine can send it. */
export function send(
  endpoint,
  { method = 'POST', path = '/mcp', headers = {}, body = INITIALIZE, token = endpoint.token } = {},
) {
  const own = { Accept: ACCEPT, 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return sent(endpoint, { method, path, headers: { ...own, ...headers }, body: method === 'POST' ? text : undefined })
}
