import type { ClineMessage, McpServer } from "@roo-code/types"

import { HubTools } from "../HubTools"
import { ToolSession, type ToolHost } from "../ToolSession"
import { StandInRouter } from "./standInRouter"

const server = (name: string, ...tools: string[]): McpServer => ({
	name,
	config: "",
	status: "connected",
	tools: tools.map((tool) => ({ name: tool, inputSchema: { required: ["id"] } })),
})
const SCOPE = { mode: "code" }

/** A window with two servers, and its tasks: each says what the model reads before its next request. */
function setUp() {
	const servers = [server("files", "read", "write"), server("chat", "send", "list")]
	const router = new StandInRouter()
	const states = new Map<string, string>()
	const problems: unknown[] = []
	const hub = new HubTools(router, { getServers: () => servers, getAllServers: () => servers }, (problem) =>
		problems.push(problem),
	)
	let at = 0
	const taskOf = (taskId: string, more: Partial<ToolHost> = {}) => {
		const messages: ClineMessage[] = []
		const session = new ToolSession({
			taskId,
			messages: () => messages,
			contextTokens: () => 1_000,
			settings: () => ({ threshold: 2 }),
			window: async () => ({
				router,
				ready: (settings) => {
					router.configure(settings)
					return hub.refresh()
				},
			}),
			store: {
				read: async (id) => states.get(id),
				write: async (id, state) => void states.set(id, state),
			},
			onProblem: (problem) => problems.push(problem),
			...more,
		})
		const say = (text: string, rest: Partial<ClineMessage> = {}) => {
			const kind = messages.length === 0 ? "text" : "user_feedback"
			messages.push({ ts: ++at, type: "say", say: kind, text, ...rest } as ClineMessage)
		}
		const tools = servers.flatMap((each) =>
			(each.tools ?? []).map((tool) => ({ function: { name: `mcp--${each.name}--${tool.name}` } })),
		) as never[]
		const request = async (scope: Parameters<ToolSession["select"]>[1] = SCOPE) => {
			const list = (await session.select(tools, scope)) as unknown[]
			return { list, texts: (await session.takeTexts()).join() }
		}
		return { session, messages, say, request, tools }
	}
	return { servers, router, states, problems, taskOf }
}

describe("the tools of a task with many", () => {
	it("are told behind the texts that need them, once, and the list stays", async () => {
		const { say, request } = setUp().taskOf("one")
		say("read the file")
		const first = await request()
		expect(first.list).toEqual([{ name: "mcp_load" }, { name: "mcp_call" }])
		expect(first.texts).toBe("mcp--files--read")
		expect((await request()).texts).toBe("")
		say("ok, go on")
		expect((await request()).texts).toBe("")
		say("and send it", { partial: true })
		expect((await request()).texts).toBe("")
		say("and send it")
		expect(await request()).toEqual({ list: first.list, texts: "mcp--chat--send" })
	})

	it("are loaded by the model, and called when the call is right; uses are told", async () => {
		const { router, taskOf } = setUp()
		const { session, say, request } = taskOf("one")
		say("read")
		await request()
		expect(await session.load("list")).toMatchObject({ text: "mcp--chat--list" })
		expect((await session.load("nothing")).text).toBe("nothing fits")
		expect((await request()).texts).toBe("")
		expect(await session.check("mcp--chat--list", {})).toEqual({ problem: "id is missing" })
		const tool = { serverName: "chat", toolName: "list" }
		expect(await session.check("mcp--chat--list", '{"id":1}')).toEqual({ tool, arguments: { id: 1 } })
		await session.used(tool)
		expect(router.uses).toEqual(["mcp--chat--list"])
	})

	it("are those of the mode, and of servers that connect late", async () => {
		const { servers, taskOf } = setUp()
		const { session, say, request } = taskOf("one")
		say("read and send")
		const scope = { mode: "own", allowedMcpServers: ["files", "late"] }
		expect((await request({ mode: "own", allowedMcpServers: ["files"] })).list).toHaveLength(4)
		servers.push(server("late", "fetch"))
		await request(scope)
		expect((await session.load("fetch")).text).toBe("mcp--late--fetch")
		expect(await session.check("mcp--chat--send", { id: 1 })).toEqual({
			problem: "mcp--chat--send is out of scope",
		})
	})

	it("are chosen and told again when the conversation was condensed, cut or taken back", async () => {
		const { messages, say, request } = setUp().taskOf("one")
		say("read")
		say("send")
		expect((await request()).texts).toBe("mcp--files--read,mcp--chat--send")
		say("", { say: "condense_context", contextCondense: { summary: "send" } as never })
		expect((await request()).texts).toBe("mcp--chat--send")
		messages.splice(1)
		expect((await request()).texts).toBe("mcp--files--read")
	})

	it("go on when the task is resumed; a subtask begins with its parent's", async () => {
		const { router, states, taskOf } = setUp()
		const first = taskOf("one")
		first.say("read")
		await first.request()
		const child = taskOf("two", { parentTaskId: "one" })
		child.say("send")
		expect((await child.request()).texts).toBe("mcp--files--read,mcp--chat--send")
		router.forget("one")
		const resumed = taskOf("one", { messages: () => first.messages })
		expect((await resumed.request()).list).toHaveLength(2)
		expect(JSON.parse(states.get("one") ?? "").session.attached).toEqual(["mcp--files--read"])
	})

	it("are chosen anew where the kept state is damaged, and all of them when it is switched off", async () => {
		const { states, problems, taskOf } = setUp()
		states.set("one", "{")
		let settings: { threshold: number } | undefined = { threshold: 2 }
		const { say, request, tools } = taskOf("one", { settings: () => settings })
		say("read")
		expect((await request()).texts).toBe("mcp--files--read")
		expect(problems).toHaveLength(1)
		settings = undefined
		expect((await request()).list).toBe(tools)
	})
})
