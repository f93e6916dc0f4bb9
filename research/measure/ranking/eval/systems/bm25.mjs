// BM25 (S. Robertson, H. Zaragoza, 2009) over lists of terms, as short as it can be.

export class Bm25 {
  #postings = new Map()
  #normalisation
  #size

  /**
   * @param {string[][]} documents their terms
   * @param {{ k1?: number, b?: number }} [constants]
   */
  constructor(documents, { k1 = 1.5, b = 0.75 } = {}) {
    this.#size = documents.length
    this.k1 = k1
    const averageLength = documents.reduce((sum, terms) => sum + terms.length, 0) / documents.length
    this.#normalisation = documents.map((terms) => k1 * (1 - b + (b * terms.length) / averageLength))
    for (const [at, terms] of documents.entries()) {
      const counts = new Map()
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
      for (const [term, count] of counts) {
        if (!this.#postings.has(term)) this.#postings.set(term, [])
        this.#postings.get(term).push([at, count])
      }
    }
  }

  /** One score a document; a term that stands twice in the query counts twice. */
  scores(queryTerms) {
    const scores = new Float64Array(this.#size)
    for (const term of queryTerms) {
      const postings = this.#postings.get(term)
      if (postings === undefined) continue
      const rarity = Math.log(1 + (this.#size - postings.length + 0.5) / (postings.length + 0.5))
      for (const [at, count] of postings)
        scores[at] += (rarity * count * (this.k1 + 1)) / (count + this.#normalisation[at])
    }
    return scores
  }
}
