import type { DynamicToolStatus } from "@roo-code/types"

import { fireEvent, render, screen } from "@/utils/test-utils"

import { DynamicToolsStatus } from "../DynamicToolsStatus"

const state = vi.hoisted(() => ({ dynamicTools: undefined as DynamicToolStatus | undefined }))

vi.mock("@src/context/ExtensionStateContext", () => ({ useExtensionState: () => state }))
vi.mock("@src/i18n/TranslationContext", () => ({
	useAppTranslation: () => ({
		t: (key: string, { sent, total }: Record<string, number> = {}) => (sent ? `${key} ${sent}/${total}` : key),
	}),
}))

const dynamic: DynamicToolStatus = {
	mode: "dynamic",
	attachedCount: 2,
	totalScoped: 200,
	attached: ["mcp--files--read", "mcp--my_chat--send--now"],
	named: ["mcp--files--list"],
}

describe("DynamicToolsStatus", () => {
	it("shows nothing while a task has all tools, and without a task", () => {
		for (const status of [undefined, { ...dynamic, mode: "all" as const }]) {
			state.dynamicTools = status
			const { container, unmount } = render(<DynamicToolsStatus />)
			expect(container).toBeEmptyDOMElement()
			unmount()
		}
	})

	it("shows N of M, and the names on a click, by server", () => {
		state.dynamicTools = dynamic
		render(<DynamicToolsStatus />)
		const button = screen.getByRole("button", { name: "chat:dynamicTools.status 3/200" })
		expect(button).toHaveAttribute("aria-expanded", "false")
		expect(screen.queryByRole("list")).toBeNull()
		fireEvent.click(button)
		expect(button).toHaveAttribute("aria-expanded", "true")
		expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
			"files: read",
			"my_chat: send--now",
			"files: list (chat:dynamicTools.named)",
		])
	})

	it("is not 0 where every tool that is sent is told by name", () => {
		state.dynamicTools = { ...dynamic, attachedCount: 0, attached: [] }
		render(<DynamicToolsStatus />)
		screen.getByRole("button", { name: "chat:dynamicTools.status 1/200" })
	})
})
