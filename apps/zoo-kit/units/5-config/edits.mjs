// What an entry of a server says about its tools: in the schema, which drops keys that it does not know, where tools are read,
// and above the servers, where overridden descriptions are seen.

import { SyntaxKind } from 'ts-morph'

import { addAboveServers, addImport, expectCount, variableOf } from '../../tree.mjs'
import { OVERRIDES } from './edits/translations.mjs'

const TYPES = 'packages/types/src/mcp.ts'
const HUB = 'src/services/mcp/McpHub.ts'
const VIEW = 'webview-ui/src/components/mcp/McpView.tsx'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, locales }) {
  const tool = source(TYPES).getTypeAliasOrThrow('McpTool').getTypeNodeOrThrow()
  tool.asKindOrThrow(SyntaxKind.TypeLiteral).addProperties([
    { name: 'alwaysLoad', hasQuestionToken: true, type: 'boolean' },
    {
      name: 'originalDescription',
      hasQuestionToken: true,
      type: 'string',
      docs: ["The server's own, where models read another."],
    },
  ])
  editHub(source(HUB))
  addAboveServers(source(VIEW), 'ToolOverrides', './ToolOverrides')
  locales('mcp', (content, language) => {
    content.overrides = OVERRIDES[language]
  })
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
