// SPDX-License-Identifier: Apache-2.0
//
// N of M in place of the warning: what a session says of its tools, in the state that the webview gets; and the warning goes, with
// its count, its hook and its words.

import { SyntaxKind } from 'ts-morph'

import { addImport, callsOf, casesOf, expectCount, insertBefore, stateOf, variableOf } from '../../tree.mjs'
import { STATUS } from './edits/translations.mjs'

const MCP_TYPES = 'packages/types/src/mcp.ts'
const STATE_TYPES = 'packages/types/src/vscode-extension-host.ts'
const TASK = 'src/core/task/Task.ts'
const TASK_SPEC = 'src/core/task/__tests__/Task.spec.ts'
const PROVIDER = 'src/core/webview/ClineProvider.ts'
const SESSION = 'src/services/tools/ToolSession.ts'
const CREATE = 'src/services/tools/createToolSession.ts'
const WEBVIEW = 'webview-ui/src'
const CHAT_ROW = `${WEBVIEW}/components/chat/ChatRow.tsx`
const CHAT = `${WEBVIEW}/components/chat/ChatView.tsx`
const MCP_VIEW = `${WEBVIEW}/components/mcp/McpView.tsx`
const MCP_SPEC = `${WEBVIEW}/components/mcp/__tests__/McpView.spec.tsx`

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, locales, remove }) {
  editTypes(source(MCP_TYPES), source(STATE_TYPES))
  editSession(source(SESSION), source(CREATE))
  editTask(source(TASK))
  forgetCountInSpec(source(TASK_SPEC))
  stateOf(source(PROVIDER), 'getStateToPostToWebview').addPropertyAssignment({
    name: 'dynamicTools',
    initializer: 'currentTask?.toolSession?.status',
  })
  editWebview(source)
  locales('chat', (content, language) => {
    if (content.tooManyTools === undefined) throw new Error(`chat.json of ${language}: expected tooManyTools`)
    delete content.tooManyTools
    content.dynamicTools = { status: STATUS[language] }
  })
  remove(`${WEBVIEW}/components/chat/TooManyToolsWarning.tsx`)
  remove(`${WEBVIEW}/components/chat/__tests__/TooManyToolsWarning.spec.tsx`)
  remove(`${WEBVIEW}/hooks/useTooManyTools.ts`)
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(MCP_TYPES).getInterface('DynamicToolStatus') !== undefined

function editTypes(mcp, state) {
  mcp.getVariableDeclarationOrThrow('MAX_MCP_TOOLS_THRESHOLD').getVariableStatementOrThrow().remove()
  mcp.getInterfaceOrThrow('EnabledMcpToolsCount').remove()
  mcp.getFunctionOrThrow('countEnabledMcpTools').remove()
  mcp.addStatements(
    [
      '/** Which MCP tools a task has: all that its mode allows, or those that were chosen. */',
      'export interface DynamicToolStatus {',
      '\tmode: "all" | "dynamic"',
      '\tattachedCount: number',
      '\ttotalScoped: number',
      '\t/** Names of those that were chosen, as models call them. */',
      '\tattached: string[]',
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
  const [types_] = expectCount(
    state.getImportDeclarations().filter((each) => each.getModuleSpecifierValue() === './mcp.js'),
    1,
    'import from ./mcp.js',
  )
  types_.addNamedImport('DynamicToolStatus')
}

function editSession(file, create) {
  const last = file.getImportDeclarationOrThrow('openai')
  file.insertStatements(last.getChildIndex() + 1, 'import type { DynamicToolStatus } from "@roo-code/types"')
  const session = file.getClassOrThrow('ToolSession')
  session.getConstructors()[0].addParameter({
    name: 'onStatus',
    scope: 'private',
    isReadonly: true,
    type: '() => void',
    initializer: '() => {}',
  })
  session.insertProperty(0, {
    name: 'status',
    type: 'DynamicToolStatus',
    initializer: '{ mode: "all", attachedCount: 0, totalScoped: 0, attached: [] }',
  })
  const select = session.getMethodOrThrow('select')
  for (const each of expectCount(select.getDescendantsOfKind(SyntaxKind.ReturnStatement), 2, 'return in select'))
    each.replaceWithText(`return this.noted(tools, ${each.getExpressionOrThrow().getText()})`)
  session.insertMethod(session.getMethodOrThrow('choose').getChildIndex(), {
    name: 'noted',
    scope: 'private',
    docs: ['Says what a task has when that changed.'],
    parameters: [
      { name: 'tools', type: 'Tool[]' },
      { name: 'chosen', type: 'Tool[]' },
    ],
    returnType: 'Tool[]',
    statements: [
      [
        'const status: DynamicToolStatus = {',
        '\tmode: chosen === tools ? "all" : "dynamic",',
        '\tattachedCount: chosen.length,',
        '\ttotalScoped: tools.length,',
        '\tattached: chosen === tools ? [] : chosen.map((tool) => docOf(tool).toolName),',
        '}',
      ].join('\n'),
      'const isSame = JSON.stringify(status) === JSON.stringify(this.status)',
      'this.status = status',
      'if (!isSame) {\n\tthis.onStatus()\n}',
      'return chosen',
    ],
  })
  create.getInterfaceOrThrow('ToolSessionOptions').addProperty({
    name: 'onStatus',
    hasQuestionToken: true,
    type: '() => void',
  })
  const [made] = expectCount(
    create
      .getDescendantsOfKind(SyntaxKind.NewExpression)
      .filter((each) => each.getExpression().getText() === 'ToolSession'),
    1,
    'new ToolSession',
  )
  made.addArgument('options.onStatus')
}

function editTask(file) {
  const task = file.getClassOrThrow('Task')
  const start = task.getMethodOrThrow('startTask')
  const [count] = expectCount(callsOf(start, 'this.getEnabledMcpToolsCount'), 1, 'this.getEnabledMcpToolsCount()')
  const statement = count.getFirstAncestorByKindOrThrow(SyntaxKind.VariableStatement)
  const warn = statement.getNextSiblingOrThrow()
  if (!warn.getText().includes('"too_many_tools_warning"')) throw new Error('expected the warning after the count')
  warn.asKindOrThrow(SyntaxKind.IfStatement).remove()
  statement.remove()
  task.getMethodOrThrow('getEnabledMcpToolsCount').remove()
  const types = file
    .getImportDeclarations()
    .find((each) => each.getNamedImports().some((name) => name.getName() === 'MAX_MCP_TOOLS_THRESHOLD'))
  for (const name of types.getNamedImports())
    if (['MAX_MCP_TOOLS_THRESHOLD', 'countEnabledMcpTools'].includes(name.getName())) name.remove()
  const [session] = expectCount(callsOf(task, 'createToolSession'), 1, 'createToolSession(')
  session.addArgument('{\n\tonStatus: () => void this.providerRef.deref()?.postStateToWebviewWithoutTaskHistory(),\n}')
}

/** The count that the warning needed. */
function forgetCountInSpec(file) {
  const access = file.getTypeAliasOrThrow('TaskTestAccess').getTypeNodeOrThrow()
  access.asKindOrThrow(SyntaxKind.TypeLiteral).getPropertyOrThrow('getEnabledMcpToolsCount').remove()
  const [mocked] = expectCount(
    file
      .getDescendantsOfKind(SyntaxKind.ExpressionStatement)
      .filter((each) => each.getText().startsWith('vi.spyOn(taskAccess, "getEnabledMcpToolsCount")')),
    1,
    'a test that mocks the count',
  )
  mocked.remove()
}

function editWebview(source) {
  const row = source(CHAT_ROW)
  const [old] = expectCount(casesOf(row, '"too_many_tools_warning"'), 1, 'case "too_many_tools_warning"')
  // Tasks from before may have the message.
  old.replaceWithText('case "too_many_tools_warning":\n\treturn null')
  row.getImportDeclarationOrThrow('./WarningRow').remove()
  const chat = source(CHAT)
  const header = chat.getImportDeclarationOrThrow('./TaskHeader')
  chat.insertStatements(header.getChildIndex() + 1, 'import { DynamicToolsStatus } from "./DynamicToolsStatus"')
  const [warning] = expectCount(
    chat
      .getDescendantsOfKind(SyntaxKind.JsxExpression)
      .filter((each) => each.getText().startsWith('{checkpointWarning &&')),
    1,
    '{checkpointWarning && …}',
  )
  insertBefore(warning, ['<DynamicToolsStatus />', ''])
  const view = source(MCP_VIEW)
  const [shown] = expectCount(
    view
      .getDescendantsOfKind(SyntaxKind.JsxExpression)
      .filter((each) => each.getText().startsWith('{isOverThreshold &&')),
    1,
    '{isOverThreshold && …}',
  )
  const [note] = view
    .getDescendantsOfKind(SyntaxKind.JsxExpression)
    .filter((each) => each.getText().startsWith('{/* Too Many Tools Warning'))
  const [from, to] = [(note ?? shown).getStart(), shown.getEnd()]
  view.replaceText([from, to], '<DynamicToolsStatus />')
  variableOf(view, 'McpView')
    .getDescendantsOfKind(SyntaxKind.VariableStatement)
    .find((each) => each.getText().includes('useTooManyTools()'))
    .remove()
  view.getImportDeclarationOrThrow('@src/hooks/useTooManyTools').remove()
  addImport(view, 'import { DynamicToolsStatus } from "../chat/DynamicToolsStatus"')
  const spec = source(MCP_SPEC)
  const [mock] = expectCount(
    spec
      .getDescendantsOfKind(SyntaxKind.ExpressionStatement)
      .filter((each) => each.getText().startsWith('vi.mock("@src/hooks/useTooManyTools"')),
    1,
    'vi.mock("@src/hooks/useTooManyTools"',
  )
  mock.remove()
}
