import type OpenAI from "openai"

import { McpLoadTool } from "../../../core/tools/McpLoadTool"
import type { Task } from "../../../core/task/Task"
import type { ToolWindow } from "../router"
import { ToolSession } from "../ToolSession"

const TOOLS: OpenAI.Chat.ChatCompletionTool[] = ["read", "write", "send"].map((name) => ({
	type: "function",
	function: { name: `mcp--one--${name}`, description: "" },
}))
const SCOPE = { mode: "code" }

function setUp(settings: object | undefined) {
	let told = 0
	const attached = ["mcp--one--write", "mcp--gone--write"]
	const directory = ["mcp--one--read", "mcp--gone--read"]
	const session = {
		closed: false,
		selection: { mode: "dynamic", attached, directory, scopedCount: 3, turn: 1 },
		sync: async () => {},
		turn: async () => {},
		render: () => ({ tools: "[]", messages: "[]" }),
	}
	const router = { openSession: () => session }
	const task = new ToolSession({
		taskId: "one",
		messages: () => [{ ts: 1, type: "say", say: "text", text: "write" }],
		contextTokens: () => undefined,
		settings: () => settings,
		window: async () => ({ router, ready: async () => {} }) as unknown as ToolWindow,
		store: { read: async () => undefined, write: async () => {} },
		onProblem: (problem) => expect(problem).toBeUndefined(),
		onStatus: () => void told++,
	})
	return { task, told: () => told, attached }
}

describe("what a task says of its tools", () => {
	it("is N of M with the names of those that are there, and is told when it changes", async () => {
		const { task, told, attached } = setUp({ threshold: 2 })
		expect(task.isOn).toBe(true)
		await task.select(TOOLS, SCOPE)
		await task.select(TOOLS, SCOPE)
		const status = {
			mode: "dynamic",
			attachedCount: 1,
			totalScoped: 3,
			attached: ["mcp--one--write"],
			named: ["mcp--one--read"],
		}
		expect([task.status, told()]).toEqual([status, 1])
		attached.push("mcp--one--send")
		await task.select(TOOLS, SCOPE)
		expect([task.status.attachedCount, told()]).toEqual([2, 2])
	})

	it("is all of them up to the threshold, and where it is off", async () => {
		for (const settings of [{ threshold: 3 }, undefined]) {
			const { task } = setUp(settings)
			await task.select(TOOLS, SCOPE)
			expect(task.status).toEqual({ mode: "all", attachedCount: 3, totalScoped: 3, attached: [], named: [] })
			expect(task.isOn).toBe(settings !== undefined)
		}
	})

	it("is said in the chat by the names of what was loaded", async () => {
		const said: string[][] = []
		const task = {
			toolSession: { load: async () => ({ text: "read", loaded: [{ serverName: "chat", toolName: "send" }] }) },
			say: async (...given: string[]) => void said.push(given),
		} as unknown as Task
		const callbacks = { askApproval: vi.fn(), handleError: vi.fn(), pushToolResult: vi.fn() }
		await new McpLoadTool().execute({ query: "send" }, task, callbacks)
		expect(said).toEqual([["mcp_load", JSON.stringify({ query: "send", tools: ["chat: send"] })]])
	})
})
