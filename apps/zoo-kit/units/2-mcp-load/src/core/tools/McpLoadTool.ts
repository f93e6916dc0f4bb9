import { Task } from "../task/Task"

import { BaseTool, type ToolCallbacks } from "./BaseTool"

/** Nothing is called, so nobody is asked: a tool that was loaded asks when it is called. */
export class McpLoadTool extends BaseTool<"mcp_load"> {
	readonly name = "mcp_load" as const

	async execute({ query }: { query: string }, task: Task, callbacks: ToolCallbacks): Promise<void> {
		const { handleError, pushToolResult, toolCallId } = callbacks
		try {
			if (!query?.trim()) {
				task.consecutiveMistakeCount++
				task.recordToolError("mcp_load")
				pushToolResult(await task.sayAndCreateMissingParamError("mcp_load", "query"))
				return
			}
			task.consecutiveMistakeCount = 0
			const { text } = await task.toolSession.load(query, toolCallId)
			pushToolResult(text)
		} catch (error) {
			await handleError("loading MCP tools", error instanceof Error ? error : new Error(String(error)))
		}
	}
}

export const mcpLoadTool = new McpLoadTool()
