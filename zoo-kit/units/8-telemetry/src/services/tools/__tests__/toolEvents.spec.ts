import type OpenAI from "openai"

import { PostHogTelemetryClient, TelemetryService } from "@roo-code/telemetry"
import { rooCodeTelemetryEventSchema, TelemetryEventName } from "@roo-code/types"

import { mcpLoadTool } from "../../../core/tools/McpLoadTool"
import type { Task } from "../../../core/task/Task"
import { createToolSession } from "../createToolSession"
import { sendToolEvent } from "../toolEvents"

const captured: { event: string; properties: object }[] = []
const recorder = {
	capture: (event: { event: string; properties: object }) => captured.push(event),
	optIn: () => {},
	optOut: () => {},
}
vi.mock("../../../utils/storage", () => ({ getTaskDirectoryPath: () => Promise.reject(new Error("no folder")) }))

const TOOLS: OpenAI.Chat.ChatCompletionTool[] = ["read", "write", "send"].map((name) => ({
	type: "function",
	function: { name: `mcp--one--${name}`, description: "" },
}))
const ON = { threshold: 2, initialK: 1, turnK: 1, searchK: 1, searchTurns: 9 }
/** Capturing is not waited for where it is asked for. */
const sent = async () => {
	await new Promise((resolve) => setImmediate(resolve))
	return captured.splice(0).map(({ event, properties }) => ({ event, ...properties }))
}
const open = (settings: object = {}) =>
	createToolSession("/nowhere", "task", { settings: () => ({ ...ON, ...settings }) })
const load = (toolSession: Task["toolSession"], query: string) =>
	mcpLoadTool.execute(
		{ query },
		// As much of a task as the tool uses.
		{ taskId: "task", toolSession, say: async () => {} } as unknown as Task,
		{ askApproval: vi.fn(), handleError: vi.fn(), pushToolResult: vi.fn() },
	)

describe("telemetry of dynamic tools", () => {
	vi.stubEnv("POSTHOG_API_KEY", "none")
	// The client of the extension, with a recorder in place of the network.
	const client = new PostHogTelemetryClient()
	Reflect.set(client, "client", recorder)

	beforeAll(() => void (TelemetryService.hasInstance() || TelemetryService.createInstance([client])))
	beforeEach(async () => {
		client.updateTelemetryState(true)
		await sent()
	})

	it("tells of the first choice, of later ones that add, and of nothing between", async () => {
		const session = open()
		session.noteUserText("write")
		await session.select(TOOLS, "code")
		await session.select(TOOLS, "code")
		const start = { taskId: "task", scopedCount: 3, attachedCount: 1, ranker: "bm25" }
		expect(await sent()).toEqual([{ event: "dynamic_tools.task_start", ...start }])
		session.noteUserText("zebra")
		await session.select(TOOLS, "code")
		expect(await sent()).toEqual([])
		session.noteUserText("send")
		await session.select(TOOLS, "code")
		const step = { taskId: "task", turn: 3, addedCount: 1, totalAttached: 2 }
		expect(await sent()).toEqual([{ event: "dynamic_tools.rolling_window_step", ...step }])
	})

	it("tells of mcp_load what was returned and what was there, and the length of what was asked", async () => {
		const session = open()
		session.noteUserText("write")
		await session.select(TOOLS, "code")
		await sent()
		await load(session, "send")
		await load(session, "send")
		const fields = {
			event: "dynamic_tools.mcp_load_invoked",
			taskId: "task",
			taskTurn: 1,
			queryLength: 4,
			returnedCount: 1,
		}
		expect(await sent()).toEqual([
			{ ...fields, alreadyAttachedCount: 0 },
			{ ...fields, alreadyAttachedCount: 1 },
		])
	})

	it("tells of a fallback without the message, which may name folders", async () => {
		const session = open({ useAddon: true })
		session.noteUserText("write")
		await session.select(TOOLS, "code")
		const fallback = {
			event: "dynamic_tools.ranker_fallback",
			taskId: "task",
			from: "embeddings",
			to: "bm25",
			reason: "addon",
		}
		expect(await sent()).toContainEqual(fallback)
	})

	it("begins once: a condensed task goes on", async () => {
		const session = open()
		session.noteUserText("write")
		await session.select(TOOLS, "code")
		session.condensed("send")
		await session.select(TOOLS, "code")
		expect((await sent()).map(({ event }) => event)).toEqual([
			"dynamic_tools.task_start",
			"dynamic_tools.rolling_window_step",
		])
	})

	it("tells nothing up to the threshold, switched off, and where the user has opted out", async () => {
		const quiet = [open({ threshold: 3 }), open({ searchTurns: 0 })]
		for (const session of quiet) {
			session.noteUserText("write")
			await session.select(TOOLS, "code")
			await load(session, "send")
		}
		expect(await sent()).toEqual([])
		client.updateTelemetryState(false)
		sendToolEvent("task", { name: "rolling_window_step", turn: 1, addedCount: 1, totalAttached: 1 })
		expect(await sent()).toEqual([])
	})

	it("is known to the schema of events by the names of the story", () => {
		const names = Object.values(TelemetryEventName).filter((name) => name.startsWith("dynamic_tools."))
		expect(names.map((name) => name.split(".")[1])).toEqual([
			"task_start",
			"mcp_load_invoked",
			"rolling_window_step",
			"ranker_fallback",
		])
		const properties = {
			appName: "",
			appVersion: "",
			vscodeVersion: "",
			platform: "",
			editorName: "",
			language: "",
			mode: "",
		}
		for (const type of names) {
			expect(rooCodeTelemetryEventSchema.safeParse({ type, properties }).success).toBe(true)
		}
	})
})
