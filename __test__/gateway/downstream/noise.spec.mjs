// Servers that announce without an end, or say the same in other bytes: a client's cache is not spent on them.
import { setTimeout as pause } from 'node:timers/promises'

import test from 'ava'

import * as eras from '../../helpers/eras.mjs'
import { gateway, inProcess, loadAll, unique, until } from '../../helpers/gateway.mjs'
import { rawServer } from '../../helpers/raw-server.mjs'

/** How long a server announces, and how often: a hundred times. */
const STORM_MS = 5_000
const EVERY_MS = 50
/** Readings of growing pauses within that time. */
const MOST = 9

/** A server over HTTP that answers `tools/list` by `list`, and announces on a stream that it keeps. */
async function announcing(t, list) {
  const streams = new Set()
  const raw = await rawServer(t, (message, { request, response, json }) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
      return streams.add(response)
    }
    const results = {
      initialize: () => ({
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'raw', version: '1' },
      }),
      'tools/list': () => ({ tools: list() }),
    }
    const result = results[message?.method]?.()
    return result && json({ jsonrpc: '2.0', id: message.id, result })
  })
  const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  const announce = () => {
    for (const stream of streams) stream.write(`event: message\ndata: ${note}\n\n`)
  }
  return { ...raw, streams, announce }
}

async function served(t, list) {
  const server = await announcing(t, list)
  const name = unique('noisy')
  const made = await gateway(t, { mcpServers: { [name]: { url: server.url } }, gateway: { changedTools: 'tell' } })
  const client = await inProcess(t, made)
  await loadAll(client, made, name)
  await until(t, () => server.streams.size > 0, 'the gateway listens')
  await client.names()
  await pause(500)
  return { server, name, made, client }
}

async function storm(server) {
  for (const until = Date.now() + STORM_MS; Date.now() < until; await pause(EVERY_MS)) server.announce()
}

test('a list that changes with each reading reaches a client some times and not each time, and its last state does', async (t) => {
  let count = 0
  let isCalm = false
  const tools = () => [
    { name: 'note', description: isCalm ? 'the last one' : `reading ${++count}`, inputSchema: { type: 'object' } },
  ]
  const { server, name, client } = await served(t, tools)
  const [read, told] = [server.count('tools/list'), client.changes]
  await storm(server)
  const reads = server.count('tools/list') - read
  t.true(reads >= 2 && reads <= MOST, `${reads} readings`)
  t.true(client.changes - told <= MOST, `${client.changes - told} changes told`)
  isCalm = true
  server.announce()
  const said = async () =>
    (await client.listTools()).tools.find((tool) => tool.name === `mcp--${name}--note`)?.description ?? ''
  await until(t, async () => (await said()).includes('the last one'), 'the last state is listed')
})

test('a list that says the same in other bytes is told to no client', async (t) => {
  const forms = [
    {
      inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a', 'b'] },
      title: 'Note',
    },
    {
      title: 'Note',
      inputSchema: { required: ['b', 'a'], properties: { b: {}, a: { type: 'string' } }, type: 'object' },
    },
  ]
  let count = 0
  const { server, made, client } = await served(t, () => [{ ...forms[++count % 2], name: 'note' }])
  const modern = await eras.inProcess(t, made)
  const texts = async () => [JSON.stringify(await client.listTools()), JSON.stringify(await modern.listTools())]
  const before = await texts()
  const [read, told] = [server.count('tools/list'), client.changes]
  server.announce()
  await until(t, () => server.count('tools/list') > read, 'it is read again')
  await pause(1_000)
  t.is(client.changes, told)
  t.deepEqual(await texts(), before)
})
