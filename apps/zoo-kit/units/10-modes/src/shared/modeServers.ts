import type { ModeConfig } from "@roo-code/types"

/** What is needed of the hub: the servers that a user has. */
interface Servers {
	getAllServers(): { name: string }[]
}

/**
 * The MCP servers that a mode may use: those that it allows, or all but those that it blocks; all without either. What is allowed
 * goes before what is blocked.
 */
export function mcpServersOf(mode: ModeConfig | undefined, hub: Servers | undefined): string[] | undefined {
	const { allowedMcpServers, blockedMcpServers } = mode ?? {}
	if (allowedMcpServers || !blockedMcpServers?.length) {
		return allowedMcpServers
	}
	const names = hub?.getAllServers().map(({ name }) => name) ?? []
	return names.filter((name) => !blockedMcpServers.includes(name))
}
