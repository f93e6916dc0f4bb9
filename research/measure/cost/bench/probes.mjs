// What is measured in a process of its own: node probes.mjs <probe> <JSON of its options>. The answer is JSON.

import fs from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'

import { catalogueOf } from '../../catalogue.mjs'
import { blockOf, cpuOf, inTurns, median, ratioOf } from './measure.mjs'
import { model } from './model.mjs'
import { PEERS } from './peers.mjs'

const require = createRequire(import.meta.url)
const TOP_K = 10
/** Requests of a repetition: enough for the clock of CPU time, which some systems count in steps of 10 ms. */
const BLOCK = 45
const ROUNDS = 8
/** Requests that are not measured: compilers and caches have seen every path by then. */
const WARM_UP = 60

const openRouter = () => require('../../../../index.js').ToolRouter.shared()
const readTools = ({ tools }) => JSON.parse(fs.readFileSync(tools, 'utf8'))
const readRequests = ({ requests }) => JSON.parse(fs.readFileSync(requests, 'utf8'))

async function routerOver(tools) {
  const router = openRouter()
  await router.setServers(catalogueOf(tools).servers)
  return router
}

const rank = (router) => (query, topK) => router.rank(query, { topK, ranker: 'lexical' })

/** CPU time of a ranking, and how many times that the peers take. */
async function lexical(options) {
  const tools = readTools(options)
  const systems = { router: rank(await routerOver(tools)) }
  for (const peer of options.peers) systems[peer] = await PEERS[peer](tools)
  const answer = {}
  for (const [kind, requests] of Object.entries(readRequests(options))) {
    const block = (round) => Array.from({ length: BLOCK }, (_, at) => requests[(round * BLOCK + at) % requests.length])
    const per = (search) => async (round) => {
      const queries = block(round)
      const spent = await cpuOf(async () => {
        for (const query of queries) await search(query, TOP_K)
      })
      return spent / queries.length
    }
    for (const search of Object.values(systems)) {
      for (const query of requests.slice(-WARM_UP)) await search(query, TOP_K)
    }
    const costs = await inTurns(
      Object.fromEntries(Object.entries(systems).map(([name, of]) => [name, per(of)])),
      ROUNDS,
    )
    const times = options.peers.map((peer) => [peer, ratioOf(costs[peer], costs.router)])
    answer[kind] = { ms: median(costs.router), times: Object.fromEntries(times) }
  }
  return answer
}

/** CPU time from loading a package to its first answer, in a fresh process. `open` gives the router. */
async function start(options, open = openRouter) {
  const tools = readTools(options)
  const { servers } = catalogueOf(tools)
  const ms = await cpuOf(async () => {
    const router = options.system === 'router' && open()
    if (router) await router.setServers(servers)
    const search = router ? rank(router) : await PEERS[options.system](tools)
    await search('list the open issues of a repository', TOP_K)
  })
  return { ms }
}

/** The same from tools on, where the router is loaded already. */
function build(options) {
  const router = options.system === 'router' && openRouter()
  return start(options, () => router)
}

/** What a change of one tool costs until the next answer, in lexical rankings. */
async function change(options) {
  const { servers } = catalogueOf(readTools(options))
  const router = openRouter()
  await router.setServers(servers)
  const requests = readRequests(options).mixed
  const search = rank(router)
  for (const query of requests.slice(-WARM_UP)) await search(query, TOP_K)
  const server = servers.find(({ tools }) => tools.length >= 10) ?? servers[0]
  const changed = (round) => ({
    ...server,
    tools: server.tools.map((tool, at) => (at === 0 ? { ...tool, description: `version ${round}` } : tool)),
  })
  const costs = await inTurns(
    {
      rank: async (round) => {
        const queries = requests.slice(round * 8, round * 8 + 8)
        return (
          (await cpuOf(async () => {
            for (const query of queries) await search(query, TOP_K)
          })) / queries.length
        )
      },
      changed: (round) =>
        cpuOf(async () => {
          await router.setServer(changed(round))
          await search(requests[round], TOP_K)
        }),
      same: (round) =>
        cpuOf(async () => {
          await router.setServer(changed(round))
          await search(requests[round + 1], TOP_K)
        }),
    },
    ROUNDS,
  )
  return {
    changed: { ms: median(costs.changed), ranks: ratioOf(costs.changed, costs.rank) },
    same: { ms: median(costs.same), ranks: ratioOf(costs.same, costs.rank) },
  }
}

