import { modeConfigSchema } from "@roo-code/types"

import { mcpServersOf } from "../modeServers"

const mode = (more: object) =>
	modeConfigSchema.parse({ slug: "own", name: "Own", roleDefinition: "own", groups: ["mcp"], ...more })
const hub = { getAllServers: () => ["one", "two", "three"].map((name) => ({ name })) }

describe("the servers of a mode", () => {
	it("are all without a rule, and none of those that are blocked", () => {
		expect(mcpServersOf(undefined, hub)).toBeUndefined()
		expect(mcpServersOf(mode({}), hub)).toBeUndefined()
		expect(mcpServersOf(mode({ blockedMcpServers: [] }), hub)).toBeUndefined()
		expect(mcpServersOf(mode({ blockedMcpServers: ["two", "gone"] }), hub)).toEqual(["one", "three"])
	})

	it("are what is allowed, whatever is blocked, also where that is none", () => {
		const rules = { allowedMcpServers: ["two"], blockedMcpServers: ["two"] }
		expect(mcpServersOf(mode(rules), hub)).toEqual(["two"])
		expect(mcpServersOf(mode({ ...rules, allowedMcpServers: [] }), hub)).toEqual([])
	})

	it("has a server that connects later, unless it is blocked", () => {
		const servers = [{ name: "one" }]
		const late = { getAllServers: () => servers }
		expect(mcpServersOf(mode({ blockedMcpServers: ["two"] }), late)).toEqual(["one"])
		servers.push({ name: "two" }, { name: "three" })
		expect(mcpServersOf(mode({ blockedMcpServers: ["two"] }), late)).toEqual(["one", "three"])
	})
})
