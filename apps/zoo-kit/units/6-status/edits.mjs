// N of M, sent whole or named in a line: what a task says of its tools, in the state that the webview gets, in the chat and in the settings, and a row of the chat
// for what was loaded. The warning of too many tools stays where nothing is chosen.

import { SyntaxKind } from 'ts-morph'

import { addAboveServers, addImport, casesOf, expectCount, insertBefore, stateOf, variableOf } from '../../tree.mjs'
import { MCP_LOAD, STATUS } from './edits/translations.mjs'

const MCP_TYPES = 'packages/types/src/mcp.ts'
const MESSAGE_TYPES = 'packages/types/src/message.ts'
const STATE_TYPES = 'packages/types/src/vscode-extension-host.ts'
const TASK = 'src/core/task/Task.ts'
const PROVIDER = 'src/core/webview/ClineProvider.ts'
const SESSION = 'src/services/tools/ToolSession.ts'
const CREATE = 'src/services/tools/createToolSession.ts'
const LOAD = 'src/core/tools/McpLoadTool.ts'
const CHAT = 'webview-ui/src/components/chat/ChatView.tsx'
const ROW = 'webview-ui/src/components/chat/ChatRow.tsx'
const MCP_VIEW = 'webview-ui/src/components/mcp/McpView.tsx'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, locales }) {
  editTypes(source(MCP_TYPES), source(STATE_TYPES))
  editSession(source(SESSION), source(CREATE))
  editTask(source(TASK))
  stateOf(source(PROVIDER), 'getStateToPostToWebview').addPropertyAssignment({
    name: 'dynamicTools',
    initializer: 'currentTask?.toolSession?.status',
  })
  editWebview(source(CHAT), source(MCP_VIEW))
  sayLoaded(source(MESSAGE_TYPES), source(LOAD), source(ROW))
  locales('chat', (content, language) => {
    content.dynamicTools = STATUS[language]
    content.mcpLoad = MCP_LOAD[language]
  })
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(MCP_TYPES).getInterface('DynamicToolStatus') !== undefined

function editTypes(mcp, state) {
  mcp.addStatements(
    [
      '/** Which MCP tools a task has: all that its mode allows, or those that were chosen. */',
      'export interface DynamicToolStatus {',
      '\tmode: "all" | "dynamic"',
      '\tattachedCount: number',
      '\ttotalScoped: number',
      '\t/** Names of those that were chosen, as models call them. */',
      '\tattached: string[]',
      '\t/** Names of those that the model is told of in a line each. */',
      '\tnamed: string[]',
      '}',
    ].join('\n'),
  )
  const types = state.getTypeAliasOrThrow('ExtensionState').getTypeNodeOrThrow()
  types
    .asKindOrThrow(SyntaxKind.IntersectionType)
    .getTypeNodes()
    .at(-1)
    .asKindOrThrow(SyntaxKind.TypeLiteral)
    .addProperty({
      name: 'dynamicTools',
      hasQuestionToken: true,
      type: 'DynamicToolStatus',
    })
  const [from] = expectCount(
    state.getImportDeclarations().filter((each) => each.getModuleSpecifierValue() === './mcp.js'),
    1,
    'import from ./mcp.js',
  )
  from.addNamedImport('DynamicToolStatus')
}

function editSession(file, create) {
  file.getImportDeclarationOrThrow('@roo-code/types').addNamedImport('DynamicToolStatus')
  file.getInterfaceOrThrow('ToolHost').addMember('onStatus?(): void')
  const session = file.getClassOrThrow('ToolSession')
  session.insertProperty(0, {
    name: 'status',
    type: 'DynamicToolStatus',
    initializer: '{ mode: "all", attachedCount: 0, totalScoped: 0, attached: [], named: [] }',
  })
  const select = session.getMethodOrThrow('select')
  const returns = () =>
    select.getDescendantsOfKind(SyntaxKind.ReturnStatement).filter((each) => each.getText() === 'return tools')
  expectCount(returns(), 2, 'return tools')
  for (const each of returns()) each.replaceWithText('return this.noted(tools, tools)')
  const [last] = expectCount(
    select.getDescendantsOfKind(SyntaxKind.ReturnStatement).filter((each) => each.getText().includes('JSON.parse')),
    1,
    'return JSON.parse(list)',
  )
  last.replaceWithText('return this.noted(tools, JSON.parse(list))')
  session.insertMethods(session.getMethodOrThrow('follow').getChildIndex(), [
    {
      name: 'noted',
      scope: 'private',
      docs: ['Says what a task has when that changed.'],
      parameters: [
        { name: 'tools', type: 'Tool[]' },
        { name: 'sent', type: 'Tool[]' },
      ],
      returnType: 'Tool[]',
      statements: [
        'const names = new Set(tools.map((tool) => (tool as OpenAI.Chat.ChatCompletionFunctionTool).function.name))',
        'const isAll = sent === tools',
        '// One whose server is away keeps its place, and is not there.',
        'const there = (all: string[] = []) => (isAll ? [] : all.filter((name) => names.has(name)))',
        'const attached = there(this.session?.selection?.attached)',
        'const named = there(this.session?.selection?.directory)',
        'const [mode, attachedCount] = isAll ? (["all", tools.length] as const) : (["dynamic", attached.length] as const)',
        'const status = { mode, attachedCount, totalScoped: tools.length, attached, named }',
        'const isSame = JSON.stringify(status) === JSON.stringify(this.status)',
        'this.status = status',
        'if (!isSame) {\n\tthis.host.onStatus?.()\n}',
        'return sent',
      ],
    },
  ])
  session.insertGetAccessor(session.getMethodOrThrow('select').getChildIndex(), {
    name: 'isOn',
    docs: ['Whether tools are chosen where there are many.'],
    returnType: 'boolean',
    statements: 'return this.host.settings() !== undefined',
  })
  const [made] = expectCount(
    create
      .getDescendantsOfKind(SyntaxKind.NewExpression)
      .filter((each) => each.getExpression().getText() === 'ToolSession'),
    1,
    'new ToolSession',
  )
  made.getArguments()[0].asKindOrThrow(SyntaxKind.ObjectLiteralExpression).addPropertyAssignment({
    name: 'onStatus',
    initializer: '() => void task.providerRef.deref()?.postStateToWebviewWithoutTaskHistory()',
  })
}

/** Where tools are chosen there are not too many. */
function editTask(file) {
  const [warn] = expectCount(
    file
      .getClassOrThrow('Task')
      .getMethodOrThrow('startTask')
      .getDescendantsOfKind(SyntaxKind.IfStatement)
      .filter((each) => each.getExpression().getText() === 'enabledToolCount > MAX_MCP_TOOLS_THRESHOLD'),
    1,
    'if (enabledToolCount > MAX_MCP_TOOLS_THRESHOLD)',
  )
  warn.getExpression().replaceWithText('enabledToolCount > MAX_MCP_TOOLS_THRESHOLD && !this.toolSession.isOn')
}

function editWebview(chat, view) {
  const header = chat.getImportDeclarationOrThrow('./TaskHeader')
  chat.insertStatements(header.getChildIndex() + 1, 'import { DynamicToolsStatus } from "./DynamicToolsStatus"')
  const startsWith = (file, text) =>
    expectCount(
      file.getDescendantsOfKind(SyntaxKind.JsxExpression).filter((each) => each.getText().startsWith(text)),
      1,
      `${text} …}`,
    )[0]
  insertBefore(startsWith(chat, '{checkpointWarning &&'), ['<DynamicToolsStatus />', ''])
  view.insertText(startsWith(view, '{isOverThreshold &&').getStart() + 1, 'toolMode === "all" && ')
  const count = variableOf(view, 'McpView')
    .getDescendantsOfKind(SyntaxKind.VariableStatement)
    .find((each) => each.getText().includes('useTooManyTools()'))
  if (!count) throw new Error('McpView: expected useTooManyTools()')
  insertBefore(count, ['const { mode: toolMode } = useDynamicToolStatus()'])
  addImport(view, 'import { useDynamicToolStatus } from "@src/hooks/useDynamicToolStatus"')
  addAboveServers(view, 'DynamicToolsStatus', '../chat/DynamicToolsStatus')
}

/** What the model has loaded, and what it asked for. */
function sayLoaded(types, load, chat) {
  const says = types
    .getVariableDeclarationOrThrow('clineSays')
    .getFirstDescendantByKindOrThrow(SyntaxKind.ArrayLiteralExpression)
  const place = says.getElements().findIndex((each) => each.getText() === '"mcp_server_response"')
  if (place < 0) throw new Error('clineSays: expected "mcp_server_response"')
  says.insertElement(place + 1, '"mcp_load"')
  const execute = load.getClassOrThrow('McpLoadTool').getInstanceMethodOrThrow('execute')
  const [answer] = expectCount(
    execute
      .getDescendantsOfKind(SyntaxKind.VariableStatement)
      .filter((each) => each.getText().startsWith('const { text } =')),
    1,
    'const { text }',
  )
  answer.replaceWithText(answer.getText().replace('{ text }', '{ text, loaded }'))
  const [pushed] = expectCount(
    execute
      .getDescendantsOfKind(SyntaxKind.ExpressionStatement)
      .filter((each) => each.getText() === 'pushToolResult(text)'),
    1,
    'pushToolResult(text)',
  )
  insertBefore(pushed, [
    'const tools = loaded.map(({ serverName, toolName }) => `${serverName}: ${toolName}`)',
    'await task.say("mcp_load", JSON.stringify({ query, tools }))',
  ])
  const imports = chat.getImportDeclarationOrThrow('./WarningRow')
  chat.insertStatements(imports.getChildIndex() + 1, 'import { McpLoadRow } from "./McpLoadRow"')
  const [clause] = expectCount(casesOf(chat, '"too_many_tools_warning"'), 1, 'case "too_many_tools_warning"')
  insertBefore(clause, ['case "mcp_load":', '\treturn <McpLoadRow text={message.text} />'])
}
