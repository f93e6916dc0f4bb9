import type { ModeConfig } from "@roo-code/types"

import { useAppTranslation } from "@src/i18n/TranslationContext"
import { useExtensionState } from "@src/context/ExtensionStateContext"
import { vscode } from "@src/utils/vscode"

/** The servers that the chosen mode may use, as boxes. Nothing for a mode of the extension: only the user's own say so. */
export const McpServerRestriction = () => {
	const { t } = useAppTranslation()
	const { mode: slug, customModes, mcpServers } = useExtensionState()
	const mode = customModes?.find((each) => each.slug === slug)

	if (!mode || mcpServers.length === 0) {
		return null
	}

	return (
		<fieldset className="border-none p-0 mb-5">
			<legend className="font-medium">{t("mcp:modeServers", { name: mode.name })}</legend>
			{[...new Set(mcpServers.map(({ name }) => name))].map((name) => (
				<label key={name} className="flex items-center gap-2">
					<input
						type="checkbox"
						checked={mayUse(mode, name)}
						onChange={({ target: { checked } }) =>
							vscode.postMessage({
								type: "updateCustomMode",
								slug,
								modeConfig: withServer(mode, name, checked),
							})
						}
					/>
					<span className="truncate">{name}</span>
				</label>
			))}
		</fieldset>
	)
}

const mayUse = ({ allowedMcpServers, blockedMcpServers }: ModeConfig, name: string) =>
	allowedMcpServers ? allowedMcpServers.includes(name) : !blockedMcpServers?.includes(name)

/** A list of what is allowed stays one, since it goes before what is blocked. */
function withServer(mode: ModeConfig, name: string, isUsed: boolean): ModeConfig {
	const key = mode.allowedMcpServers ? "allowedMcpServers" : "blockedMcpServers"
	const others = (mode[key] ?? []).filter((other) => other !== name)
	return { ...mode, [key]: isUsed === (key === "allowedMcpServers") ? [...others, name] : others }
}
