import type { Anthropic } from "@anthropic-ai/sdk"
import * as fs from "fs/promises"
import * as path from "path"

import type { Task } from "../../core/task/Task"
import { getTaskDirectoryPath } from "../../utils/storage"

import type { RouterSettings } from "./router"
import { ToolSession } from "./ToolSession"
import { toolWindow } from "./toolWindow"

/** Off: nothing is chosen before models can load what is not sent. */
const settingsOf = (_task: Task): RouterSettings | undefined => undefined

/** The tools of a task. Their state stands beside its messages, so that a resumed task goes on with them. */
export function createToolSession(task: Task, globalStoragePath: string): ToolSession {
	const { taskId, parentTaskId } = task
	const file = async (id: string) => path.join(await getTaskDirectoryPath(globalStoragePath, id), "tool_session.json")
	const onProblem = (problem: unknown) => console.warn(`[ToolSession] ${taskId}:`, problem)
	return new ToolSession({
		taskId,
		parentTaskId,
		messages: () => task.clineMessages,
		// 0 before the first request: not known yet.
		contextTokens: () => task.getTokenUsage().contextTokens || undefined,
		settings: () => {
			const settings = settingsOf(task)
			const { contextWindow } = task.api?.getModel().info ?? {}
			return settings && { contextWindow, ...settings }
		},
		window: async () => {
			const hub = task.providerRef.deref()?.getMcpHub()
			const onFallback = (reason: string, problem: unknown) => onProblem(`${reason}: ${problem}`)
			const cacheDir = path.join(globalStoragePath, "tool_vectors")
			return hub && toolWindow({ hub, cacheDir, onProblem, onFallback })
		},
		store: {
			read: async (id) => fs.readFile(await file(id), "utf8").catch(() => undefined),
			write: async (id, state) => fs.writeFile(await file(id), state),
		},
		onProblem,
	})
}

/** Puts texts behind the newest message of a conversation, as part of it where that is the user's. */
export function addTexts(messages: object[], texts: string[]): void {
	const blocks: Anthropic.TextBlockParam[] = texts.map((text) => ({ type: "text", text }))
	const newest = messages.at(-1) as Partial<Anthropic.MessageParam> | undefined
	if (newest?.role !== "user") {
		messages.push({ role: "user", content: blocks })
		return
	}
	const { content = [] } = newest
	const before = typeof content === "string" ? [{ type: "text", text: content }] : content
	messages[messages.length - 1] = { ...newest, content: [...before, ...blocks] }
}
