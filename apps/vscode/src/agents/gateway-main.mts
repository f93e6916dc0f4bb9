// The program of the gateway that the extension offers. It follows its file, so that what is switched off in the view ends,
// and notes beside it what its agent has.

import { rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'

import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createGateway } from '@zoo-code/tool-router-gateway'

import { type Live, liveFile } from './gateway-live.js'

const [configFile = '', ...flags] = process.argv.slice(2)
const say = (line: string) => void process.stderr.write(`${line}\n`)

const gateway = await createGateway({ configFile, watch: true, oneClient: true, log: say })
if (!flags.includes('--words'))
  gateway.router.loadModel().catch((error: Error) => say(`${error.message}; ranking is by words only`))

/** How often it is looked at whether servers have come or gone since the client was shown its list. */
const LOOK_MS = 2_000
let shown: { name: string }[] | undefined
let noted = ''

/** Notes how much of the client's context its list of tools takes, and of how many tools. */
async function note(): Promise<void> {
  const tools = shown
  if (!tools) return
  const { servers, router } = gateway
  const scoped = servers.reduce((sum, { scopedCount }) => sum + scopedCount, 0)
  const own = new Set((await router.listTools()).map(({ name }) => name))
  const attached = tools.filter(({ name }) => own.has(name)).length
  const tokens = await router.countTokens(JSON.stringify(tools))
  const isWhole = servers.every(({ state }) => state === 'ready' || state === 'idle')
  const live: Live = { pid: process.pid, listed: tools.length, attached, scoped, tokens, isWhole }
  const text = JSON.stringify(live)
  if (text !== noted) writeFileSync(liveFile(configFile), text, { mode: 0o600 })
  noted = text
}

const noteNow = () => void note().catch((error: Error) => say(error.message))
setInterval(noteNow, LOOK_MS).unref()

const transport = new StdioServerTransport()
const send = transport.send.bind(transport)
transport.send = (message) => {
  const { result } = message as { result?: { tools?: unknown } }
  if (Array.isArray(result?.tools)) {
    shown = result.tools
    noteNow()
  }
  return send(message)
}

async function end(): Promise<void> {
  rmSync(liveFile(configFile), { force: true })
  await gateway.close()
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end())
await gateway.connect(transport)
process.stdin.on('end', () => void end())