/** How long calls keep the event loop: the shortest of some times, since others use the machine too. */
async function blocks(options) {
  const { servers } = catalogueOf(readTools(options))
  const router = openRouter()
  const listed = servers.flatMap(({ name, tools }) =>
    tools.map((tool) => ({ serverName: name, toolName: tool.name, description: tool.description })),
  )
  const functions = listed.map(({ serverName, toolName, description }) => ({
    name: `mcp--${serverName}--${toolName}`,
    description,
  }))
  await router.setServers(servers)
  const everything = router.openSession({ settings: { searchTurns: 0 } })
  await everything.start('anything')
  const request = 'list the open issues of a repository'
  const calls = {
    setServers: () => router.setServers(servers),
    attachInitial: () => router.attachInitial(request, listed, 30),
    curate: () => router.curate(functions, request),
    rank: () => router.rank(request, { topK: 30 }),
    tools: () => everything.tools(),
    'JSON.stringify(session)': () => JSON.stringify(everything),
    selection: () => everything.selection,
    start: () => router.openSession().start(request),
  }
  const answer = {}
  for (const [name, call] of Object.entries(calls)) {
    const times = []
    for (let round = 0; round < 5; round++) times.push(await blockOf(call))
    answer[name] = Math.min(...times)
  }
  answer['tools: ms per MB'] = answer.tools / (Buffer.byteLength(everything.tools()) / 1e6)
  return answer
}

/** Resident memory in MB over what loading the package takes. */
async function memory(options) {
  const resident = () => {
    globalThis.gc?.()
    return process.memoryUsage.rss() / 1e6
  }
  const router = openRouter()
  const before = resident()
  await router.setServers(catalogueOf(readTools(options)).servers)
  await router.openSession({ settings: { threshold: 0 } }).start('list the open issues of a repository')
  const set = resident()
  await router.setServers([], { replace: true })
  await router.rank('nothing')
  return { set: set - before, removed: resident() - before }
}

/** Rankings in flight, and a session's start while a catalogue is being set. */
async function queue(options) {
  const { servers } = catalogueOf(readTools(options))
  const router = openRouter()
  await router.setServers(servers)
  const requests = readRequests(options).mixed
  const search = rank(router)
  for (const query of requests) await search(query, TOP_K)
  const many = async (inFlight) => {
    const started = performance.now()
    let next = 0
    const lane = async () => {
      while (next < 320) await search(requests[next++ % requests.length], TOP_K)
    }
    await Promise.all(Array.from({ length: inFlight }, lane))
    return 320 / (performance.now() - started)
  }
  const rates = await inTurns({ one: () => many(1), sixteen: () => many(16) }, 5)
  const begin = async () => {
    const started = performance.now()
    await router.openSession().start('list the open issues of a repository')
    return performance.now() - started
  }
  const renewed = (round) =>
    servers.map((server) => ({
      ...server,
      tools: server.tools.map((tool) => ({ ...tool, description: `${tool.description ?? ''} ${round}` })),
    }))
  const waits = await inTurns(
    {
      alone: begin,
      behind: async (round) => {
        const next = renewed(round)
        const pending = router.setServers(next)
        const waited = await begin()
        await pending
        return waited
      },
    },
    3,
  )
  return { inFlight: ratioOf(rates.sixteen, rates.one), behind: ratioOf(waits.behind, waits.alone) }
}

/** Counting tokens beside gpt-tokenizer: one long text, and many short ones. */
async function tokens(options) {
  const { countTokens: theirs } = await import('gpt-tokenizer/encoding/o200k_base')
  const texts = readTools(options)
    .map((tool) => JSON.stringify(tool))
    .filter((text) => text.length < 4_000)
  const long = texts.join('\n').slice(0, 550_000)
  const router = openRouter()
  const short = texts.slice(0, 400)
  const costs = await inTurns(
    {
      ours: () => cpuOf(() => router.countTokens(long)),
      theirs: () => cpuOf(() => theirs(long)),
      oursShort: () =>
        cpuOf(async () => {
          for (const text of short) await router.countTokens(text)
        }),
      theirsShort: () =>
        cpuOf(() => {
          for (const text of short) theirs(text)
        }),
    },
    5,
  )
  return { long: ratioOf(costs.theirs, costs.ours), short: ratioOf(costs.theirsShort, costs.oursShort) }
}

const [probe, options] = process.argv.slice(2)
const probes = {
  lexical,
  build,
  start,
  change,
  blocks,
  memory,
  queue,
  tokens,
  model: (given) => model(given, openRouter()),
}
process.stdout.write(JSON.stringify(await probes[probe](JSON.parse(options))))
process.exit()
