import type { McpServer, McpTool } from "@roo-code/types"

import type { Router } from "./router"

/** As much of `McpHub` as is used. */
export interface Hub {
	getServers(): McpServer[]
	getAllServers(): McpServer[]
}

/**
 * Tells the router what the hub has. The hub has no events, and replaces a server's list of tools when it has fetched one: what
 * changed is seen by reference, and a look at a hub in which nothing changed calls nothing.
 */
export class HubTools {
	private readonly seen = new Map<string, { source: "global" | "project"; parts: unknown[] }>()
	private done: Promise<unknown> = Promise.resolve()

	constructor(
		private readonly router: Router,
		private readonly hub: Hub,
		private readonly onProblem: (error: unknown) => void,
	) {}

	/** Resolves when the router knows what changed. */
	refresh(): Promise<unknown> {
		// Disabled servers are told too, so that `mcp_load` can say why a tool is not there; they hide no enabled one.
		const enabled = this.hub.getServers()
		const names = new Set(enabled.map(({ name }) => name))
		const servers = [...enabled, ...this.hub.getAllServers().filter(({ name }) => !names.has(name))]
		const gone = new Map(this.seen)
		for (const [position, server] of servers.entries()) {
			const { name, source = "global", disabled, status, instructions } = server
			const seen = this.seen.get(name)
			gone.delete(name)
			// One that connects again keeps its tools meanwhile: what running tasks have stays as it is.
			const list =
				server.tools ?? (status === "connecting" ? (seen?.parts[0] as McpTool[] | undefined) : undefined)
			const parts = [list, position, source, disabled, instructions]
			if (seen?.parts.every((part, at) => part === parts[at])) {
				continue
			}
			if (seen && seen.source !== source) {
				this.tell(() => this.router.removeServer(name, seen.source))
			}
			this.seen.set(name, { source, parts })
			const alwaysLoad = pinnedOf(list)
			// Only what is about tools: the rest of an entry may be secret.
			const tools = list?.map((tool) => {
				const { description, inputSchema, enabledForPrompt } = tool
				return { name: tool.name, description, inputSchema, enabledForPrompt }
			})
			this.tell(() =>
				this.router.setServer({ name, source, position, disabled, instructions, alwaysLoad, tools }),
			)
		}
		for (const [name, { source }] of gone) {
			this.seen.delete(name)
			this.tell(() => this.router.removeServer(name, source))
		}
		return this.done
	}

	private tell(change: () => Promise<unknown>): void {
		const told = Promise.resolve().then(change).catch(this.onProblem)
		this.done = Promise.all([this.done, told])
	}
}

/** Tools that each task has: the entry of their server says so. */
const pinnedOf = (tools: (McpTool & { alwaysLoad?: boolean })[] = []) =>
	tools.filter(({ alwaysLoad }) => alwaysLoad).map(({ name }) => name)
