// SPDX-License-Identifier: Apache-2.0
//
// The settings, by the extension's own checklist for a persisted setting: schema, state, buffered control, what is saved, its
// normalisation, both states of the provider, and the task that reads it. With them tasks choose.

import { SyntaxKind } from 'ts-morph'

import { addImport, callsOf, expectCount, insertBefore, stateOf } from '../../tree.mjs'
import { DYNAMIC_LOAD } from './edits/translations.mjs'

const KEY = 'mcpDynamicLoad'
const INDEX = 'packages/types/src/index.ts'
const SCHEMA = 'packages/types/src/global-settings.ts'
const STATE = 'packages/types/src/vscode-extension-host.ts'
const PROVIDER = 'src/core/webview/ClineProvider.ts'
const PROVIDER_SPEC = 'src/core/webview/__tests__/ClineProvider.spec.ts'
const HANDLER = 'src/core/webview/webviewMessageHandler.ts'
const TASK = 'src/core/task/Task.ts'
const SESSION = 'src/services/tools/ToolSession.ts'
const CREATE = 'src/services/tools/createToolSession.ts'
const VIEW = 'webview-ui/src/components/settings/SettingsView.tsx'
const MCP_VIEW = 'webview-ui/src/components/mcp/McpView.tsx'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, locales, text }) {
  source(INDEX).addExportDeclaration({ moduleSpecifier: './dynamic-load.js' })
  addImport(source(SCHEMA), 'import { dynamicLoadSchema } from "./dynamic-load.js"')
  source(SCHEMA)
    .getVariableDeclarationOrThrow('globalSettingsSchema')
    .getFirstDescendantByKindOrThrow(SyntaxKind.ObjectLiteralExpression)
    .addPropertyAssignment({ name: KEY, initializer: 'dynamicLoadSchema.optional()' })
  addToState(source(STATE))
  editProvider(source(PROVIDER), source(PROVIDER_SPEC))
  editHandler(source(HANDLER))
  editSession(source(SESSION), source(CREATE), source(TASK))
  editSettings(source(VIEW))
  editMcpView(source(MCP_VIEW))
  locales('mcp', (content, language) => {
    content.dynamicLoad = DYNAMIC_LOAD[language]
  })
  text('README.md', explain)
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(SCHEMA).getImportDeclaration('./dynamic-load.js') !== undefined

function addToState(file) {
  const [last] = expectCount(
    file
      .getTypeAliasOrThrow('ExtensionState')
      .getDescendantsOfKind(SyntaxKind.LiteralType)
      .filter((each) => each.getText() === '"disabledTools"'),
    1,
    '"disabledTools" in ExtensionState',
  )
  file.insertText(last.getEnd(), `\n\t| "${KEY}"`)
}

/** Puts the setting behind `mcpEnabled` where that is taken from an object. */
function take(node) {
  const [element] = expectCount(
    node.getDescendantsOfKind(SyntaxKind.BindingElement).filter((each) => each.getText() === 'mcpEnabled'),
    1,
    'mcpEnabled',
  )
  element.getSourceFile().insertText(element.getEnd(), `,\n${element.getIndentationText()}${KEY}`)
}

const valuesOf = (file, name) =>
  file
    .getImportDeclarations()
    .find((each) => !each.isTypeOnly() && each.getModuleSpecifierValue() === '@roo-code/types')
    ?.addNamedImport(name) ?? addImport(file, `import { ${name} } from "@roo-code/types"`)

function editProvider(file, spec) {
  stateOf(file, 'getState').addPropertyAssignment({ name: KEY, initializer: `dynamicLoadOf(stateValues.${KEY})` })
  stateOf(file, 'getStateToPostToWebview').addShorthandPropertyAssignment({ name: KEY })
  take(file.getClassOrThrow('ClineProvider').getMethodOrThrow('getStateToPostToWebview'))
  valuesOf(file, 'dynamicLoadOf')
  const name = '"getState returns the saved destructive command guard setting"'
  const [known] = expectCount(
    callsOf(spec, 'test').filter((each) => each.getArguments()[0]?.getText() === name),
    1,
    name,
  )
  insertBefore(known.getParentOrThrow(), [
    'test("getState and getStateToPostToWebview return the saved dynamic loading, also 0 and false", async () => {',
    '\tawait provider.resolveWebviewView(mockWebviewView)',
    '\tfor (const saved of [',
    '\t\t{ threshold: 0, initialK: 3, searchK: 2, searchTurns: 0, useAddon: false },',
    '\t\t{ threshold: 9, initialK: 1, searchK: 1, searchTurns: 4, useAddon: true },',
    '\t]) {',
    `\t\tawait provider.contextProxy.setValue("${KEY}", saved)`,
    `\t\texpect((await provider.getState()).${KEY}).toEqual(saved)`,
    `\t\texpect((await provider.getStateToPostToWebview()).${KEY}).toEqual(saved)`,
    '\t}',
    '})',
    '',
  ])
}

/** What a webview sends is put right before it is stored. */
function editHandler(file) {
  const [experiments] = expectCount(
    file
      .getDescendantsOfKind(SyntaxKind.IfStatement)
      .filter((each) => each.getExpression().getText() === 'key === "experiments"'),
    1,
    'key === "experiments"',
  )
  file.insertText(experiments.getStart(), `if (key === "${KEY}") {\nnewValue = dynamicLoadOf(value)\n} else `)
  valuesOf(file, 'dynamicLoadOf')
}

function editSession(session, create, task) {
  session.getInterfaceOrThrow('ToolSessionSettings').addProperty({
    name: 'useAddon',
    hasQuestionToken: true,
    type: 'boolean',
    docs: ['Whether the addon ranks, where it is installed.'],
  })
  addImport(create, 'import { DYNAMIC_LOAD_DEFAULTS, dynamicLoadOf } from "@roo-code/types"')
  create
    .getVariableDeclarationOrThrow('SETTINGS')
    .getVariableStatementOrThrow()
    .replaceWithText(
      [
        '/** Tools that each later text of a task adds at most. */',
        'const TURN_K = 3',
        '',
        '/** The settings of a session, from what is stored. */',
        'export const sessionSettings = (stored: unknown): ToolSessionSettings => ({',
        '\t...dynamicLoadOf(stored),',
        '\tturnK: TURN_K,',
        '})',
      ].join('\n'),
    )
  const replace = (kind, from, to) => {
    const [found] = expectCount(
      create.getDescendantsOfKind(kind).filter((each) => each.getText() === from),
      1,
      from,
    )
    found.replaceWithText(to)
  }
  replace(SyntaxKind.ArrowFunction, '() => SETTINGS', '() => sessionSettings(DYNAMIC_LOAD_DEFAULTS)')
  replace(SyntaxKind.ArrowFunction, '() => false', '() => settings().useAddon === true')
  const ranker = create.getFunctionOrThrow('createToolSession')
  const [threshold] = expectCount(
    ranker
      .getDescendantsOfKind(SyntaxKind.ShorthandPropertyAssignment)
      .filter((each) => each.getText() === 'threshold'),
    1,
    'threshold',
  )
  threshold.replaceWithText('get threshold() {\n\treturn settings().threshold\n}')
  ranker
    .getStatements()
    .find((each) => each.getText() === 'const { threshold } = settings()')
    .remove()
  const [options] = callsOf(task.getClassOrThrow('Task'), 'createToolSession')[0].getArguments().slice(-1)
  options.asKindOrThrow(SyntaxKind.ObjectLiteralExpression).insertPropertyAssignment(0, {
    name: 'settings',
    initializer: `() => sessionSettings(this.providerRef.deref()?.contextProxy?.getValue("${KEY}"))`,
  })
  task.getImportDeclarationOrThrow('../../services/tools/createToolSession').addNamedImport('sessionSettings')
}

/** The control is bound to the buffer, and saved with the others. */
function editSettings(file) {
  const [saved] = expectCount(
    file.getDescendantsOfKind(SyntaxKind.ShorthandPropertyAssignment).filter((each) => each.getText() === 'mcpEnabled'),
    1,
    'mcpEnabled, saved',
  )
  file.insertText(saved.getEnd(), `,\n${KEY}`)
  take(file)
  const [view] = expectCount(
    file
      .getDescendantsOfKind(SyntaxKind.JsxSelfClosingElement)
      .filter((each) => each.getTagNameNode().getText() === 'McpView'),
    1,
    '<McpView',
  )
  view.addAttributes([
    { name: 'dynamicLoad', initializer: `{${KEY}}` },
    { name: 'setDynamicLoad', initializer: `{(value) => setCachedStateField("${KEY}", value)}` },
  ])
}

function editMcpView(file) {
  const props = file.getInterfaceOrThrow('McpViewProps')
  props.addProperties([
    { name: 'dynamicLoad', hasQuestionToken: true, type: 'DynamicLoad' },
    { name: 'setDynamicLoad', hasQuestionToken: true, type: '(value: DynamicLoad) => void' },
  ])
  const [parameter] = file.getVariableDeclarationOrThrow('McpView').getInitializerOrThrow().getParameters()
  const pattern = parameter.getNameNode()
  file.replaceText(
    [pattern.getStart(), pattern.getEnd()],
    pattern.getText().replace(/\s*\}$/, ', dynamicLoad, setDynamicLoad }'),
  )
  const [status] = expectCount(
    file
      .getDescendantsOfKind(SyntaxKind.JsxSelfClosingElement)
      .filter((each) => each.getTagNameNode().getText() === 'DynamicToolsStatus'),
    1,
    '<DynamicToolsStatus',
  )
  file.insertText(
    status.getEnd(),
    '\n{setDynamicLoad && <DynamicLoadSettings value={dynamicLoad} onChange={setDynamicLoad} />}\n',
  )
  const [types] = file.getImportDeclarations().filter((each) => each.getModuleSpecifierValue() === '@roo-code/types')
  types.addNamedImport('DynamicLoad')
  addImport(file, 'import { DynamicLoadSettings } from "./DynamicLoadSettings"')
}

const SECTION = `## Many MCP tools

With more MCP tools than the threshold (50) a task gets those that fit its texts, 30 at the start, and loads others with
\`mcp_load\`. Tools are ranked by words (BM25), or by meaning where the native addon is installed and switched on. Under
*Settings, MCP Servers, Dynamic tool loading*, **set the turns to 0 to switch it off**: all tools are sent.

`

/** What the feature is and how it is switched off, before the section of resources. */
function explain(readme) {
  const parts = readme.split(/^(?=## Resources$)/m)
  if (parts.length !== 2) throw new Error('README.md: expected one section Resources')
  return parts.join(SECTION)
}
