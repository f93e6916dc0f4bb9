import type { Ranker, ToolDoc } from "./types"

/** How soon further occurrences of a word stop counting, and how much long texts are held back. */
const K1 = 1.5
const B = 0.75

interface Index {
	items: ToolDoc[]
	/** For each word the places of the tools that have it, with how often. */
	postings: Map<string, Map<number, number>>
	lengths: number[]
	meanLength: number
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\W+/).filter(Boolean)

/** Ranks by words, with no dependency. The index is made with the first query, and again for another list. */
export class Bm25Ranker implements Ranker {
	private index: Index | undefined

	rank(query: string, items: ToolDoc[], k: number): ToolDoc[] {
		const words = new Set(wordsOf(query))
		if (words.size === 0 || items.length === 0 || k <= 0) {
			return []
		}
		if (this.index?.items !== items) {
			this.index = this.build(items)
		}
		const scores = this.scores(words, this.index)
		// Equal scores stay in the order of the list.
		const places = [...scores.keys()].sort((a, b) => scores.get(b)! - scores.get(a)! || a - b)
		return places.slice(0, k).map((place) => items[place])
	}

	private build(items: ToolDoc[]): Index {
		const postings: Index["postings"] = new Map()
		const lengths = items.map(({ serverName, toolName, description }, place) => {
			const words = wordsOf(`${serverName} ${toolName} ${description}`)
			for (const word of words) {
				const places = postings.get(word) ?? new Map<number, number>()
				places.set(place, (places.get(place) ?? 0) + 1)
				postings.set(word, places)
			}
			return words.length
		})
		const meanLength = lengths.reduce((sum, length) => sum + length, 0) / items.length || 1
		return { items, postings, lengths, meanLength }
	}

	private scores(words: Set<string>, { items, postings, lengths, meanLength }: Index): Map<number, number> {
		const scores = new Map<number, number>()
		for (const word of words) {
			const places = postings.get(word)
			if (!places) {
				continue
			}
			const rarity = Math.log(1 + (items.length - places.size + 0.5) / (places.size + 0.5))
			for (const [place, count] of places) {
				const length = 1 - B + (B * lengths[place]) / meanLength
				const score = (rarity * count * (K1 + 1)) / (count + K1 * length)
				scores.set(place, (scores.get(place) ?? 0) + score)
			}
		}
		return scores
	}
}
