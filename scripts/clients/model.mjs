// A stand-in for a model on the loopback interface, in the four ways in which programs ask one: it asks for a tool with
// `mcp_load`, calls it, and ends. What the programs offered it is kept, so that nothing of a program needs an account.

import http from 'node:http'

/** What the stand-in wants: a tool of server-everything, whose answer is known. */
export const WANTED = 'mcp--everything--get-sum'
const SUM = { a: 2, b: 3 }

/** Characters with which programs replace what model providers forbid in names. */
const plain = (name) => name.replaceAll(/[^a-z0-9]+/gi, '_')

/** The tool of an offered list whose name ends so, whatever the program has put before it. */
function offered(tools, name) {
  return tools.find((tool) => plain(tool).endsWith(plain(name)))
}

/** The next step: a call, or the end. `results` are the answers of the calls so far. */
function nextStep({ tools, results }) {
  const load = offered(tools, 'mcp_load')
  const search = offered(tools, 'tool_search') ?? offered(tools, 'ToolSearch')
  // Some programs offer the tools of servers only when they are asked for.
  if (load === undefined && search !== undefined && results.length === 0)
    return { name: search, args: { query: 'select:mcp__gateway__mcp_load,mcp__gateway__call_tool_read' } }
  if (load === undefined || results.length > 1) return { text: `done: ${results.at(-1) ?? 'nothing to do'}` }
  if (results.length === 0) return { name: load, args: { query: WANTED } }
  const direct = offered(tools, WANTED)
  if (direct !== undefined) return { name: direct, args: SUM }
  return { name: offered(tools, 'call_tool_read'), args: { name: WANTED, arguments: SUM } }
}

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Each way of asking: what the request says, and the events that answer it. */
const WAYS = [
  {
    path: /\/v1\/messages$/,
    read: ({ tools = [], messages = [] }) => ({
      tools: tools.map(({ name }) => name),
      results: messages
        .flatMap(({ content }) => (Array.isArray(content) ? content : []))
        .filter(({ type }) => type === 'tool_result')
        .map(({ content }) => textOf(content)),
    }),
    write: ({ name, args, text }, id) => {
      const usage = { input_tokens: 1, output_tokens: 1 }
      const block = text === undefined ? { type: 'tool_use', id, name, input: {} } : { type: 'text', text: '' }
      const delta =
        text === undefined
          ? { type: 'input_json_delta', partial_json: JSON.stringify(args) }
          : { type: 'text_delta', text }
      const message = { id, type: 'message', role: 'assistant', model: 'stand-in', content: [], usage }
      return [
        { type: 'message_start', message },
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: text === undefined ? 'tool_use' : 'end_turn' }, usage },
        { type: 'message_stop' },
      ]
    },
    whole: ({ text = '' }, id) => ({
      ...{ id, type: 'message', role: 'assistant', model: 'stand-in', stop_reason: 'end_turn' },
      ...{ content: [{ type: 'text', text }], usage: { input_tokens: 1, output_tokens: 1 } },
    }),
  },
  {
    path: /\/responses$/,
    // Tools of servers may stand in a namespace of their server.
    read: ({ tools = [], input = [] }) => ({
      tools: tools.flatMap((tool) =>
        tool.type === 'namespace' ? tool.tools.map(({ name }) => `${tool.name}\0${name}`) : [tool.name ?? tool.type],
      ),
      results: input.filter(({ type }) => type === 'function_call_output').map(({ output }) => textOf(output)),
    }),
    write: ({ name = '', args, text }, id) => {
      const [own, namespace] = name.split('\0').reverse()
      const item =
        text === undefined
          ? {
              ...{ type: 'function_call', id: `f${id}`, call_id: id, name: own },
              ...{ ...(namespace && { namespace }), arguments: JSON.stringify(args) },
            }
          : { type: 'message', id: `m${id}`, role: 'assistant', content: [{ type: 'output_text', text }] }
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
      return [
        { type: 'response.created', response: { id } },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { id, status: 'completed', output: [item], usage } },
      ]
    },
  },
  {
    path: /\/chat\/completions$/,
    read: ({ tools = [], messages = [] }) => ({
      tools: tools.map(({ function: { name } }) => name),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)),
    }),
    write: ({ name, args, text }, id) => {
      const call = { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
      const delta = text === undefined ? { tool_calls: [call] } : { content: text }
      const choice = (more) => ({ id, object: 'chat.completion.chunk', model: 'stand-in', created: 1, choices: [more] })
      return [
        choice({ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }),
        choice({ index: 0, delta: {}, finish_reason: text === undefined ? 'tool_calls' : 'stop' }),
        '[DONE]',
      ]
    },
    whole: ({ text = '' }, id) => ({
      ...{ id, object: 'chat.completion', model: 'stand-in', created: 1 },
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    }),
  },
  {
    path: /:(streamG|g)enerateContent/,
    read: ({ tools = [], contents = [] }) => ({
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
      results: contents
        .flatMap(({ parts = [] }) => parts)
        .filter((part) => part.functionResponse)
        .map(({ functionResponse }) => textOf(functionResponse.response)),
    }),
    write: (step, id) => [WAYS[3].whole(step, id)],
    whole: ({ name, args, text }) => {
      const part = text === undefined ? { functionCall: { name, args } } : { text }
      const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
      return {
        candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
        usageMetadata,
      }
    },
  },
]

/**
 * Opens a stand-in.
 *
 * @returns {Promise<{ url: string, seen: { tools: string[], results: string[] }[], close: () => void }>} what each
 * request with a tool of the gateway offered
 */
export async function openModel() {
  const seen = []
  let count = 0
  const server = http.createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { pathname, searchParams } = new URL(request.url, 'http://localhost')
    const way = WAYS.find(({ path }) => path.test(pathname))
    if (way === undefined || request.method !== 'POST') return void response.writeHead(404).end('{}')
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const said = way.read(body)
    if (offered(said.tools, 'mcp_load') !== undefined) seen.push(said)
    count += 1
    const step = nextStep(said)
    const streams = body.stream === true || searchParams.get('alt') === 'sse' || way.whole === undefined
    if (!streams) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(way.whole(step, `call_${count}`)))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of way.write(step, `call_${count}`)) {
      if (event.type) response.write(`event: ${event.type}\n`)
      response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    }
    response.end()
    return undefined
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, seen, close }
}
