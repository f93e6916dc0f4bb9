// SPDX-License-Identifier: Apache-2.0
//
// Which servers fit a need. The one place that decides it.

/** Tools whose ranks make up the rank of their server. */
const COUNTED = 3
/** Tools ranked to find servers: enough that the fifth server shows. */
const RANKED = 100

/**
 * Ranks the servers of a gateway.
 *
 * @param {import('../index.js').ToolRouter} router
 * @param {string} query
 * @param {{ topK: number, servers: string[] }} options
 * @returns {Promise<{ server: string, score: number }[]>} best first; servers that nothing speaks for are left out
 */
export async function rankServers(router, query, { topK, servers }) {
  if (servers.length === 0) return []
  const { tools, supportedCount } = await router.rank(query, { servers, topK: RANKED })
  const scores = new Map()
  for (const { serverName, rank } of tools.slice(0, supportedCount)) {
    const ranks = scores.get(serverName) ?? []
    // Reciprocal ranks: a server with the best tool beats one with many that fit a little.
    if (ranks.length < COUNTED) scores.set(serverName, [...ranks, 1 / rank])
  }
  return [...scores]
    .map(([server, ranks]) => ({ server, score: ranks.reduce((sum, rank) => sum + rank) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, topK)
}
