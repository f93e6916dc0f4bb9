// The servers that a mode may not use: in the mode's schema, in the three places that ask which it may use, and
// above the servers, where they are ticked for the mode that is chosen.

import { SyntaxKind } from 'ts-morph'

import { addAboveServers, addImport, builderOf, expectCount, variableOf } from '../../tree.mjs'
import { MODE_SERVERS } from './edits/translations.mjs'

const TYPES = 'packages/types/src/mode.ts'
const SCHEMA = 'schemas/roomodes.json'
const DESCRIPTION = 'Optional list of MCP server names to leave out. It is not read where allowedMcpServers is set.'
const BUILD = 'src/core/task/build-tools.ts'
const PROMPT = 'src/core/prompts/system.ts'
const CALLS = 'src/core/tools/mcpServerRestriction.ts'
const VIEW = 'webview-ui/src/components/mcp/McpView.tsx'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, text, locales }) {
  source(TYPES)
    .getVariableDeclarationOrThrow('modeConfigSchema')
    .getFirstDescendantByKindOrThrow(SyntaxKind.ObjectLiteralExpression)
    .addPropertyAssignment({
      name: 'blockedMcpServers',
      initializer: ['z', '\t.array(z.string())', `\t.describe(${JSON.stringify(DESCRIPTION)})`, '\t.optional()'].join(
        '\n',
      ),
    })
  text(SCHEMA, (content) => {
    const schema = JSON.parse(content)
    const list = { type: 'array', items: { type: 'string' }, description: DESCRIPTION }
    schema.properties.customModes.items.properties.blockedMcpServers = list
    return `${JSON.stringify(schema, null, '\t')}\n`
  })
  for (const [file, owner] of [
    [BUILD, builderOf(source(BUILD))],
    [PROMPT, source(PROMPT).getFunctionOrThrow('generatePrompt')],
  ]) {
    const found = variableOf(owner, 'allowedMcpServers')
    found.setInitializer('mcpServersOf(modeConfig, mcpHub)')
    addImport(source(file), 'import { mcpServersOf } from "../../shared/modeServers"')
  }
  const calls = source(CALLS)
  const [asked] = expectCount(
    calls
      .getFunctionOrThrow('getAllowedMcpServersForTask')
      .getDescendantsOfKind(SyntaxKind.ReturnStatement)
      .filter((each) => each.getText() === 'return modeConfig?.allowedMcpServers'),
    1,
    'return modeConfig?.allowedMcpServers',
  )
  asked.replaceWithText('return mcpServersOf(modeConfig, provider.getMcpHub?.())')
  addImport(calls, 'import { mcpServersOf } from "../../shared/modeServers"')
  addAboveServers(source(VIEW), 'McpServerRestriction', './McpServerRestriction')
  locales('mcp', (content, language) => {
    content.modeServers = MODE_SERVERS[language]
  })
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(TYPES).getText().includes('blockedMcpServers')
