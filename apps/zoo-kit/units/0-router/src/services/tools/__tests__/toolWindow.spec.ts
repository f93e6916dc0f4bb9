import type { McpServer } from "@roo-code/types"

import type { McpHub } from "../../mcp/McpHub"
import { toolWindow } from "../toolWindow"

function setUp({ fails = false } = {}) {
	const servers: McpServer[] = ["one", "two"].map((name) => ({
		name,
		config: '{"env":{"TOKEN":"s3cret"}}',
		status: "connected",
		tools: [{ name: "read" }],
	}))
	const hub = { getServers: () => servers, getAllServers: () => servers } as unknown as McpHub
	const calls: unknown[][] = []
	const router = {
		configure: (settings: object) => void calls.push(["configure", settings]),
		setServer: async (server: object) => void calls.push(["set", server]),
		removeServer: async (name: string) => void calls.push(["remove", name]),
		loadModel: async () => void calls.push(["model"]),
	}
	const told: string[] = []
	const options = {
		hub,
		cacheDir: "",
		onProblem: (problem: unknown) => void told.push(String(problem)),
		onFallback: (reason: string) => void told.push(reason),
		load: async () => {
			calls.push(["load"])
			return { loadError: fails ? new Error("no binary") : null, ToolRouter: { shared: () => router as never } }
		},
	}
	return { servers, calls, told, options }
}
const kindsOf = (calls: unknown[][]) => calls.map(([kind]) => kind)

describe("the router of a window", () => {
	it("is opened once for all tasks, with one model, and is told what changed alone", async () => {
		const { servers, calls, options } = setUp()
		const [window, same] = await Promise.all([toolWindow(options), toolWindow(options)])
		expect(window).toBe(same)
		await window?.ready({ threshold: 50 })
		await window?.ready({ threshold: 50 })
		expect(kindsOf(calls)).toEqual(["load", "model", "configure", "set", "set"])
		expect(JSON.stringify(calls)).not.toContain("s3cret")
		servers[1] = { ...servers[1], tools: [{ name: "write" }] }
		servers.shift()
		await window?.ready({ threshold: 9 })
		expect(kindsOf(calls.slice(5)).sort()).toEqual(["configure", "remove", "set"])
	})

	it("is tried once where the addon is not there or refuses to load, and that is told once", async () => {
		const { calls, told, options } = setUp({ fails: true })
		expect(await toolWindow(options)).toBe(await toolWindow(options))
		expect([told, calls.length]).toEqual([["addon"], 1])
	})
})
