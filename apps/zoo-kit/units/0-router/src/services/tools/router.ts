import type { McpServer } from "@roo-code/types"

/** As much of the tool router as is used. Its package is optional, so its own types are not there for certain. */
export interface Router {
	configure(settings: RouterSettings): void
	setServer(server: RouterServer): Promise<unknown>
	removeServer(name: string, source?: "global" | "project"): Promise<unknown>
	openSession(options: { sessionId: string; hostMode?: string }): RouterSession
	restoreSession(state: string): Promise<RouterSession>
	/** The open one; it throws where there is none. */
	session(sessionId: string): RouterSession
}

/** The settings that a user has, and what the host knows of the request that comes next. */
export interface RouterSettings {
	/** Up to this many tools all are sent. */
	threshold?: number
	/** `auto`: as many as are worth their tokens. */
	initialK?: number | "auto"
	searchK?: number
	searchTurns?: number
	contextWindow?: number
	hostModes?: Record<string, { allowedMcpServers?: string[] }>
}

/** A server of the hub. The rest of its entry may be secret. */
export type RouterServer = Pick<McpServer, "name" | "source" | "disabled" | "instructions" | "tools"> & {
	position: number
	alwaysLoad?: string[]
}

type Context = { contextTokens?: number }

/** What a task has of the router. */
export interface RouterSession {
	readonly closed: boolean
	/** `directory`: tools that the model is told of in a line each, without their definitions. */
	readonly selection: {
		mode: "all" | "dynamic"
		attached: string[]
		directory: string[]
		scopedCount: number
		turn: number
	} | null
	start(text: string, context?: Context): Promise<unknown>
	turn(text: string, context?: Context): Promise<unknown>
	sync(options: Context & { hostMode?: string | null }): Promise<unknown>
	compact(summary: string, context?: Context): Promise<unknown>
	load(argsJson: string, context?: Context): Promise<LoadResult>
	answerLoad(result: LoadResult, options: { callId: string }): string
	checkCall(call: { name: string; arguments?: string | Record<string, unknown> }): Promise<CallCheck>
	recordUse(tool: ToolId): Promise<unknown>
	fork(options: { sessionId: string; hostMode?: string | null }): RouterSession
	close(): void
	/** JSON texts: the list of tools, and messages that were not said yet. */
	render(): { tools: string; messages: string }
}

export type ToolId = { serverName: string; toolName: string }
export type LoadResult = { loaded: ToolId[]; alreadyAttached: string[] }
export type CallCheck = { tool?: ToolId; arguments?: string; problem?: { message: string } }

/** The router of the window; it knows the hub's servers when `ready` resolves. */
export type ToolWindow = { router: Router; ready(settings: RouterSettings): Promise<unknown> }
