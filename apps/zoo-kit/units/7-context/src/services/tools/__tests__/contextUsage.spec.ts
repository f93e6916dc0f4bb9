import type OpenAI from "openai"

import type { ClineMessage } from "@roo-code/types"

import { tiktoken } from "../../../utils/tiktoken"
import { measureContext } from "../contextUsage"

const tool = (name: string, description: string): OpenAI.Chat.ChatCompletionTool => ({
	type: "function",
	function: { name, description, parameters: { type: "object" } },
})
const TOOLS = [
	tool("read_file", "Reads."),
	tool("mcp--jira--find", "Finds an issue."),
	tool("mcp_load", "Loads tools."),
	tool("mcp--jira--create", "Creates an issue."),
	tool("mcp--my_chat--send", "Sends."),
]
const measure = (messages: unknown[]) =>
	measureContext({ systemPrompt: "You are.", tools: TOOLS, messages }, [], tiktoken)
const text = (given: string) => [{ type: "text" as const, text: given }]

describe("what a request takes of the context window", () => {
	it("is said by section, and each server has its tools", async () => {
		const sections = await measure([{ role: "user", content: "Hello there" }])
		expect(sections.map(({ kind, name, count }) => [kind, name, count])).toEqual([
			["system", undefined, undefined],
			["native", undefined, 2],
			["mcp", "jira", 2],
			["mcp", "my_chat", 1],
			["messages", undefined, 1],
		])
	})

	it("counts definitions that stand in the conversation to their servers", async () => {
		const define = (name: string) => JSON.stringify({ name, description: "Does it. ".repeat(50), parameters: {} })
		const content = `MCP tools that you can call with mcp_call:\n${define("mcp--jira--find")}\n${define("mcp--git--log")}`
		const sections = await measureContext(
			{
				systemPrompt: "You are.",
				tools: [],
				messages: [{ role: "user", content: [...text("Go"), ...text(content)] }],
			},
			[],
			tiktoken,
		)
		expect(sections.filter(({ kind }) => kind === "mcp").map(({ name, count }) => [name, count])).toEqual([
			["jira", 1],
			["git", 1],
		])
		expect(sections.at(-1)?.tokens).toBeLessThan(60)
	})

	it("adds up to what its parts are together", async () => {
		const sections = await measure([{ role: "user", content: "Hello there" }])
		const parts = ["You are.", ...TOOLS.map((each) => JSON.stringify(each)), "Hello there"]
		const whole = await tiktoken(parts.flatMap(text))
		const sum = sections.reduce((total, { tokens }) => total + tokens, 0)
		// Each section is rounded up by itself.
		expect(sum - whole).toBeGreaterThanOrEqual(0)
		expect(sum - whole).toBeLessThanOrEqual(sections.length)
	})

	it("counts calls and their results, and an image as an image wherever it is", async () => {
		const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(40_000) } }
		const [shown, nested] = await Promise.all([
			measure([{ role: "user", content: [image] }]),
			measure([{ role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: [image] }] }]),
		])
		expect(nested.at(-1)).toEqual(shown.at(-1))
		const call = { type: "tool_use", id: "1", name: "find", input: { query: "some words" } }
		const [called] = (await measure([{ role: "assistant", content: [call] }])).slice(-1)
		expect(called.tokens).toBeGreaterThanOrEqual(await tiktoken(text("some words")))
	})

	it("is nothing for a request without tools and messages but the system prompt", async () => {
		const sections = await measureContext({ systemPrompt: "You are.", tools: [], messages: [] }, [], tiktoken)
		expect(sections.map(({ tokens }) => tokens > 0)).toEqual([true, false, false])
	})

	it("says what has left it, condensed or cut", async () => {
		const contextCondense = { cost: 0, prevContextTokens: 900, newContextTokens: 300, summary: "They talked." }
		const contextTruncation = {
			truncationId: "1",
			messagesRemoved: 4,
			prevContextTokens: 500,
			newContextTokens: 450,
		}
		const chat: ClineMessage[] = [
			{ ts: 1, type: "say", say: "text", text: "Go" },
			{ ts: 2, type: "say", say: "condense_context", contextCondense },
			{ ts: 3, type: "say", say: "sliding_window_truncation", contextTruncation },
		]
		const sections = await measureContext({ systemPrompt: "You are.", tools: [], messages: [] }, chat, tiktoken)
		expect(sections.at(-1)).toEqual({ kind: "left", tokens: 650 })
	})
})
