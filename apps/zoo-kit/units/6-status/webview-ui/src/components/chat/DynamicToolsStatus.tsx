import { useId, useState } from "react"

import { useAppTranslation } from "@src/i18n/TranslationContext"
import { useDynamicToolStatus } from "@src/hooks/useDynamicToolStatus"

/** How many of the MCP tools the model sees this turn, whole or by name, and which. Nothing while it has all of them. */
export const DynamicToolsStatus = () => {
	const { t } = useAppTranslation()
	const { mode, attachedCount, totalScoped, attached, named } = useDynamicToolStatus()
	const [isOpen, setIsOpen] = useState(false)
	const listId = useId()

	if (mode === "all") {
		return null
	}

	return (
		<div className="px-3 py-1 text-sm text-vscode-descriptionForeground" data-testid="dynamic-tools-status">
			<button
				type="button"
				className="flex items-center gap-1 p-0 bg-transparent border-none cursor-pointer text-inherit"
				aria-expanded={isOpen}
				aria-controls={listId}
				onClick={() => setIsOpen(!isOpen)}>
				<span className={`codicon codicon-chevron-${isOpen ? "down" : "right"}`} aria-hidden="true" />
				{t("chat:dynamicTools.status", { sent: attachedCount + named.length, total: totalScoped })}
			</button>
			{isOpen && (
				<ul id={listId} className="m-0 pl-5 max-h-60 overflow-y-auto list-none break-words">
					{attached.map((name) => (
						<li key={name}>{labelOf(name)}</li>
					))}
					{named.map((name) => (
						<li key={name}>{`${labelOf(name)} (${t("chat:dynamicTools.named")})`}</li>
					))}
				</ul>
			)}
		</div>
	)
}

/** As the user knows a tool: by its server and its own name. */
const labelOf = (name: string) => name.replace(/^mcp--/, "").replace("--", ": ")
