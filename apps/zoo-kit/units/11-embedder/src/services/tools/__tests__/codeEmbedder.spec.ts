import type { IEmbedder } from "../../code-index/interfaces"
import { useCodeEmbedder } from "../codeEmbedder"

function setUp({ fails = false } = {}) {
	const given: unknown[] = []
	const embedder = {
		createEmbeddings: async (texts: string[]) => ({ embeddings: texts.map(({ length }) => [length]) }),
	} as unknown as IEmbedder
	const router = {
		setEmbedder: async (embed: (texts: string[]) => Promise<number[][]>, options: object) => {
			if (fails) {
				throw new Error("no key")
			}
			given.push(await embed(["one", "three"]), options)
		},
	}
	return { router, given, code: { embedder, modelId: "openai small" } }
}

describe("the embedder of the code index", () => {
	it("ranks tools where it is configured, and its vectors are kept by its model", async () => {
		const { router, given, code } = setUp()
		expect(await useCodeEmbedder(router, code, "/cache")).toBe(true)
		expect(given).toEqual([[[3], [5]], { modelId: "openai small", cacheDir: "/cache" }])
	})

	it("leaves it to the local model where none is configured, it fails, or the router takes none", async () => {
		const { router, code } = setUp({ fails: true })
		expect(await useCodeEmbedder(router, code, "/cache")).toBe(false)
		expect(await useCodeEmbedder(router, undefined, "/cache")).toBe(false)
		expect(await useCodeEmbedder({}, code, "/cache")).toBe(false)
	})
})
