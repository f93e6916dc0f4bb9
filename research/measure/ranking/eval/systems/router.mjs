// The router under test, through its public API.

import { createRequire } from 'node:module'
import path from 'node:path'

import { catalogueOf, rankerOf } from '../../../catalogue.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../../../../index.js')

/** Vectors of tools, kept between runs. */
const cacheDir = path.join(import.meta.dirname, '..', '..', '..', '..', '..', '.cache', 'eval', 'tools')
/** How long one wait for vectors may take before a line of progress. */
const PROGRESS_MS = 10_000
/** So that no answer is cut short: quality is measured here, not patience. */
const DEADLINE_MS = 60_000

const router = ToolRouter.shared()
let modelLoaded = false

/**
 * Puts a set's tools into the router, in place of what was there, with all vectors made.
 *
 * @param {import('../sets.mjs').LabelledSet} set
 * @param {{ vectors?: boolean, say?: (line: string) => void }} [options]
 * @returns {Promise<{ router: ToolRouter, idOf: (tool: { serverName: string, toolName: string }) => string }>}
 */
export async function openRouter({ name, tools }, { vectors = true, say = () => {} } = {}) {
  const { servers, idOf } = catalogueOf(tools)
  router.configure({})
  const { refused } = await router.setServers(servers, { replace: true })
  for (const { serverName, toolName, reason } of refused) say(`${name}: refused ${serverName} ${toolName}: ${reason}`)
  if (vectors) await makeVectors(name, say)
  return { router, idOf }
}

async function makeVectors(name, say) {
  if (!modelLoaded) await router.loadModel({ cacheDir })
  modelLoaded = true
  for (;;) {
    const { state, vectorCount, toolCount, lastError, degraded } = await router.ready({ timeoutMs: PROGRESS_MS })
    if (state === 'ready') return
    if (state !== 'loading')
      throw new Error(`set ${name}: the model is ${state} (${lastError ?? degraded?.message}); run \`npm run assets\``)
    say(`${name}: ${vectorCount} of ${toolCount} tools have vectors`)
  }
}

/** Keywords, recent uses and rescue tools: `curate`, and no mode of `rank`. */
const CURATOR = 'curator'

/** Ranks all tools that are set as `curate` does. */
export async function rankByCurator(query, count) {
  const tools = await router.listTools()
  const functions = tools.map(({ name, description }) => ({ name, description }))
  const { kept } = await router.curate(functions, query, { curation: { kind: 'top_k', k: count } })
  return kept.sort((a, b) => a.rank - b.rank).map(({ position }) => tools[position])
}

/**
 * One ranking mode of the router as a system.
 *
 * @param {string} mode whatever the router takes as `rank.mode`, or `curator`
 * @param {(line: string) => void} say
 */
export function routerMode(mode, say) {
  return {
    id: mode,
    title: `tool-router, \`${mode}\``,
    ours: true,
    usesVectors: mode === 'semantic',
    async open(set) {
      const needsVectors = mode !== 'lexical' && mode !== CURATOR
      const opened = await openRouter(set, { vectors: needsVectors, say })
      if (mode === CURATOR)
        return { rank: async (query, count) => (await rankByCurator(query, count)).map(opened.idOf) }
      return {
        async rank(query, count) {
          const { tools, degraded } = await opened.router.rank(query, {
            topK: count,
            ranker: rankerOf(mode),
            deadlineMs: DEADLINE_MS,
          })
          if (degraded) throw new Error(`mode ${mode}: the answer is degraded (${degraded.code}: ${degraded.message})`)
          return tools.map(opened.idOf)
        },
      }
    },
  }
}

/** Empties the router and lets go of the model, for a process that goes on. */
export async function closeRouter() {
  await router.setServers([], { replace: true })
  await router.setEmbedder(null)
  modelLoaded = false
}
