import { normalizeForComparison } from "../../utils/mcp-name"

import type { CallCheck, LoadResult, RouterSession, ToolId } from "./router"
import type { WordRouter, WordTool } from "./WordRouter"

/** What is kept of a session, beside the task's messages. */
export interface WordState {
	ranker: "words"
	sessionId: string
	hostMode: string | null
	names: string[]
	said: string[]
	turns: number
	servers: string
}

const TURN_K = 3
const functionTool = (name: string, description: string, properties: Record<string, object>) => ({
	type: "function",
	function: {
		name,
		description,
		parameters: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
	},
})

/** A task by words. The request's list is two tools that never change; definitions are said in messages. */
export class WordSession implements RouterSession {
	closed = false
	private names: Set<string>
	private said: Set<string>
	private turns: number
	private text: string | undefined
	/** What was last chosen from. */
	private scope: WordTool[] = []
	/** What `mcp_load` names. It stands before the conversation, so it changes only where all of that is sent anew. */
	private servers: string

	constructor(
		private readonly router: WordRouter,
		readonly sessionId: string,
		private hostMode: string | null,
		state?: WordState,
	) {
		this.names = new Set(state?.names)
		this.said = new Set(state?.said)
		this.turns = state?.turns ?? 0
		this.servers = state?.servers ?? ""
	}

	get selection(): RouterSession["selection"] {
		if (this.turns === 0) {
			return null
		}
		const { length: scopedCount } = this.tools
		const mode = scopedCount > (this.router.settings.threshold ?? 50) ? "dynamic" : "all"
		const attached = this.attached.map(({ name }) => name)
		return { mode, attached, directory: [], scopedCount, turn: this.turns }
	}

	close(): void {
		this.closed = true
	}

	async start(text: string): Promise<void> {
		this.turns = 1
		this.begin(text)
	}

	async turn(text: string): Promise<void> {
		const found = this.ranked(text)
		// A text that says nothing of tools takes no turn.
		if (found.length > 0) {
			this.text = text
			this.turns += this.turns < (this.router.settings.searchTurns ?? 7) && this.add(found, TURN_K) > 0 ? 1 : 0
		}
	}

	/** What came by a server or a mode is chosen from with the task's last text. */
	async sync({ hostMode = this.hostMode }: { hostMode?: string | null }): Promise<void> {
		const hasSwitched = hostMode !== this.hostMode
		this.hostMode = hostMode
		if (this.scope !== this.tools && this.text !== undefined) {
			this.choose(this.text)
		}
		if (hasSwitched) {
			this.servers = this.serverNames()
		}
	}

	async compact(text: string): Promise<void> {
		this.names.clear()
		this.said.clear()
		this.begin(text)
	}

	async load(argsJson: string): Promise<LoadResult> {
		const { query } = JSON.parse(argsJson) as { query: string }
		const asked = query.split(/[,\n]/).map((each) => normalizeForComparison(each.trim()))
		const named = this.tools.filter(({ name, toolName, serverName }) =>
			[name, toolName, serverName].some((each) => asked.includes(normalizeForComparison(each))),
		)
		const { searchK = 10 } = this.router.settings
		const found = (named.length > 0 ? named : this.ranked(query)).slice(0, searchK)
		const before = new Set(this.attached)
		this.add(found, searchK)
		const after = new Set(this.attached)
		return {
			loaded: found.filter((tool) => after.has(tool) && !before.has(tool)),
			alreadyAttached: found.filter((tool) => before.has(tool)).map(({ name }) => name),
		}
	}

	answerLoad({ loaded, alreadyAttached }: LoadResult): string {
		const isLoaded = (tool: WordTool) => loaded.includes(tool) || alreadyAttached.includes(tool.name)
		const tools = this.tools.filter(isLoaded)
		for (const { name } of tools) {
			this.said.add(name)
		}
		const nothing = `No MCP tool fits. ${this.serverNames()} Describe the action in other words, or go on without.`
		return JSON.stringify([{ content: tools.length > 0 ? definitionsOf(tools) : nothing }])
	}

