// Where mcp_load and mcp_call get into the extension: names and group, parser and presenter, and the hub's answer to a call.

import { SyntaxKind } from 'ts-morph'

import { casesOf, expectCount, insertBefore } from '../../tree.mjs'

const TOOL_TYPES = 'packages/types/src/tool.ts'
const TOOLS = 'src/shared/tools.ts'
const PARSER = 'src/core/assistant-message/NativeToolCallParser.ts'
const CALL = 'src/core/tools/UseMcpToolTool.ts'
const POLICY = 'src/core/prompts/tools/effective-tool-policy.ts'
const PRESENTER = 'src/core/assistant-message/presentAssistantMessage.ts'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, has }) {
  addNames(source(TOOL_TYPES), source(TOOLS))
  addToParser(source(PARSER))
  addToPresenter(source(PRESENTER))
  noteUses(source(CALL))
  if (has(POLICY)) holdToPolicy(source(POLICY))
}

/** Whether a tree has it already. */
export const isDone = ({ source }) =>
  source(TOOL_TYPES).getVariableDeclarationOrThrow('toolNames').getText().includes('"mcp_load"')

const arrayOf = (file, name) =>
  file.getVariableDeclarationOrThrow(name).getFirstDescendantByKindOrThrow(SyntaxKind.ArrayLiteralExpression)

function addNames(toolTypes, tools) {
  const addAfter = (array, name, added) => {
    const place = array.getElements().findIndex((each) => each.getText() === name)
    if (place < 0) throw new Error(`expected ${name} in ${array.getText().slice(0, 60)}`)
    array.insertElement(place + 1, added)
  }
  addAfter(arrayOf(toolTypes, 'toolNames'), '"access_mcp_resource"', '"mcp_load"')
  addAfter(arrayOf(toolTypes, 'toolNames'), '"mcp_load"', '"mcp_call"')
  const args = tools.getTypeAliasOrThrow('NativeToolArgs').getTypeNodeOrThrow().asKindOrThrow(SyntaxKind.TypeLiteral)
  args.insertProperty(1, { name: 'mcp_load', type: '{ query: string }' })
  args.insertProperty(2, { name: 'mcp_call', type: '{ name: string; arguments?: string | Record<string, unknown> }' })
  const objectOf = (name) =>
    tools.getVariableDeclarationOrThrow(name).getFirstDescendantByKindOrThrow(SyntaxKind.ObjectLiteralExpression)
  const display = objectOf('TOOL_DISPLAY_NAMES')
  const place = display.getPropertyOrThrow('access_mcp_resource').getChildIndex() / 2
  display.insertPropertyAssignments(place + 1, [
    { name: 'mcp_load', initializer: '"load mcp tools"' },
    { name: 'mcp_call', initializer: '"call an mcp tool"' },
  ])
  // With the group it is part of the policy of every mode that has MCP tools, and of validation.
  const group = objectOf('TOOL_GROUPS')
    .getPropertyOrThrow('mcp')
    .getFirstDescendantByKindOrThrow(SyntaxKind.ArrayLiteralExpression)
  group.addElements(['"mcp_load"', '"mcp_call"'])
}

/** A use is a call that the hub has answered without an error; one that the user refuses never gets there. */
function noteUses(file) {
  const [answer] = expectCount(
    file
      .getClassOrThrow('UseMcpToolTool')
      .getDescendantsOfKind(SyntaxKind.VariableStatement)
      .filter((each) => each.getText().includes('.callTool(')),
    1,
    'the call of the hub in UseMcpToolTool',
  )
  const { name } = answer.getDeclarations()[0].getStructure()
  insertBefore(answer.getNextSiblingOrThrow(), [
    `if (${name} && !${name}.isError) {`,
    '\tawait task.toolSession?.used({ serverName, toolName })',
    '}',
    '',
  ])
}

/** Where the tree has one policy for all tools: both are there where MCP tools may be called, and while the switch is on. */
export function holdToPolicy(file) {
  const policy = file.getFunctionOrThrow('resolveEffectiveToolPolicy')
  const [pruned] = expectCount(
    policy.getStatements().filter((each) => each.getText().startsWith('if (!hasMcpTools)')),
    1,
    'if (!hasMcpTools)',
  )
  policy.insertStatements(pruned.getChildIndex() + 1, [
    'if (!experiments?.dynamicMcpTools || !allowedToolNames.has("use_mcp_tool")) {',
    '\tallowedToolNames.delete("mcp_load")',
    '\tallowedToolNames.delete("mcp_call")',
    '}',
  ])
}

/** A call counts when it is whole: nothing is shown of one that streams. */
function addToParser(file) {
  const parse = file.getClassOrThrow('NativeToolCallParser').getStaticMethodOrThrow('parseToolCall')
  const [clause] = expectCount(casesOf(parse, '"use_mcp_tool"'), 1, 'case "use_mcp_tool" in parseToolCall')
  insertBefore(clause, [
    'case "mcp_load":',
    '\tif (args.query !== undefined) {',
    '\t\tnativeArgs = { query: args.query } as NativeArgsFor<TName>',
    '\t}',
    '\tbreak',
    '',
    'case "mcp_call":',
    '\tif (args.name !== undefined) {',
    '\t\tnativeArgs = { name: args.name, arguments: args.arguments } as NativeArgsFor<TName>',
    '\t}',
    '\tbreak',
    '',
  ])
}

function addToPresenter(file) {
  const last = file.getImportDeclarationOrThrow('../tools/accessMcpResourceTool')
  file.insertStatements(last.getChildIndex() + 1, [
    'import { mcpCallTool } from "../tools/McpCallTool"',
    'import { mcpLoadTool } from "../tools/McpLoadTool"',
  ])
  // Whatever begins with `mcp_` would count as a call of an MCP tool.
  const name = file.getFunctionOrThrow('toTelemetryToolName')
  const [dynamic] = expectCount(
    name.getStatements().filter((each) => each.getText().includes('startsWith("mcp_")')),
    1,
    'toTelemetryToolName',
  )
  insertBefore(dynamic, ['if (toolName === "mcp_load" || toolName === "mcp_call") {', '\treturn toolName', '}', ''])
  const clauses = () => casesOf(file.getFunctionOrThrow('presentAssistantMessage'), '"access_mcp_resource"')
  expectCount(clauses(), 2, 'case "access_mcp_resource"')
  const run = (name, tool) => [
    `case "${name}":`,
    `\tawait ${tool}.handle(cline, block as ToolUse<"${name}">, {`,
    '\t\taskApproval,',
    '\t\thandleError,',
    '\t\tpushToolResult,',
    '\t\ttoolCallId: block.id,',
    '\t})',
    '\tbreak',
  ]
  insertBefore(clauses()[1], [...run('mcp_load', 'mcpLoadTool'), ...run('mcp_call', 'mcpCallTool')])
  insertBefore(clauses()[0], [
    'case "mcp_load":',
    'case "mcp_call":',
    "\treturn `[${block.name} for '${block.params.query ?? block.params.name}']`",
  ])
}
