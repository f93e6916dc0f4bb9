import type OpenAI from "openai"

import { addTexts } from "../createToolSession"
import { ToolSession, type ToolHost } from "../ToolSession"

const TOOLS: OpenAI.Chat.ChatCompletionTool[] = ["read", "write", "send"].map((name) => ({
	type: "function",
	function: { name: `mcp--one--${name}`, description: "" },
}))
const SCOPE = { mode: "code" }

function setUp(host: Partial<ToolHost> = {}) {
	const problems: unknown[] = []
	let windows = 0
	const session = new ToolSession({
		taskId: "one",
		messages: () => [{ ts: 1, type: "say", say: "text", text: "write" }],
		contextTokens: () => undefined,
		settings: () => ({ threshold: 2 }),
		window: async () => {
			windows++
			return undefined
		},
		store: { read: async () => undefined, write: async () => {} },
		onProblem: (problem) => problems.push(problem),
		...host,
	})
	return { session, problems, windows: () => windows }
}

describe("the tools of a task", () => {
	it("are the very list where it is off and up to the threshold, and nothing native is loaded", async () => {
		for (const settings of [undefined, { threshold: 3 }]) {
			const { session, windows } = setUp({ settings: () => settings })
			expect(await session.select(TOOLS, SCOPE)).toBe(TOOLS)
			expect(windows()).toBe(0)
		}
	})

	it("are none where MCP tools may not be called: they are neither sent, loaded nor called", async () => {
		const { session, windows } = setUp()
		expect(await session.select(TOOLS, { ...SCOPE, isCallable: false })).toEqual([])
		expect((await session.load("send")).text).toContain("may not be called")
		expect(await session.check("mcp--one--send")).toHaveProperty("problem")
		expect(windows()).toBe(0)
		const off = setUp({ settings: () => undefined })
		expect(await off.session.select(TOOLS, { ...SCOPE, isCallable: false })).toBe(TOOLS)
	})

	it("are all of them where there is no router, and where opening one fails", async () => {
		const { session, problems } = setUp()
		expect(await session.select(TOOLS, SCOPE)).toBe(TOOLS)
		expect(problems).toEqual([])
		const failing = setUp({ window: () => Promise.reject(new Error("broken")) })
		expect(await failing.session.select(TOOLS, SCOPE)).toBe(TOOLS)
		expect(failing.problems).toEqual([new Error("broken")])
		expect((await failing.session.load("send")).text).toContain("in your list")
	})
})

describe("what the model has to read of its tools", () => {
	it("is part of the user's newest message, and never a message of its own beside one", () => {
		const text = { type: "text", text: "a tool" }
		const written = { role: "user", content: "hello" }
		const messages: object[] = [written]
		addTexts(messages, ["a tool"])
		expect(messages).toEqual([{ role: "user", content: [{ type: "text", text: "hello" }, text] }])
		expect(written.content).toBe("hello")
		messages.push({ role: "assistant", content: [] })
		addTexts(messages, ["a tool"])
		expect(messages.at(-1)).toEqual({ role: "user", content: [text] })
	})
})
