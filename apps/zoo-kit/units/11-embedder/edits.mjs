// The code index keeps the embedder that it has validated. Where the user allows it in the editor's settings, the window's router
// ranks with it instead of the local model.

import { SyntaxKind } from 'ts-morph'

import { addImport, addToPattern, callsOf, expectCount, insertBefore } from '../../tree.mjs'
import { RANKS_TOOLS } from './edits/translations.mjs'

const MANAGER = 'src/services/code-index/manager.ts'
const WINDOW = 'src/services/tools/toolWindow.ts'
const CREATE = 'src/services/tools/createToolSession.ts'
const SETTING = 'codeIndex.ranksTools'
const TEXT = `settings.${SETTING}.description`

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, text }) {
  editManager(source(MANAGER))
  editWindow(source(WINDOW))
  editCreate(source(CREATE))
  text('src/package.json', (manifest) => {
    const content = JSON.parse(manifest)
    const property = { type: 'boolean', default: false, description: `%${TEXT}%` }
    content.contributes.configuration.properties[`zoo-code.${SETTING}`] = property
    return `${JSON.stringify(content, null, '\t')}\n`
  })
  for (const [language, said] of Object.entries(RANKS_TOOLS))
    text(`src/package.nls${language === 'en' ? '' : `.${language}`}.json`, (words) => {
      const content = JSON.stringify({ ...JSON.parse(words), [TEXT]: said }, null, '\t')
      return content + (words.endsWith('\n') ? '\n' : '')
    })
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(WINDOW).getImportDeclaration('./codeEmbedder') !== undefined

function editManager(file) {
  addImport(file, 'import type { CodeEmbedder } from "../tools/codeEmbedder"')
  const manager = file.getClassOrThrow('CodeIndexManager')
  manager.insertProperty(0, {
    name: 'codeEmbedder',
    hasQuestionToken: true,
    type: 'CodeEmbedder',
    docs: ['The embedder that was validated last, of the provider that is configured now.'],
  })
  const recreate = manager.getMethodOrThrow('_recreateServices')
  const [refused] = expectCount(
    recreate
      .getDescendantsOfKind(SyntaxKind.IfStatement)
      .filter((each) => each.getExpression().getText() === '!validationResult.valid'),
    1,
    'if (!validationResult.valid)',
  )
  recreate.insertStatements(refused.getChildIndex() + 1, [
    'const { name } = embedder.embedderInfo',
    'const modelId = `${name} ${this._configManager?.currentModelId ?? ""}`.trim()',
    'this.codeEmbedder = { embedder, modelId }',
  ])
  recreate.insertStatements(0, 'this.codeEmbedder = undefined')
}

function editWindow(file) {
  addImport(file, 'import { followCodeIndex, refreshEmbedder, type CodeEmbedder } from "./codeEmbedder"')
  file.getInterfaceOrThrow('ToolWindowOptions').addMember('codeEmbedder?(): CodeEmbedder | undefined')
  addToPattern(file.getFunctionOrThrow('openRouter').getParameters()[0], 'codeEmbedder')
  const [model] = expectCount(
    file
      .getFunctionOrThrow('openRouter')
      .getStatements()
      .filter((each) => each.getText().startsWith('router.loadModel(')),
    1,
    'router.loadModel(',
  )
  const load = model.getText()
  model.replaceWithText(
    [`const loadModel = () => void ${load}`, 'followCodeIndex(router, { cacheDir, codeEmbedder, loadModel })'].join(
      '\n',
    ),
  )
  const [told] = expectCount(callsOf(file.getFunctionOrThrow('open'), 'tools.refresh'), 1, 'tools.refresh(')
  insertBefore(told.getParentOrThrow(), ['refreshEmbedder(router)'])
}

function editCreate(file) {
  addImport(file, 'import { Package } from "../../shared/package"')
  addImport(file, 'import { CodeIndexManager } from "../code-index/manager"')
  addImport(file, 'import * as vscode from "vscode"')
  file.insertStatements(file.getFunctionOrThrow('createToolSession').getChildIndex(), [
    "/** Texts of tasks go to the code index's provider only where the user says so. */",
    `const mayUseCodeIndex = () => vscode.workspace.getConfiguration(Package.name).get("${SETTING}", false)`,
    '',
  ])
  const window = () => expectCount(callsOf(file, 'toolWindow'), 1, 'toolWindow(')[0]
  insertBefore(window().getFirstAncestorByKindOrThrow(SyntaxKind.ReturnStatement), [
    '// Of the window: it is asked for when this task is long closed.',
    'const context = task.providerRef.deref()?.context',
  ])
  window()
    .getArguments()[0]
    .asKindOrThrow(SyntaxKind.ObjectLiteralExpression)
    .addPropertyAssignment({
      name: 'codeEmbedder',
      initializer: [
        '() =>',
        '\tcontext && mayUseCodeIndex() ? CodeIndexManager.getInstance(context, task.cwd)?.codeEmbedder : undefined',
      ].join('\n'),
    })
}
