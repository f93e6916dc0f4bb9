// What the local model costs: vectors of tools, what a hybrid ranking adds to a run of the model, memory while it is loaded
// and after it was taken out.

import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

import { catalogueOf } from '../../catalogue.mjs'
import { cpuOf, inTurns, median, ratioOf } from './measure.mjs'

const ROUNDS = 8
/** Requests of a repetition. */
const BLOCK = 10
/** Longer than the router waits until it gives memory back. */
const IDLE_MS = 3_000

/** Anonymous memory in MB, where the system tells it; resident memory elsewhere. */
function memoryMb() {
  globalThis.gc?.()
  if (process.platform !== 'linux') return process.memoryUsage.rss() / 1e6
  const rollup = readFileSync('/proc/self/smaps_rollup', 'utf8')
  return (Number(/^Anonymous:\s+(\d+)/m.exec(rollup)[1]) * 1024) / 1e6
}

/** Vectors of all tools are made first: give few tools. */
export async function model(options, router) {
  const { servers } = catalogueOf(JSON.parse(readFileSync(options.tools, 'utf8')))
  const requests = JSON.parse(readFileSync(options.requests, 'utf8')).mixed
  const tools = servers.reduce((sum, server) => sum + server.tools.length, 0)
  const overRequire = process.memoryUsage.rss() / 1e6
  await router.setServers(servers)
  await router.rank('list the open issues of a repository', { ranker: 'lexical' })
  const before = memoryMb()
  const load = await cpuOf(() => router.loadModel({ cacheDir: false }))
  const vectors = await cpuOf(() => router.ready({ timeoutMs: 3_600_000 }))
  const smallest = servers.toSorted((one, other) => one.tools.length - other.tools.length)[0].name
  let next = 0
  const of = (rankOptions) => async () =>
    (await cpuOf(async () => {
      // Each request is new: a vector that is known costs no run.
      for (let at = 0; at < BLOCK; at++) {
        const request = `${requests[next % requests.length]} ${next++}`
        await router.rank(request, { topK: 10, deadlineMs: 60_000, ...rankOptions })
      }
    })) / BLOCK
  const costs = await inTurns(
    {
      hybrid: of({ ranker: 'hybrid' }),
      run: of({ ranker: 'hybrid', servers: [smallest] }),
      lexical: of({ ranker: 'lexical' }),
    },
    ROUNDS,
  )
  await pause(IDLE_MS)
  const loaded = memoryMb()
  const resident = process.memoryUsage.rss() / 1e6 - overRequire
  await router.setEmbedder(null)
  await pause(IDLE_MS)
  const overhead = costs.hybrid.map((cost, round) => (cost - costs.run[round]) / costs.lexical[round])
  return {
    ms: {
      'loading the model': load,
      'vectors of a tool': vectors / tools,
      'hybrid rank': median(costs.hybrid),
      'hybrid rank in the smallest server: the run of the model': median(costs.run),
    },
    times: {
      'hybrid rank against the run': ratioOf(costs.hybrid, costs.run),
      'what hybrid adds to the run, in lexical ranks': median(overhead),
    },
    megabytes: {
      'resident over require, with model and vectors': resident,
      'anonymous, with model and vectors over before': loaded - before,
      'anonymous, model taken out over before': memoryMb() - before,
    },
  }
}
