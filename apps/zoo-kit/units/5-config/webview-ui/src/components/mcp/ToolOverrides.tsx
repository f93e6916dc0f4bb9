import { useAppTranslation } from "@src/i18n/TranslationContext"
import { useExtensionState } from "@src/context/ExtensionStateContext"

/** The tools of which models read another description than the server's own, with both. Nothing where there is none. */
export const ToolOverrides = () => {
	const { t } = useAppTranslation()
	const { mcpServers } = useExtensionState()
	const overridden = mcpServers.flatMap(({ name, source, tools = [] }) =>
		tools
			.filter(({ originalDescription }) => originalDescription !== undefined)
			.map((tool) => ({ ...tool, key: `${source} ${name} ${tool.name}`, label: `${name}: ${tool.name}` })),
	)

	if (overridden.length === 0) {
		return null
	}

	return (
		<details className="mb-5 text-sm" data-testid="tool-overrides">
			<summary className="cursor-pointer">{t("mcp:overrides", { total: overridden.length })}</summary>
			{overridden.map(({ key, label, description, originalDescription }) => (
				<div key={key} className="pl-5 py-1 break-words">
					<div className="font-medium">{label}</div>
					<ins className="block no-underline">{description}</ins>
					<del className="block text-vscode-descriptionForeground">{originalDescription}</del>
				</div>
			))}
		</details>
	)
}
