import { TelemetryEventName } from "@roo-code/types"
import { TelemetryService } from "@roo-code/telemetry"

export type RankerKind = "embeddings" | "bm25"

/** How many tools a model sees: whole, and by name in a line. */
export const sentCount = ({ attached, directory }: { attached: string[]; directory: string[] }) =>
	attached.length + directory.length

/** What is told of a task's tools: counts, never a text or a name. Added are those that are sent whole or named. */
export type ToolEvent =
	| { name: "task_start"; scopedCount: number; attachedCount: number; namedCount: number; ranker: RankerKind }
	| {
			name: "mcp_load_invoked"
			taskTurn: number
			queryLength: number
			returnedCount: number
			alreadyAttachedCount: number
	  }
	| { name: "rolling_window_step"; turn: number; addedCount: number; totalAttached: number; namedCount: number }
	| { name: "ranker_fallback"; from: RankerKind; to: RankerKind; reason: "addon" | "model" }

const NAMES: Record<ToolEvent["name"], TelemetryEventName> = {
	task_start: TelemetryEventName.DYNAMIC_TOOLS_TASK_START,
	mcp_load_invoked: TelemetryEventName.DYNAMIC_TOOLS_MCP_LOAD_INVOKED,
	rolling_window_step: TelemetryEventName.DYNAMIC_TOOLS_ROLLING_WINDOW_STEP,
	ranker_fallback: TelemetryEventName.DYNAMIC_TOOLS_RANKER_FALLBACK,
}

/** Goes the way of all telemetry, so that opting out holds for it. */
export function sendToolEvent(taskId: string, { name, ...fields }: ToolEvent): void {
	if (TelemetryService.hasInstance()) {
		TelemetryService.instance.captureEvent(NAMES[name], { taskId, ...fields })
	}
}
