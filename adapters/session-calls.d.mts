import type { ToolRef } from '../index.js'

/** What `tools/call` of an MCP server answers. */
export interface CallResult {
  /** Text, images, resources. Of what is not text, the model is told the kind. */
  content: { type: string; text?: string; resource?: { text?: string } }[]
  /** Whether the call failed: then it is no use of the tool. */
  isError?: boolean
}

/** Makes a call that the session has checked: `tools/call` of the server that has the tool. */
// biome-ignore lint/suspicious/noExplicitAny: arguments are what the tool's schema says
export type Call = (tool: ToolRef, args: Record<string, any>) => Promise<CallResult | string>
