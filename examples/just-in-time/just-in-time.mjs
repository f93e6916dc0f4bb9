// Just-in-time routing over real MCP servers: advice, a registry, the servers that a request needs, a focused set of
// tools, and what happens when a capability is missing.
//
//   npm run demo            once, which sets everything up
//   node examples/just-in-time/just-in-time.mjs [--all] ["a request"]
//
// Without --all six of the servers are started. Ranking is by terms and vectors.

import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { ToolRouter } from '../../index.js'
import { readDefinitions, RunningServers } from '../demo/servers.mjs'
import { loadRegistry } from './registry.mjs'

const REGISTRY = fileURLToPath(new URL('registry.json', import.meta.url))
const all = process.argv.includes('--all')
const [request = 'Which leads came in last week?'] = process.argv.slice(2).filter((word) => word !== '--all')

const router = ToolRouter.shared()
const running = new RunningServers()
try {
  const names = all ? undefined : ['filesystem', 'memory', 'everything', 'hubspot', 'slack', 'notion']
  await running.startAll(readDefinitions(names), async ({ name, tools, instructions, reason }) => {
    if (reason !== undefined) console.log(`${name} could not be started: ${reason}`)
    else await router.setServer({ name, tools, instructions })
  })
  await loadRegistry(router, REGISTRY)
  await router.loadModel({ cacheDir: path.join(tmpdir(), 'tool-router-vectors') })
  await router.ready()
  console.log((await router.advise()).text)

  const { servers, ranker } = await router.rankServers(request, { topK: 3, toolsPerServer: 2 })
  console.log(`\n"${request}" needs (${ranker}):`)
  for (const { serverName, why, tools } of servers)
    console.log(`  ${serverName}: ${why}; ${tools.map(({ toolName }) => toolName).join(', ')}`)

  // The tools of the servers that suit are enough to begin with.
  const session = router.openSession({ settings: { threshold: 10, scopeBy: 'server' } })
  const { attached, tokens } = await session.start(request)
  console.log(`\nattached ${attached.length} tools, ${tokens.attached} of ${tokens.scoped} tokens`)

  // What a model answers that cannot go on.
  const answer = await session.reroute({
    status: 'MISSING_CAPABILITY',
    originalQuery: `${request} Tell the sales channel.`,
    attemptedServers: [servers[0].serverName],
    completedSteps: ['Found the leads'],
    checkpoint: 'leads_found',
    missingCapability: 'post a message to a chat channel',
  })
  console.log(`\n${answer.status} from ${answer.checkpoint}: ${answer.loaded.map(({ name }) => name).join(', ')}`)
  session.close()
} finally {
  await running.close()
}
