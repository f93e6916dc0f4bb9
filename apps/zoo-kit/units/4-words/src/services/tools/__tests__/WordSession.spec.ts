import type { McpServer } from "@roo-code/types"

import type { McpHub } from "../../mcp/McpHub"
import { WordRouter } from "../WordRouter"

const serverOf = (name: string, count: number, words: string): McpServer => ({
	name,
	config: "{}",
	status: "connected",
	tools: Array.from({ length: count }, (_, at) => ({
		name: `${words}_${at}`,
		description: `${words} number ${at}`,
		inputSchema: { type: "object", properties: { at: { type: "number" } }, required: ["at"] },
	})),
})

async function setUp(settings = {}) {
	const servers = [serverOf("files", 40, "read_file"), serverOf("chat", 40, "send_message")]
	const hub = { getServers: () => servers, getAllServers: () => servers } as unknown as McpHub
	const router = new WordRouter(hub)
	router.configure({ threshold: 50, initialK: 3, searchK: 4, ...settings })
	const set = (server: McpServer, position: number) => router.setServer({ ...server, position })
	const add = (server: McpServer) => set(server, servers.push(server) - 1)
	for (const [position, server] of servers.entries()) await set(server, position)
	return { router, add, session: router.openSession({ sessionId: "one" }) }
}
const messagesOf = (rendered: { messages: string }) =>
	(JSON.parse(rendered.messages) as { content: string }[]).map(({ content }) => content).join("\n")

describe("a task by words", () => {
	it("has a list that never changes, and is told of each tool once", async () => {
		const { session } = await setUp()
		await session.start("read the file")
		const first = session.render()
		expect(messagesOf(first)).toContain('"name":"mcp--files--read_file_0"')
		await session.turn("ok, go on")
		expect(session.render()).toEqual({ tools: first.tools, messages: "[]" })
		await session.turn("send a message to her")
		expect(messagesOf(session.render())).toContain("mcp--chat--")
	})

	it("has a server that connects later by the task's last text, beside what it has", async () => {
		const { session, add } = await setUp()
		await session.start("book a flight")
		session.render()
		await add(serverOf("travel", 40, "book_flight"))
		await session.sync({})
		expect(messagesOf(session.render())).toContain("mcp--travel--book_flight_0")
	})

	it("sends two tools however many are loaded, and no search brings more than it may", async () => {
		const { session } = await setUp()
		await session.start("read the file")
		for (const query of ["send message", "read file", "number 7", "files", "chat"]) {
			const before = session.selection?.attached.length ?? 0
			await session.load(JSON.stringify({ query }))
			expect((session.selection?.attached.length ?? 0) - before).toBeLessThanOrEqual(4)
		}
		expect(JSON.parse(session.render().tools)).toHaveLength(2)
	})

	it("checks a call before the server is asked: whether it is loaded, and what its arguments lack", async () => {
		const { session } = await setUp()
		await session.start("read the file")
		const problemOf = async (name: string, args: Record<string, unknown>) =>
			(await session.checkCall({ name, arguments: args })).problem?.message
		expect(await problemOf("mcp--chat--send_message_9", { at: 1 })).toContain("is not loaded")
		expect(await problemOf("mcp--files--read_file_0", {})).toContain("lack at")
		expect(await problemOf("mcp--gone--one", {})).toContain("not there")
		const { tool } = await session.checkCall({ name: "mcp__files__read_file_0", arguments: '{"at":1}' })
		expect(tool?.toolName).toBe("read_file_0")
	})

	it("goes on from what was kept, and refuses what another router kept", async () => {
		const { router, session } = await setUp()
		await session.start("read the file")
		const { tools } = session.render()
		expect((await router.restoreSession(JSON.stringify(session))).render()).toEqual({ tools, messages: "[]" })
		await expect(router.restoreSession('{"version":1}')).rejects.toThrow("another router")
	})
})
