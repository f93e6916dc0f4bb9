// The four events of story #582: by its names and fields, through the service that opting out holds for.

import { SyntaxKind } from 'ts-morph'

import { addImport, expectCount, variableOf } from '../../tree.mjs'

const TYPES = 'packages/types/src/telemetry.ts'
const SESSION = 'src/services/tools/ToolSession.ts'
const ROUTER = 'src/services/tools/router.ts'
const CREATE = 'src/services/tools/createToolSession.ts'
const EVENTS = ['task_start', 'mcp_load_invoked', 'rolling_window_step', 'ranker_fallback']

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source }) {
  const names = EVENTS.map((name) => `DYNAMIC_TOOLS_${name.toUpperCase()}`)
  const list = source(TYPES).getEnumOrThrow('TelemetryEventName')
  EVENTS.forEach((name, place) => void list.addMember({ name: names[place], value: `dynamic_tools.${name}` }))
  const known = source(TYPES)
    .getVariableDeclarationOrThrow('rooCodeTelemetryEventSchema')
    .getDescendantsOfKind(SyntaxKind.ArrayLiteralExpression)
    .find((each) => each.getElements().some((one) => one.getText() === 'TelemetryEventName.TOOL_USED'))
  if (!known) throw new Error('rooCodeTelemetryEventSchema: expected TelemetryEventName.TOOL_USED in a list')
  known.addElements(names.map((name) => `TelemetryEventName.${name}`))
  editSession(source(SESSION))
  editRouter(source(ROUTER))
  editCreate(source(CREATE))
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(SESSION).getImportDeclaration('./toolEvents') !== undefined

function editSession(file) {
  addImport(file, 'import { sentCount, type ToolEvent } from "./toolEvents"')
  file.getInterfaceOrThrow('ToolHost').addMember('onEvent?(event: ToolEvent): void')
  const session = file.getClassOrThrow('ToolSession')
  const [chosen] = expectCount(
    session
      .getMethodOrThrow('follow')
      .getDescendantsOfKind(SyntaxKind.ExpressionStatement)
      .filter((each) => each.getText().startsWith('await (session.selection ? session.turn(')),
    1,
    'await (session.selection ? session.turn(',
  )
  const block = chosen.getParentOrThrow()
  block.insertStatements(chosen.getChildIndex() + 1, 'this.tell(known)')
  block.insertStatements(chosen.getChildIndex(), 'const known = session.selection && sentCount(session.selection)')
  const load = session.getMethodOrThrow('load')
  const saved = load.getStatements().find((each) => each.getText() === 'await this.save()')
  if (!saved) throw new Error('load: expected await this.save()')
  load.insertStatements(saved.getChildIndex(), [
    'const alreadyAttachedCount = result.alreadyAttached.length',
    'const returnedCount = result.loaded.length + alreadyAttachedCount',
    'const taskTurn = this.session.selection.turn',
    'const fields = { taskTurn, queryLength: query.length, returnedCount, alreadyAttachedCount }',
    'this.host.onEvent?.({ name: "mcp_load_invoked", ...fields })',
  ])
  session.insertMethod(session.getMethodOrThrow('follow').getChildIndex() + 1, {
    name: 'tell',
    scope: 'private',
    docs: ['The first choice of a task, and each later one that adds.'],
    parameters: [{ name: 'known', type: 'number | null' }],
    returnType: 'void',
    statements: [
      'const { selection } = this.session ?? {}',
      'if (selection?.mode !== "dynamic") {\n\treturn\n}',
      'const { turn, scopedCount, ranker = "lexical" } = selection',
      'const totalAttached = selection.attached.length',
      'const namedCount = selection.directory.length',
      'const addedCount = sentCount(selection) - (known ?? 0)',
      'if (known === null) {',
      '\tconst kind = ranker === "lexical" ? "bm25" : "embeddings"',
      '\tconst counts = { scopedCount, attachedCount: totalAttached, namedCount }',
      '\tthis.host.onEvent?.({ name: "task_start", ...counts, ranker: kind })',
      '} else if (addedCount > 0) {',
      '\tthis.host.onEvent?.({ name: "rolling_window_step", turn, addedCount, totalAttached, namedCount })',
      '}',
    ].join('\n'),
  })
}

/** What ranked is the router's to say. */
function editRouter(file) {
  const selection = file.getInterfaceOrThrow('RouterSession').getPropertyOrThrow('selection')
  selection.setType(selection.getTypeNodeOrThrow().getText().replace('turn: number', 'turn: number\n\tranker?: string'))
}

function editCreate(file) {
  addImport(file, 'import { sendToolEvent } from "./toolEvents"')
  const [made] = expectCount(
    file
      .getDescendantsOfKind(SyntaxKind.NewExpression)
      .filter((each) => each.getExpression().getText() === 'ToolSession'),
    1,
    'new ToolSession',
  )
  made
    .getArguments()[0]
    .asKindOrThrow(SyntaxKind.ObjectLiteralExpression)
    .addPropertyAssignment({ name: 'onEvent', initializer: '(event) => sendToolEvent(taskId, event)' })
  const fallback = variableOf(file, 'onFallback')
  fallback.setInitializer(
    [
      '(reason: "addon" | "model", problem: unknown) => {',
      '\tonProblem(`${reason}: ${problem}`)',
      '\tsendToolEvent(taskId, { name: "ranker_fallback", from: "embeddings", to: "bm25", reason })',
      '}',
    ].join('\n'),
  )
}
