// SPDX-License-Identifier: Apache-2.0
//
// The four events of story #582: by its names and fields, through the service that opting out holds for.

import { SyntaxKind } from 'ts-morph'

import { addImport, callsOf, expectCount } from '../../tree.mjs'

const TYPES = 'packages/types/src/telemetry.ts'
const SESSION = 'src/services/tools/ToolSession.ts'
const RANKER = 'src/services/tools/ToolRanker.ts'
const CREATE = 'src/services/tools/createToolSession.ts'
const LOAD = 'src/core/tools/McpLoadTool.ts'
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
  editRanker(source(RANKER))
  editCreate(source(CREATE))
  editLoad(source(LOAD))
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(SESSION).getImportDeclaration('./toolEvents') !== undefined

function editSession(file) {
  addImport(file, 'import type { RankerKind, ToolEvent } from "./toolEvents"')
  file.getInterfaceOrThrow('TextRanker').addProperty({
    name: 'kind',
    hasQuestionToken: true,
    isReadonly: true,
    type: 'RankerKind',
    docs: ['What ranked last; words, where it does not say.'],
  })
  const session = file.getClassOrThrow('ToolSession')
  session.getConstructors()[0].addParameter({
    name: 'onEvent',
    scope: 'private',
    isReadonly: true,
    type: '(event: ToolEvent) => void',
    initializer: '() => {}',
  })
  session.insertProperty(0, { name: 'hasStarted', scope: 'private', initializer: 'false' })
  session.getMethodOrThrow('condensed').insertStatements(0, 'this.hasStarted = true')
  const [count] = expectCount(
    session
      .getMethodOrThrow('choose')
      .getDescendantsOfKind(SyntaxKind.ExpressionStatement)
      .filter((each) => each.getText() === 'this.turns++'),
    1,
    'this.turns++',
  )
  const block = count.getParentOrThrow()
  block.insertStatements(count.getChildIndex() + 1, 'this.tell(known)')
  block.insertStatements(0, 'const known = this.attached.size')
  session.addGetAccessor({ name: 'turn', returnType: 'number', statements: 'return this.turns' })
  session.insertMethod(session.getMethodOrThrow('remember').getChildIndex(), {
    name: 'tell',
    scope: 'private',
    docs: ['The first choice of a task, and each later one that adds.'],
    parameters: [{ name: 'known', type: 'number' }],
    returnType: 'void',
    statements: [
      'const totalAttached = this.attached.size',
      [
        'if (!this.hasStarted && this.turns === 1) {',
        '\tconst ranker = this.ranker.kind ?? "bm25"',
        '\tthis.onEvent({ name: "task_start", scopedCount: this.docs.length, attachedCount: totalAttached, ranker })',
        '} else if (totalAttached > known) {',
        '\tconst addedCount = totalAttached - known',
        '\tthis.onEvent({ name: "rolling_window_step", turn: this.turns, addedCount, totalAttached })',
        '}',
      ].join('\n'),
      'this.hasStarted = true',
    ],
  })
}

function editRanker(file) {
  addImport(file, 'import type { RankerKind } from "./toolEvents"')
  const ranker = file.getClassOrThrow('ToolRanker')
  ranker.insertProperty(0, {
    name: 'kind',
    type: 'RankerKind',
    initializer: '"bm25"',
    docs: ['What ranked last: meaning counts only where the model was there.'],
  })
  const rank = ranker.getMethodOrThrow('rank')
  const last = rank.getStatements().at(-1)
  rank.insertStatements(last.getChildIndex(), 'this.kind = "bm25"')
  const native = ranker.getMethodOrThrow('rankWithAddon')
  const asked = native.getStatements().find((each) => each.getText().startsWith('const { tools } = await router.rank('))
  if (!asked) throw new Error('rankWithAddon: expected const { tools } = await router.rank(')
  native.insertStatements(
    asked.getChildIndex() + 1,
    'this.kind = tools.some(({ similarity }) => similarity !== undefined) ? "embeddings" : "bm25"',
  )
}

function editCreate(file) {
  addImport(file, 'import { sendToolEvent, type ToolEvent } from "./toolEvents"')
  const create = file.getFunctionOrThrow('createToolSession')
  const [made] = expectCount(
    create
      .getDescendantsOfKind(SyntaxKind.NewExpression)
      .filter((each) => each.getExpression().getText() === 'ToolSession'),
    1,
    'new ToolSession',
  )
  made.addArgument('tell')
  const [fallback] = expectCount(
    create.getDescendantsOfKind(SyntaxKind.PropertyAssignment).filter((each) => each.getText() === 'onFallback: warn'),
    1,
    'onFallback: warn',
  )
  fallback.setInitializer(
    [
      '(problem) => {',
      '\twarn(problem)',
      '\tconst reason = problem.startsWith(BY_WORDS) ? "model" : "addon"',
      '\ttell({ name: "ranker_fallback", from: "embeddings", to: "bm25", reason })',
      '}',
    ].join('\n'),
  )
  create.insertStatements(0, 'const tell = (event: ToolEvent) => sendToolEvent(taskId, event)')
  file.insertStatements(
    file.getFunctionOrThrow('createToolSession').getChildIndex(),
    [
      '/** How the ranker begins where the addon is there and its model is not. */',
      'const BY_WORDS = "by words alone"',
    ].join('\n'),
  )
}

/** Where the model has the tool; a call that it makes up is not counted. */
function editLoad(file) {
  addImport(file, 'import { sendToolEvent } from "../../services/tools/toolEvents"')
  const execute = file.getClassOrThrow('McpLoadTool').getMethodOrThrow('execute')
  const [call] = expectCount(callsOf(execute, 'task.toolSession.load'), 1, 'task.toolSession.load(')
  const statement = call.getFirstAncestorByKindOrThrow(SyntaxKind.VariableStatement)
  statement
    .getParentOrThrow()
    .insertStatements(statement.getChildIndex() + 1, 'tellOf(task, query, loaded.length, present.length)')
  file.addFunction({
    name: 'tellOf',
    parameters: [
      { name: 'task', type: 'Task' },
      { name: 'query', type: 'string' },
      { name: 'loadedCount', type: 'number' },
      { name: 'alreadyAttachedCount', type: 'number' },
    ],
    returnType: 'void',
    statements: [
      'const { status, turn } = task.toolSession',
      [
        'if (status.mode === "dynamic") {',
        '\tsendToolEvent(task.taskId, {',
        '\t\tname: "mcp_load_invoked",',
        '\t\ttaskTurn: turn,',
        '\t\tqueryLength: query.length,',
        '\t\treturnedCount: loadedCount + alreadyAttachedCount,',
        '\t\talreadyAttachedCount,',
        '\t})',
        '}',
      ].join('\n'),
    ],
  })
}
