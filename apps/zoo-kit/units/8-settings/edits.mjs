// The settings, by the extension's own checklist for a persisted setting: schema, state, buffered control, what is saved, its
// normalisation, both states of the provider, and the task that reads it.

import { SyntaxKind } from 'ts-morph'

import { addImport, addToPattern, callsOf, expectCount, insertBefore, stateOf } from '../../tree.mjs'
import { DYNAMIC_LOAD } from './edits/translations.mjs'

const KEY = 'mcpDynamicLoad'
const INDEX = 'packages/types/src/index.ts'
const SCHEMA = 'packages/types/src/global-settings.ts'
const STATE = 'packages/types/src/vscode-extension-host.ts'
const PROVIDER = 'src/core/webview/ClineProvider.ts'
const PROVIDER_SPEC = 'src/core/webview/__tests__/ClineProvider.spec.ts'
const HANDLER = 'src/core/webview/webviewMessageHandler.ts'
const WINDOW = 'src/services/tools/toolWindow.ts'
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
  editCreate(source(CREATE))
  editWindow(source(WINDOW))
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
    '\t\t{ threshold: 9, initialK: "auto" as const, searchK: 1, searchTurns: 4, useAddon: true },',
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

/** The switch stays what it is; what it switches on has the user's numbers. */
function editCreate(create) {
  addImport(create, 'import { dynamicLoadOf } from "@roo-code/types"')
  const settings = create.getFunctionOrThrow('settingsOf')
  settings.setBodyText(
    [
      'const stored = task.providerRef.deref()?.contextProxy',
      'const isOn = experiments.isEnabled(stored?.getValue("experiments") ?? {}, EXPERIMENT_IDS.DYNAMIC_MCP_TOOLS)',
      `const { useAddon: _, ...settings } = dynamicLoadOf(stored?.getValue("${KEY}"))`,
      'return isOn ? settings : undefined',
    ].join('\n'),
  )
  const [options] = expectCount(callsOf(create, 'toolWindow'), 1, 'toolWindow(')
  options
    .getArguments()[0]
    .asKindOrThrow(SyntaxKind.ObjectLiteralExpression)
    .addPropertyAssignment({
      name: 'isAddonWanted',
      initializer: `() => dynamicLoadOf(task.providerRef.deref()?.contextProxy?.getValue("${KEY}")).useAddon`,
    })
}

/** Nothing native is loaded where the user has switched it off. */
function editWindow(file) {
  file.getInterfaceOrThrow('ToolWindowOptions').addMember('isAddonWanted?(): boolean')
  addToPattern(file.getFunctionOrThrow('openRouter').getParameters()[0], 'isAddonWanted')
  file
    .getFunctionOrThrow('openRouter')
    .insertStatements(0, 'if (isAddonWanted?.() === false) {\n\tthrow new Error("switched off in the settings")\n}')
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
  addToPattern(parameter, 'dynamicLoad, setDynamicLoad')
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

With more MCP tools than the threshold (50) a task gets those that fit its texts and are worth their tokens, and loads others
with \`mcp_load\`. **It is off until you switch it on** under *Settings, Experimental, Load MCP tools dynamically*; its numbers are under
*Settings, MCP Servers*. Tools are ranked by meaning where the native addon is installed.

`

/** What the feature is and how it is switched off, before the section of resources. */
function explain(readme) {
  const parts = readme.split(/^(?=## Resources$)/m)
  if (parts.length !== 2) throw new Error('README.md: expected one section Resources')
  return parts.join(SECTION)
}
