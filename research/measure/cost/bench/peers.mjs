// Search libraries that a TypeScript user would pick, with their defaults, and the BM25 that an extension would write by
// itself. Each indexes server, name and description of tools, and answers with the best ones.

import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const fieldsOf = ({ server, name, description = '' }, at) => ({ id: at, server, name, description })
const textOf = ({ server, name, description = '' }) => `${server} ${name} ${description}`

/** Every document is scored for every request: no index. */
function scan(tools) {
  const wordsOf = (text) =>
    text
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter(Boolean)
  const documents = tools.map((tool) => {
    const counts = new Map()
    const words = wordsOf(textOf(tool))
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
    return { counts, length: words.length }
  })
  const averageLength = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  const holders = new Map()
  for (const { counts } of documents) for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1)
  return (query, count) => {
    const words = wordsOf(query)
    const scored = documents.map(({ counts, length }, at) => {
      let score = 0
      for (const word of words) {
        const times = counts.get(word)
        if (times === undefined) continue
        const held = holders.get(word)
        const rarity = Math.log(1 + (documents.length - held + 0.5) / (held + 0.5))
        score += (rarity * times * 2.5) / (times + 1.5 * (0.25 + (0.75 * length) / averageLength))
      }
      return [at, score]
    })
    return scored.sort((a, b) => b[1] - a[1]).slice(0, count)
  }
}

async function minisearch(tools, schemas = false) {
  const { default: MiniSearch } = await import('minisearch')
  const fields = ['server', 'name', 'description', ...(schemas ? ['schema'] : [])]
  const index = new MiniSearch({ fields })
  const withSchema = (tool) => (schemas ? { schema: JSON.stringify(tool.inputSchema ?? {}) } : {})
  index.addAll(tools.map((tool, at) => ({ ...fieldsOf(tool, at), ...withSchema(tool) })))
  return (query, count) => index.search(query).slice(0, count)
}

async function orama(tools) {
  const { create, insertMultiple, search } = await import('@orama/orama')
  const index = create({ schema: { server: 'string', name: 'string', description: 'string' } })
  await insertMultiple(
    index,
    tools.map((tool, at) => ({ ...fieldsOf(tool, at), id: String(at) })),
  )
  return (query, count) => search(index, { term: query, limit: count })
}

function wink(tools) {
  const engine = require('wink-bm25-text-search')()
  const nlp = require('wink-nlp-utils')
  engine.defineConfig({ fldWeights: { server: 1, name: 1, description: 1 } })
  engine.definePrepTasks([
    nlp.string.lowerCase,
    nlp.string.tokenize0,
    nlp.tokens.removeWords,
    nlp.tokens.stem,
    nlp.tokens.propagateNegations,
  ])
  for (const [at, tool] of tools.entries()) engine.addDoc(fieldsOf(tool, at), at)
  engine.consolidate()
  return (query, count) => engine.search(query, count)
}

/**
 * Peers by name: `open` indexes tools and resolves with a function from request and count to an answer.
 *
 * @type {Record<string, (tools: object[]) => Promise<(query: string, count: number) => unknown>>}
 */
export const PEERS = {
  scan: async (tools) => scan(tools),
  minisearch: (tools) => minisearch(tools),
  'minisearch-schemas': (tools) => minisearch(tools, true),
  orama,
  wink: async (tools) => wink(tools),
}
