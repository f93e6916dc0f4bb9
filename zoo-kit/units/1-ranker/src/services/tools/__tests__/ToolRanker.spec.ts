import { Bm25Ranker } from "../Bm25Ranker"
import { ToolRanker } from "../ToolRanker"
import type { ToolDoc } from "../types"

const items: ToolDoc[] = ["read", "write", "list"].map((toolName) => ({
	serverName: "files",
	toolName,
	description: `${toolName} a file`,
}))
const [read, write] = items

function setUp({ wanted = true, threshold = 2, fails = false, loadError = null as Error | null } = {}) {
	const calls: string[] = []
	const router = {
		setServers: async () => void calls.push("set"),
		rank: async (_query: string, { topK }: { topK: number }) => {
			calls.push("rank")
			if (fails) {
				throw new Error("it broke")
			}
			const found = [
				{ ...write, lexicalScore: 1, semanticShare: 1 },
				{ ...read, lexicalScore: 0, similarity: 0.4, semanticShare: 0.1 },
				{ serverName: "files", toolName: "list", lexicalScore: 0, similarity: 0.1, semanticShare: -1 },
			]
			return { tools: found.slice(0, topK) }
		},
		loadModel: async () => void calls.push("model"),
	}
	const told: string[] = []
	const ranker = new ToolRanker(new Bm25Ranker(), {
		isAddonWanted: () => wanted,
		threshold,
		onFallback: (reason) => told.push(reason),
		load: async () => {
			calls.push("load")
			return { loadError, ToolRouter: { shared: () => router } }
		},
	})
	return { ranker, calls, told }
}

describe("ToolRanker", () => {
	it("loads nothing native where it is not wanted, or all tools are sent anyway", async () => {
		for (const options of [{ wanted: false }, { threshold: 3 }]) {
			const { ranker, calls } = setUp(options)
			expect(await ranker.rank("read a file", items, 1)).toEqual([read])
			expect(calls).toEqual([])
		}
	})

	it("ranks with the addon above the threshold, sets a list once, and leaves out what does not fit", async () => {
		const { ranker, calls } = setUp()
		expect(await ranker.rank("write", items, 3)).toEqual([write, read])
		expect(await ranker.rank("write", items, 1)).toEqual([write])
		expect(calls).toEqual(["load", "model", "set", "rank", "rank"])
		await ranker.rank("write", [...items], 1)
		expect(calls.slice(5)).toEqual(["set", "rank"])
	})

	it("falls back to the baseline for good when the addon fails, and says why once", async () => {
		for (const options of [{ fails: true }, { loadError: new Error("it broke") }]) {
			const { ranker, calls, told } = setUp(options)
			expect(await ranker.rank("read a file", items, 1)).toEqual([read])
			const { length } = calls
			expect(await ranker.rank("read a file", items, 1)).toEqual([read])
			expect(told).toEqual(["it broke"])
			expect(calls.length).toBe(length)
		}
	})
})
