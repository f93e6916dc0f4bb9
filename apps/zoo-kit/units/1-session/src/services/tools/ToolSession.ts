import type OpenAI from "openai"

import type { ClineMessage } from "@roo-code/types"

import type { Router, RouterSession, RouterSettings, ToolId, ToolWindow } from "./router"

type Tool = OpenAI.Chat.ChatCompletionTool

const FORBIDDEN = "MCP tools may not be called here."

/** What a task is to its tools. */
export interface ToolHost {
	taskId: string
	parentTaskId?: string
	/** The chat: in it stand the user's texts, those with an approval too, and where it was condensed. */
	messages(): ClineMessage[]
	contextTokens(): number | undefined
	/** Nothing is chosen without settings: that is the switch. */
	settings(): RouterSettings | undefined
	window(): Promise<ToolWindow | undefined>
	store: { read(taskId: string): Promise<string | undefined>; write(taskId: string, state: string): Promise<void> }
	onProblem(error: unknown): void
}

/**
 * What the request that comes next is made for: a mode, and the servers of it; all without them. Where MCP tools may not be
 * called, by the mode or by the tool policy, the task is sent none and cannot load any.
 */
export type ToolScope = { mode: string; allowedMcpServers?: string[]; isCallable?: boolean }

/** What a call of the model means, or what to tell the model. */
export type ToolCall = { tool: ToolId; arguments: Record<string, unknown> } | { problem: string }

/**
 * The MCP tools of a task: a session of the router. No request fails because of it: what does not work is told, and the task has
 * what it had, or all tools.
 */
export class ToolSession {
	private session: RouterSession | undefined
	/** The mode that the session has, and the last message of the chat that it has heard. */
	private mode: string | undefined
	private heard = 0
	/** Whether the router has a text of the task: it keeps none in what is stored. */
	private hasText = false
	private texts: string[] = []
	private isCallable = true
	private last: Promise<unknown> = Promise.resolve()

	constructor(private readonly host: ToolHost) {}

	/** Of the tools of the mode those that the next request has: the very list while all of them are sent. */
	async select(tools: Tool[], scope: ToolScope): Promise<Tool[]> {
		const settings = this.host.settings()
		this.isCallable = scope.isCallable ?? true
		// Nothing is loaded for few tools.
		if (!settings || (!this.session && tools.length <= (settings.threshold ?? 0))) {
			return tools
		}
		if (!this.isCallable) {
			return []
		}
		await this.inTurn(() => this.follow(settings, scope))
		if (this.session?.selection?.mode !== "dynamic") {
			return tools
		}
		const { tools: list, messages } = this.session.render()
		this.texts.push(...(JSON.parse(messages) as { content: string }[]).map(({ content }) => content))
		return JSON.parse(list)
	}

	/** What the model has to read of its tools behind the newest message; once for each request, and nothing twice. */
	async takeTexts(): Promise<string[]> {
		const texts = this.texts.splice(0)
		if (texts.length > 0) {
			await this.save()
		}
		return texts
	}

	/** Answers `mcp_load`: what the model reads, and what it has now. */
	async load(query: string, callId = "mcp_load"): Promise<{ text: string; loaded: ToolId[] }> {
		await this.last
		if (!this.isCallable) {
			return { text: FORBIDDEN, loaded: [] }
		}
		if (this.session?.selection?.mode !== "dynamic") {
			return { text: "All MCP tools are in your list.", loaded: [] }
		}
		const result = await this.session.load(JSON.stringify({ query }), this.context())
		const [answer] = JSON.parse(this.session.answerLoad(result, { callId })) as { content: string }[]
		await this.save()
		return { text: answer?.content ?? "", loaded: result.loaded }
	}

	/** Reads `mcp_call`. The call itself is the host's, with its approval. */
	async check(name: string, args: string | Record<string, unknown> = {}): Promise<ToolCall> {
		if (!this.isCallable) {
			return { problem: FORBIDDEN }
		}
		if (!this.session?.selection) {
			return { problem: `${name} is in your list: call it by its name.` }
		}
		const { tool, arguments: checked, problem } = await this.session.checkCall({ name, arguments: args })
		return problem || !tool
			? { problem: problem?.message ?? `${name} is not known.` }
			: { tool, arguments: JSON.parse(checked ?? "{}") }
	}

	/** The hub has answered, and not with an error: later tasks prefer the tool a little. */
	async used(tool: ToolId): Promise<void> {
		await this.inTurn(async () => this.session?.recordUse(tool))
	}

