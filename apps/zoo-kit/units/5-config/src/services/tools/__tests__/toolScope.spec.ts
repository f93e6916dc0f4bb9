import * as fs from "fs/promises"
import * as os from "os"
import * as path from "path"

import type { McpTool } from "@roo-code/types"

import { McpHub, ServerConfigSchema } from "../../mcp/McpHub"
import { applyToolScope } from "../toolScope"

const TOOLS: McpTool[] = ["read", "write", "toString"].map((name) => ({ name, description: `to ${name}` }))
const onOf = (entry: unknown) =>
	applyToolScope(TOOLS, entry).flatMap(({ name, enabledForPrompt }) => (enabledForPrompt ? [name] : []))

describe("tools as a server's entry has them", () => {
	it("keeps the three keys where an entry is validated, for each kind of server", () => {
		const scope = { onlyAllow: ["read"], alwaysLoad: ["read"], toolDescriptionOverrides: { read: "Reads." } }
		for (const kind of [{ command: "node" }, { type: "sse", url: "https://a.example/" }] as const) {
			expect(ServerConfigSchema.parse({ ...kind, ...scope })).toMatchObject(scope)
		}
		expect(ServerConfigSchema.parse({ command: "node", onlyAllow: "none" })).toMatchObject({ onlyAllow: "none" })
		expect(ServerConfigSchema.safeParse({ command: "node", onlyAllow: "some" }).success).toBe(false)
	})

	it("allows what is named, whatever is disabled; all with an empty list, and none by a word", () => {
		expect(onOf({ onlyAllow: ["read"] })).toEqual(["read"])
		expect(onOf({ onlyAllow: [] })).toEqual(["read", "write", "toString"])
		expect(onOf({ onlyAllow: "none" })).toEqual([])
		const disabled = [{ name: "read", enabledForPrompt: false }]
		const isOn = (entry: unknown) => applyToolScope(disabled, entry)[0].enabledForPrompt
		expect([isOn({ onlyAllow: ["read"] }), isOn({ onlyAllow: [] }), isOn({})]).toEqual([true, false, false])
	})

	it("changes nothing for an entry without the keys, or with ones that cannot be read", () => {
		expect(onOf({})).toEqual(["read", "write", "toString"])
		for (const entry of [undefined, {}]) {
			expect(applyToolScope(TOOLS, entry).map(({ description }) => description)).toEqual(
				TOOLS.map(({ description }) => description),
			)
		}
		expect(applyToolScope(TOOLS, { alwaysLoad: 3 })).toBe(TOOLS)
	})

	it("words only the tools that are named, also one named like a member of every object", () => {
		const [read, write, odd] = applyToolScope(TOOLS, { toolDescriptionOverrides: { read: "Reads." } })
		expect([read.description, write.description, odd.description]).toEqual(["Reads.", "to write", "to toString"])
		expect([read.originalDescription, write.originalDescription]).toEqual(["to read", undefined])
	})

	it("is read from the file of the server's own source, by the real hub", async () => {
		const folder = await fs.mkdtemp(path.join(os.tmpdir(), "tool-scope-"))
		const file = path.join(folder, "mcp.json")
		const entry = { disabledTools: ["write"], onlyAllow: ["read", "write"], alwaysLoad: ["read"] }
		await fs.writeFile(file, JSON.stringify({ mcpServers: { one: entry } }))
		const connection = { type: "connected", client: { request: async () => ({ tools: TOOLS }) }, server: {} }
		// The hub without its watchers: what it reads is real.
		const hub: McpHub = Object.assign(Object.create(McpHub.prototype), {
			findConnection: () => connection,
			getMcpSettingsFilePath: async () => file,
		})
		const tools = await hub["fetchToolsList"]("one", "global")
		expect(tools.map(({ enabledForPrompt }) => enabledForPrompt)).toEqual([true, true, false])
		expect(tools.map(({ alwaysLoad }) => alwaysLoad ?? false)).toEqual([true, false, false])
		await fs.rm(folder, { recursive: true })
	})
})
