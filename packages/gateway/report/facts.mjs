// What stands in a report of a task: why each tool is there, what made its score, and what every delivery would have cost.

/** Parts of a score, by the field that holds them and the word for them. */
export const PARTS = [
  ['lexicalShare', 'words'],
  ['semanticShare', 'meaning'],
  ['entryShare', 'registry'],
  ['boost', 'names and uses'],
]
/** Tools that a task attaches by rank alone, however long the list is that they were ranked in. */
const RANKED = 1000

/**
 * Why each of some attached tools is there, and its place in a ranking of the text.
 *
 * @returns {Promise<{ name: string, why: string, rank?: number, score?: number, parts: Record<string, number> }[]>}
 */
export async function reasons(router, text, selection, names) {
  const ranking = await router.rank(text, { topK: RANKED })
  const ranked = new Map(ranking.tools.map((tool) => [tool.name, tool]))
  const companions = new Map(selection.companions.map(({ name, of, by }) => [name, { of, by }]))
  return names.map((name) => {
    const tool = ranked.get(name)
    const companion = companions.get(name)
    return {
      name,
      why: why(name, text, tool, companion),
      rank: tool?.rank,
      score: tool?.score,
      parts: Object.fromEntries(PARTS.map(([field, word]) => [word, tool?.[field] ?? 0])),
    }
  })
}

/** A companion may be ranked too, far down: what brought it is that another tool needs it. */
function why(name, text, tool, companion) {
  if (companion) return `needed by ${shortName(companion.of)} (${companion.by})`
  if (text.includes(name) || (tool && text.includes(tool.toolName))) return 'named'
  return tool ? `rank ${tool.rank}` : 'pinned'
}

/** `mcp--github--create_issue` as `create_issue`. */
const shortName = (name) => name.split('--').at(-1)

/** Tokens of the conversation at the first message, and what each further message adds: for what caches cost. */
export const CONTEXT = { start: 4_000, turn: 12_000 }
/**
 * Ways to compare, at Anthropic's prices; the last two change nothing in front of the newest message.
 *
 * @type {[string, import('@zoo-code/tool-router/internal').Settings][]}
 */
const WAYS = [
  ['all tools', { searchTurns: 0 }],
  ['append', { delivery: 'append' }],
  ['defer', { delivery: 'defer' }],
  ['changes', { delivery: 'changes' }],
  ['call', { delivery: 'call' }],
]

/** What the tools of a task cost in base tokens with each delivery: writing, reading, and writing again what follows. */
export async function bills(router, texts, query) {
  const rows = []
  for (const [way, settings] of WAYS) {
    const session = router.openSession({ settings: { provider: 'anthropic', ...settings } })
    try {
      let contextTokens = CONTEXT.start
      for (const [at, text] of texts.entries()) {
        await (at === 0 ? session.start(text, { contextTokens }) : session.turn(text, { contextTokens }))
        contextTokens += CONTEXT.turn
      }
      if (query !== undefined && session.selection.mode === 'dynamic') await session.load({ query }, { contextTokens })
      const { definitions, reads, rewrites, total } = session.selection.tokens.ledger
      rows.push({ way, definitions, reads, rewrites, total })
    } finally {
      session.close()
    }
  }
  return rows
}
