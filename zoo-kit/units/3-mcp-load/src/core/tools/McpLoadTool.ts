import { parseMcpToolName } from "../../utils/mcp-name"
import type { LoadedTool } from "../../services/tools/ToolSession"
import { Task } from "../task/Task"

import { BaseTool, type ToolCallbacks } from "./BaseTool"

interface McpLoadParams {
	query: string
}

/** Nothing is called, so nobody is asked: a tool that was loaded asks when it is called. */
export class McpLoadTool extends BaseTool<"mcp_load"> {
	readonly name = "mcp_load" as const

	async execute({ query }: McpLoadParams, task: Task, callbacks: ToolCallbacks): Promise<void> {
		const { handleError, pushToolResult } = callbacks
		try {
			if (!query?.trim()) {
				task.consecutiveMistakeCount++
				task.recordToolError("mcp_load")
				pushToolResult(await task.sayAndCreateMissingParamError("mcp_load", "query"))
				return
			}
			task.consecutiveMistakeCount = 0
			const { loaded, present } = await task.toolSession.load(query)
			await task.say("mcp_load", JSON.stringify({ query, tools: loaded.map(({ name }) => labelOf(name)) }))
			pushToolResult(resultOf(loaded, present))
		} catch (error) {
			await handleError("loading MCP tools", error instanceof Error ? error : new Error(String(error)))
		}
	}
}

/** As the user knows a tool: by its server and its own name. */
function labelOf(name: string): string {
	const parsed = parseMcpToolName(name)
	return parsed ? `${parsed.serverName}: ${parsed.toolName}` : name
}

function resultOf(loaded: LoadedTool[], present: LoadedTool[]): string {
	const list = (title: string, tools: LoadedTool[]) =>
		tools.length > 0 ? [title, ...tools.map(({ name, summary }) => `- ${name}: ${summary}`)] : []
	const lines = [
		...list("Loaded; in your list from the next request on:", loaded),
		...list("In your list already:", present),
	]
	return lines.join("\n") || "No MCP tool fits this query. Describe the action in other words, or go on without."
}

export const mcpLoadTool = new McpLoadTool()
