import type { Ranker, ToolDoc } from "./types"

/** How soon further occurrences of a word stop counting, and how much long texts are held back. */
const K1 = 1.5
const B = 0.75
/** A word that tools of more than half of the servers have, and this share of all, says nothing about which is meant. */
const COMMON = 0.2
const MANY_SERVERS = 3
const MANY_TOOLS = 20

interface Index {
	items: ToolDoc[]
	/** For each word the places of the tools that have it, with how often. */
	postings: Map<string, Map<number, number>>
	/** Words that say nothing. */
	common: Set<string>
	lengths: number[]
	meanLength: number
}

/** Latin words and numbers, pairs of characters where words are not spaced, and words of all other scripts. */
const WORDS =
	/[\p{Script=Latin}\p{N}]+|[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}]+|(?:(?!\p{Script=Latin})[\p{L}\p{M}])+/gu
const UNSPACED = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}]/u

function wordsOf(text: string): string[] {
	// "postMessage" is two words, and "GitLab" is one besides.
	const joined = text.match(/\p{L}*\p{Ll}\p{Lu}\p{L}*/gu) ?? []
	const spaced = [text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2"), ...joined].join(" ").toLowerCase()
	return (spaced.match(WORDS) ?? []).flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : stemOf(word) || []))
}

function pairsOf(text: string): string[] {
	const chars = [...text]
	return chars.length < 3 ? [text] : chars.slice(1).map((char, at) => chars[at] + char)
}

/** "issues" is "issue"; "ok, go on" says nothing. */
const stemOf = (word: string) => (word.length > 3 ? word.replace(/([^s])s$/, "$1") : word.length > 2 ? word : "")

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
		const { size } = new Set(items.map(({ serverName }) => serverName))
		const isCommon = (places: Map<number, number>) =>
			size >= MANY_SERVERS &&
			items.length >= MANY_TOOLS &&
			places.size > items.length * COMMON &&
			new Set([...places.keys()].map((place) => items[place].serverName)).size > size / 2
		const common = new Set([...postings].flatMap(([word, places]) => (isCommon(places) ? [word] : [])))
		return { items, postings, common, lengths, meanLength }
	}

	private scores(words: Set<string>, { items, postings, common, lengths, meanLength }: Index): Map<number, number> {
		const scores = new Map<number, number>()
		for (const word of words) {
			const places = postings.get(word)
			if (!places || common.has(word)) {
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
