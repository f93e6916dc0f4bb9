import { NativeToolCallParser } from "../../assistant-message/NativeToolCallParser"
import { toTelemetryToolName } from "../../assistant-message/presentAssistantMessage"
import type { Task } from "../../task/Task"
import { McpCallTool } from "../McpCallTool"
import { McpLoadTool } from "../McpLoadTool"
import { isToolAllowedForMode } from "../validateToolUse"

function setUp(toolSession: object) {
	const results: string[] = []
	const mistakes: string[] = []
	const said: string[][] = []
	const task = {
		toolSession,
		consecutiveMistakeCount: 1,
		say: async (...given: string[]) => void said.push(given),
		recordToolError: (name: string) => mistakes.push(name),
		sayAndCreateMissingParamError: async (_tool: string, param: string) => `missing ${param}`,
	} as unknown as Task
	const callbacks = {
		askApproval: vi.fn(),
		handleError: async (_action: string, error: Error) => void results.push(`error: ${error.message}`),
		pushToolResult: (content: unknown) => results.push(String(content)),
	}
	return { task, callbacks, results, mistakes, said }
}

// What is loaded and called is played by the kit's `zoo:check`, over the real router and the real tools.
describe("mcp_load and mcp_call", () => {
	it("count a call without a query, and one that cannot be made, as a mistake, and say why", async () => {
		const { task, callbacks, results, mistakes } = setUp({ check: async () => ({ problem: "no such tool" }) })
		await new McpLoadTool().execute({ query: " " }, task, callbacks)
		await new McpCallTool().execute({ name: "mcp--one--gone" }, task, callbacks)
		expect([mistakes, task.consecutiveMistakeCount]).toEqual([["mcp_load", "mcp_call"], 3])
		expect(results[0]).toBe("missing query")
		expect(results[1]).toContain("no such tool")
		expect(callbacks.askApproval).not.toHaveBeenCalled()
	})

	it("say to the user which tools were loaded", async () => {
		const loaded = [{ serverName: "chat", toolName: "send" }]
		const { task, callbacks, results, said } = setUp({ load: async () => ({ text: "definitions", loaded }) })
		await new McpLoadTool().execute({ query: "send" }, task, callbacks)
		expect(said).toEqual([["mcp_load", JSON.stringify({ query: "send", tools: ["chat: send"] })]])
		expect(results).toEqual(["definitions"])
	})

	it("are parsed while they stream and when they are whole", () => {
		const parse = (name: "mcp_load" | "mcp_call", args: string) =>
			NativeToolCallParser.parseToolCall({ id: "1", name, arguments: args })
		expect(parse("mcp_load", '{"query":"send"}')).toMatchObject({ name: "mcp_load", nativeArgs: { query: "send" } })
		const call = { name: "mcp--one--read", arguments: { path: "a" } }
		expect(parse("mcp_call", JSON.stringify(call))).toMatchObject({ name: "mcp_call", nativeArgs: call })
		NativeToolCallParser.startStreamingToolCall("2", "mcp_load")
		const partial = NativeToolCallParser.processStreamingChunk("2", '{"query":"se')
		expect(partial).toMatchObject({ name: "mcp_load", partial: true, nativeArgs: { query: "se" } })
		NativeToolCallParser.clearAllStreamingToolCalls()
	})

	it("count under their own names, belong to the modes that have MCP tools, and can be switched off", () => {
		const mode = (groups: ["mcp"] | ["read"]) => [{ slug: "own", name: "Own", roleDefinition: "", groups }]
		for (const name of ["mcp_load", "mcp_call"] as const) {
			expect(toTelemetryToolName(name, false)).toBe(name)
			expect(isToolAllowedForMode(name, "own", mode(["mcp"]))).toBe(true)
			expect(isToolAllowedForMode(name, "own", mode(["read"]))).toBe(false)
			expect(isToolAllowedForMode(name, "own", mode(["mcp"]), { [name]: false })).toBe(false)
		}
	})
})
