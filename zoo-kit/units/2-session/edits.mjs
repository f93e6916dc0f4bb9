// SPDX-License-Identifier: Apache-2.0
//
// Where a task's session gets into the extension: the function that builds tools, and the task that calls it. Places are found by
// what the syntax says; one that is not found ends the edit, and nothing is written.

import { SyntaxKind } from 'ts-morph'

import { expectCount } from '../../tree.mjs'

const BUILD = 'src/core/task/build-tools.ts'
const TASK = 'src/core/task/Task.ts'
const BUILDER = 'buildNativeToolsArrayWithRestrictions'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source }) {
  editBuildTools(source(BUILD))
  editTask(source(TASK))
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(TASK).getClassOrThrow('Task').getGetAccessor('toolSession') !== undefined

/** The list of MCP tools is asked for in one place; whoever builds tools may choose from it there. */
function editBuildTools(file) {
  const options = file.getInterfaceOrThrow('BuildToolsOptions')
  options.addMember(
    [
      '/** Which of the MCP tools of the mode the task has; all of them without it. */',
      'selectMcpTools?: (',
      '\ttools: OpenAI.Chat.ChatCompletionTool[],',
      '\tmode: string,',
      ') => Promise<OpenAI.Chat.ChatCompletionTool[]>',
    ].join('\n'),
  )
  const builder = file.getFunctionOrThrow(BUILDER)
  const tools = builder.getVariableDeclarationOrThrow('mcpTools')
  const statement = tools.getVariableStatementOrThrow()
  const all = tools.getInitializerOrThrow().getText()
  statement.replaceWithText(
    [
      `const allMcpTools = ${all}`,
      'const mcpTools = options.selectMcpTools',
      '\t? await options.selectMcpTools(allMcpTools, mode ?? defaultModeSlug)',
      '\t: allMcpTools',
    ].join('\n'),
  )
}

function editTask(file) {
  const imports = file.getImportDeclarations()
  file.insertStatements(imports.at(-1).getChildIndex() + 1, [
    'import { createToolSession } from "../../services/tools/createToolSession"',
    'import type { ToolSession } from "../../services/tools/ToolSession"',
  ])
  const task = file.getClassOrThrow('Task')
  // Made when it is first wanted: suites of the tree build tasks without their constructor.
  task.insertMember(0, 'private openedToolSession: ToolSession | undefined')
  task.addMember(
    [
      '/** Which MCP tools the task has. A subtask has its own. */',
      'get toolSession(): ToolSession {',
      '\treturn (this.openedToolSession ??= createToolSession(this.globalStoragePath, this.taskId))',
      '}',
    ].join('\n'),
  )
  const calls = task.getDescendantsOfKind(SyntaxKind.CallExpression)
  const builds = calls.filter((call) => call.getExpression().getText() === BUILDER)
  expectCount(builds, 4, BUILDER)
  for (const call of builds) {
    const [options] = call.getArguments()
    options.asKindOrThrow(SyntaxKind.ObjectLiteralExpression).addPropertyAssignment({
      name: 'selectMcpTools',
      initializer: '(...given) => this.toolSession.select(...given)',
    })
  }
  hear(task)
  condense(task)
}

/** What the user writes: the task itself, and each message. Tool results and the host's own texts are neither. */
function hear(task) {
  task.getMethodOrThrow('startTask').insertStatements(0, 'this.toolSession.noteUserText(task ?? "")')
  task
    .getMethodOrThrow('handleWebviewAskResponse')
    .insertStatements(0, 'if (askResponse === "messageResponse") {\n\tthis.toolSession.noteUserText(text ?? "")\n}')
}

/** All three places that condense: the button, a context that is too long, and before each request. */
function condense(task) {
  const truncated = task
    .getDescendantsOfKind(SyntaxKind.IfStatement)
    .filter((each) => each.getExpression().getText() === 'truncateResult.summary')
  expectCount(truncated, 2, 'if (truncateResult.summary)')
  for (const each of truncated)
    each
      .getThenStatement()
      .asKindOrThrow(SyntaxKind.Block)
      .insertStatements(0, 'this.toolSession.condensed(truncateResult.summary)')
  const button = task.getMethodOrThrow('condenseContext')
  const [call] = button
    .getDescendantsOfKind(SyntaxKind.CallExpression)
    .filter((each) => each.getExpression().getText() === 'this.overwriteApiConversationHistory')
  if (!call) throw new Error('condenseContext: expected this.overwriteApiConversationHistory to be called')
  const statement = call.getFirstAncestorByKindOrThrow(SyntaxKind.ExpressionStatement)
  const block = statement.getParentOrThrow()
  block.insertStatements(statement.getChildIndex() + 1, 'this.toolSession.condensed(summary)')
}
