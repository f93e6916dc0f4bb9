import { useCallback, useId, useState } from "react"
import { useTranslation } from "react-i18next"
import { useEvent } from "react-use"

import type { ContextUsageSection, ExtensionMessage } from "@roo-code/types"

import { formatLargeNumber } from "@src/utils/format"
import { vscode } from "@src/utils/vscode"

type Order = "tokens" | "name"

/** What the last request of the task took of the context window, by section. It is counted when it is opened. */
export const ContextUsagePanel = ({ contextWindow }: { contextWindow: number }) => {
	const { t } = useTranslation()
	const [isOpen, setIsOpen] = useState(false)
	const [sections, setSections] = useState<ContextUsageSection[]>([])
	const [order, setOrder] = useState<Order>("tokens")
	const tableId = useId()

	useEvent(
		"message",
		useCallback(({ data }: MessageEvent<ExtensionMessage>) => {
			if (data.type === "contextUsage") {
				setSections(data.contextUsage ?? [])
			}
		}, []),
	)

	const toggle = () => {
		if (!isOpen) {
			vscode.postMessage({ type: "requestContextUsage" })
		}
		setIsOpen(!isOpen)
	}
	const labelOf = ({ kind, name }: ContextUsageSection) => name ?? t(`chat:contextUsage.${kind}`)
	const left = sections.find(({ kind }) => kind === "left")
	const rows = sections
		.filter((row) => row !== left)
		.sort((a, b) => (order === "tokens" ? b.tokens - a.tokens : labelOf(a).localeCompare(labelOf(b))))
	const total = rows.reduce((sum, { tokens }) => sum + tokens, 0)
	const header = (by: Order, label: string, className: string) => (
		<th className={className} aria-sort={order === by ? (by === "name" ? "ascending" : "descending") : "none"}>
			<button
				type="button"
				className="p-0 bg-transparent border-none cursor-pointer text-inherit font-medium"
				onClick={() => setOrder(by)}>
				{label}
			</button>
		</th>
	)

	return (
		<div className="mt-1" data-testid="context-usage">
			<button
				type="button"
				className="flex items-center gap-1 p-0 bg-transparent border-none cursor-pointer text-inherit"
				aria-expanded={isOpen}
				aria-controls={tableId}
				onClick={toggle}>
				<span className={`codicon codicon-chevron-${isOpen ? "down" : "right"}`} aria-hidden="true" />
				{t("chat:contextUsage.title")}
			</button>
			{isOpen && sections.length === 0 && <div className="pl-5">{t("chat:contextUsage.none")}</div>}
			{isOpen && sections.length > 0 && (
				<table id={tableId} className="w-full pl-5 text-sm table-fixed">
					<thead>
						<tr>
							{header("name", t("chat:contextUsage.section"), "w-1/2 text-left")}
							{header("tokens", t("chat:contextUsage.tokens"), "text-right")}
							<th aria-hidden="true" className="text-right font-medium">
								%
							</th>
						</tr>
					</thead>
					<tbody>
						{rows.map((row) => (
							<tr key={`${row.kind} ${row.name ?? ""}`}>
								<td className="truncate" title={labelOf(row)}>
									{labelOf(row)}
									{row.count !== undefined && ` (${row.count})`}
								</td>
								<td className="text-right">{formatLargeNumber(row.tokens)}</td>
								<td className="text-right">{percentOf(row.tokens, contextWindow)}</td>
							</tr>
						))}
						<tr className="font-medium">
							<td>{t("chat:contextUsage.total")}</td>
							<td className="text-right">{formatLargeNumber(total)}</td>
							<td className="text-right">{percentOf(total, contextWindow)}</td>
						</tr>
						{left && (
							<tr className="text-vscode-descriptionForeground">
								<td>{labelOf(left)}</td>
								<td className="text-right">{formatLargeNumber(left.tokens)}</td>
								<td />
							</tr>
						)}
					</tbody>
				</table>
			)}
		</div>
	)
}

const percentOf = (tokens: number, contextWindow: number) =>
	contextWindow > 1 ? ((tokens / contextWindow) * 100).toFixed(1) : ""
