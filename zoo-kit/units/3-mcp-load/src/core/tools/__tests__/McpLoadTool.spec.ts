import type OpenAI from "openai"

import { Bm25Ranker } from "../../../services/tools/Bm25Ranker"
import { ToolSession } from "../../../services/tools/ToolSession"
import { NativeToolCallParser } from "../../assistant-message/NativeToolCallParser"
import { toTelemetryToolName } from "../../assistant-message/presentAssistantMessage"
import type { Task } from "../../task/Task"
import { mcpLoadTool } from "../McpLoadTool"
import { isToolAllowedForMode } from "../validateToolUse"

const tool = (server: string, name: string, description: string): OpenAI.Chat.ChatCompletionTool => ({
	type: "function",
	function: { name: `mcp--${server}--${name}`, description, parameters: { type: "object" } },
})
const ALL = [
	tool("files", "read_file", "Reads a file."),
	tool("files", "write_file", "Writes a file."),
	tool("chat", "send_message", "Sends a message\nto a channel. ".repeat(30)),
]
const SETTINGS = { threshold: 2, initialK: 1, turnK: 1, searchK: 2, searchTurns: 3 }

const namesOf = (tools: OpenAI.Chat.ChatCompletionTool[]) =>
	tools.map((each) => (each as OpenAI.Chat.ChatCompletionFunctionTool).function.name)

async function setUp() {
	const toolSession = new ToolSession(new Bm25Ranker(), () => SETTINGS)
	toolSession.noteUserText("write a file")
	await toolSession.select(ALL, "code")
	const said: string[][] = []
	const results: string[] = []
	const mistakes: string[] = []
	const task = {
		toolSession,
		consecutiveMistakeCount: 1,
		say: async (...given: string[]) => void said.push(given),
		recordToolError: (name: string) => mistakes.push(name),
		sayAndCreateMissingParamError: async (_tool: string, param: string) => `missing ${param}`,
	}
	const run = (query: string) =>
		// As much of a task as the tool uses.
		mcpLoadTool.execute({ query }, task as unknown as Task, {
			askApproval: vi.fn(),
			handleError: async (_action, error) => void results.push(`error: ${error.message}`),
			pushToolResult: (content) => results.push(String(content)),
		})
	return { toolSession, task, said, results, mistakes, run }
}

describe("mcp_load", () => {
	it("attaches what fits for the next request, and says to model and user which tools", async () => {
		const { toolSession, said, results, run } = await setUp()
		await run("send a message")
		expect(namesOf(await toolSession.select(ALL, "code"))).toContain("mcp--chat--send_message")
		const [[type, text]] = said
		expect([type, JSON.parse(text)]).toEqual([
			"mcp_load",
			expect.objectContaining({ query: "send a message", tools: expect.arrayContaining(["chat: send_message"]) }),
		])
		expect(results[0]).toContain("- mcp--chat--send_message: Sends a message to a channel.")
		expect(results[0].length).toBeLessThan(600)
	})

	it("names again what is there and attaches nothing twice", async () => {
		const { toolSession, results, run } = await setUp()
		await run("send a message")
		const before = await toolSession.select(ALL, "code")
		await run("send a message")
		expect(await toolSession.select(ALL, "code")).toEqual(before)
		expect(results[1]).toContain("In your list already:\n- mcp--chat--send_message")
	})

	it("says that nothing fits, and counts a call without a query as a mistake", async () => {
		const { task, results, mistakes, run } = await setUp()
		await run("zebra")
		expect(results[0]).toContain("No MCP tool fits")
		await run(" ")
		expect([results[1], mistakes, task.consecutiveMistakeCount]).toEqual(["missing query", ["mcp_load"], 1])
	})

	it("is parsed while it streams and when it is whole", () => {
		const call = { id: "1", name: "mcp_load" as const, arguments: '{"query":"send"}' }
		expect(NativeToolCallParser.parseToolCall(call)).toMatchObject({
			type: "tool_use",
			name: "mcp_load",
			nativeArgs: { query: "send" },
		})
		NativeToolCallParser.startStreamingToolCall("2", "mcp_load")
		const partial = NativeToolCallParser.processStreamingChunk("2", '{"query":"se')
		expect(partial).toMatchObject({ name: "mcp_load", partial: true, nativeArgs: { query: "se" } })
		NativeToolCallParser.clearAllStreamingToolCalls()
	})

	it("counts under its own name and not as a call of an MCP tool", () => {
		expect(toTelemetryToolName("mcp_load", false)).toBe("mcp_load")
		expect(toTelemetryToolName("mcp--files--read_file", false)).not.toBe("mcp_load")
	})

	it("belongs to the modes that have MCP tools, and can be switched off", () => {
		const mode = (groups: ["mcp"] | ["read"]) => [{ slug: "own", name: "Own", roleDefinition: "", groups }]
		expect(isToolAllowedForMode("mcp_load", "own", mode(["mcp"]))).toBe(true)
		expect(isToolAllowedForMode("mcp_load", "own", mode(["read"]))).toBe(false)
		expect(isToolAllowedForMode("mcp_load", "own", mode(["mcp"]), { mcp_load: false })).toBe(false)
	})
})
