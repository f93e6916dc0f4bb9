// The extension's own published types fit the router as they are, and the router is what the kit takes it for.

import type { McpServer, McpTool } from '@roo-code/types'

import { ToolRouter } from '../index.js'
import type { Hub } from '../apps/zoo-kit/units/0-router/src/services/tools/HubTools'
import type { Router } from '../apps/zoo-kit/units/0-router/src/services/tools/router'

/** What is used of `McpHub` (services/mcp/McpHub.ts of the extension), whose class is not published. */
declare const hub: { getServers(): McpServer[]; getAllServers(): McpServer[] }
declare const server: McpServer
declare const tool: McpTool

const fits: Hub = hub
const asTaken: Router = ToolRouter.shared()
export const set = (): Promise<unknown> => ToolRouter.shared().setServer({ ...server, tools: [tool] })
export { asTaken, fits }
