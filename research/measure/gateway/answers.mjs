// What answers of the gateway cost a model, over the servers of examples/servers: mcp_load and search_mcps for six needs,
// and describe_tool for what was found, to a client of each era.
//
//   node research/measure/gateway/answers.mjs
//
// Tokens of o200k_base; means over the needs, per answer and per tool in it.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as OldTransport } from '@modelcontextprotocol/sdk/inMemory.js'

import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { configuration } from './gateway-operations.mjs'

const NEEDS = [
  'open a merge request for the branch',
  'take a screenshot of the login page',
  'remember what Ada likes',
  'move the drafts to another folder',
  'send a message to the team channel',
  'list the open issues of the sprint',
]

async function connected(gateway, era) {
  const [ours, theirs] = (era === 'modern' ? InMemoryTransport : OldTransport).createLinkedPair()
  await gateway.connect(theirs)
  const info = { name: 'measure', version: '0.0.0' }
  const client =
    era === 'modern' ? new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }) : new OldClient(info)
  await client.connect(ours)
  return client
}

async function measure(gateway, era) {
  const sums = new Map()
  const count = async (name, text, tools) => {
    const sum = sums.get(name) ?? { answers: 0, tokens: 0, tools: 0 }
    sums.set(name, {
      answers: sum.answers + 1,
      tokens: sum.tokens + (await gateway.router.countTokens(text)),
      tools: sum.tools + tools,
    })
  }
  for (const query of NEEDS) {
    // Each need by a client of its own: nothing is attached before.
    const client = await connected(gateway, era)
    const ask = async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text
    const loaded = await ask('mcp_load', { query })
    const names = JSON.parse(loaded).loaded.map(({ name }) => name)
    await count('mcp_load', loaded, names.length)
    const servers = await ask('search_mcps', { query })
    await count('search_mcps', servers, JSON.parse(servers).servers.flatMap((each) => each.best_tools).length)
    const { tools } = await client.listTools()
    if (tools.some(({ name }) => name === 'describe_tool'))
      await count('describe_tool', await ask('describe_tool', { names: names.join(', ') }), names.length)
    await client.close()
  }
  const client = await connected(gateway, era)
  // The core of a server: ten tools.
  const core = (await client.callTool({ name: 'mcp_load', arguments: { query: 'github' } })).content[0].text
  await count('mcp_load of a server', core, JSON.parse(core).loaded.length)
  await client.close()
  for (const [name, { answers, tokens, tools }] of sums)
    console.log(
      `${era} ${name}: ${Math.round(tokens / answers)} tokens, ${(tools / answers).toFixed(1)} tools, ${(tokens / tools).toFixed(1)} per tool`,
    )
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-answers-'))
const gateway = await createGateway({ config: configuration(folder) })
try {
  await gateway.ready()
  for (const era of ['modern', 'legacy']) await measure(gateway, era)
} finally {
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
}