	async checkCall({ name, arguments: given = {} }: { name: string; arguments?: unknown }): Promise<CallCheck> {
		const problem = (message: string) => ({ problem: { message: `${message} The call was not made.` } })
		const isIt = (tool: WordTool) => normalizeForComparison(tool.name) === normalizeForComparison(name)
		const tool = this.tools.find(isIt)
		if (!tool) {
			const isElsewhere = this.router.toolsOf(null).some(isIt)
			return problem(isElsewhere ? `${name} is not allowed in this mode.` : `${name} is not there now.`)
		}
		if (!this.names.has(tool.name)) {
			return problem(`${name} is not loaded. Call mcp_load with its name first.`)
		}
		let args = given
		try {
			args = typeof given === "string" ? JSON.parse(given) : given
		} catch {}
		if (typeof args !== "object" || args === null || Array.isArray(args)) {
			return problem(`${name}: arguments must be a JSON object.`)
		}
		const missing = (tool.parameters.required ?? []).filter((key) => !Object.hasOwn(args as object, key))
		return missing.length > 0
			? problem(`${name}: arguments lack ${missing.join(", ")}.`)
			: { tool: { serverName: tool.serverName, toolName: tool.toolName }, arguments: JSON.stringify(args) }
	}

	async recordUse(_tool: ToolId): Promise<void> {}

	fork({ sessionId, hostMode = this.hostMode }: { sessionId: string; hostMode?: string | null }): RouterSession {
		return new WordSession(this.router, sessionId, hostMode)
	}

	render(): { tools: string; messages: string } {
		const attached = this.attached
		const there = new Set(attached.map(({ name }) => name))
		const fresh = attached.filter(({ name }) => !this.said.has(name))
		const gone = [...this.said].filter((name) => !there.has(name))
		this.said = there
		const texts = [
			...(gone.length > 0 ? [`No longer available: ${gone.join(", ")}.`] : []),
			...(fresh.length > 0 ? [definitionsOf(fresh)] : []),
		]
		const load = `Load MCP tools that you were not told of. ${this.servers} The answer has their definitions.`
		const tools = [
			functionTool("mcp_load", load, {
				query: { type: "string", description: "What you want to do, or names of tools, or of a server" },
			}),
			functionTool("mcp_call", "Call an MCP tool that you were told of.", {
				name: { type: "string", description: "The tool's name" },
				arguments: { type: "object", description: "Its arguments" },
			}),
		]
		return { tools: JSON.stringify(tools), messages: JSON.stringify(texts.map((content) => ({ content }))) }
	}

	toJSON(): WordState {
		const { sessionId, hostMode, names, said, turns, servers } = this
		return { ranker: "words", sessionId, hostMode, names: [...names], said: [...said], turns, servers }
	}

	private get tools(): WordTool[] {
		return this.router.toolsOf(this.hostMode)
	}

	private get attached(): WordTool[] {
		const byName = new Map(this.tools.map((tool) => [tool.name, tool]))
		return [...this.names].flatMap((name) => byName.get(name) ?? [])
	}

	private serverNames(): string {
		return `Connected servers: ${[...new Set(this.tools.map(({ serverName }) => serverName))].join(", ")}.`
	}

	private begin(text: string): void {
		this.scope = []
		this.choose(text)
		this.servers = this.serverNames()
	}

	/** Of the best for a text those that the task could not have before, and what is pinned. */
	private choose(text: string): void {
		const before = new Set(this.scope.map(({ name }) => name))
		this.text = text
		this.scope = this.tools
		const { initialK } = this.router.settings
		const best = this.ranked(text).slice(0, typeof initialK === "number" ? initialK : 30)
		this.add([...this.tools.filter(({ isPinned }) => isPinned), ...best.filter(({ name }) => !before.has(name))])
	}

	private ranked(text: string): WordTool[] {
		return this.router.ranker.rank(text, this.tools, this.tools.length) as WordTool[]
	}

	/** Adds at the end alone. */
	private add(tools: WordTool[], k = tools.length): number {
		const added = tools.filter(({ name }) => !this.names.has(name)).slice(0, k)
		for (const { name } of added) {
			this.names.add(name)
		}
		return added.length
	}
}

const definitionsOf = (tools: WordTool[]) => {
	const lines = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }))
	return ["MCP tools that you can call with mcp_call:", ...lines].join("\n")
}
