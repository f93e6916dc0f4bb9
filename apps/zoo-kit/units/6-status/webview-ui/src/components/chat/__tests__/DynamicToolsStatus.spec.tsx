import type { DynamicToolStatus } from "@roo-code/types"

import { fireEvent, render, screen } from "@/utils/test-utils"

import { DynamicToolsStatus } from "../DynamicToolsStatus"

const state = vi.hoisted(() => ({ dynamicTools: undefined as DynamicToolStatus | undefined }))

vi.mock("@src/context/ExtensionStateContext", () => ({ useExtensionState: () => state }))
vi.mock("@src/i18n/TranslationContext", () => ({
	useAppTranslation: () => ({
		t: (key: string, { attached, total }: { attached: number; total: number }) => `${key} ${attached}/${total}`,
	}),
}))

const dynamic: DynamicToolStatus = {
	mode: "dynamic",
	attachedCount: 2,
	totalScoped: 200,
	attached: ["mcp--files--read", "mcp--my_chat--send--now"],
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
		const button = screen.getByRole("button", { name: "chat:dynamicTools.status 2/200" })
		expect(button).toHaveAttribute("aria-expanded", "false")
		expect(screen.queryByRole("list")).toBeNull()
		fireEvent.click(button)
		expect(button).toHaveAttribute("aria-expanded", "true")
		expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
			"files: read",
			"my_chat: send--now",
		])
	})
})
