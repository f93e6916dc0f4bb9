import type OpenAI from "openai"

import type { ToolDoc } from "./types"

type Tool = OpenAI.Chat.ChatCompletionTool

/** What chooses; a ranker that has to load something first answers later. */
export interface TextRanker {
	rank(query: string, items: ToolDoc[], k: number): ToolDoc[] | Promise<ToolDoc[]>
}

export interface ToolSessionSettings {
	/** Up to this many tools all are sent. */
	threshold: number
	/** Tools that the first text of a task chooses, and that each later one adds at most. */
	initialK: number
	turnK: number
	/** How many texts of a task choose tools. 0 is the off switch: all tools are sent. */
	searchTurns: number
}

/** Where the state of a task's session is kept, beside its messages. */
export interface ToolSessionStore {
	read(): Promise<string | undefined>
	write(state: string): Promise<void>
}

/**
 * Which MCP tools one task has. What it has only grows, at the end of the list, so that a provider's cache holds; a summary of the
 * conversation begins again. It never fails: where nothing can be chosen, the task has all tools, as without it.
 */
export class ToolSession {
	private attached = new Set<string>()
	private turns = 0
	private mode: string | undefined
	/** The user's last text, with which another mode is chosen for. */
	private text: string | undefined
	private pending: string[] = []
	private docs: ToolDoc[] = []
	private last: Promise<unknown> = Promise.resolve()
	private restored: Promise<void> | undefined

	constructor(
		private readonly ranker: TextRanker,
		private readonly settings: () => ToolSessionSettings,
		private readonly store?: ToolSessionStore,
		private readonly onProblem: (error: unknown) => void = () => {},
	) {}

	/** Takes what the user wrote where it arrives, which is a synchronous function. The next `select` ranks it. */
	noteUserText(text: string): void {
		if (text.trim() !== "") {
			this.pending.push(text)
		}
	}

	/** The conversation was condensed: a provider's cache is lost anyway, so the tools are chosen again. */
	condensed(summary: string): void {
		this.attached.clear()
		this.turns = 0
		this.pending = [[summary, ...this.pending].join("\n")]
	}

	/** Of the tools of the mode those that the task has, in the order in which it got them. */
	async select(tools: Tool[], mode: string): Promise<Tool[]> {
		const { threshold, searchTurns } = this.settings()
		if (searchTurns === 0 || tools.length <= threshold) {
			return tools
		}
		const done = this.last.then(() => this.choose(tools, mode)).catch((error) => this.onProblem(error))
		this.last = done
		await done
		const byName = new Map(tools.map((tool) => [docOf(tool).toolName, tool]))
		const chosen = [...this.attached].flatMap((name) => byName.get(name) ?? [])
		return chosen.length > 0 ? chosen : tools
	}

	private async choose(tools: Tool[], mode: string): Promise<void> {
		await (this.restored ??= this.restore())
		this.remember(tools)
		const { initialK, turnK, searchTurns } = this.settings()
		const before = this.attached.size
		if (this.mode !== undefined && this.mode !== mode && this.text !== undefined) {
			const there = this.docs.filter(({ toolName }) => this.attached.has(toolName)).length
			await this.add(this.text, initialK - there)
		}
		this.mode = mode
		for (const text of this.pending.splice(0)) {
			this.text = text
			if (this.turns < searchTurns) {
				await this.add(text, this.turns === 0 ? initialK : turnK)
				this.turns++
			}
		}
		if (this.attached.size !== before) {
			await this.save()
		}
	}

	private async add(text: string, k: number): Promise<void> {
		if (k <= 0) {
			return
		}
		const found = await this.ranker.rank(text, this.docs, k + this.attached.size)
		const added = found.filter(({ toolName }) => !this.attached.has(toolName)).slice(0, k)
		for (const { toolName } of added) {
			this.attached.add(toolName)
		}
	}

	/** The same list stays the same object: a ranker makes its index for a list once. */
	private remember(tools: Tool[]): void {
		const docs = tools.map(docOf)
		const isSame = ({ toolName, description }: ToolDoc, place: number) =>
			this.docs[place]?.toolName === toolName && this.docs[place].description === description
		if (docs.length !== this.docs.length || !docs.every(isSame)) {
			this.docs = docs
		}
	}

	/** A task that cannot be stored goes on. */
	private async save(): Promise<void> {
		const state = JSON.stringify({ version: 1, attached: [...this.attached], turns: this.turns })
		await this.store?.write(state).catch((error) => this.onProblem(error))
	}

	private async restore(): Promise<void> {
		const text = await this.store?.read()
		if (text === undefined || this.attached.size > 0) {
			return
		}
		const { version, attached, turns } = JSON.parse(text) as { version: number; attached: string[]; turns: number }
		if (version === 1 && Array.isArray(attached) && Number.isInteger(turns)) {
			this.attached = new Set(attached)
			this.turns = turns
		}
	}
}

/** The name that models see says server and tool. */
function docOf(tool: Tool): ToolDoc {
	const { name, description = "" } = (tool as OpenAI.Chat.ChatCompletionFunctionTool).function
	return { serverName: "", toolName: name, description: `${name.replace(/[_-]+/g, " ")} ${description}` }
}
