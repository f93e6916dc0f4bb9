// Many MCP servers in one process, over HTTP: /<server> lists the tools of that server.

import http from 'node:http'

/**
 * Each call is answered with one word, and each list is as the map has it then.
 *
 * @param {Map<string, object[]>} servers tools by name of their server
 */
export async function serveTools(servers) {
  const answer = (name, { method, params }) => {
    if (method === 'initialize') {
      const { protocolVersion } = params
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: '1' } } }
    }
    if (method === 'tools/list') return { result: { tools: servers.get(name) } }
    if (method === 'tools/call') return { result: { content: [{ type: 'text', text: 'done' }] } }
    return { error: { code: -32601, message: 'no such method' } }
  }
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const name = decodeURIComponent(request.url.slice(1))
    if (request.method !== 'POST' || !servers.has(name)) return response.writeHead(405).end()
    const message = JSON.parse(body)
    if (message.id === undefined) return response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(name, message) }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise((resolve) => server.close(resolve) && server.closeAllConnections())
  return { port: server.address().port, close }
}