	private async follow(settings: RouterSettings, scope: ToolScope): Promise<void> {
		const window = await this.host.window()
		if (!window) {
			return
		}
		const { mode, allowedMcpServers } = scope
		const hostMode = allowedMcpServers ? mode : null
		await window.ready({
			...settings,
			...(hostMode === null ? {} : { hostModes: { [mode]: { allowedMcpServers } } }),
		})
		if (!this.session || this.session.closed) {
			this.session = await this.open(window.router, hostMode)
		}
		const { session } = this
		const events = eventsOf(this.host.messages())
		const hasBegun = session.selection !== null
		await session.sync({ hostMode, ...this.context() })
		if (hasBegun) {
			const lastText = events.filter(({ ts, text }) => ts <= this.heard && text).at(-1)?.text
			const hasSwitched = this.mode !== mode && !this.hasText
			// Taken back in the chat, so what the model was told of its tools may be gone with it.
			const isRewound = this.heard > 0 && !events.some(({ ts }) => ts === this.heard)
			if (lastText !== undefined && (hasSwitched || isRewound)) {
				await this.compact(lastText)
			}
		}
		const isNew = this.mode !== mode
		this.mode = mode
		const before = this.heard
		for (const { ts, text, summary } of events.filter(({ ts }) => ts > this.heard)) {
			if (text !== undefined) {
				await (session.selection ? session.turn(text, this.context()) : session.start(text, this.context()))
				this.hasText = true
			} else if (session.selection) {
				await this.compact(summary ?? "")
			}
			this.heard = ts
		}
		if (isNew || this.heard !== before) {
			await this.save()
		}
	}

	/** What was said of tools is gone or old: they are chosen again, and said again with the next request. */
	private async compact(text: string): Promise<void> {
		await this.session?.compact(text, this.context())
		this.texts = []
		this.hasText = true
	}

	/** A stored task goes on; a subtask prefers what its parent has. */
	private async open(router: Router, hostMode: string | null): Promise<RouterSession> {
		const { taskId, parentTaskId } = this.host
		const own = await this.restore(router, taskId)
		if (own) {
			Object.assign(this, { heard: own.heard, mode: own.mode })
			return own.session
		}
		this.heard = 0
		this.openIn(router, taskId)?.close() // what was kept of it cannot be read
		const parent = parentTaskId === undefined ? undefined : await this.parent(router, parentTaskId)
		return parent
			? parent.fork({ sessionId: taskId, hostMode })
			: router.openSession({ sessionId: taskId, hostMode: hostMode ?? undefined })
	}

	/** The extension closes a task while its subtask runs; one that is open must stay the one that it is. */
	private async parent(router: Router, taskId: string): Promise<RouterSession | undefined> {
		return this.openIn(router, taskId) ?? (await this.restore(router, taskId))?.session
	}

	private openIn(router: Router, taskId: string): RouterSession | undefined {
		try {
			return router.session(taskId)
		} catch {
			return undefined
		}
	}

	private async restore(router: Router, taskId: string) {
		try {
			const text = await this.host.store.read(taskId)
			if (text === undefined) {
				return undefined
			}
			const { heard, mode, session } = JSON.parse(text) as { heard: number; mode: string; session: object }
			return { heard, mode, session: await router.restoreSession(JSON.stringify(session)) }
		} catch (error) {
			this.host.onProblem(error) // damaged, of a later version, or of the other router: the task is chosen for again
			return undefined
		}
	}

	private async save(): Promise<void> {
		const { heard, mode, session } = this
		const state = JSON.stringify({ heard, mode, session })
		await this.host.store.write(this.host.taskId, state).catch((error) => this.host.onProblem(error))
	}

	private readonly context = () => ({ contextTokens: this.host.contextTokens() })

	private inTurn(work: () => Promise<unknown>): Promise<unknown> {
		this.last = this.last.then(work).catch((error) => this.host.onProblem(error))
		return this.last
	}
}

type ChatEvent = { ts: number; text?: string; summary?: string }

/** Of the chat what tools are chosen by, in order: the task, each answer of the user, and where it was condensed or cut. */
function eventsOf(messages: ClineMessage[]): ChatEvent[] {
	return messages.flatMap(({ ts, type, say, text, partial, contextCondense }, at): ChatEvent[] => {
		if (type !== "say" || partial) {
			return []
		}
		if (say === "condense_context" || say === "sliding_window_truncation") {
			return [{ ts, summary: contextCondense?.summary }]
		}
		const isOfUser = say === "user_feedback" || (say === "text" && at === 0)
		return isOfUser && text?.trim() ? [{ ts, text }] : []
	})
}
