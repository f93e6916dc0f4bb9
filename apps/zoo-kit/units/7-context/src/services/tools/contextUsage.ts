import type { Anthropic } from "@anthropic-ai/sdk"
import type OpenAI from "openai"

import type { ClineMessage, ContextUsageSection } from "@roo-code/types"

import { countTokens } from "../../utils/countTokens"
import { parseMcpToolName } from "../../utils/mcp-name"

type Block = Anthropic.Messages.ContentBlockParam

/** What a request consists of. */
export interface RequestParts {
	systemPrompt: string
	tools: OpenAI.Chat.ChatCompletionTool[]
	messages: unknown[]
}

/** What each part of a request takes of the context window, counted as the extension counts everything, and what it lacks. */
export async function measureContext(
	{ systemPrompt, tools, messages }: RequestParts,
	chat: ClineMessage[] = [],
	count: (blocks: Block[]) => Promise<number> = countTokens,
): Promise<ContextUsageSection[]> {
	const servers = new Map<string, string[]>()
	const native: string[] = []
	for (const tool of tools) {
		const text = JSON.stringify(tool)
		const server = parseMcpToolName((tool as OpenAI.Chat.ChatCompletionFunctionTool).function.name)?.serverName
		if (server === undefined) {
			native.push(text)
		} else {
			servers.set(server, [...(servers.get(server) ?? []), text])
		}
	}
	// Definitions that stand in the conversation are of their servers too.
	const rest: Block[] = []
	for (const block of messages.flatMap(blocksOf)) {
		const lines = block.type === "text" ? block.text.split("\n") : []
		const defined = lines.flatMap((line) => {
			const name = DEFINITION.exec(line)?.[1]
			const server = name === undefined ? undefined : parseMcpToolName(name)?.serverName
			return server === undefined ? [] : [[server, line] as const]
		})
		for (const [server, line] of defined) {
			servers.set(server, [...(servers.get(server) ?? []), line])
		}
		const others = lines.filter((line) => !defined.some(([, own]) => own === line))
		rest.push(defined.length > 0 ? { type: "text", text: others.join("\n") } : block)
	}
	const ofTexts = (texts: string[]) => count(texts.map((text) => ({ type: "text", text })))
	const sections: ContextUsageSection[] = [
		{ kind: "system", tokens: await ofTexts([systemPrompt]) },
		{ kind: "native", count: native.length, tokens: await ofTexts(native) },
	]
	// One after the other: the counting worker has a short queue.
	for (const [name, texts] of servers) {
		sections.push({ kind: "mcp", name, count: texts.length, tokens: await ofTexts(texts) })
	}
	const tokens = await count(rest)
	return [...sections, { kind: "messages", count: messages.length, tokens }, ...leftOf(chat)]
}

/** What earlier messages took until they were condensed or cut, by the chat's own figures. */
function leftOf(chat: ClineMessage[]): ContextUsageSection[] {
	const steps = chat.flatMap(({ contextCondense, contextTruncation }) => contextCondense ?? contextTruncation ?? [])
	const tokens = steps.reduce((sum, each) => sum + each.prevContextTokens - each.newContextTokens, 0)
	return tokens > 0 ? [{ kind: "left", tokens }] : []
}

/** A line that defines a tool, as a model is told of it. */
const DEFINITION = /^\{"name":"(mcp--[^"]+)","description"/

/** Texts and images as they are, and whatever else is in a message as text. */
function blocksOf(part: unknown): Block[] {
	if (typeof part === "string") {
		return [{ type: "text", text: part }]
	}
	const { type, content } = part as { type?: string; content?: unknown }
	if (Array.isArray(content)) {
		return content.flatMap(blocksOf)
	}
	if (typeof content === "string") {
		return blocksOf(content)
	}
	return type === "text" || type === "image" ? [part as Block] : [{ type: "text", text: JSON.stringify(part) }]
}
