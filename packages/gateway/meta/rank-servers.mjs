// Which servers fit a need. The one place that decides it.

import { oncePerServer } from '../listing/accounts.mjs'

/**
 * Ranks the servers of a gateway.
 *
 * @param {{ catalogue: import('../catalogue/catalogue.mjs').Catalogue, router: import('@zoo-code/tool-router/internal').ToolRouter }} session
 * @param {string} query
 * @param {{ topK: number, toolsPerServer?: number }} options
 * @returns {Promise<{ servers: import('@zoo-code/tool-router/internal').RankedServer[], others: string[] }>} best first; servers that
 * nothing matches are left out. `others`: other accounts of these, which take no places
 */
export async function rankServers({ catalogue, router }, query, { topK, toolsPerServer = 0 }) {
  const all = catalogue.serverNames.map((serverName) => ({ serverName }))
  if (all.length === 0) return { servers: [], others: [] }
  const places = topK + oncePerServer(catalogue, all).again.length
  const ranking = await router.rankServers(query, { topK: places, servers: catalogue.scopeOf(), toolsPerServer })
  const { once, again } = oncePerServer(catalogue, ranking.servers.slice(0, ranking.supportedCount))
  return { servers: once.slice(0, topK), others: again.map(({ serverName }) => serverName) }
}
