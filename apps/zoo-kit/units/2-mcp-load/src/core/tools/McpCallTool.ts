import { formatResponse } from "../prompts/responses"
import { Task } from "../task/Task"

import { BaseTool, type ToolCallbacks } from "./BaseTool"
import { useMcpToolTool } from "./UseMcpToolTool"

type McpCallParams = { name: string; arguments?: string | Record<string, unknown> }

/** A call of a tool that the model was told of: checked, and made as every call of an MCP tool, with its approval. */
export class McpCallTool extends BaseTool<"mcp_call"> {
	readonly name = "mcp_call" as const

	async execute({ name, arguments: args }: McpCallParams, task: Task, callbacks: ToolCallbacks): Promise<void> {
		try {
			const call = await task.toolSession.check(name, args)
			if ("problem" in call) {
				task.consecutiveMistakeCount++
				task.recordToolError("mcp_call")
				callbacks.pushToolResult(formatResponse.toolError(call.problem))
				return
			}
			const { serverName, toolName } = call.tool
			const params = { server_name: serverName, tool_name: toolName, arguments: call.arguments }
			await useMcpToolTool.execute(params, task, callbacks)
		} catch (error) {
			const problem = error instanceof Error ? error : new Error(String(error))
			await callbacks.handleError("calling an MCP tool", problem)
		}
	}
}

export const mcpCallTool = new McpCallTool()
