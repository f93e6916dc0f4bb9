import type OpenAI from "openai"

const DESCRIPTION = `Load MCP tools that are not in your list. Connected servers may have many tools, and you were given those that fit the task. Say what you want to do; the tools that fit best are in your list from the next request on.

Example: Loading tools that work with issues
{ "query": "create an issue in a repository" }`

/** Sent where some of the MCP tools are not: first of them, so that its place stays. */
export default {
	type: "function",
	function: {
		name: "mcp_load",
		description: DESCRIPTION,
		strict: true,
		parameters: {
			type: "object",
			properties: {
				query: {
					type: "string",
					description: "What you want to do, in a few words",
				},
			},
			required: ["query"],
			additionalProperties: false,
		},
	},
} satisfies OpenAI.Chat.ChatCompletionTool
