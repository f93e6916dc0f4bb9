// An MCP server that writes down each call and answers a moment later: node ledger-server.mjs <ledger> <wording>. What a call did
// can be counted afterwards, also that of a call whose answer never came. `worded` is described by the text of the second file, which may change.

import { appendFileSync, readFileSync } from 'node:fs'
import process from 'node:process'
import readline from 'node:readline'

const [ledger, wording] = process.argv.slice(2)
const LOOK_MS = 100
const ANSWER_MS = 50

const described = () => readFileSync(wording, 'utf8')
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (said) => ({ content: [{ type: 'text', text: said }] })
const inputSchema = { type: 'object', properties: { id: { type: 'string' } } }

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'ledger', version: '1' },
  }),
  'tools/list': () => ({
    tools: [
      { name: 'record', description: 'Writes an entry into the ledger.', inputSchema },
      { name: 'worded', description: described(), inputSchema },
    ],
  }),
  'tools/call': ({ name, arguments: { id } = {} }) => {
    if (name === 'record') appendFileSync(ledger, `${id}\n`)
    return text(name === 'record' ? `recorded ${id}` : 'worded')
  },
}

let told = described()
setInterval(() => {
  const now = described()
  if (now === told) return
  told = now
  send({ method: 'notifications/tools/list_changed' })
}, LOOK_MS).unref()

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = ANSWERS[method]?.(params)
  const answer = { id, ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }) }
  setTimeout(send, params?.name === 'record' ? ANSWER_MS : 0, answer)
})
