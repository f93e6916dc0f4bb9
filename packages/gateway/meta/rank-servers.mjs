// Which servers fit a need. The one place that decides it.

/**
 * Ranks the servers of a gateway.
 *
 * @param {import('@zoo-code/tool-router/internal').ToolRouter} router
 * @param {string} query
 * @param {{ topK: number, servers: import('@zoo-code/tool-router/internal').ServerScope[], toolsPerServer?: number }} options `servers`: those of the gateway
 * @returns {Promise<import('@zoo-code/tool-router/internal').RankedServer[]>} best first; servers that nothing matches are left out
 */
export async function rankServers(router, query, { topK, servers, toolsPerServer = 0 }) {
  if (servers.length === 0) return []
  const ranking = await router.rankServers(query, { topK, servers, toolsPerServer })
  return ranking.servers.slice(0, ranking.supportedCount)
}
