// An MCP server over HTTP on loopback that fails as servers do, from a seed: it refuses calls for a while, breaks, forgets its
// sessions, and ends streams without their answer. It keeps what it was asked to do, how often it did that, and how it failed.

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

/** Of a hundred calls so many fail in each way. */
const FAULTS = [
  ['refused', 6],
  ['broken', 6],
  ['forgotten', 1],
  ['cut', 6],
]
const TOOL = {
  name: 'note',
  description: 'Notes an id',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
}
/** The longest that a call takes: others are under way when one fails. */
const MOST_MS = 300

/**
 * @param {(below: number) => number} random
 * @returns {Promise<{ url: string, done: Map<string, number>, failed: Map<string, string>, close: () => void }>} `done`: how often
 *   each id was noted; `failed`: how the first call of an id failed, if it did
 */
export async function faultyServer(random) {
  const [done, failed, sessions] = [new Map(), new Map(), new Set()]
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks))
    const answer = (result, headers) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
    const refuse = (status, headers) => void response.writeHead(status, headers).end('{}')
    if (method === 'server/discover') return void refuse(404)
    if (method === 'initialize') {
      const session = randomUUID()
      sessions.add(session)
      const serverInfo = { name: 'faulty', version: '1' }
      const { protocolVersion } = params
      return void answer({ protocolVersion, serverInfo, capabilities: { tools: {} } }, { 'mcp-session-id': session })
    }
    const session = request.headers['mcp-session-id']
    if (!sessions.has(session)) return void refuse(404)
    if (id === undefined) return void response.writeHead(202).end()
    if (method !== 'tools/call') return void answer(method === 'tools/list' ? { tools: [TOOL] } : {})
    const asked = params.arguments.id
    const how = failed.has(asked) ? undefined : chosen(random(100))
    if (how !== undefined) failed.set(asked, how)
    if (how === 'refused') return void refuse(429, { 'retry-after': '1' })
    if (how === 'broken') return void refuse(503)
    if (how === 'forgotten') {
      sessions.delete(session)
      return void refuse([400, 404, 410][random(3)])
    }
    done.set(asked, (done.get(asked) ?? 0) + 1)
    if (how === 'cut') return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': \n\n')
    setTimeout(() => answer({ content: [{ type: 'text', text: asked }] }), random(MOST_MS))
    return undefined
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/mcp`, done, failed, close }
}

function chosen(number) {
  let sum = 0
  for (const [how, share] of FAULTS) {
    sum += share
    if (number < sum) return how
  }
  return undefined
}
