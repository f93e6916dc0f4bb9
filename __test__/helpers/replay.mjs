// Sessions that are replayed: official clients of the older era over HTTP that do the same each time, with what passed on the
// wire counted beside them.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

import { ToolRouter } from '../../index.js'
import { LONG_MS, patient } from './gateway.mjs'

const tokensOf = (value) => ToolRouter.shared().countTokens(JSON.stringify(value))

/** Results in the body of an answer, which is JSON or a stream of events. */
function resultsIn(text) {
  const lines = text.startsWith('{') ? [text] : text.match(/^data: .+$/gm)?.map((line) => line.slice(6))
  return (lines ?? []).map((line) => JSON.parse(line).result).filter((result) => result !== undefined)
}

/**
 * A client and what it has read and done, as it sees it.
 *
 * @param {() => { url: string, token: string }} next the gateway that gets the next request
 */
export async function countingClient(t, next) {
  const seen = { listTokens: 0, answerTokens: 0, steps: 0, ms: 0 }
  const route = async (_, init) => {
    const response = await fetch(next().url, init)
    const { method } = typeof init.body === 'string' ? JSON.parse(init.body) : {}
    if (!['tools/list', 'tools/call'].includes(method)) return response
    const text = await response.text()
    for (const result of resultsIn(text)) {
      if (method === 'tools/list') seen.listTokens += await tokensOf(result.tools)
      else seen.answerTokens += await tokensOf(result)
    }
    return new Response(text, response)
  }
  const requestInit = { headers: { Authorization: `Bearer ${next().token}` } }
  const transport = new StreamableHTTPClientTransport(new URL(next().url), { requestInit, fetch: route })
  const client = patient(new Client({ name: 'replayed', version: '0' }))
  client.onerror = () => {}
  await client.connect(transport, { timeout: LONG_MS })
  t.teardown(() => client.close())
  const call = async (name, args = {}) => {
    seen.steps += 1
    const begun = performance.now()
    const answer = await client.callTool({ name, arguments: args })
    seen.ms += performance.now() - begun
    return answer
  }
  const names = async () => (await client.listTools()).tools.map((tool) => tool.name)
  return { call, names, seen, client }
}

/**
 * A session: it looks for tools, calls some, and makes mistakes. Its arm is told by what it was given: how many tools one
 * `mcp_load` has attached.
 *
 * @param {{ need: string, right: [string, object], wrong: [string, object][] }} script
 * @param {number} searchK of arm `b`
 */
export async function replayed(t, next, { need, right, wrong }, searchK) {
  const { call, names, seen, client } = await countingClient(t, next)
  const first = await names()
  await call('mcp_load', { query: need })
  const attached = (await names()).length - first.length
  await call('call_tool', { name: right[0], arguments: right[1] })
  await call('search_mcps', { query: need })
  for (const [name, args] of wrong) await call(name, args)
  return { arm: attached === searchK ? 'b' : 'a', attached, client, ...seen, searches: 2, refusals: wrong.length }
}
