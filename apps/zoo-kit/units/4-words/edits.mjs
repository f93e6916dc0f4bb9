// Words rank where the addon is not there, for the whole window.

import { addImport, callsOf, expectCount } from '../../tree.mjs'

const WINDOW = 'src/services/tools/toolWindow.ts'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source }) {
  const file = source(WINDOW)
  addImport(file, 'import { WordRouter } from "./WordRouter"')
  const [opened] = expectCount(callsOf(file.getFunctionOrThrow('open'), 'openRouter(options).catch'), 1, 'openRouter')
  opened
    .getArguments()[0]
    .replaceWithText('(error): Router => {\n\tonFallback("addon", error)\n\treturn new WordRouter(hub)\n}')
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(WINDOW).getImportDeclaration('./WordRouter') !== undefined
