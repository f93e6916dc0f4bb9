import { getMcpServerTools } from "../../core/prompts/tools/native-tools/mcp_server"
import { buildMcpToolName } from "../../utils/mcp-name"
import type { McpHub } from "../mcp/McpHub"

import { Bm25Ranker } from "./Bm25Ranker"
import type { Router, RouterServer, RouterSession, RouterSettings, ToolId } from "./router"
import { WordSession, type WordState } from "./WordSession"

/** A tool that a task may have. */
export interface WordTool extends ToolId {
	name: string
	description: string
	parameters: { required?: string[] }
	isPinned: boolean
}

/** Stands in where the addon is not there: ranks by words, behind the same interface and within the same limits. */
export class WordRouter implements Router {
	readonly ranker = new Bm25Ranker()
	settings: RouterSettings = {}
	private readonly servers = new Map<string, RouterServer>()
	private readonly scopes = new Map<string, WordTool[]>()

	constructor(private readonly hub: McpHub) {}

	configure(settings: RouterSettings): void {
		this.settings = settings
	}

	async setServer(server: RouterServer): Promise<void> {
		this.servers.set(server.name, server)
		this.scopes.clear()
	}

	async removeServer(name: string): Promise<void> {
		this.servers.delete(name)
		this.scopes.clear()
	}

	openSession({ sessionId, hostMode = null }: { sessionId: string; hostMode?: string | null }): RouterSession {
		return new WordSession(this, sessionId, hostMode)
	}

	session(sessionId: string): RouterSession {
		throw new Error(`${sessionId} is kept by its task alone`)
	}

	async restoreSession(text: string): Promise<RouterSession> {
		const state = JSON.parse(text) as Partial<WordState>
		if (state.ranker !== "words" || !Array.isArray(state.names) || !Array.isArray(state.said)) {
			throw new Error("the tools of this task were kept by another router")
		}
		return new WordSession(this, state.sessionId ?? "", state.hostMode ?? null, state as WordState)
	}

	/** The tools of a mode as the extension defines them; the same list while nothing changed. */
	toolsOf(hostMode: string | null): WordTool[] {
		const allowed = hostMode === null ? undefined : this.settings.hostModes?.[hostMode]?.allowedMcpServers
		const key = JSON.stringify(allowed ?? null)
		let tools = this.scopes.get(key)
		if (!tools) {
			const ids = new Map<string, ToolId & { isPinned: boolean }>()
			for (const { name: serverName, tools = [], alwaysLoad } of this.servers.values()) {
				for (const { name: toolName } of tools) {
					const isPinned = alwaysLoad?.includes(toolName) ?? false
					ids.set(buildMcpToolName(serverName, toolName), { serverName, toolName, isPinned })
				}
			}
			tools = getMcpServerTools(this.hub, allowed).flatMap((tool) => {
				const { name, description = "", parameters = {} } = "function" in tool ? tool.function : { name: "" }
				const id = ids.get(name)
				return id ? [{ ...id, name, description, parameters }] : []
			})
			this.scopes.set(key, tools)
		}
		return tools
	}
}
