import { z } from "zod"

import type { McpTool } from "@roo-code/types"

/** What an entry of a server may say about its tools, besides `disabledTools`. */
export const toolScopeShape = {
	/** These tools and no others, whatever `disabledTools` says. An empty list says nothing; "none" allows none. */
	onlyAllow: z.union([z.array(z.string()), z.literal("none")]).optional(),
	/** Tools that each task has from the start, without being chosen. */
	alwaysLoad: z.array(z.string()).optional(),
	/** Descriptions that models read instead of the server's own, by the tool's name. */
	toolDescriptionOverrides: z.record(z.string()).optional(),
}

export type ToolScope = z.infer<z.ZodObject<typeof toolScopeShape>>

const schema = z.object(toolScopeShape)

/** The tools of a server as its entry has them. An entry that cannot be read changes nothing. */
export function applyToolScope(tools: McpTool[], entry: unknown): McpTool[] {
	const { success, data } = schema.safeParse(entry ?? {})
	if (!success) {
		return tools
	}
	return tools.map((tool) => {
		const description = ownValue(data.toolDescriptionOverrides, tool.name)
		return {
			...tool,
			...(description === undefined ? {} : { description, originalDescription: tool.description ?? "" }),
			enabledForPrompt: isAllowed(data.onlyAllow, tool),
			...(data.alwaysLoad?.includes(tool.name) ? { alwaysLoad: true } : {}),
		}
	})
}

function isAllowed(onlyAllow: ToolScope["onlyAllow"], { name, enabledForPrompt }: McpTool): boolean {
	if (onlyAllow === "none") {
		return false
	}
	return onlyAllow?.length ? onlyAllow.includes(name) : enabledForPrompt !== false
}

/** A tool may be named like something that every object has. */
const ownValue = (values: Record<string, string> | undefined, name: string) =>
	values && Object.hasOwn(values, name) ? values[name] : undefined
