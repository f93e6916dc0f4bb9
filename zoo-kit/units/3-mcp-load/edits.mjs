// SPDX-License-Identifier: Apache-2.0
//
// Where mcp_load gets into the extension: its name and group, parser, presenter, the list of tools, and the chat.

import { SyntaxKind } from 'ts-morph'

import { casesOf, expectCount, insertBefore } from '../../tree.mjs'
import { MCP_LOAD } from './edits/translations.mjs'

const TOOL_TYPES = 'packages/types/src/tool.ts'
const MESSAGE_TYPES = 'packages/types/src/message.ts'
const TOOLS = 'src/shared/tools.ts'
const PARSER = 'src/core/assistant-message/NativeToolCallParser.ts'
const PRESENTER = 'src/core/assistant-message/presentAssistantMessage.ts'
const BUILD = 'src/core/task/build-tools.ts'
const SESSION = 'src/services/tools/ToolSession.ts'
const SPEC = 'src/services/tools/__tests__/ToolSession.spec.ts'
const SETTINGS = 'src/services/tools/createToolSession.ts'
const CHAT = 'webview-ui/src/components/chat/ChatRow.tsx'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, locales }) {
  addNames(source(TOOL_TYPES), source(MESSAGE_TYPES), source(TOOLS))
  addToParser(source(PARSER))
  addToPresenter(source(PRESENTER))
  addToList(source(BUILD))
  addToSession(source(SESSION))
  source(SETTINGS)
    .getVariableDeclarationOrThrow('SETTINGS')
    .getInitializerIfKindOrThrow(SyntaxKind.ObjectLiteralExpression)
    .addPropertyAssignment({ name: 'searchK', initializer: '10' })
  source(SPEC)
    .getVariableDeclarationOrThrow('ON')
    .getInitializerIfKindOrThrow(SyntaxKind.ObjectLiteralExpression)
    .addPropertyAssignment({ name: 'searchK', initializer: '2' })
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
  addAfter(arrayOf(messageTypes, 'clineSays'), '"mcp_server_response"', '"mcp_load"')
  const args = tools.getTypeAliasOrThrow('NativeToolArgs').getTypeNodeOrThrow().asKindOrThrow(SyntaxKind.TypeLiteral)
  args.insertProperty(1, { name: 'mcp_load', type: '{ query: string }' })
  const objectOf = (name) =>
    tools.getVariableDeclarationOrThrow(name).getFirstDescendantByKindOrThrow(SyntaxKind.ObjectLiteralExpression)
  const display = objectOf('TOOL_DISPLAY_NAMES')
  const place = display.getPropertyOrThrow('access_mcp_resource').getChildIndex() / 2
  display.insertPropertyAssignment(place + 1, { name: 'mcp_load', initializer: '"load mcp tools"' })
  // With the group it is part of the policy of every mode that has MCP tools, and of validation.
  const group = objectOf('TOOL_GROUPS')
    .getPropertyOrThrow('mcp')
    .getFirstDescendantByKindOrThrow(SyntaxKind.ArrayLiteralExpression)
  group.addElement('"mcp_load"')
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
    ])
  }
  add('createPartialToolUse', 'partialArgs', '')
  add('parseToolCall', 'args', ' as NativeArgsFor<TName>')
}

function addToPresenter(file) {
  const last = file.getImportDeclarationOrThrow('../tools/accessMcpResourceTool')
  file.insertStatements(last.getChildIndex() + 1, 'import { mcpLoadTool } from "../tools/McpLoadTool"')
  // Whatever begins with `mcp_` would count as a call of an MCP tool.
  const name = file.getFunctionOrThrow('toTelemetryToolName')
  const [dynamic] = expectCount(
    name.getStatements().filter((each) => each.getText().includes('startsWith("mcp_")')),
    1,
    'toTelemetryToolName',
  )
  insertBefore(dynamic, ['if (toolName === "mcp_load") {', '\treturn toolName', '}', ''])
  const clauses = () => casesOf(file.getFunctionOrThrow('presentAssistantMessage'), '"access_mcp_resource"')
  expectCount(clauses(), 2, 'case "access_mcp_resource"')
  insertBefore(clauses()[1], [
    'case "mcp_load":',
    '\tawait mcpLoadTool.handle(cline, block as ToolUse<"mcp_load">, {',
    '\t\taskApproval,',
    '\t\thandleError,',
    '\t\tpushToolResult,',
    '\t})',
    '\tbreak',
  ])
  insertBefore(clauses()[0], ['case "mcp_load":', "\treturn `[${block.name} for '${block.params.query}']`"])
}

