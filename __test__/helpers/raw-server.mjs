// A server over HTTP that says what a test wants: the SDK's own would not send it.
import { listening } from './listening.mjs'

const said = (text) => ({ content: [{ type: 'text', text }] })

/**
 * @param {(message: any, http: { request: any, response: any, state: any, json: Function }) => unknown} on answers itself
 * what it gives something for but `false`; all else is answered as a good server would
 * @param {{ sessions?: boolean, tools?: string[] }} [how] with `sessions`, `state.session` is the one that is known
 */
export async function rawServer(t, on, { sessions = false, tools = ['echo', 'slow', 'bad'] } = {}) {
  const seen = []
  const state = { count: 0, session: undefined }
  const address = await listening(t, async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    const text = Buffer.concat(parts).toString()
    const message = text === '' ? undefined : JSON.parse(text)
    seen.push({ method: request.method, message, at: Date.now() })
    const json = (body, status = 200, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      return response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    const taken = on(message, { request, response, state, json })
    if (taken !== false && taken !== undefined) return undefined
    if (request.method !== 'POST') return json({}, 405)
    if (message.id === undefined) return response.writeHead(202).end()
    const result = resultOf(message, tools)
    if (result === undefined)
      return json({ jsonrpc: '2.0', id: message.id, error: { code: -32_601, message: 'no such method' } })
    const isHello = message.method === 'initialize'
    if (isHello) state.count += 1
    if (isHello && sessions) state.session = `s${state.count}`
    const answer = () =>
      json(
        { jsonrpc: '2.0', id: message.id, result },
        200,
        isHello && sessions ? { 'mcp-session-id': state.session } : {},
      )
    return message.params?.name === 'slow' ? setTimeout(answer, 700) : answer()
  })
  const count = (method) => seen.filter(({ message }) => message?.method === method).length
  return { url: `${address}/mcp`, seen, state, count }
}

function resultOf({ method, params }, tools) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
        serverInfo: { name: 'raw', version: '1' },
      }
    case 'tools/list':
      return { tools: tools.map((name) => ({ name, description: name, inputSchema: { type: 'object' } })) }
    case 'resources/list':
      return { resources: [{ uri: 'raw://one', name: 'one' }] }
    case 'resources/templates/list':
      return { resourceTemplates: [] }
    case 'prompts/list':
      return { prompts: [{ name: 'ask' }] }
    case 'tools/call':
      return said(`${params.name} done`)
    case 'ping':
      return {}
  }
  return undefined
}
