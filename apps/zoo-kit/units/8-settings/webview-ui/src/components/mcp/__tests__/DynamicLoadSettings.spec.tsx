import { DYNAMIC_LOAD_DEFAULTS, type DynamicLoad } from "@roo-code/types"

import { fireEvent, render, screen } from "@/utils/test-utils"

import { DynamicLoadSettings } from "../DynamicLoadSettings"

vi.mock("@src/i18n/TranslationContext", () => ({
	useAppTranslation: () => ({
		t: (key: string, values?: object) => key + (values ? JSON.stringify(values) : ""),
	}),
}))
vi.mock("@vscode/webview-ui-toolkit/react", () => ({
	VSCodeCheckbox: ({ children, ...props }: React.InputHTMLAttributes<HTMLInputElement>) => (
		<label>
			<input type="checkbox" {...props} />
			{children}
		</label>
	),
}))

const setUp = (value?: DynamicLoad) => {
	const onChange = vi.fn()
	render(<DynamicLoadSettings value={value} onChange={onChange} />)
	const field = (name: string) => screen.getByLabelText(`mcp:dynamicLoad.${name}`)
	return {
		onChange,
		field,
		type: (name: string, text: string) => fireEvent.change(field(name), { target: { value: text } }),
	}
}

describe("DynamicLoadSettings", () => {
	it("shows what is stored, also 0, and the defaults of what is not", () => {
		const { field } = setUp({ searchTurns: 0, threshold: 7 })
		expect(field("searchTurns")).toHaveValue(0)
		expect(field("threshold")).toHaveValue(7)
		expect(field("initialK")).toHaveValue(null)
		expect(field("searchK")).toHaveValue(DYNAMIC_LOAD_DEFAULTS.searchK)
		expect(field("useAddon")).toBeChecked()
	})

	it("gives all settings with the one that was changed", () => {
		const { onChange, type, field } = setUp()
		type("searchTurns", "0")
		expect(onChange).toHaveBeenLastCalledWith({ ...DYNAMIC_LOAD_DEFAULTS, searchTurns: 0 })
		fireEvent.click(field("useAddon"))
		expect(onChange).toHaveBeenLastCalledWith({ ...DYNAMIC_LOAD_DEFAULTS, useAddon: false })
	})

	it("takes a number for what the router decides by itself, and nothing for auto again", () => {
		const { onChange, type, field } = setUp({ initialK: 5 })
		expect(field("initialK")).toHaveValue(5)
		type("initialK", "")
		expect(onChange).toHaveBeenLastCalledWith(DYNAMIC_LOAD_DEFAULTS)
		type("initialK", "12")
		expect(onChange).toHaveBeenLastCalledWith({ ...DYNAMIC_LOAD_DEFAULTS, initialK: 12 })
	})

	it("tells the range of a number that it does not take, at the field", () => {
		const { onChange, type, field } = setUp()
		for (const text of ["-1", "1001", "1.5", ""]) {
			type("threshold", text)
			expect(field("threshold")).toHaveAttribute("aria-invalid", "true")
			expect(screen.getByText('mcp:dynamicLoad.range{"min":0,"max":1000}')).toBeInTheDocument()
		}
		expect(onChange).not.toHaveBeenCalled()
		type("threshold", "8")
		expect(onChange).toHaveBeenCalledWith({ ...DYNAMIC_LOAD_DEFAULTS, threshold: 8 })
		expect(field("threshold")).toHaveAttribute("aria-invalid", "false")
	})
})
