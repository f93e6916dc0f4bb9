// The switch: an experiment of the extension, off by default, with its words in all languages. With it tasks choose.

import { SyntaxKind } from 'ts-morph'

import { addImport } from '../../tree.mjs'
import { SWITCH } from './edits/translations.mjs'

const TYPES = 'packages/types/src/experiment.ts'
const SHARED = 'src/shared/experiments.ts'
const SPEC = 'src/shared/__tests__/experiments.spec.ts'
const CREATE = 'src/services/tools/createToolSession.ts'
const ID = 'dynamicMcpTools'
const KEY = 'DYNAMIC_MCP_TOOLS'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, locales }) {
  const objectOf = (file, name) =>
    source(file).getVariableDeclarationOrThrow(name).getFirstDescendantByKindOrThrow(SyntaxKind.ObjectLiteralExpression)
  source(TYPES)
    .getVariableDeclarationOrThrow('experimentIds')
    .getFirstDescendantByKindOrThrow(SyntaxKind.ArrayLiteralExpression)
    .addElement(`"${ID}"`)
  objectOf(TYPES, 'experimentsSchema').addPropertyAssignment({ name: ID, initializer: 'z.boolean().optional()' })
  objectOf(SHARED, 'EXPERIMENT_IDS').addPropertyAssignment({ name: KEY, initializer: `"${ID}"` })
  objectOf(SHARED, 'experimentConfigsMap').addPropertyAssignment({ name: KEY, initializer: '{ enabled: false }' })
  for (const each of source(SPEC).getDescendantsOfKind(SyntaxKind.VariableDeclaration))
    if (each.getTypeNode()?.getText() === 'Record<ExperimentId, boolean>')
      each
        .getInitializerIfKindOrThrow(SyntaxKind.ObjectLiteralExpression)
        .addPropertyAssignment({ name: ID, initializer: 'false' })
  turnOn(source(CREATE))
  locales('settings', (content, language) => {
    content.experimental[KEY] = SWITCH[language]
  })
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(TYPES).getText().includes(`"${ID}"`)

function turnOn(file) {
  addImport(file, 'import { EXPERIMENT_IDS, experiments } from "../../shared/experiments"')
  const statement = file.getVariableDeclarationOrThrow('settingsOf').getVariableStatementOrThrow()
  statement.replaceWithText(
    [
      '/** The defaults of the router, where the user has switched it on. */',
      'function settingsOf(task: Task): RouterSettings | undefined {',
      '\tconst stored = task.providerRef.deref()?.contextProxy?.getValue("experiments")',
      '\treturn experiments.isEnabled(stored ?? {}, EXPERIMENT_IDS.DYNAMIC_MCP_TOOLS) ? { threshold: 50 } : undefined',
      '}',
    ].join('\n'),
  )
}
