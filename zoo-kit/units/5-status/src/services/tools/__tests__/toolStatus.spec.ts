import type OpenAI from "openai"

import { Bm25Ranker } from "../Bm25Ranker"
import { ToolSession } from "../ToolSession"

const TOOLS: OpenAI.Chat.ChatCompletionTool[] = ["read", "write", "send"].map((name) => ({
	type: "function",
	function: { name: `mcp--one--${name}`, description: "" },
}))
const ON = { threshold: 2, initialK: 1, turnK: 1, searchK: 1, searchTurns: 2 }

function setUp(settings = ON) {
	let told = 0
	const session = new ToolSession(
		new Bm25Ranker(),
		() => settings,
		undefined,
		undefined,
		() => void told++,
	)
	return { session, told: () => told }
}

describe("what a task says of its tools", () => {
	it("is N of M with their names, once it chooses", async () => {
		const { session } = setUp()
		session.noteUserText("write")
		await session.select(TOOLS, "code")
		const status = { mode: "dynamic", attachedCount: 1, totalScoped: 3, attached: ["mcp--one--write"] }
		expect(session.status).toEqual(status)
	})

	it("is all of them up to the threshold, before the first text, and where it is off", async () => {
		for (const settings of [ON, { ...ON, threshold: 3 }, { ...ON, searchTurns: 0 }]) {
			const { session } = setUp(settings)
			if (settings !== ON) session.noteUserText("write")
			await session.select(TOOLS, "code")
			expect(session.status).toEqual({ mode: "all", attachedCount: 3, totalScoped: 3, attached: [] })
		}
	})

	it("is told when it changes, and not with each request", async () => {
		const { session, told } = setUp()
		session.noteUserText("write")
		await session.select(TOOLS, "code")
		await session.select(TOOLS, "code")
		expect(told()).toBe(1)
		await session.load("send")
		await session.select(TOOLS, "code")
		expect([told(), session.status.attachedCount]).toEqual([2, 2])
	})
})
