// SPDX-License-Identifier: Apache-2.0
//
// The program of the gateway that the extension offers. It follows its file: what is switched off in the view ends at once.

import { readFileSync, rmSync, watchFile, writeFileSync } from 'node:fs'
import process from 'node:process'

import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createGateway, type GatewayConfig } from '@zoo-code/tool-router/gateway'

import { type Live, liveFile } from './gateway-live.js'

/** How often the file is looked at: a watcher would miss a file that is replaced. */
const LOOK_MS = 500

const [file = ''] = process.argv.slice(2)
const say = (line: string) => void process.stderr.write(`${line}\n`)
const read = (): GatewayConfig => JSON.parse(readFileSync(file, 'utf8'))

const config = read()
const gateway = await createGateway({ config, oneClient: true, log: say })
gateway.router.loadModel().catch((error: Error) => say(`${error.message}; ranking is by words only`))

/** The servers as they were told last. */
const told = new Map(Object.entries(config.mcpServers).map(([name, entry]) => [name, JSON.stringify(entry)]))

async function follow(): Promise<void> {
  const { mcpServers } = read()
  for (const [name, entry] of told) {
    if (JSON.stringify(mcpServers[name]) === entry) continue
    told.delete(name)
    await gateway.removeServer(name)
  }
  for (const [name, entry] of Object.entries(mcpServers)) {
    if (told.has(name)) continue
    told.set(name, JSON.stringify(entry))
    try {
      gateway.addServer(name, entry)
    } catch (error) {
      say(`server ${name} is left out: ${(error as Error).message}`)
    }
  }
}

let last = Promise.resolve()
watchFile(file, { interval: LOOK_MS }, () => {
  last = last.then(follow).catch((error: Error) => say(`the servers stay as they are: ${error.message}`))
})

/** Notes how much of the client's context its list of tools takes. */
async function note(tools: unknown[]): Promise<void> {
  const scoped = gateway.servers.reduce((sum, { scopedCount }) => sum + scopedCount, 0)
  const tokens = await gateway.router.countTokens(JSON.stringify(tools))
  const live: Live = { pid: process.pid, listed: tools.length, scoped, tokens }
  writeFileSync(liveFile(file), JSON.stringify(live), { mode: 0o600 })
}

const transport = new StdioServerTransport()
const send = transport.send.bind(transport)
transport.send = (message) => {
  const { result } = message as { result?: { tools?: unknown } }
  if (Array.isArray(result?.tools)) note(result.tools).catch((error: Error) => say(error.message))
  return send(message)
}

async function end(): Promise<void> {
  rmSync(liveFile(file), { force: true })
  await gateway.close()
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end())
await gateway.connect(transport)
process.stdin.on('end', () => void end())
