// An MCP server that lists the tools of a file, and answers each call after a while with the same text:
// node stand-in.mjs <tools.json> <ms>.

import { readFileSync } from 'node:fs'
import process from 'node:process'
import readline from 'node:readline'

const [file, delay] = process.argv.slice(2)
/** Characters of a result: one that no client has to be spared. */
const RESULT = 4_000

const tools = JSON.parse(readFileSync(file, 'utf8'))
const content = [{ type: 'text', text: 'One more line of a result. '.repeat(RESULT / 27) }]
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'stand-in', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': () => ({ content }),
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = ANSWERS[method]?.(params)
  const answer = {
    jsonrpc: '2.0',
    id,
    ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }),
  }
  setTimeout(() => process.stdout.write(`${JSON.stringify(answer)}\n`), method === 'tools/call' ? Number(delay) : 0)
})
