// A gateway that listens, and requests as any program on the machine can send them.
import http from 'node:http'
import { gateway, odd, unique } from './gateway.mjs'

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
  const { port, hostname } = new URL(endpoint.url)
  return new Promise((resolve, reject) => {
    const request = http.request({
      method,
      path,
      port,
      host: hostname.replaceAll(/[[\]]/g, ''),
      agent: false,
      headers: {
        Accept: ACCEPT,
        'Content-Type': 'application/json',
        ...(token && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
      response.on('error', () => resolve({ status: response.statusCode, headers: response.headers, text }))
    })
    if (method === 'POST') request.write(typeof body === 'string' ? body : JSON.stringify(body))
    request.end()
  })
}
