import * as fs from "fs/promises"
import * as path from "path"

import { getTaskDirectoryPath } from "../../utils/storage"

import { Bm25Ranker } from "./Bm25Ranker"
import { ToolRanker } from "./ToolRanker"
import { ToolSession, type ToolSessionSettings } from "./ToolSession"

/** Off: nothing is chosen before models can load what is deferred. */
const SETTINGS: ToolSessionSettings = { threshold: 60, initialK: 30, turnK: 10, searchTurns: 0 }

export interface ToolSessionOptions {
	settings?: () => ToolSessionSettings
}

const FILE = "tool_session.json"

/** The session of a task. Its state stands beside the task's messages, so that a resumed task goes on with its tools. */
export function createToolSession(
	globalStoragePath: string,
	taskId: string,
	options: ToolSessionOptions = {},
): ToolSession {
	const settings = options.settings ?? (() => SETTINGS)
	const file = async () => path.join(await getTaskDirectoryPath(globalStoragePath, taskId), FILE)
	const store = {
		read: () =>
			file()
				.then((at) => fs.readFile(at, "utf8"))
				.catch(() => undefined),
		write: async (state: string) => fs.writeFile(await file(), state),
	}
	const warn = (problem: unknown) => console.warn(`[ToolSession] ${taskId}:`, problem)
	const { threshold } = settings()
	const ranker = new ToolRanker(new Bm25Ranker(), { isAddonWanted: () => false, threshold, onFallback: warn })
	return new ToolSession(ranker, settings, store, warn)
}
