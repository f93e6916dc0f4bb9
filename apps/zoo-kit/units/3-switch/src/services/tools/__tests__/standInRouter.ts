import type { CallCheck, LoadResult, Router, RouterServer, RouterSession, RouterSettings, ToolId } from "../router"

type State = { id: string; hostMode: string | null; attached: string[]; turn: number }

const requiredOf = ({ inputSchema }: { inputSchema?: object }) =>
	(inputSchema as { required?: string[] } | undefined)?.required
const nameOf = ({ serverName, toolName }: ToolId) => `mcp--${serverName}--${toolName}`

/** A router in TypeScript for tests: a tool fits a text that has its name as a word. */
export class StandInRouter implements Router {
	settings: RouterSettings = {}
	uses: string[] = []
	private servers = new Map<string, RouterServer>()
	private sessions = new Map<string, StandInSession>()

	configure(settings: RouterSettings) {
		this.settings = settings
	}
	async setServer(server: RouterServer) {
		this.servers.set(server.name, server)
	}
	async removeServer(name: string) {
		this.servers.delete(name)
	}
	openSession({ sessionId, hostMode = null }: { sessionId: string; hostMode?: string | null }) {
		return this.keep({ id: sessionId, hostMode, attached: [], turn: 0 })
	}
	async restoreSession(state: string) {
		return this.keep(JSON.parse(state) as State)
	}
	session(id: string) {
		const found = this.sessions.get(id)
		if (!found) {
			throw new Error(`no session ${id}`)
		}
		return found
	}
	keep(state: State) {
		const session = new StandInSession(this, state)
		this.sessions.set(state.id, session)
		return session
	}
	forget(id: string) {
		this.sessions.delete(id)
	}
	inScope(hostMode: string | null) {
		const allowed = hostMode === null ? undefined : this.settings.hostModes?.[hostMode]?.allowedMcpServers
		const servers = [...this.servers.values()].filter(({ name }) => allowed?.includes(name) ?? true)
		return servers.flatMap(({ name, tools = [] }) =>
			tools.map((tool) => ({ serverName: name, toolName: tool.name, required: requiredOf(tool) })),
		)
	}
}

class StandInSession implements RouterSession {
	closed = false
	private said: string[] = []

	constructor(
		private readonly router: StandInRouter,
		private readonly state: State,
	) {}

	get selection() {
		const { attached, turn } = this.state
		const scopedCount = this.router.inScope(this.state.hostMode).length
		const mode = scopedCount > (this.router.settings.threshold ?? 0) ? ("dynamic" as const) : ("all" as const)
		return turn === 0 ? null : { mode, attached, directory: [], scopedCount, turn }
	}
	async start(text: string) {
		this.state.turn++
		this.add(text)
	}
	readonly turn = (text: string) => this.start(text)
	async sync({ hostMode = null }: { hostMode?: string | null }) {
		this.state.hostMode = hostMode
	}
	async compact(summary: string) {
		this.state.attached = []
		this.said = []
		this.add(summary)
	}
	async load(argsJson: string): Promise<LoadResult> {
		const before = [...this.state.attached]
		const found = this.add((JSON.parse(argsJson) as { query: string }).query)
		const isNew = (tool: ToolId) => !before.includes(nameOf(tool))
		return { loaded: found.filter(isNew), alreadyAttached: found.filter((tool) => !isNew(tool)).map(nameOf) }
	}
	answerLoad({ loaded }: LoadResult) {
		this.said.push(...loaded.map(nameOf))
		return JSON.stringify([{ role: "tool", content: loaded.map(nameOf).join() || "nothing fits" }])
	}
	async checkCall({ name, arguments: args = {} }: Parameters<RouterSession["checkCall"]>[0]): Promise<CallCheck> {
		const tool = this.router.inScope(this.state.hostMode).find((each) => nameOf(each) === name)
		const given = typeof args === "string" ? (JSON.parse(args) as object) : args
		const missing = tool?.required?.find((key) => !(key in given))
		if (!tool || missing) {
			return { problem: { message: tool ? `${missing} is missing` : `${name} is out of scope` } }
		}
		return { tool: { serverName: tool.serverName, toolName: tool.toolName }, arguments: JSON.stringify(given) }
	}
	async recordUse(tool: ToolId) {
		this.router.uses.push(nameOf(tool))
	}
	fork({ sessionId, hostMode = null }: { sessionId: string; hostMode?: string | null }) {
		return this.router.keep({ ...this.state, id: sessionId, hostMode, turn: 0 })
	}
	close() {
		this.closed = true
		this.router.forget(this.state.id)
	}
	render() {
		const news = this.state.attached.filter((name) => !this.said.includes(name))
		this.said.push(...news)
		const messages = news.length > 0 ? [{ role: "user", content: news.join() }] : []
		return {
			tools: JSON.stringify([{ name: "mcp_load" }, { name: "mcp_call" }]),
			messages: JSON.stringify(messages),
		}
	}
	toJSON() {
		return this.state
	}
	private add(text: string): ToolId[] {
		const words = text.split(/\W+/)
		const found = this.router.inScope(this.state.hostMode).filter(({ toolName }) => words.includes(toolName))
		this.state.attached = [...new Set([...this.state.attached, ...found.map(nameOf)])]
		return found.map(({ serverName, toolName }) => ({ serverName, toolName }))
	}
}
