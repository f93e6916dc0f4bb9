#!/usr/bin/env node
// The same tasks by the library and through the gateway, over the servers of examples/servers: how many have all their tools
// when the model, which sees what it lacks, has searched for each of them with mcp_load, in the words of searches.jsonl.
//
//   node research/measure/gateway/tasks.mjs [--tasks 35] [--lexical]
//
// Tasks of the tuning half whose needs all have such words, in order. In the library the first message has already brought
// tools; through the gateway the model asks with it first.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { Client, InMemoryTransport } from '@modelcontextprotocol/client'

import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { jsonLines } from '../strangers/catalogue.mjs'
import { configuration } from './gateway-operations.mjs'

const LABELLED = path.join(import.meta.dirname, '..', '..', 'labelled')
const idOf = ({ serverName, toolName }) => `${serverName}::${toolName}`

const given = readArguments('usage: tasks.mjs [--tasks <n>] [--lexical]\n', {
  tasks: { type: 'integer', default: 35, least: 1 },
  lexical: { type: 'boolean' },
})
if (given) await main(given.values)

function tasksOf(count) {
  const words = new Map(jsonLines(path.join(LABELLED, 'searches.jsonl')).map(({ tool, query }) => [tool, query]))
  const wordsOf = (need) => words.get(need.find((id) => words.has(id)))
  return jsonLines(path.join(LABELLED, 'tasks.jsonl'))
    .filter(({ half, needs }) => half === 'tuning' && needs.every((need) => wordsOf(need) !== undefined))
    .slice(0, count)
    .map(({ text, needs }) => ({ text, needs: needs.map((ids) => ({ ids, words: wordsOf(ids) })) }))
}

async function main({ tasks: count, lexical }) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-tasks-'))
  const gateway = await createGateway({ config: configuration(folder) })
  try {
    await gateway.ready()
    if (!lexical) {
      await gateway.router.loadModel()
      while ((await gateway.router.ready({ timeoutMs: 30_000 })).state === 'loading');
    }
    const tasks = tasksOf(count)
    const rows = {}
    for (const [door, open] of Object.entries({ library: byLibrary, gateway: byGateway })) {
      const played = []
      for (const task of tasks) played.push(await play(await open(gateway), task))
      rows[door] = {
        complete: `${played.filter(({ missing }) => missing === 0).length} of ${tasks.length}`,
        searches: played.reduce((sum, { searches }) => sum + searches, 0),
      }
    }
    console.table(rows)
  } finally {
    await gateway.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Plays one task: the first message, then a search for each need that is not met. */
async function play({ first, search, close }, { text, needs }) {
  const ids = new Set(await first(text))
  const isMet = (need) => need.ids.some((id) => ids.has(id))
  let searches = 0
  for (const need of needs) {
    if (isMet(need)) continue
    searches += 1
    for (const id of await search(need.words)) ids.add(id)
  }
  await close()
  return { missing: needs.filter((need) => !isMet(need)).length, searches }
}

function byLibrary({ router }) {
  const session = router.openSession({ settings: { threshold: 0, deadlineMs: 60_000 } })
  const ids = (names) => names.map((name) => idOf(session.resolveTool(name)))
  return {
    first: async (text) => ids((await session.start(text)).attached),
    search: async (query) => ids((await session.load({ query })).loaded.map(({ name }) => name)),
    close: () => session.close(),
  }
}

async function byGateway(gateway) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await gateway.connect(theirs)
  const client = new Client(
    { name: 'measure', version: '0.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(ours)
  const search = async (query) => {
    const { content } = await client.callTool({ name: 'mcp_load', arguments: { query } })
    const { loaded = [] } = JSON.parse(content[0].text)
    return loaded.map(({ name }) => idOf(gateway.router.resolveTool(name)))
  }
  return { first: search, search, close: () => client.close() }
}
