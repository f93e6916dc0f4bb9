import { DYNAMIC_LOAD_DEFAULTS, dynamicLoadOf, globalSettingsSchema } from "@roo-code/types"

import { Task } from "../../../core/task/Task"
import type { McpHub } from "../../mcp/McpHub"
import { toolWindow } from "../toolWindow"

const OWN = { threshold: 5, initialK: 3, searchK: 2, searchTurns: 0, useAddon: true }

describe("settings of dynamic loading", () => {
	it("are valid in the schema that imports, exports and profiles use, and refused out of bounds", () => {
		expect(globalSettingsSchema.parse({ mcpDynamicLoad: OWN }).mcpDynamicLoad).toEqual(OWN)
		for (const wrong of [
			{ threshold: -1 },
			{ initialK: 0 },
			{ initialK: "all" },
			{ searchK: 1.5 },
			{ searchTurns: "0" },
		]) {
			expect(globalSettingsSchema.safeParse({ mcpDynamicLoad: wrong }).success).toBe(false)
		}
	})

	it("have their defaults one by one, and keep what is right", () => {
		expect(dynamicLoadOf(undefined)).toEqual(DYNAMIC_LOAD_DEFAULTS)
		expect(dynamicLoadOf({ threshold: -1, initialK: 3, other: 1 })).toEqual({
			...DYNAMIC_LOAD_DEFAULTS,
			initialK: 3,
		})
		expect(dynamicLoadOf({ searchTurns: 0 }).searchTurns).toBe(0)
	})

	it("reach a task's session as they are now, without opening the task again", () => {
		let stored: unknown = OWN
		const provider = {
			contextProxy: {
				getValue: (key: string) => (key === "mcpDynamicLoad" ? stored : { dynamicMcpTools: true }),
			},
		}
		// A task without its constructor: what it reads is real.
		const task: Task = Object.assign(Object.create(Task.prototype), {
			providerRef: { deref: () => provider },
			globalStoragePath: "/nowhere",
			taskId: "one",
		})
		const { useAddon: _own, ...own } = OWN
		const { useAddon: _addon, ...defaults } = DYNAMIC_LOAD_DEFAULTS
		expect(task.toolSession["host"].settings()).toMatchObject(own)
		stored = undefined
		expect(task.toolSession["host"].settings()).toMatchObject(defaults)
	})

	it("load nothing native where the addon is switched off", async () => {
		const told: string[] = []
		const load = vi.fn()
		const hub = { getServers: () => [], getAllServers: () => [] } as unknown as McpHub
		const onFallback = (reason: string) => void told.push(reason)
		await toolWindow({ hub, cacheDir: "", onProblem: () => {}, onFallback, isAddonWanted: () => false, load })
		expect([told, load.mock.calls.length]).toEqual([["addon"], 0])
	})
})
