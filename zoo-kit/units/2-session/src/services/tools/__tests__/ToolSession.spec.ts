import type OpenAI from "openai"

import { Bm25Ranker } from "../Bm25Ranker"
import { ToolSession, type TextRanker } from "../ToolSession"

const tool = (server: string, name: string): OpenAI.Chat.ChatCompletionTool => ({
	type: "function",
	function: { name: `mcp--${server}--${name}`, description: "", parameters: { type: "object" } },
})
const FILES = ["read_file", "write_file", "list_directory", "move_file"].map((name) => tool("files", name))
const CHAT = ["send_message", "list_channels", "read_message"].map((name) => tool("chat", name))
const ALL = [...FILES, ...CHAT]
const ON = { threshold: 3, initialK: 2, turnK: 1, searchTurns: 3 }

const namesOf = (tools: OpenAI.Chat.ChatCompletionTool[]) =>
	tools.map((each) => (each as OpenAI.Chat.ChatCompletionFunctionTool).function.name.split("--")[2])

function memory(state?: string) {
	const kept = { state, read: async () => kept.state, write: async (text: string) => void (kept.state = text) }
	return kept
}

const session = (settings = {}, ranker: TextRanker = new Bm25Ranker(), store = memory(), problems: unknown[] = []) =>
	new ToolSession(
		ranker,
		() => ({ ...ON, ...settings }),
		store,
		(problem) => problems.push(problem),
	)

describe("ToolSession", () => {
	it("leaves the list as it is when it is off, under the threshold, and before the first text", async () => {
		const off = session({ searchTurns: 0 })
		off.noteUserText("read a file")
		expect(await off.select(ALL, "code")).toBe(ALL)
		const few = session({ threshold: 7 })
		few.noteUserText("read a file")
		expect(await few.select(ALL, "code")).toBe(ALL)
		expect(await session().select(ALL, "code")).toBe(ALL)
	})

	it("chooses with the first text, and only adds at the end with later ones", async () => {
		const task = session()
		task.noteUserText("read file")
		const first = namesOf(await task.select(ALL, "code"))
		expect(first).toEqual(["read_file", "read_message"])
		task.noteUserText("send message")
		expect(namesOf(await task.select(ALL, "code"))).toEqual([...first, "send_message"])
		expect(namesOf(await task.select(ALL, "code"))).toEqual([...first, "send_message"])
	})

	it("keeps what it has once enough texts have chosen", async () => {
		const task = session({ searchTurns: 1 })
		task.noteUserText("read file")
		const first = await task.select(ALL, "code")
		task.noteUserText("send message")
		expect(await task.select(ALL, "code")).toEqual(first)
	})

	it("chooses for another mode with the last text, so that no mode begins without tools", async () => {
		const task = session({ threshold: 2 })
		task.noteUserText("read a file and a message")
		expect(namesOf(await task.select(FILES, "files"))).toEqual(["read_file", "write_file"])
		expect(namesOf(await task.select(CHAT, "chat"))).toEqual(["read_message", "send_message"])
		expect(namesOf(await task.select(FILES, "files"))).toEqual(["read_file", "write_file"])
	})

	it("sends all tools where nothing fits, and where ranking fails", async () => {
		const lost = session()
		lost.noteUserText("zebra")
		expect(await lost.select(ALL, "code")).toEqual(ALL)
		const problems: unknown[] = []
		const fails = { rank: () => Promise.reject(new Error("it broke")) }
		const broken = session({}, fails, memory(), problems)
		broken.noteUserText("read file")
		expect(await broken.select(ALL, "code")).toEqual(ALL)
		expect(String(problems[0])).toContain("it broke")
	})

	it("chooses again after the conversation was condensed", async () => {
		const task = session()
		task.noteUserText("read file")
		await task.select(ALL, "code")
		task.condensed("the file was read; now send a message")
		expect(namesOf(await task.select(ALL, "code"))).toContain("send_message")
		expect((await task.select(ALL, "code")).length).toBe(2)
	})

	it("goes on with its tools when the task is resumed, and begins again with a damaged state", async () => {
		const store = memory()
		const before = session({}, new Bm25Ranker(), store)
		before.noteUserText("read file")
		const tools = await before.select(ALL, "code")
		expect(await session({}, new Bm25Ranker(), store).select(ALL, "code")).toEqual(tools)
		for (const state of ["{", '{"version":9}', "{}"]) {
			expect(await session({}, new Bm25Ranker(), memory(state)).select(ALL, "code")).toEqual(ALL)
		}
	})

	it("drops a tool while it is away, and has it again at its place", async () => {
		const task = session()
		task.noteUserText("read file")
		await task.select(ALL, "code")
		const [, ...rest] = ALL
		expect(namesOf(await task.select(rest, "code"))).toEqual(["read_message"])
		expect(namesOf(await task.select(ALL, "code"))).toEqual(["read_file", "read_message"])
	})
})
