// Starts every server of servers.json over stdio, lists its tools and prints
// one line for each, then the totals. Exits 1 when a server fails.
//
//   node check.mjs [NAME ...] [--json FILE]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

import { readArguments } from '../../scripts/arguments.mjs'
import { commandOf, listTools, readDefinitions } from '../demo/servers.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const given = readArguments(
  'usage: check.mjs [NAME ...] [--json FILE]\n',
  { json: { type: 'string' } },
  { most: Infinity },
)
if (!given) process.exit()
const chosen = readDefinitions(given.positionals.length > 0 ? given.positionals : undefined)

function versionOf(name) {
  return JSON.parse(readFileSync(path.join(here, 'node_modules', name, 'package.json'), 'utf8')).version
}

async function check(server) {
  const tmp = mkdtempSync(path.join(tmpdir(), `mcp-${server.name}-`))
  const transport = new StdioClientTransport({ ...commandOf(server, tmp), stderr: 'pipe' })
  let stderr = ''
  transport.stderr?.on('data', (chunk) => (stderr = (stderr + chunk).slice(-4000)))
  const client = new Client({ name: 'check', version: '0.0.0' })
  client.onerror = () => {}
  const start = performance.now()
  try {
    await client.connect(transport, { timeout: server.timeoutMs })
    const readyMs = performance.now() - start
    const tools = await listTools(client, server.timeoutMs)
    const ms = performance.now() - start
    return {
      name: server.name,
      package: `${server.package}@${versionOf(server.package)}`,
      tools: tools.length,
      bytes: Buffer.byteLength(JSON.stringify(tools)),
      readyMs: Math.round(readyMs),
      ms: Math.round(ms),
      instructions: client.getInstructions()?.length ?? 0,
      listChanged: client.getServerCapabilities()?.tools?.listChanged === true,
      toolNames: tools.map((tool) => tool.name),
    }
  } catch (error) {
    return { name: server.name, package: server.package, error: String(error?.message ?? error), stderr }
  } finally {
    await client.close().catch(() => {}) // ends stdin, then SIGTERM, then SIGKILL
    rmSync(tmp, { recursive: true, force: true, maxRetries: 3 })
  }
}

const results = []
for (const server of chosen) {
  const result = await check(server)
  results.push(result)
  if (result.error) {
    console.log(`${result.name.padEnd(20)} FAILED ${result.error}\n${result.stderr.replace(/^/gm, '    | ')}`)
  } else {
    console.log(
      [
        result.name.padEnd(20),
        result.package.padEnd(52),
        `${result.tools} tools`.padStart(10),
        `${result.bytes} bytes`.padStart(13),
        `${result.ms} ms`.padStart(9),
        (result.instructions ? `instructions (${result.instructions} chars)` : 'no instructions').padEnd(26),
        result.listChanged ? 'listChanged' : '-',
      ].join('  '),
    )
  }
}
const good = results.filter((result) => !result.error)
const sum = (key) => good.reduce((total, result) => total + result[key], 0)
console.log(
  `\n${good.length} of ${results.length} servers, ${sum('tools')} tools, ${sum('bytes')} bytes of tools JSON, ` +
    `${sum('ms')} ms one after another; node ${process.version}`,
)
if (given.values.json) writeFileSync(given.values.json, `${JSON.stringify(results, null, '\t')}\n`)
process.exit(good.length === results.length ? 0 : 1)
