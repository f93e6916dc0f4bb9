// Claims about exact names: who asks for a tool by its name gets it first, in whatever spelling.

import { sample, seeded } from './bootstrap.mjs'
import { mean, ranksOf } from './metrics.mjs'
import { OWN } from './sets.mjs'
import { splitIdentifier } from './systems/texts.mjs'

/** Names in one request, how many such requests, and among how many first tools all of them must be. */
export const TOGETHER = { names: 6, requests: 200, first: 8 }

const wordsOf = (name) => splitIdentifier(name).toLowerCase().split(' ').filter(Boolean)
const capital = (word) => word[0].toUpperCase() + word.slice(1)

/** Tools of a set that are asked for, at the most; of our own set all are, since the claim is about every tool. */
const NAMED_TOOLS = 400

/** Spellings by what they are called in the report. */
export const SPELLINGS = {
  'as it is': ({ name }) => name,
  snake_case: ({ name }) => wordsOf(name).join('_'),
  camelCase: ({ name }) =>
    wordsOf(name)
      .map((word, at) => (at === 0 ? word : capital(word)))
      .join(''),
  'with spaces': ({ name }) => wordsOf(name).join(' '),
  'with its server': ({ server, name }) => `${server} ${name}`,
}

/** All requests for exact names of a set, by spelling. Tools that are named alike answer for each other. */
export function nameRequests({ name: setName, tools }, seed) {
  const namesakes = new Map()
  const letters = ({ name }) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  for (const tool of tools) namesakes.set(letters(tool), [...(namesakes.get(letters(tool)) ?? []), tool.id])
  const anyOf = (tool) => ({ gold: [tool.id], alts: { [tool.id]: namesakes.get(letters(tool)) } })
  const random = seeded(seed, setName, 'names')
  const chosenTools = setName === OWN ? tools : sample(tools, NAMED_TOOLS, random)
  const asked = {}
  for (const [spelling, write] of Object.entries(SPELLINGS)) {
    const named = spelling === 'with its server' ? chosenTools.filter(({ server }) => server !== '') : chosenTools
    asked[spelling] = named.map((tool) => {
      const exactly = spelling === 'with its server' ? { gold: [tool.id] } : anyOf(tool)
      return { query: write(tool), ...exactly }
    })
  }
  const distinct = [...new Map(tools.map((tool) => [letters(tool), tool])).values()]
  const together = Array.from({ length: TOGETHER.requests }, () => {
    const chosen = sample(distinct, TOGETHER.names, random)
    const alts = Object.assign({}, ...chosen.map((tool) => anyOf(tool).alts))
    return { query: chosen.map(({ name }) => name).join(', '), gold: chosen.map(({ id }) => id), alts }
  })
  return { asked, together }
}

/**
 * Share of names whose tool comes first, by spelling, and share of requests for six names with all six in the first
 * eight.
 *
 * @param {{ rank: (query: string, count: number) => Promise<string[]> }} system opened on the set
 * @returns {Promise<Record<string, number>>}
 */
export async function measureNames({ asked, together }, system) {
  const shares = {}
  for (const [spelling, requests] of Object.entries(asked)) {
    if (requests.length === 0) continue
    const hits = []
    for (const request of requests) hits.push(ranksOf(request, await system.rank(request.query, 1))[0] === 1 ? 1 : 0)
    shares[spelling] = mean(hits)
  }
  const complete = []
  for (const request of together) {
    complete.push(ranksOf(request, await system.rank(request.query, TOGETHER.first)).at(-1) <= TOGETHER.first ? 1 : 0)
  }
  shares[`${TOGETHER.names} names`] = mean(complete)
  return shares
}
