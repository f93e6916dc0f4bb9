#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// npx zoo-tool-router gateway --config mcp.json [--http 127.0.0.1:PORT]
//
// Standard output belongs to the protocol; everything for a person goes to standard error.

import { readFileSync } from 'node:fs'
import os from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'

const USAGE = `usage: zoo-tool-router gateway --config <file> [options]

Serves all MCP servers of a configuration as one, with few tools at first.

  --config <file>       JSON with mcpServers, as other MCP clients have it
  --http <host:port>    Streamable HTTP on the loopback interface in place of stdio; port 0 is any
  --lexical             rank by terms only; no model is loaded
  --quiet               say nothing of servers that start and end
  --help, --version

Environment: ZOO_TOOL_ROUTER_TOKEN is the bearer token for --http; one is made and printed when it is not set.
`

/** Counts gateways that start gateways. */
const DEPTH = 'ZOO_TOOL_ROUTER_DEPTH'
/** One before another is a use; more are a circle. */
const MAX_DEPTH = 3
/** How long servers may take to end after a signal: twice the grace that each of them has. */
const CLOSE_MS = 8_000

const options = {
  config: { type: 'string' },
  http: { type: 'string' },
  lexical: { type: 'boolean' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
}

const say = (line) => process.stderr.write(`zoo-tool-router: ${line}\n`)

let gateway
let ending = false

/** Ends all servers, then the process. The second time it does not wait. */
async function end(exitCode) {
  if (ending) process.exit(exitCode)
  ending = true
  setTimeout(() => process.exit(exitCode), CLOSE_MS).unref()
  await gateway?.close().catch(() => {})
  process.exit(exitCode)
}

async function main() {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return void process.stdout.write(USAGE)
  if (values.version) {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    return void process.stdout.write(`${version}\n`)
  }
  if (positionals.length !== 1 || positionals[0] !== 'gateway' || values.config === undefined) {
    process.stderr.write(USAGE)
    process.exitCode = 2
    return undefined
  }
  // Servers get the depth with their variables: a gateway whose configuration names itself would start for ever.
  const depth = Number(process.env[DEPTH] ?? 0)
  if (depth >= MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} gateways behind each other; does the configuration name its own gateway?`)
  process.env[DEPTH] = String(depth + 1)
  const { createGateway } = await import('./index.mjs')
  const address = values.http === undefined ? undefined : readAddress(values.http)
  gateway = await createGateway({ configFile: values.config, log: values.quiet ? undefined : say })
  if (!values.lexical) {
    gateway.router.loadModel().catch((error) => say(`${error.message}; ranking is by terms only`))
  }
  return address === undefined ? serveStdio() : serveHttp(address)
}

async function serveStdio() {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  // The client has gone: its input ends, or nobody reads any more.
  const leave = () => ending || void end(0)
  process.stdin.on('end', leave).on('close', leave)
  process.stdout.on('error', leave)
  await gateway.connect(new StdioServerTransport())
}

async function serveHttp({ host, port }) {
  const token = process.env.ZOO_TOOL_ROUTER_TOKEN || undefined
  delete process.env.ZOO_TOOL_ROUTER_TOKEN
  const endpoint = await gateway.listen({ host, port, token })
  say(`listening on ${endpoint.url}`)
  if (token === undefined) say(`bearer token ${endpoint.token}`)
}

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`, or a port alone. */
function readAddress(text) {
  const [, host = '127.0.0.1', port] = /^(?:(\[[\da-f:]+\]|[^:]+):)?(\d+)$/i.exec(text) ?? []
  if (port === undefined) throw new Error(`--http: expected host:port, got ${JSON.stringify(text)}`)
  return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(128 + os.constants.signals[signal]))

try {
  await main()
} catch (error) {
  const missing = error.code === 'ERR_MODULE_NOT_FOUND' && String(error.message).includes('@modelcontextprotocol/sdk')
  say(missing ? 'the gateway needs the MCP SDK; install it with: npm install @modelcontextprotocol/sdk' : error.message)
  await end(error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? 2 : 1)
}
