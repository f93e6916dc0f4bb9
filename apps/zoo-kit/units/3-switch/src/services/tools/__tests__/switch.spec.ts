import { Task } from "../../../core/task/Task"
import { EXPERIMENT_IDS, experimentDefault } from "../../../shared/experiments"

/** A task without its constructor: what it reads is real. */
function taskOf(experiments: object | undefined): Task {
	const provider = { contextProxy: { getValue: (key: string) => (key === "experiments" ? experiments : undefined) } }
	return Object.assign(Object.create(Task.prototype), {
		providerRef: { deref: () => provider },
		globalStoragePath: "/nowhere",
		taskId: "one",
	})
}

describe("the switch of dynamic loading", () => {
	it("is off until a user switches it on, and then has numbers", () => {
		expect(experimentDefault[EXPERIMENT_IDS.DYNAMIC_MCP_TOOLS]).toBe(false)
		const settings = (experiments?: object) => taskOf(experiments).toolSession["host"].settings()
		expect([settings(), settings({}), settings({ dynamicMcpTools: false })]).toEqual([
			undefined,
			undefined,
			undefined,
		])
		expect(settings({ dynamicMcpTools: true })).toMatchObject({ threshold: 50 })
	})
})
