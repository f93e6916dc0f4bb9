import type { DynamicToolStatus } from "@roo-code/types"

import { useExtensionState } from "@src/context/ExtensionStateContext"

const ALL: DynamicToolStatus = { mode: "all", attachedCount: 0, totalScoped: 0, attached: [], named: [] }

/** Which MCP tools the current task has. */
export const useDynamicToolStatus = (): DynamicToolStatus => useExtensionState().dynamicTools ?? ALL
