// SPDX-License-Identifier: Apache-2.0
//
// What an entry of a server says about its tools: in the schema, which drops keys that it does not know, where tools are read,
// and where tasks choose.

import { SyntaxKind } from 'ts-morph'

import { addImport, callsOf, expectCount, variableOf } from '../../tree.mjs'

const TYPES = 'packages/types/src/mcp.ts'
const HUB = 'src/services/mcp/McpHub.ts'
const BUILD = 'src/core/task/build-tools.ts'
const SESSION = 'src/services/tools/ToolSession.ts'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source }) {
  const tool = source(TYPES).getTypeAliasOrThrow('McpTool').getTypeNodeOrThrow()
  tool
    .asKindOrThrow(SyntaxKind.TypeLiteral)
    .addProperty({ name: 'alwaysLoad', hasQuestionToken: true, type: 'boolean' })
  editHub(source(HUB))
  editList(source(BUILD))
  editSession(source(SESSION))
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(HUB).getImportDeclaration('../tools/toolScope') !== undefined

function editHub(file) {
  addImport(file, 'import { applyToolScope, toolScopeShape } from "../tools/toolScope"')
  const schema = file.getVariableDeclarationOrThrow('BaseConfigSchema')
  schema.getFirstDescendantByKindOrThrow(SyntaxKind.ObjectLiteralExpression).addSpreadAssignment({
    expression: 'toolScopeShape',
  })
  const fetch = file.getClassOrThrow('McpHub').getMethodOrThrow('fetchToolsList')
  const tools = variableOf(fetch, 'tools')
  tools.setInitializer(`applyToolScope(${tools.getInitializerOrThrow().getText()}, entry)`)
  const [read] = expectCount(
    fetch
      .getDescendantsOfKind(SyntaxKind.IfStatement)
      .filter((each) => each.getExpression().getText() === 'serverConfigData'),
    1,
    'if (serverConfigData)',
  )
  const block = read.getThenStatement().asKindOrThrow(SyntaxKind.Block)
  block.addStatements('entry = serverConfigData.mcpServers?.[serverName]')
  const disabled = variableOf(fetch, 'disabledToolsList').getVariableStatementOrThrow()
  disabled.getParentOrThrow().insertStatements(disabled.getChildIndex() + 1, 'let entry: unknown')
}

function editList(file) {
  addImport(file, 'import { pinnedToolNames } from "../../services/tools/toolScope"')
  const choose = file.getInterfaceOrThrow('BuildToolsOptions').getPropertyOrThrow('selectMcpTools').getTypeNodeOrThrow()
  choose.asKindOrThrow(SyntaxKind.FunctionType).addParameter({ name: 'pinned', type: 'string[]' })
  const [call] = expectCount(
    callsOf(file.getFunctionOrThrow('buildNativeToolsArrayWithRestrictions'), 'choose'),
    1,
    'choose?.(',
  )
  call.addArgument('pinnedToolNames(mcpHub?.getServers() ?? [])')
}

function editSession(file) {
  const session = file.getClassOrThrow('ToolSession')
  const pinned = { name: 'pinned', type: 'readonly string[]' }
  const select = session.getMethodOrThrow('select')
  select.addParameter({ ...pinned, initializer: '[]' })
  const [call] = expectCount(callsOf(select, 'this.choose'), 1, 'this.choose(')
  call.addArgument('pinned')
  const choose = session.getMethodOrThrow('choose')
  choose.addParameter(pinned)
  const [loop] = expectCount(
    choose.getStatements().filter((each) => each.getKind() === SyntaxKind.ForOfStatement),
    1,
    'for (const text of this.pending',
  )
  choose.insertStatements(loop.getChildIndex(), [
    '// Before the first text a task has all tools.',
    'if (this.turns > 0 || this.pending.length > 0) {\n\tthis.attach(pinned)\n}',
  ])
  session.insertMethod(session.getMethodOrThrow('remember').getChildIndex(), {
    name: 'attach',
    scope: 'private',
    parameters: [{ name: 'names', type: 'readonly string[]' }],
    returnType: 'void',
    statements: [
      'const known = new Set(this.docs.map(({ toolName }) => toolName))',
      'for (const name of names) {\n\tif (known.has(name)) {\n\t\tthis.attached.add(name)\n\t}\n}',
    ],
  })
}
