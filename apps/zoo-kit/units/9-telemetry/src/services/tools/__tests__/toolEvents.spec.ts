import type OpenAI from "openai"

import { PostHogTelemetryClient, TelemetryService } from "@roo-code/telemetry"
import { type ClineMessage, rooCodeTelemetryEventSchema, TelemetryEventName } from "@roo-code/types"

import { sendToolEvent } from "../toolEvents"
import type { ToolWindow } from "../router"
import { ToolSession } from "../ToolSession"

const captured: { event: string; properties: object }[] = []
const recorder = {
	capture: (event: { event: string; properties: object }) => captured.push(event),
	optIn: () => {},
	optOut: () => {},
}

const TOOLS: OpenAI.Chat.ChatCompletionTool[] = ["read", "write", "send"].map((name) => ({
	type: "function",
	function: { name: `mcp--one--${name}`, description: "" },
}))
const SCOPE = { mode: "code" }
/** Capturing is not waited for where it is asked for. */
const sent = async () => {
	await new Promise((resolve) => setImmediate(resolve))
	return captured.splice(0).map(({ event, properties }) => ({ event, ...properties }))
}

/** A task that sends what a text says whole, and names what stands behind a `#` in a line. */
function open(settings: object | undefined = { threshold: 2 }) {
	const messages: ClineMessage[] = []
	const attached: string[] = []
	const directory: string[] = []
	let turn = 0
	const choose = async (text: string) => {
		turn++
		const list = text.startsWith("#") ? directory : attached
		list.push(...["read", "write", "send"].filter((name) => text.endsWith(name)).map((name) => `mcp--one--${name}`))
	}
	const session = {
		closed: false,
		get selection() {
			return turn === 0 ? null : { mode: "dynamic", attached, directory, scopedCount: 3, turn, ranker: "lexical" }
		},
		start: choose,
		turn: choose,
		sync: async () => {},
		compact: choose,
		load: async () => ({ loaded: [{ serverName: "one", toolName: "send" }], alreadyAttached: ["mcp--one--read"] }),
		answerLoad: () => "[]",
		render: () => ({ tools: "[]", messages: "[]" }),
	}
	const task = new ToolSession({
		taskId: "task",
		messages: () => messages,
		contextTokens: () => undefined,
		settings: () => settings,
		window: async () =>
			({ router: { openSession: () => session }, ready: async () => {} }) as unknown as ToolWindow,
		store: { read: async () => undefined, write: async () => {} },
		onProblem: (problem) => expect(problem).toBeUndefined(),
		onEvent: (event) => sendToolEvent("task", event),
	})
	const say = async (text: string) => {
		messages.push({ ts: messages.length + 1, type: "say", say: messages.length ? "user_feedback" : "text", text })
		await task.select(TOOLS, SCOPE)
	}
	return { task, say }
}

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
		const { say } = open()
		await say("write")
		const start = { taskId: "task", scopedCount: 3, attachedCount: 1, namedCount: 0, ranker: "bm25" }
		expect(await sent()).toEqual([{ event: "dynamic_tools.task_start", ...start }])
		await say("zebra")
		expect(await sent()).toEqual([])
		await say("send")
		const step = { taskId: "task", turn: 3, addedCount: 1, totalAttached: 2, namedCount: 0 }
		expect(await sent()).toEqual([{ event: "dynamic_tools.rolling_window_step", ...step }])
	})

	it("does not tell of a first choice that is all by name as of nothing", async () => {
		const { say } = open()
		await say("#write")
		expect(await sent()).toMatchObject([{ attachedCount: 0, namedCount: 1 }])
		await say("#send")
		expect(await sent()).toMatchObject([{ addedCount: 1, totalAttached: 0, namedCount: 2 }])
	})

	it("tells of mcp_load what was returned and what was there, and the length of what was asked", async () => {
		const { task, say } = open()
		await say("write")
		await sent()
		await task.load("send")
		const counts = { taskTurn: 1, queryLength: 4, returnedCount: 2, alreadyAttachedCount: 1 }
		expect(await sent()).toEqual([{ event: "dynamic_tools.mcp_load_invoked", taskId: "task", ...counts }])
	})

	it("tells nothing up to the threshold, switched off, and where the user has opted out", async () => {
		for (const { task, say } of [open({ threshold: 3 }), open({ threshold: 9 })]) {
			await say("write")
			await task.load("send")
		}
		expect(await sent()).toEqual([])
		client.updateTelemetryState(false)
		sendToolEvent("task", { name: "rolling_window_step", turn: 1, addedCount: 1, totalAttached: 1, namedCount: 0 })
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