/** Only where some tools are not sent, and the mode may call MCP tools at all. */
function addToList(file) {
  const last = file.getImportDeclarationOrThrow('../prompts/tools/native-tools')
  file.insertStatements(last.getChildIndex() + 1, 'import mcpLoad from "../prompts/tools/native-tools/mcp_load"')
  const builder = file.getFunctionOrThrow('buildNativeToolsArrayWithRestrictions')
  builder
    .getVariableDeclarationOrThrow('mcpTools')
    .getVariableStatementOrThrow()
    .replaceWithText(
      [
        'const isMcpCallable = filterMcpToolsForMode(allMcpTools, mode, customModes, experiments).length > 0',
        '// Without mcp_load a tool that is not chosen would be out of reach.',
        'const choose = isMcpCallable && !disabledTools?.includes("mcp_load") ? options.selectMcpTools : undefined',
        'const chosenMcpTools = (await choose?.(allMcpTools, mode ?? defaultModeSlug)) ?? allMcpTools',
        'const mcpTools = chosenMcpTools === allMcpTools ? allMcpTools : [mcpLoad, ...chosenMcpTools]',
      ].join('\n'),
    )
}

function addToSession(file) {
  const session = file.getClassOrThrow('ToolSession')
  file.insertStatements(
    session.getChildIndex(),
    [
      '/** A tool as `mcp_load` names it; what servers say of it is cut to a line. */',
      'export interface LoadedTool {',
      '\tname: string',
      '\tsummary: string',
      '}',
      '',
      'const LONGEST_SUMMARY = 160',
      '',
    ].join('\n'),
  )
  const settings = file.getInterfaceOrThrow('ToolSessionSettings')
  const turnK = settings.getPropertyOrThrow('turnK')
  settings.insertProperty(turnK.getChildIndex() + 1, {
    name: 'searchK',
    type: 'number',
    docs: ['Tools that one call of `mcp_load` adds at most.'],
  })
  session.insertProperty(0, { name: 'tools', scope: 'private', type: 'Tool[]', initializer: '[]' })
  session.getMethodOrThrow('remember').insertStatements(0, 'this.tools = tools')
  session.insertMethod(session.getMethodOrThrow('choose').getChildIndex(), {
    name: 'load',
    isAsync: true,
    docs: ['What the model asks for. What it has already is named again, and nothing is added twice.'],
    parameters: [{ name: 'query', type: 'string' }],
    returnType: 'Promise<{ loaded: LoadedTool[]; present: LoadedTool[] }>',
    statements: [
      'const found = await this.ranker.rank(query, this.docs, this.settings().searchK)',
      'const tools = found.map(({ toolName }) => ({ name: toolName, summary: this.summaryOf(toolName) }))',
      'const present = tools.filter(({ name }) => this.attached.has(name))',
      'const loaded = tools.filter(({ name }) => !this.attached.has(name))',
      'for (const { name } of loaded) {\n\tthis.attached.add(name)\n}',
      'if (loaded.length > 0) {\n\tawait this.save()\n}',
      'return { loaded, present }',
    ],
  })
  session.insertMethod(session.getMethodOrThrow('save').getChildIndex(), {
    name: 'summaryOf',
    scope: 'private',
    parameters: [{ name: 'wanted', type: 'string' }],
    returnType: 'string',
    statements: [
      'const found = this.tools.find((tool) => docOf(tool).toolName === wanted)',
      'const { description = "" } = (found as OpenAI.Chat.ChatCompletionFunctionTool).function',
      'return description.replace(/\\s+/g, " ").slice(0, LONGEST_SUMMARY)',
    ],
  })
}

function addToChat(file) {
  const imports = file.getImportDeclarationOrThrow('./WarningRow')
  file.insertStatements(imports.getChildIndex() + 1, 'import { McpLoadRow } from "./McpLoadRow"')
  const [clause] = expectCount(casesOf(file, '"too_many_tools_warning"'), 1, 'case "too_many_tools_warning"')
  insertBefore(clause, ['case "mcp_load":', '\treturn <McpLoadRow text={message.text} />'])
}
