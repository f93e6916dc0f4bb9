// End to end with real MCP servers: filesystem, memory and everything of the MCP project, and one
// of ours that changes its tools. Ranking is lexical here: no model is loaded in this process.

import fs from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { listTools, readDefinitions, RunningServers } from '../../examples/demo/servers.mjs'
import { ToolRouter } from '../../index.js'
import { LATE_SERVER } from '../fixtures/sdk-hub.mjs'

const router = ToolRouter.shared()
const running = new RunningServers()
const servers = new Map()

/** Starts a server; resolves `changed()` when it next announces that its tools changed. */
async function start(t, definition, capabilities) {
  let announce
  const onListChanged = () => announce?.()
  const server = await running.start(definition, { capabilities, onListChanged })
  t.is(server.reason, undefined)
  const changed = () => new Promise((resolve) => (announce = resolve))
  return { ...server, changed }
}

test.before(async (t) => {
  t.timeout(120_000)
  for (const definition of readDefinitions(['filesystem', 'memory', 'everything'])) {
    const server = await start(t, definition)
    servers.set(server.name, server)
    const { name, tools, instructions } = server
    const change = await router.setServer({ name, tools, instructions })
    t.is(change.added.length, tools.length, `${name}: every tool it lists is usable as it came`)
    t.deepEqual(change.refused, [])
  }
})

test.after.always(async () => {
  for (const name of [...servers.keys(), 'late']) await router.removeServer(name)
  await running.close()
})

const REQUESTS = [
  ['read the content of a text file', 'filesystem', 'read_text_file'],
  ['create a directory for the drafts', 'filesystem', 'create_directory'],
  ['rename the file draft.txt to final.txt', 'filesystem', 'move_file'],
  ['delete relations between two entities', 'memory', 'delete_relations'],
  ['search nodes of the knowledge graph about Anna', 'memory', 'search_nodes'],
  ['compress a file with gzip', 'everything', 'gzip-file-as-resource'],
  ['what is the sum of two numbers', 'everything', 'get-sum'],
]
for (const [request, serverName, toolName] of REQUESTS) {
  test.serial(`"${request}" ranks ${toolName} of ${serverName} among the first three`, async (t) => {
    const ranking = await router.rank(request, { topK: 3, ranker: 'lexical' })
    t.is(ranking.ranker, 'lexical')
    const found = ranking.tools.map((tool) => `${tool.serverName}/${tool.toolName}`)
    t.true(found.includes(`${serverName}/${toolName}`), found.join(', '))
  })
}

test.serial('few tools are all attached, as the servers sent them, without mcp_load', async (t) => {
  const session = router.openSession()
  const selection = await session.start('read a file')
  t.is(selection.mode, 'all')
  t.is(selection.mcpLoad, null)
  const definitions = JSON.parse(session.tools())
  t.is(definitions.length, selection.scopedCount)
  for (const { function: definition } of definitions) {
    const { serverName, toolName } = session.resolveTool(definition.name)
    const listed = servers.get(serverName).tools.find((tool) => tool.name === toolName)
    t.is(definition.description, listed.description)
    t.is(JSON.stringify(definition.parameters), JSON.stringify(listed.inputSchema))
  }
  session.close()
})

test.serial('a task attaches what it needs, follows the user, and loads what the model asks for', async (t) => {
  const session = router.openSession({ settings: { threshold: 5, initialK: 4 } })
  const first = await session.start('read a text file and list the directory')
  t.is(first.mode, 'dynamic')
  t.is(first.attached.length, 4)
  t.true(first.attached.includes('mcp--filesystem--read_text_file'))
  const firstTools = session.tools()

  const second = await session.turn('now store entities and relations in the knowledge graph')
  t.is(second.added.length, 3)
  t.true(
    second.added.every((name) => name.startsWith('mcp--memory--')),
    second.added.join(', '),
  )
  t.deepEqual(second.attached, [...first.attached, ...second.added])

  const wanted = 'mcp--everything--get-sum'
  t.false(second.attached.includes(wanted))
  const answer = await session.load({ query: wanted })
  t.deepEqual(
    answer.loaded.map((tool) => tool.name),
    [wanted],
  )
  const again = await session.load({ query: wanted })
  t.deepEqual([again.loaded, again.alreadyAttached], [[], [wanted]])

  const names = JSON.parse(session.tools()).map((tool) => tool.function.name)
  t.deepEqual(names, ['mcp_load', ...second.attached, wanted])
  t.true(session.tools().startsWith(firstTools.slice(0, -1)), 'the first request begins every later one')
  session.close()
})

