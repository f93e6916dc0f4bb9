// A client of the gateway, over stdio and the official SDK, with eight real servers behind it:
//
//   npm run demo            once, which installs the servers and builds the addon
//   node examples/gateway/run.mjs

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

const file = (name) => fileURLToPath(new URL(name, import.meta.url))
const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-example-'))

const client = new Client({ name: 'example', version: '1.0.0' })
client.setNotificationHandler(ToolListChangedNotificationSchema, () =>
  console.log('  <- notifications/tools/list_changed'),
)

async function list() {
  const { tools } = await client.listTools()
  // Four characters a token, roughly; the benchmark counts exactly.
  console.log(`tools/list: ${tools.length} tools, about ${Math.round(JSON.stringify(tools).length / 4)} tokens`)
  return tools.map(({ name }) => name)
}

async function use(name, args) {
  console.log(`${name} ${JSON.stringify(args)}`)
  const { content } = await client.callTool({ name, arguments: args })
  return content[0].text
}

try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [file('../../packages/gateway/cli.mjs'), 'gateway', '--config', file('mcp.json'), '--quiet'],
      env: { ...process.env, GATEWAY_EXAMPLE_MEMORY: path.join(folder, 'memory.jsonl') },
    }),
  )
  console.log((await list()).join(', '))

  const { modules } = JSON.parse(await use('manage_modules', { action: 'list' }))
  for (const { module, tools, tokens = '' } of modules)
    console.log(`  ${module.padEnd(20)} ${String(tools).padStart(3)} tools ${tokens}`)

  const mode = JSON.parse(
    await use('select_mode', { task_description: 'Keep in mind that Ada likes tea', confidence_level: 'high' }),
  )
  console.log(`  mode ${mode.selected_mode}: ${mode.reasoning}`)
  await list()

  const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }]
  await use('mcp--memory--create_entities', { entities })
  console.log(`  ${(await use('mcp--memory--search_nodes', { query: 'tea' })).replaceAll(/\s+/g, ' ')}`)

  const { loaded } = JSON.parse(await use('mcp_load', { query: 'take a screenshot of the page' }))
  for (const { name, signature } of loaded.slice(0, 3)) console.log(`  ${name}: ${signature}`)
  console.log(`  ${await use('call_tool_read', { name: 'mcp--everything--get-sum', arguments: { a: 2, b: 3 } })}`)

  const { note } = JSON.parse(await use('manage_modules', { action: 'unload', module: 'playwright' }))
  console.log(`  ${note}`)
  await list()
} finally {
  await client.close()
  rmSync(folder, { recursive: true, force: true })
}
