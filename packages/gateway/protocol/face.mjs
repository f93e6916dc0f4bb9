// What the gateway says about itself.

export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

export const INSTRUCTIONS = {
  legacy:
    'A gateway to many MCP servers. Their tools are not listed at first: ask for them with the meta tools, then list again.',
  modern:
    'A gateway to many MCP servers. Most of their tools are not listed: mcp_load answers their definitions, and ' +
    'call_tool_read, call_tool_write and call_tool_destructive call them.',
}
