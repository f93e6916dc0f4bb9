// What the router is compared with: simple methods, written here so that everybody can read what they do.

import { Bm25 } from './bm25.mjs'
import { bestPlaces, reciprocalRanks, weightedSum } from './fusion.mjs'
import { embeddedText, fullText, plainWords, shortText, splitTerms } from './texts.mjs'

/** The constant of the paper on reciprocal rank fusion. */
const RRF_K = 60
/** Weight of terms in the weighted sum: the same as the router's. */
const LEXICAL_WEIGHT = 0.45

/** Terms alone: `bm25-plain` and `bm25`. Without a stemmer words stay as they are, and nothing has to be installed. */
export function lexicalBaselines(stem = (word) => word) {
  const terms = splitTerms(stem)
  return [
    lexical('bm25-plain', 'BM25 of the upstream extension', shortText, plainWords),
    lexical('bm25', 'BM25, split, stemmed, with parameters', fullText, terms),
  ]
}

function lexical(id, title, textOf, termsOf) {
  return {
    id,
    title,
    async open({ tools }) {
      const index = new Bm25(tools.map((tool) => termsOf(textOf(tool))))
      return {
        scores: (query) => index.scores(termsOf(query)),
        async rank(query, count) {
          return bestPlaces(index.scores(termsOf(query)), count, 0).map((at) => tools[at].id)
        },
      }
    },
  }
}

/**
 * Vectors alone, and the two common ways of joining them with BM25.
 *
 * @param {import('./vectors.mjs').Vectors} vectors
 * @param {object} bm25 the lexical system that they are joined with
 */
export function vectorBaselines(vectors, bm25) {
  const joined = (id, title, join) => ({
    id,
    title,
    usesVectors: true,
    async open(set) {
      const lexicalSide = join.needsTerms === false ? undefined : await bm25.open(set)
      const semanticSide = await openSemantic(set, vectors)
      return {
        async rank(query, count) {
          const semantic = await semanticSide(query)
          return bestPlaces(join(lexicalSide?.scores(query), semantic), count).map((at) => set.tools[at].id)
        },
      }
    },
  })
  const alone = Object.assign((_, semantic) => semantic, { needsTerms: false })
  return [
    joined('embeddings', 'embeddings of `server name: description`', alone),
    joined('rrf', 'BM25 and embeddings, reciprocal ranks (k 60)', (left, right) => reciprocalRanks(left, right, RRF_K)),
    joined('weighted', 'BM25 and embeddings, weighted sum', (left, right) => weightedSum(left, right, LEXICAL_WEIGHT)),
  ]
}

/** Cosines of a query with all tools. */
async function openSemantic({ name, tools, requests }, vectors) {
  await vectors.prepare(tools.map(embeddedText), `${name}, tools`)
  await vectors.prepare(
    requests.map(({ query }) => query),
    `${name}, requests`,
  )
  const ofTools = await Promise.all(tools.map((tool) => vectors.of(embeddedText(tool))))
  return async (query) => {
    const ofQuery = await vectors.of(query)
    const cosines = new Float64Array(ofTools.length)
    for (const [at, vector] of ofTools.entries()) {
      let dot = 0
      for (let dimension = 0; dimension < vector.length; dimension++) dot += vector[dimension] * ofQuery[dimension]
      cosines[at] = dot
    }
    return cosines
  }
}
