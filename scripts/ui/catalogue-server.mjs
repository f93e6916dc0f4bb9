// Many MCP servers in one process, over HTTP: /<server> lists the tools of that server. They are made up, as many and as large
// as those of 102 real servers.

import http from 'node:http'

const SERVERS = 102
const TOOLS = 3_522
const VERBS = 'list get create update delete search export import archive assign merge share'.split(' ')
const THINGS = 'issue invoice branch page customer message order dashboard job bucket user event'.split(' ')

function madeUp() {
  const servers = new Map(Array.from({ length: SERVERS }, (_, at) => [`made-up-${at}`, []]))
  const names = [...servers.keys()]
  for (let at = 0; at < TOOLS; at++) {
    const name = names[at % SERVERS]
    const number = Math.floor(at / SERVERS)
    const [verb, thing] = [
      VERBS[number % VERBS.length],
      THINGS[(at + Math.floor(number / VERBS.length)) % THINGS.length],
    ]
    const parameter = (_, place) => [
      `${thing}_${place}`,
      { type: 'string', description: `The ${thing} to ${verb}, part ${place} of it.` },
    ]
    servers.get(name).push({
      name: `${verb}_${thing}_${number}`,
      description: `${verb} a ${thing} of ${name}, as it stands in the project.`,
      inputSchema: { type: 'object', properties: Object.fromEntries(Array.from({ length: 12 }, parameter)) },
    })
  }
  return servers
}

export const serveCatalogue = () => serveTools(madeUp())

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
  const toolCount = [...servers.values()].reduce((sum, tools) => sum + tools.length, 0)
  const close = () => new Promise((resolve) => server.close(resolve) && server.closeAllConnections())
  return { port: server.address().port, names: [...servers.keys()], toolCount, close }
}
