// An explanation agrees with the ranking.
import test from 'ava'
import { fresh, refused, router } from '../helpers/router.mjs'
import { QUERIES, servers } from '../helpers/catalogue.mjs'

const ALL = { topK: 1000 }

const close = (t, actual, expected, message) =>
  t.true(Math.abs(actual - expected) <= 1e-4 * Math.max(1, Math.abs(expected)), `${message}: ${actual} for ${expected}`)

test.serial('an explanation agrees with the ranking, and its terms sum to the lexical score', async (t) => {
  await fresh(servers())
  for (const query of QUERIES) {
    const ranking = await router.rank(query, ALL)
    for (const tool of ranking.tools.filter((_, at) => at % 6 === 0)) {
      for (const reference of [
        tool.name,
        tool.name.replaceAll('-', '_'),
        { serverName: tool.serverName, toolName: tool.toolName },
      ]) {
        const {
          tool: explained,
          terms,
          ranker,
          candidateCount,
          text,
          useBoost,
          named,
          degraded,
        } = await router.explain(query, reference)
        t.deepEqual(explained, tool)
        t.deepEqual(
          { ranker, candidateCount, degraded },
          { ranker: ranking.ranker, candidateCount: 58, degraded: ranking.degraded },
        )
        close(
          t,
          terms.reduce((sum, { score }) => sum + score, 0),
          tool.lexicalScore,
          'sum of terms',
        )
        for (const term of terms) close(t, term.score, term.idf * term.weight, term.term)
        t.deepEqual(
          terms.map(({ score }) => score),
          terms.map(({ score }) => score).sort((a, b) => b - a),
        )
        t.is(tool.boost, useBoost + { none: 0, tool: 1000, 'server-and-tool': 2000 }[named])
        t.true(text.includes(tool.name) && terms.every(({ term }) => text.includes(term)))
      }
    }
  }
})

test.serial('an explanation within a scope agrees with the ranking within it', async (t) => {
  await fresh(servers(), { hostModes: { code: { allowedMcpServers: ['codehub', 'filesystem'] } } })
  const options = { hostMode: 'code', servers: ['codehub'], topK: 1 }
  const {
    tools: [best],
  } = await router.rank('merge', options)
  t.deepEqual((await router.explain('merge', best.name, options)).tool, best)
  await refused(t, 'ERR_OUT_OF_SCOPE', () => router.explain('merge', 'mcp--filesystem--read_file', options))
  await refused(t, 'ERR_OUT_OF_SCOPE', () => router.explain('merge', 'mcp--weatherly--search', { hostMode: 'code' }))
})
