import type { IEmbedder } from "../../code-index/interfaces"
import { followCodeIndex, refreshEmbedder, type CodeEmbedder } from "../codeEmbedder"

/** What ranks, in order, and what the provider was sent. */
function setUp(first?: CodeEmbedder) {
	const ranks: string[] = []
	let embed: ((texts: string[]) => Promise<number[][]>) | undefined
	const router = {
		setEmbedder: async (given: typeof embed, { modelId }: { modelId: string }) => {
			embed = given
			ranks.push(modelId)
		},
	}
	const index = { current: first }
	const codeEmbedder = () => index.current
	followCodeIndex(router, { cacheDir: "/cache", codeEmbedder, loadModel: () => void ranks.push("local") })
	return { router, ranks, index, embed: (text: string) => embed?.([text]) }
}

function codeOf(modelId: string) {
	const sent: string[] = []
	const state = { isExpired: false }
	const embedder = {
		createEmbeddings: async (texts: string[]) => {
			if (state.isExpired) {
				throw new Error("401")
			}
			sent.push(...texts)
			return { embeddings: texts.map(({ length }) => [length]) }
		},
	} as unknown as IEmbedder
	return { code: { embedder, modelId }, sent, state }
}

describe("the embedder of the code index", () => {
	it("ranks tools where it is there, and the local model where it is not", async () => {
		const { code, sent } = codeOf("openai small")
		const { ranks, embed } = setUp(code)
		expect([ranks, await embed("three")]).toEqual([["openai small"], [[5]]])
		expect([sent, setUp().ranks]).toEqual([["three"], ["local"]])
	})

	it("is the one that the user has now: another provider, or none", () => {
		const { router, ranks, index } = setUp(codeOf("openai small").code)
		index.current = codeOf("gemini").code
		refreshEmbedder(router)
		refreshEmbedder(router)
		index.current = undefined
		refreshEmbedder(router)
		expect(ranks).toEqual(["openai small", "gemini", "local"])
	})

	it("gives way to the local model when its key has ended, until it is validated anew", async () => {
		const { code, state } = codeOf("openai small")
		const { router, ranks, index, embed } = setUp(code)
		state.isExpired = true
		await expect(embed("one")).rejects.toThrow("401")
		refreshEmbedder(router)
		expect(ranks).toEqual(["openai small", "local"])
		index.current = codeOf("openai small").code
		refreshEmbedder(router)
		expect(ranks).toEqual(["openai small", "local", "openai small"])
	})

	it("is not asked where the router takes none", () => {
		const ranks: string[] = []
		const { code } = codeOf("x")
		const loadModel = () => void ranks.push("local")
		followCodeIndex({}, { cacheDir: "", codeEmbedder: () => code, loadModel })
		expect(ranks).toEqual(["local"])
	})
})
