// The code index keeps the embedder that it has validated, and the window's router takes it before the local model.

import { SyntaxKind } from 'ts-morph'

import { addImport, addToPattern, callsOf, expectCount } from '../../tree.mjs'

const MANAGER = 'src/services/code-index/manager.ts'
const WINDOW = 'src/services/tools/toolWindow.ts'
const CREATE = 'src/services/tools/createToolSession.ts'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source }) {
  editManager(source(MANAGER))
  editWindow(source(WINDOW))
  const create = source(CREATE)
  addImport(create, 'import { CodeIndexManager } from "../code-index/manager"')
  const [window] = expectCount(callsOf(create, 'toolWindow'), 1, 'toolWindow(')
  window
    .getArguments()[0]
    .asKindOrThrow(SyntaxKind.ObjectLiteralExpression)
    .addPropertyAssignment({
      name: 'codeEmbedder',
      initializer: [
        '() => {',
        '\tconst context = task.providerRef.deref()?.context',
        '\treturn context && CodeIndexManager.getInstance(context, task.cwd)?.codeEmbedder',
        '}',
      ].join('\n'),
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
    docs: ['The embedder that was validated last.'],
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
}

function editWindow(file) {
  addImport(file, 'import { useCodeEmbedder, type CodeEmbedder } from "./codeEmbedder"')
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
  const text = model.getText()
  model.replaceWithText(`void useCodeEmbedder(router, codeEmbedder?.(), cacheDir).then((isUsed) => isUsed || ${text})`)
}
