import type { ContextUsageSection } from "@roo-code/types"

import { act, fireEvent, render, screen } from "@/utils/test-utils"

import { ContextUsagePanel } from "../ContextUsagePanel"

const { postMessage } = vi.hoisted(() => ({ postMessage: vi.fn() }))
vi.mock("@src/utils/vscode", () => ({ vscode: { postMessage } }))
vi.mock("react-i18next", () => ({
	useTranslation: () => ({ t: (key: string) => key }),
	initReactI18next: { type: "3rdParty", init: vi.fn() },
}))

const SECTIONS: ContextUsageSection[] = [
	{ kind: "system", tokens: 90 },
	{ kind: "native", count: 14, tokens: 40 },
	{ kind: "mcp", name: "jira", count: 30, tokens: 60 },
	{ kind: "messages", count: 2, tokens: 10 },
]
const tell = (contextUsage: ContextUsageSection[]) =>
	act(() => void window.dispatchEvent(new MessageEvent("message", { data: { type: "contextUsage", contextUsage } })))
const firstCells = () => screen.getAllByRole("row").map((row) => row.firstChild?.textContent)

describe("ContextUsagePanel", () => {
	beforeEach(() => vi.clearAllMocks())

	it("asks for nothing before it is opened", () => {
		render(<ContextUsagePanel contextWindow={2_000} />)
		expect(postMessage).not.toHaveBeenCalled()
		fireEvent.click(screen.getByRole("button", { name: "chat:contextUsage.title" }))
		expect(postMessage).toHaveBeenCalledWith({ type: "requestContextUsage" })
		expect(screen.getByText("chat:contextUsage.none")).toBeInTheDocument()
	})

	it("shows the largest section first, what all take together, shares of the window, and apart what has left it", () => {
		render(<ContextUsagePanel contextWindow={2_000} />)
		fireEvent.click(screen.getByRole("button"))
		tell(SECTIONS)
		expect(firstCells()).toEqual([
			"chat:contextUsage.section",
			"chat:contextUsage.system",
			"jira (30)",
			"chat:contextUsage.native (14)",
			"chat:contextUsage.messages (2)",
			"chat:contextUsage.total",
		])
		expect(screen.getAllByRole("row").at(-1)).toHaveTextContent("20010.0")
		tell([...SECTIONS, { kind: "left", tokens: 70 }])
		expect(screen.getAllByRole("row").at(-2)).toHaveTextContent("20010.0")
		expect(screen.getAllByRole("row").at(-1)).toHaveTextContent("chat:contextUsage.left70")
	})

	it("is put in order by name, and says by what it is", () => {
		render(<ContextUsagePanel contextWindow={1} />)
		fireEvent.click(screen.getByRole("button"))
		tell(SECTIONS)
		fireEvent.click(screen.getByRole("button", { name: "chat:contextUsage.section" }))
		expect(firstCells().at(-2)).toBe("jira (30)")
		const header = screen.getByRole("columnheader", { name: "chat:contextUsage.section" })
		expect(header).toHaveAttribute("aria-sort", "ascending")
	})
})
