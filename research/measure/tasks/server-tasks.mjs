// Rows of whole-tasks.mjs about servers: what a registry brings to a task, what a costly server costs, and a host that
// changes something between two requests of one turn.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { catalogueOf } from '../catalogue.mjs'

const ROOT = path.join(import.meta.dirname, '..', '..', '..')
const REGISTRY = path.join(ROOT, 'examples', 'just-in-time', 'registry.json')
/** Requests that name no server, each with the servers that it needs; written with the registry in view of neither. */
const REQUESTS = path.join(ROOT, '__test__', 'fixtures', 'server-requests.json')
/** A server whose definitions are manuals, beside three of ordinary size. */
const COSTLY = ['ms-365', 'slack-ref', 'github', 'jira']
const EVERYDAY = [
  'send a mail to the team that the release is out and put the meeting on Friday',
  'find the open issues of the repository and post a summary to the channel',
  'read the latest messages of my manager and create a ticket for what she asks',
]

/** Requests that need a server: how often its tools are among those of a first selection, with entries and without. */
export async function registryRows(router, say) {
  const requests = JSON.parse(readFileSync(REQUESTS, 'utf8'))
  const documents = JSON.parse(readFileSync(REGISTRY, 'utf8'))
  const settle = async () => {
    while (router.status.vectorCount < router.status.toolCount) await router.ready({ timeoutMs: 5000 })
    for (let at = 0; at < 1200; at++) {
      const { degraded } = await router.rankServers('warm up', { topK: 1 })
      if (!degraded) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const measure = async (settings, ranker) => {
    router.configure({ ranker, deadlineMs: 10_000 })
    let found = 0
    let first = 0
    let served = 0
    let tools = 0
    for (const { request, servers } of requests) {
      const ranked = (await router.rankServers(request, { topK: 5 })).servers.map(({ serverName }) => serverName)
      found += servers.some((name) => ranked.includes(name))
      first += servers.includes(ranked[0])
      const session = router.openSession({ settings })
      const { attached } = await session.start(request)
      const own = attached.filter((name) => servers.includes(router.resolveTool(name)?.serverName)).length
      served += own > 0
      tools += own
      session.close()
    }
    return { found, first, served, tools }
  }
  const ways = [
    { scopeBy: 'tool' },
    { scopeBy: 'tool', initialK: 10 },
    { scopeBy: 'server' },
    { scopeBy: 'server', focusServers: 1 },
  ]
  const name = ({ scopeBy, ...more }) =>
    [scopeBy, ...Object.entries(more).map(([key, value]) => `${key} ${value}`)].join(', ')
  for (const entries of ['without', 'with']) {
    if (entries === 'with') await router.loadRegistry(REGISTRY)
    await settle()
    for (const ranker of ['hybrid', 'lexical']) {
      for (const way of ways) {
        const { found, first, served, tools } = await measure(way, ranker)
        say(
          `registry, ${ranker}, by ${name(way)}, ${entries} entries`,
          `server first ${first}, of five ${found}; tasks with a tool of it ${served} of ${requests.length}; its tools ${tools}`,
        )
      }
    }
  }
  for (const { mcp_id: id } of documents) await router.setServerEntry(id, null)
  router.configure({})
}

/** What a server of manuals costs a task by default, of the recorded catalogue. */
export async function costlyRows(router, data, say) {
  const file = path.join(data, 'catalogue', 'tools.jsonl')
  if (!existsSync(file)) throw new Error(`--data: expected the folder of catalogue/tools.jsonl, got ${data}`)
  const tools = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ server }) => COSTLY.includes(server))
  const { servers } = catalogueOf(tools)
  await router.setServers(servers, { replace: true })
  while (router.status.vectorCount < router.status.toolCount) await router.ready({ timeoutMs: 5000 })
  for (const text of EVERYDAY) {
    const session = router.openSession({ settings: { contextWindow: 200_000 } })
    const { attached, tokens, notAttached } = await session.start(text)
    const left = notAttached.filter(({ reason }) => reason === 'over-budget').length
    say(
      `\`ms-365\` among four servers, ${tools.length} tools: ${JSON.stringify(text)}`,
      `${tokens.attached} tokens, ${attached.length} tools; ${left} left for their size; all cost ${tokens.scoped}`,
    )
    session.close()
  }
}

/** A server, a setting and the kill switch that change between two requests of one turn. */
export async function betweenRequestsRows(router, servers, task, say) {
  const [late, ...others] = servers
  await router.setServers(others, { replace: true })
  const session = router.openSession()
  await session.start(task)
  await router.setServer(late)
  const connected = await session.sync()
  say('a server that connects between two requests', `${connected.scopedCount} tools in scope after sync()`)
  router.configure({ searchTurns: 0 })
  const killed = await session.sync()
  say(
    'the kill switch between two requests',
    `mode ${killed.mode}, rule ${killed.rule}, ${killed.attached.length} tools`,
  )
  router.configure({})
  const back = await session.sync()
  say('and back', `mode ${back.mode}, rule ${back.rule}`)
  session.close()
}
