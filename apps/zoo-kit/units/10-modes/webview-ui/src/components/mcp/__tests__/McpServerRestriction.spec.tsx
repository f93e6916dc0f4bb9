import type { ModeConfig } from "@roo-code/types"

import { fireEvent, render, screen } from "@/utils/test-utils"

import { McpServerRestriction } from "../McpServerRestriction"

const { postMessage, state } = vi.hoisted(() => ({
	postMessage: vi.fn(),
	state: {
		mode: "own",
		customModes: [] as ModeConfig[] | undefined,
		mcpServers: ["one", "two"].map((name) => ({ name })),
	},
}))

vi.mock("@src/utils/vscode", () => ({ vscode: { postMessage } }))
vi.mock("@src/context/ExtensionStateContext", () => ({ useExtensionState: () => state }))
vi.mock("@src/i18n/TranslationContext", () => ({ useAppTranslation: () => ({ t: (key: string) => key }) }))

const show = (more: Partial<ModeConfig>, slug = "own") => {
	state.customModes = [{ slug, name: "Own", roleDefinition: "own", groups: ["mcp"], ...more }]
	return render(<McpServerRestriction />)
}
const boxes = () => ["one", "two"].map((name) => screen.getByLabelText<HTMLInputElement>(name).checked)
const sent = () => postMessage.mock.lastCall?.[0].modeConfig

describe("McpServerRestriction", () => {
	it("shows nothing for a mode that is not the user's own", () => {
		expect(show({}, "other").container).toBeEmptyDOMElement()
	})

	it("shows nothing while the state has no modes", () => {
		state.customModes = undefined
		expect(render(<McpServerRestriction />).container).toBeEmptyDOMElement()
	})

	it("blocks a server that is unticked, and no longer one that is ticked", () => {
		show({ blockedMcpServers: ["two"] })
		expect(boxes()).toEqual([true, false])
		fireEvent.click(screen.getByLabelText("one"))
		expect(sent().blockedMcpServers).toEqual(["two", "one"])
		fireEvent.click(screen.getByLabelText("two"))
		expect(sent().blockedMcpServers).toEqual([])
	})

	it("keeps to what is allowed, where a mode says that", () => {
		show({ allowedMcpServers: ["two"], blockedMcpServers: ["two"] })
		expect(boxes()).toEqual([false, true])
		fireEvent.click(screen.getByLabelText("one"))
		expect(sent()).toMatchObject({ allowedMcpServers: ["two", "one"], blockedMcpServers: ["two"] })
	})
})
