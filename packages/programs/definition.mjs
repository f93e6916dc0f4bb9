// What a model is told of programs. Each request pays for it.

const CODE =
  'Async function body: await tools.server.tool({...}); (await tools.search(need)).tools are {call, signature}; ' +
  'tools.describe(name); tools.find(value, need). Answers what it returns or print()s.'

/**
 * The definition of the tool that runs a program, for hosts that offer it to their model.
 *
 * @param {string} [name]
 * @returns {{ name: string, description: string, inputSchema: object }}
 */
export function programTool(name = 'run_program') {
  return {
    name,
    description: 'Run JavaScript that calls MCP tools, for many calls or large results.',
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string', description: CODE } },
      required: ['code'],
    },
  }
}
