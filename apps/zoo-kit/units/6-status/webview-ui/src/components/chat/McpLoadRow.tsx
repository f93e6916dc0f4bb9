import { useAppTranslation } from "@src/i18n/TranslationContext"
import { safeJsonParse } from "@roo/core"

/** Which MCP tools the model has loaded. Names come from servers: they are shown as text. */
export const McpLoadRow = ({ text }: { text?: string }) => {
	const { t } = useAppTranslation()
	const { query = "", tools = [] } = safeJsonParse<{ query?: string; tools?: string[] }>(text) ?? {}

	return (
		<div data-testid="mcp-load">
			<div className="flex items-center gap-2 font-bold">
				<span className="codicon codicon-extensions" aria-hidden="true" />
				{t(tools.length > 0 ? "chat:mcpLoad.loaded" : "chat:mcpLoad.none")}
			</div>
			<div className="pl-6 text-vscode-descriptionForeground break-words">{query}</div>
			{tools.length > 0 && (
				<ul className="pl-6 m-0 list-none break-words">
					{tools.map((tool) => (
						<li key={tool}>{tool}</li>
					))}
				</ul>
			)}
		</div>
	)
}
