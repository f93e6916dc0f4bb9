import { NativeToolCallParser } from "../../assistant-message/NativeToolCallParser"
import { toTelemetryToolName } from "../../assistant-message/presentAssistantMessage"
import type { Task } from "../../task/Task"
import { McpCallTool } from "../McpCallTool"
import { McpLoadTool } from "../McpLoadTool"
import { isToolAllowedForMode } from "../validateToolUse"

function setUp(toolSession: object) {
	const results: string[] = []
	const mistakes: string[] = []
	const task = {
		toolSession,
		consecutiveMistakeCount: 1,
		say: async () => {},
		recordToolError: (name: string) => mistakes.push(name),
		sayAndCreateMissingParamError: async (_tool: string, param: string) => `missing ${param}`,
	} as unknown as Task
	const callbacks = {
		askApproval: vi.fn(),
		handleError: async (_action: string, error: Error) => void results.push(`error: ${error.message}`),
		pushToolResult: (content: unknown) => results.push(String(content)),
	}
	return { task, callbacks, results, mistakes }
}

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

	it("are a use where the hub has answered without an error, and no use where the user said no", async () => {
		const tool = { serverName: "chat", toolName: "send" }
		const used: object[] = []
		const answers = {
			refused: {},
			wrong: { isError: true, content: [] },
			silent: undefined,
			right: { content: [] },
		}
		for (const [kind, answer] of Object.entries({ ...answers, gone: new Error("gone") })) {
			const { task, callbacks } = setUp({
				check: async () => ({ tool, arguments: {} }),
				used: async (tool: object) => void used.push({ kind, ...tool }),
			})
			const hub = {
				getAllServers: () => [{ name: "chat", tools: [{ name: "send" }] }],
				callTool: async () => {
					if (answer instanceof Error) {
						throw answer
					}
					return answer
				},
			}
			const provider = { getMcpHub: () => hub, postMessageToWebview: async () => {}, getState: async () => ({}) }
			Object.assign(task, { providerRef: { deref: () => provider } })
			callbacks.askApproval.mockResolvedValue(kind !== "refused")
			await new McpCallTool().execute({ name: "mcp--chat--send" }, task, callbacks)
		}
		expect(used).toEqual([{ kind: "right", ...tool }])
	})

	it("answer with what the session says", async () => {
		const loaded = [{ serverName: "chat", toolName: "send" }]
		const { task, callbacks, results } = setUp({ load: async () => ({ text: "definitions", loaded }) })
		await new McpLoadTool().execute({ query: "send" }, task, callbacks)
		expect([results, task.consecutiveMistakeCount]).toEqual([["definitions"], 0])
	})

	it("are parsed when they are whole, also where they were streamed", () => {
		const parse = (name: "mcp_load" | "mcp_call", args: string) =>
			NativeToolCallParser.parseToolCall({ id: "1", name, arguments: args })
		expect(parse("mcp_load", '{"query":"send"}')).toMatchObject({ name: "mcp_load", nativeArgs: { query: "send" } })
		const call = { name: "mcp--one--read", arguments: { path: "a" } }
		expect(parse("mcp_call", JSON.stringify(call))).toMatchObject({ name: "mcp_call", nativeArgs: call })
		NativeToolCallParser.startStreamingToolCall("2", "mcp_load")
		NativeToolCallParser.processStreamingChunk("2", '{"query":"se')
		NativeToolCallParser.processStreamingChunk("2", 'nd"}')
		const streamed = NativeToolCallParser.finalizeStreamingToolCall("2")
		expect(streamed).toMatchObject({ name: "mcp_load", partial: false, nativeArgs: { query: "send" } })
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
