// SPDX-License-Identifier: Apache-2.0
//
// What a model is told of programs. Each request pays for it.

const CODE =
  'Body of an async function. tools.<server>.<tool>({...}) calls a tool; (await tools.search("need")).tools are found ones as ' +
  '{call, signature}; tools.describe(name) has the schema. Only what you return or print() reaches you.'

/**
 * The definition of the tool that runs a program, for hosts that offer it to their model.
 *
 * @param {string} [name]
 * @returns {{ name: string, description: string, inputSchema: object }}
 */
export function programTool(name = 'run_program') {
  return {
    name,
    description:
      'Run JavaScript that calls MCP tools: for many calls, or large results of which you need a part. No network, files or timers.',
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string', description: CODE } },
      required: ['code'],
    },
  }
}
