// SPDX-License-Identifier: Apache-2.0
//
// The extension's own published types fit the router and examples/zoo-code as they are.

import type { McpServer, McpTool } from '@roo-code/types'

import type { FunctionTool, HubServer, McpHubLike } from '../examples/zoo-code/host.js'
import type { HubTools } from '../examples/zoo-code/hub.js'
import { ToolRouter } from '../index.js'

/** What is used of `McpHub` (services/mcp/McpHub.ts of the extension), whose class is not published. */
declare const hub: { getServers(): McpServer[]; getAllServers(): McpServer[] }
declare const server: McpServer
declare const tool: McpTool

const fits: McpHubLike = hub
const asKept: HubServer = server
export const adapter: (tools: typeof HubTools) => HubTools = (Tools) => new Tools(ToolRouter.shared(), hub, () => {})
export const set = (): Promise<unknown> => ToolRouter.shared().setServers([server, { ...asKept, tools: [tool] }])
export const definitions: FunctionTool[] = []
export { fits }
