import { render, screen } from "@/utils/test-utils"

import { McpLoadRow } from "../McpLoadRow"

vi.mock("@src/i18n/TranslationContext", () => ({
	useAppTranslation: () => ({ t: (key: string) => key }),
}))

describe("McpLoadRow", () => {
	it("names each tool and what was asked for, as text", () => {
		render(<McpLoadRow text={JSON.stringify({ query: "send", tools: ["chat: send", "x: <b>bold</b>"] })} />)
		expect(screen.getByTestId("mcp-load")).toHaveTextContent("chat:mcpLoad.loaded")
		expect(screen.getByText("send")).toBeInTheDocument()
		expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
			"chat: send",
			"x: <b>bold</b>",
		])
	})

	it("says that nothing fits, also where its text cannot be read", () => {
		for (const text of ['{"query":"zebra","tools":[]}', "{", undefined]) {
			const { unmount } = render(<McpLoadRow text={text} />)
			expect(screen.getByTestId("mcp-load")).toHaveTextContent("chat:mcpLoad.none")
			unmount()
		}
	})
})
