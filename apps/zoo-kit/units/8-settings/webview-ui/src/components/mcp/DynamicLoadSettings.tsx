import { useId, useState } from "react"
import { VSCodeCheckbox } from "@vscode/webview-ui-toolkit/react"

import { DYNAMIC_LOAD_BOUNDS, DYNAMIC_LOAD_DEFAULTS, dynamicLoadOf, type DynamicLoad } from "@roo-code/types"

import { useAppTranslation } from "@src/i18n/TranslationContext"

type NumberKey = keyof typeof DYNAMIC_LOAD_BOUNDS

interface DynamicLoadSettingsProps {
	value?: DynamicLoad
	onChange: (value: DynamicLoad) => void
}

/** Which MCP tools tasks have when there are many. A number out of its bounds is told, and not taken. */
export const DynamicLoadSettings = ({ value, onChange }: DynamicLoadSettingsProps) => {
	const { t } = useAppTranslation()
	const settings = dynamicLoadOf(value)

	return (
		<fieldset className="border-none p-0 mb-5" data-testid="dynamic-load-settings">
			<legend className="font-medium">{t("mcp:dynamicLoad.title")}</legend>
			<p className="text-xs text-vscode-descriptionForeground my-1">{t("mcp:dynamicLoad.description")}</p>
			{(Object.keys(DYNAMIC_LOAD_BOUNDS) as NumberKey[]).map((name) => (
				<NumberSetting
					key={name}
					name={name}
					value={settings[name]}
					hasAuto={DYNAMIC_LOAD_DEFAULTS[name] === "auto"}
					onChange={(taken) => onChange({ ...settings, [name]: taken })}
				/>
			))}
			<VSCodeCheckbox
				checked={settings.useAddon}
				onChange={({ target }) =>
					onChange({ ...settings, useAddon: (target as HTMLInputElement | null)?.checked ?? false })
				}>
				{t("mcp:dynamicLoad.useAddon")}
			</VSCodeCheckbox>
			<p className="text-xs text-vscode-descriptionForeground my-1">{t("mcp:dynamicLoad.useAddonHint")}</p>
		</fieldset>
	)
}

interface NumberSettingProps {
	name: NumberKey
	value: number | "auto"
	/** An empty field says `auto`. */
	hasAuto: boolean
	onChange: (value: number | "auto") => void
}

const NumberSetting = ({ name, value, hasAuto, onChange }: NumberSettingProps) => {
	const { t } = useAppTranslation()
	const id = useId()
	const [min, max] = DYNAMIC_LOAD_BOUNDS[name]
	const [wrong, setWrong] = useState<string>()

	const take = (text: string) => {
		const isEmpty = text.trim() === ""
		const number = Number(text)
		const isRight = isEmpty ? hasAuto : Number.isInteger(number) && number >= min && number <= max
		setWrong(isRight ? undefined : text)
		if (isRight) {
			onChange(isEmpty ? "auto" : number)
		}
	}

	return (
		<div className="mb-2">
			<label className="flex items-center justify-between gap-2" htmlFor={id}>
				{t(`mcp:dynamicLoad.${name}`)}
				<input
					id={id}
					type="number"
					className="w-20 bg-vscode-input-background text-vscode-input-foreground border border-vscode-input-border"
					min={min}
					max={max}
					value={wrong ?? (value === "auto" ? "" : value)}
					aria-invalid={wrong !== undefined}
					aria-describedby={`${id}-hint`}
					onChange={({ target }) => take(target.value)}
				/>
			</label>
			<p
				id={`${id}-hint`}
				className={`text-xs my-1 ${wrong === undefined ? "text-vscode-descriptionForeground" : "text-vscode-errorForeground"}`}>
				{wrong === undefined ? t(`mcp:dynamicLoad.${name}Hint`) : t("mcp:dynamicLoad.range", { min, max })}
			</p>
		</div>
	)
}