test.serial('a provider name leads to a real tools/call, however the model spells its separators', async (t) => {
  const { folder } = servers.get('filesystem')
  const file = path.join(folder, 'note.txt')
  fs.writeFileSync(file, 'hello from a file')
  const session = router.openSession()
  await session.start('read a file')

  const tool = session.resolveTool('mcp--filesystem--read_text_file')
  t.deepEqual(tool, { serverName: 'filesystem', toolName: 'read_text_file' })
  const answer = await servers.get(tool.serverName).client.callTool({ name: tool.toolName, arguments: { path: file } })
  t.is(answer.content[0].text, 'hello from a file')
  await session.recordUse(tool)

  const sum = session.resolveTool('mcp__everything__get_sum')
  t.deepEqual(sum, { serverName: 'everything', toolName: 'get-sum' })
  const { content } = await servers.get('everything').client.callTool({ name: sum.toolName, arguments: { a: 2, b: 3 } })
  t.regex(content[0].text, /\b5\b/)
  session.close()
})

test.serial('a state of a task with real tools comes back with the same tools in the same bytes', async (t) => {
  const session = router.openSession({ settings: { threshold: 5, initialK: 6 } })
  await session.start('search files, then remember what they say')
  const [state, tools] = [JSON.stringify(session), session.tools()]
  session.close()
  const restored = await router.restoreSession(state)
  t.is(restored.tools(), tools)
  restored.close()
})

test.serial('everything announces the tools of what the client can do, and only those are new', async (t) => {
  t.timeout(60_000)
  const [definition] = readDefinitions(['everything'])
  const before = servers.get('everything')
  await running.stop(before.client)
  let announced = 0
  const onListChanged = () => announced++
  const server = await running.start(definition, { capabilities: { roots: {}, sampling: {} }, onListChanged })
  t.is(server.reason, undefined)
  t.true(announced > 0, 'it registers them after the handshake, and says so')
  // What it announced came before the answer to this.
  const tools = await listTools(server.client)
  const change = await router.setServer({ name: 'everything', tools })
  const known = new Set(before.tools.map((tool) => tool.name))
  t.deepEqual(
    change.added.map((tool) => tool.toolName),
    tools.map((tool) => tool.name).filter((name) => !known.has(name)),
  )
  t.true(change.added.some((tool) => tool.toolName === 'get-roots-list'))
  t.is(change.unchanged, before.tools.length)
  t.deepEqual([change.changed, change.removed], [[], []])
  servers.set('everything', { ...before, ...server })
})

test.serial('list_changed flows into the catalogue as what was added, changed and removed', async (t) => {
  t.timeout(60_000)
  const late = await start(t, LATE_SERVER)
  const set = async () => router.setServer({ name: 'late', tools: await listTools(late.client) })
  const tell = async (name) => {
    const announced = late.changed()
    await late.client.callTool({ name, arguments: {} })
    await announced
    return set()
  }
  const forecast = { serverName: 'late', toolName: 'weather_forecast' }
  const started = await set()
  t.is(started.added.length, 3)
  const { generation } = router.status

  const grown = await tell('grow')
  t.deepEqual([grown.added, grown.changed, grown.removed, grown.unchanged], [[forecast], [], [], 3])
  t.true(router.status.generation > generation)
  const [best] = (await router.rank('weather of the next days', { topK: 1, ranker: 'lexical' })).tools
  t.is(best.toolName, 'weather_forecast')

  const reworded = await tell('reword')
  t.deepEqual([reworded.added, reworded.changed, reworded.removed, reworded.unchanged], [[], [forecast], [], 3])

  const shrunk = await tell('shrink')
  t.deepEqual([shrunk.added, shrunk.changed, shrunk.removed, shrunk.unchanged], [[], [], [forecast], 3])
  const { tools } = await router.rank('weather of the next days', { topK: 50, ranker: 'lexical' })
  t.false(tools.some((tool) => tool.toolName === 'weather_forecast'))
})

test.serial('a server that is gone takes its tools along, and its return brings them back in place', async (t) => {
  const { name, tools } = servers.get('memory')
  const session = router.openSession({ settings: { threshold: 5, initialK: 6 } })
  await session.start('create entities and relations in the knowledge graph')
  const before = session.tools()
  const removed = await router.removeServer(name)
  t.is(removed.removed.length, tools.length)
  t.false(session.tools().includes('mcp--memory--'))
  await router.setServer({ name, tools })
  t.is(session.tools(), before)
  session.close()
})
