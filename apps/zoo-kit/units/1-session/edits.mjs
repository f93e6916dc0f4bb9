// Where a task's tools get into the extension: the function that builds tools, and the task that calls it. Places are found by
// what the syntax says; one that is not found ends the edit, and nothing is written.

import { SyntaxKind } from 'ts-morph'

import { addImport, builderOf, callsOf, expectCount, insertBefore, variableOf } from '../../tree.mjs'

const BUILD = 'src/core/task/build-tools.ts'
const TASK = 'src/core/task/Task.ts'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source }) {
  const builder = builderOf(source(BUILD)).getName()
  editBuildTools(source(BUILD))
  editTask(source(TASK), builder)
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(TASK).getClassOrThrow('Task').getGetAccessor('toolSession') !== undefined

/** The list of MCP tools is asked for in one place; whoever builds tools may choose from it there. */
function editBuildTools(file) {
  addImport(file, 'import type { ToolSession } from "../../services/tools/ToolSession"')
  const what = '/** Chooses of the MCP tools of the mode; without it the task has all of them. */'
  file.getInterfaceOrThrow('BuildToolsOptions').addMember(`${what}\ntoolSession?: ToolSession`)
  const builder = builderOf(file)
  const [filter] = expectCount(callsOf(builder, 'filterMcpToolsForMode'), 1, 'filterMcpToolsForMode')
  const [, ...rest] = filter.getArguments().map((each) => each.getText())
  const statement = variableOf(builder, 'mcpTools').getVariableStatementOrThrow()
  const all = variableOf(statement, 'mcpTools').getInitializerOrThrow().getText()
  statement.replaceWithText(
    [
      `const allMcpTools = ${all}`,
      'const withheld = [...(disabledTools ?? []), ...(modelInfo?.excludedTools ?? [])]',
      `const inMode = filterMcpToolsForMode(${['allMcpTools', ...rest].join(', ')})`,
      'const isCallable = inMode.length > 0 && !withheld.includes("use_mcp_tool")',
      '// Without both a tool that is not sent would be out of reach.',
      'const isLoadable = !withheld.includes("mcp_load") && !withheld.includes("mcp_call")',
      'const scope = { mode: mode ?? defaultModeSlug, allowedMcpServers, isCallable }',
      'const mcpTools = (isLoadable && (await options.toolSession?.select(allMcpTools, scope))) || allMcpTools',
    ].join('\n'),
  )
}

function editTask(file, builder) {
  addImport(file, 'import { addTexts, createToolSession } from "../../services/tools/createToolSession"')
  addImport(file, 'import type { ToolSession } from "../../services/tools/ToolSession"')
  const task = file.getClassOrThrow('Task')
  // Made when it is first wanted: suites of the tree build tasks without their constructor.
  task.insertMember(0, 'private openedToolSession: ToolSession | undefined')
  task.addMember(
    [
      '/** Which MCP tools the task has. A subtask has its own. */',
      'get toolSession(): ToolSession {',
      '\treturn (this.openedToolSession ??= createToolSession(this, this.globalStoragePath))',
      '}',
    ].join('\n'),
  )
  const builds = callsOf(task, builder)
  if (builds.length === 0) throw new Error(`${builder}: expected in the tree's Task, got none`)
  for (const call of builds) {
    const [options] = call.getArguments()
    options
      .asKindOrThrow(SyntaxKind.ObjectLiteralExpression)
      .addPropertyAssignment({ name: 'toolSession', initializer: 'this.toolSession' })
  }
  tell(task.getInstanceMethodOrThrow('attemptApiRequest'))
}

/** What the model has to read of its tools is part of the newest message, in the request and in the history. */
function tell(request) {
  const [sent] = expectCount(
    request
      .getDescendantsOfKind(SyntaxKind.VariableDeclaration)
      .filter((each) => each.getName() === 'shouldIncludeTools'),
    1,
    'shouldIncludeTools in attemptApiRequest',
  )
  insertBefore(sent.getVariableStatementOrThrow(), [
    'const toolTexts = await this.toolSession.takeTexts()',
    'if (toolTexts.length > 0) {',
    '\taddTexts(cleanConversationHistory, toolTexts)',
    '\taddTexts(this.apiConversationHistory, toolTexts)',
    '\tawait this.saveApiConversationHistory()',
    '}',
    '',
  ])
}
