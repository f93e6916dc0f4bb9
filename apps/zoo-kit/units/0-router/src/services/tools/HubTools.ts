import type { McpServer, McpTool } from "@roo-code/types"

import type { Router } from "./router"

/** As much of `McpHub` as is used. */
export type Hub = { getServers(): McpServer[]; getAllServers(): McpServer[] }

/**
 * Tells the router what the hub has. The hub has no events, and replaces a server's list of tools when it has fetched one: what
 * changed is seen by reference, and a look at a hub in which nothing changed calls nothing.
 */
export class HubTools {
	private seen = new Map<string, { server: McpServer; parts: unknown[] }>()
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
		const others = this.hub.getAllServers().filter(({ name }) => !enabled.some((each) => each.name === name))
		const before = this.seen
		this.seen = new Map()
		for (const [position, server] of [...enabled, ...others].entries()) {
			const { name, source = "global", disabled, status, instructions } = server
			const seen = before.get(`${source} ${name}`)
			// One that connects again keeps its tools meanwhile: what running tasks have stays as it is.
			const kept = status === "connecting" ? (seen?.parts[0] as McpTool[] | undefined) : undefined
			const tools = server.tools ?? kept
			const parts = [tools, position, disabled, instructions]
			this.seen.set(`${source} ${name}`, { server, parts })
			if (!seen?.parts.every((part, at) => part === parts[at])) {
				const alwaysLoad = tools?.filter(isPinned).map((tool) => tool.name)
				const told = { name, source, position, disabled, instructions, alwaysLoad, tools }
				this.tell(() => this.router.setServer(told))
			}
		}
		for (const [key, { server }] of before) {
			if (!this.seen.has(key)) {
				this.tell(() => this.router.removeServer(server.name, server.source ?? "global"))
			}
		}
		return this.done
	}

	private tell(change: () => Promise<unknown>): void {
		const told = Promise.resolve().then(change).catch(this.onProblem)
		this.done = Promise.all([this.done, told])
	}
}

/** Whether each task has the tool: the entry of its server says so. */
const isPinned = ({ alwaysLoad }: McpTool & { alwaysLoad?: boolean }) => alwaysLoad
