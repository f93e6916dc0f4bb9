// Whether a gateway lives and can serve, for whatever starts and watches it. It is told to everybody who reaches the port,
// and so in two words; also while strangers flood it, who could otherwise have it ended by what watches it.

const PATHS = { health: '/health', ready: '/ready' }

/**
 * @param {{ catalogue: { starting: string[] }, config: { profiles: Map<string, unknown> }, store: { away?: string } }} gateway
 * @param {string | undefined} path
 * @param {import('node:http').ServerResponse} response
 * @returns {boolean} whether the path is one of these
 */
export function answerHealth({ catalogue, config, store }, path, response) {
  if (path !== PATHS.health && path !== PATHS.ready) return false
  // With profiles the servers wait for their first client.
  const isReady = path === PATHS.health || config.profiles.size > 0 || catalogue.starting.length === 0
  response.writeHead(isReady ? 200 : 503, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ status: isReady ? 'ok' : 'starting', ...(store.away && { database: 'away' }) }))
  return true
}
