// A server of the protocol before Streamable HTTP: a stream of events, and messages posted beside it.
import http from 'node:http'

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'

/**
 * `refusal`: the status for what it does not know. `silent`: it opens the stream and says nothing. Gives its address, the
 * headers that it has seen, and `restart`, which ends all streams and forgets them.
 */
export async function oldServer(t, { refusal = 405, silent = false } = {}) {
  const transports = new Map()
  const seen = []
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1')
    seen.push({ method: request.method, path: url.pathname, key: request.headers['x-key'] })
    if (request.method === 'GET' && url.pathname === '/sse') {
      if (silent) return response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
      const transport = new SSEServerTransport('/messages', response)
      transports.set(transport.sessionId, transport)
      await tools().connect(transport)
      return undefined
    }
    const transport = transports.get(url.searchParams.get('sessionId'))
    if (request.method === 'POST' && url.pathname === '/messages' && transport)
      return transport.handlePostMessage(request, response)
    return response.writeHead(refusal).end(`no: ${request.headers['x-key']}`)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const restart = () => {
    transports.clear()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${server.address().port}/sse`, seen, restart }
}

function tools() {
  const server = new Server({ name: 'old', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.fallbackRequestHandler = async ({ method, params }) =>
    method === 'tools/list'
      ? { tools: [{ name: 'ring', description: 'Rings the old bell.', inputSchema: { type: 'object' } }] }
      : { content: [{ type: 'text', text: `${params.name} ${JSON.stringify(params.arguments)}` }] }
  return server
}
