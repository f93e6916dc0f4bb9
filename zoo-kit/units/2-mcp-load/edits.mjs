// SPDX-License-Identifier: Apache-2.0
//
// Where mcp_load and mcp_call get into the extension: names and group, parser, presenter, and the chat.

import { SyntaxKind } from 'ts-morph'

import { casesOf, expectCount, insertBefore } from '../../tree.mjs'
import { MCP_LOAD } from './edits/translations.mjs'

const TOOL_TYPES = 'packages/types/src/tool.ts'
const MESSAGE_TYPES = 'packages/types/src/message.ts'
const TOOLS = 'src/shared/tools.ts'
const PARSER = 'src/core/assistant-message/NativeToolCallParser.ts'
const PRESENTER = 'src/core/assistant-message/presentAssistantMessage.ts'
const CHAT = 'webview-ui/src/components/chat/ChatRow.tsx'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, locales }) {
  addNames(source(TOOL_TYPES), source(MESSAGE_TYPES), source(TOOLS))
  addToParser(source(PARSER))
  addToPresenter(source(PRESENTER))
  addToChat(source(CHAT))
  locales('chat', (content, language) => {
    content.mcpLoad = MCP_LOAD[language]
  })
}

/** Whether a tree has it already. */
export const isDone = ({ source }) =>
  source(TOOL_TYPES).getVariableDeclarationOrThrow('toolNames').getText().includes('"mcp_load"')

const arrayOf = (file, name) =>
  file.getVariableDeclarationOrThrow(name).getFirstDescendantByKindOrThrow(SyntaxKind.ArrayLiteralExpression)

function addNames(toolTypes, messageTypes, tools) {
  const addAfter = (array, name, added) => {
    const place = array.getElements().findIndex((each) => each.getText() === name)
    if (place < 0) throw new Error(`expected ${name} in ${array.getText().slice(0, 60)}`)
    array.insertElement(place + 1, added)
  }
  addAfter(arrayOf(toolTypes, 'toolNames'), '"access_mcp_resource"', '"mcp_load"')
  addAfter(arrayOf(toolTypes, 'toolNames'), '"mcp_load"', '"mcp_call"')
  addAfter(arrayOf(messageTypes, 'clineSays'), '"mcp_server_response"', '"mcp_load"')
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

/** While a call streams, and when it is whole. */
function addToParser(file) {
  const add = (method, args, cast) => {
    // Found anew, since text was put in.
    const parse = file.getClassOrThrow('NativeToolCallParser').getStaticMethodOrThrow(method)
    const [clause] = expectCount(casesOf(parse, '"use_mcp_tool"'), 1, method)
    insertBefore(clause, [
      'case "mcp_load":',
      `\tif (${args}.query !== undefined) {`,
      `\t\tnativeArgs = { query: ${args}.query }${cast}`,
      '\t}',
      '\tbreak',
      '',
      'case "mcp_call":',
      `\tif (${args}.name !== undefined) {`,
      `\t\tnativeArgs = { name: ${args}.name, arguments: ${args}.arguments }${cast}`,
      '\t}',
      '\tbreak',
      '',
    ])
  }
  add('createPartialToolUse', 'partialArgs', '')
  add('parseToolCall', 'args', ' as NativeArgsFor<TName>')
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
    "\treturn `[${block.name} for '${block.params.query}']`",
    'case "mcp_call":',
    "\treturn `[${block.name} for '${block.params.name}']`",
  ])
}

function addToChat(file) {
  const imports = file.getImportDeclarationOrThrow('./WarningRow')
  file.insertStatements(imports.getChildIndex() + 1, 'import { McpLoadRow } from "./McpLoadRow"')
  const [clause] = expectCount(casesOf(file, '"too_many_tools_warning"'), 1, 'case "too_many_tools_warning"')
  insertBefore(clause, ['case "mcp_load":', '\treturn <McpLoadRow text={message.text} />'])
}
