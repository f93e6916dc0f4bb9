// The context panel: the task keeps what its last request was made of, the webview asks for it, and the task's header shows it.

import { SyntaxKind } from 'ts-morph'

import { addImport, callsOf, casesOf, expectCount, insertBefore } from '../../tree.mjs'
import { CONTEXT_USAGE } from './edits/translations.mjs'

const MCP_TYPES = 'packages/types/src/mcp.ts'
const MESSAGES = 'packages/types/src/vscode-extension-host.ts'
const TASK = 'src/core/task/Task.ts'
const HANDLER = 'src/core/webview/webviewMessageHandler.ts'
const HEADER = 'webview-ui/src/components/chat/TaskHeader.tsx'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, locales }) {
  editTypes(source(MCP_TYPES), source(MESSAGES))
  editTask(source(TASK))
  const [clause] = expectCount(casesOf(source(HANDLER), '"condenseTaskContextRequest"'), 1, HANDLER)
  insertBefore(clause, [
    'case "requestContextUsage":',
    '\tawait provider.postMessageToWebview({',
    '\t\ttype: "contextUsage",',
    '\t\tcontextUsage: await provider.getCurrentTask()?.contextUsage(),',
    '\t})',
    '\tbreak',
  ])
  editHeader(source(HEADER))
  locales('chat', (content, language) => {
    content.contextUsage = CONTEXT_USAGE[language]
  })
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(MCP_TYPES).getInterface('ContextUsageSection') !== undefined

function editTypes(mcp, messages) {
  mcp.addStatements(
    [
      '/** What a part of a request takes of the context window. */',
      'export interface ContextUsageSection {',
      '\t/** `left` is what is no longer sent. */',
      '\tkind: "system" | "native" | "mcp" | "messages" | "left"',
      "\t/** The server's. */",
      '\tname?: string',
      '\t/** Of tools or messages. */',
      '\tcount?: number',
      '\ttokens: number',
      '}',
    ].join('\n'),
  )
  const addMessage = (name, type) => {
    const property = messages.getInterfaceOrThrow(name).getPropertyOrThrow('type')
    property.setType(`${property.getTypeNodeOrThrow().getText()}\n\t\t| "${type}"`)
  }
  addMessage('ExtensionMessage', 'contextUsage')
  addMessage('WebviewMessage', 'requestContextUsage')
  messages.getInterfaceOrThrow('ExtensionMessage').addProperty({
    name: 'contextUsage',
    hasQuestionToken: true,
    type: 'ContextUsageSection[]',
  })
  const [from] = expectCount(
    messages.getImportDeclarations().filter((each) => each.getModuleSpecifierValue() === './mcp.js'),
    1,
    'import from ./mcp.js',
  )
  from.addNamedImport('ContextUsageSection')
}

function editTask(file) {
  addImport(file, 'import { measureContext, type RequestParts } from "../../services/tools/contextUsage"')
  const types = file
    .getImportDeclarations()
    .find((each) => each.getNamedImports().some((name) => name.getName() === 'TodoItem'))
  types.addNamedImport({ name: 'ContextUsageSection', isTypeOnly: true })
  const task = file.getClassOrThrow('Task')
  const [call] = expectCount(callsOf(task, 'this.api.createMessage'), 1, 'this.api.createMessage(')
  const statement = call.getFirstAncestorByKindOrThrow(SyntaxKind.VariableStatement)
  statement
    .getParentOrThrow()
    .insertStatements(
      statement.getChildIndex(),
      'this.lastRequest = { systemPrompt, tools: allTools, messages: cleanConversationHistory }',
    )
  task.insertProperty(0, { name: 'lastRequest', scope: 'private', hasQuestionToken: true, type: 'RequestParts' })
  task.addMember(
    [
      '/** What the last request took of the context window, by section, and what has left it; nothing before the first. */',
      'async contextUsage(): Promise<ContextUsageSection[]> {',
      '\treturn this.lastRequest ? measureContext(this.lastRequest, this.clineMessages) : []',
      '}',
    ].join('\n'),
  )
}

function editHeader(file) {
  addImport(file, 'import { ContextUsagePanel } from "./ContextUsagePanel"')
  const [table] = expectCount(
    file
      .getDescendantsOfKind(SyntaxKind.JsxElement)
      .filter((each) => each.getOpeningElement().getText() === '<table className="w-full text-sm">'),
    1,
    'the table of the task',
  )
  file.insertText(table.getEnd(), '\n<ContextUsagePanel contextWindow={contextWindow} />')
}
