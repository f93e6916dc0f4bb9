// Cline, Roo Code and Zoo Code: a folder for each task, with what the model was sent and what its person was shown. The second
// has the tokens, and tools by the names of their servers; the first has calls as the model wrote them. Seen of Cline 3.0 to
// 3.40, Roo Code 3.0 to 3.36 and Zoo Code 3.78. The command-line Cline has one file of messages: 3.0.65.

import fs from 'node:fs'
import path from 'node:path'

import { between, listOf, parsed, without } from '../marked.mjs'
import { elementsOf, tellEach } from '../pieces.mjs'
import { momentOf, Telling } from '../told.mjs'

/** Where a person's words stand among what the program adds: the first of these marks, and no later one of the same text. */
const WORDS = /<(task|user_message|feedback|answer|user_input)(?: [^>]{0,200})?>/
const [ADDED, ADDED_END] = ['<environment_details>', '</environment_details>']
/** What stands before the results of a call as text, and the tools whose results are a person's words. */
const RESULT = /^\[(\w{1,64})[ \]]/
const ASKS = new Set(['ask_followup_question', 'attempt_completion'])
/** Calls as text, by models without calls of their own: the names alone. */
const WRITTEN = /<use_mcp_tool>\s*<server_name>([^<]{1,256})<\/server_name>\s*<tool_name>([^<]{1,256})<\/tool_name>/g
/** A host's own calls as text begin a line. */
const OWN_WRITTEN =
  /^<(read_file|write_to_file|replace_in_file|apply_diff|execute_command|search_files|list_files|browser_action|attempt_completion|ask_followup_question|list_code_definition_names|insert_content|switch_mode|new_task|codebase_search)>/gm

const isOfServer = (name) => typeof name === 'string' && /^mcp(--|__)|0mcp0|[a-z\d]__[a-z]/i.test(name)

/**
 * The texts of a message that a person wrote. What tools returned stands in the same message; whatever it says, and whatever marks
 * it has, nobody said it.
 *
 * @param {string[]} texts
 * @param {boolean} isFirst nothing was returned yet, and the words may stand without a mark
 */
function wordsOf(texts, isFirst) {
  const said = []
  let isResult = false
  for (const text of texts) {
    const tool = text.includes('] Result:') ? RESULT.exec(text)?.[1] : undefined
    // A result may begin as the head of another one does.
    isResult ||= tool !== undefined && !ASKS.has(tool)
    if (isResult || text.trimStart().startsWith(ADDED)) continue
    const [mark, name] = WORDS.exec(text) ?? []
    const words = mark === undefined ? undefined : between(text, mark, `</${name}>`)
    if (words !== undefined) said.push(words)
    else if (isFirst) said.push(without(text, ADDED, ADDED_END))
  }
  return said
}

/** Messages as the model was sent them. */
async function tellMessages(telling, pieces, { unread, usageOf, ask }) {
  let isFirst = true
  await tellEach(pieces, unread, (value, number) => {
    const blocks = typeof value.content === 'string' ? [{ type: 'text', text: value.content }] : listOf(value.content)
    telling.began(momentOf(value.ts))
    if (value.isSummary) telling.changed('compacted', number)
    else if (value.role === 'assistant') {
      const usage = usageOf(value)
      if (ask || usage) telling.asked({ ...usage, at: momentOf(value.ts) }, number)
    }
    for (const block of blocks)
      if (block?.type === 'tool_use')
        telling.called(block.name, { id: block.id, isOwn: !isOfServer(block.name), input: block.input, place: number })
    const texts = blocks
      .filter((block) => block?.type === 'text' && typeof block.text === 'string')
      .map(({ text }) => text)
    if (value.role !== 'user') for (const text of value.isSummary ? [] : texts) tellWritten(telling, text, number)
    else for (const words of value.isSummary ? [] : wordsOf(texts, isFirst)) telling.said(words, number)
    isFirst &&= value.role !== 'user'
  })
}

function tellWritten(telling, text, place) {
  for (const [, server, tool] of text.matchAll(WRITTEN)) telling.called(`${server}/${tool}`, { server, tool, place })
  for (const [, name] of text.matchAll(OWN_WRITTEN)) telling.called(name, { isOwn: true, place })
}

/** What a person was shown: `ask` and `say` are the kinds. @type {Record<string, (telling: Telling, shown: any, place: number) => void>} */
const SHOWN = {
  user_feedback: (telling, { text }, place) => telling.said(text, place),
  use_mcp_server(telling, { text }, place) {
    const { type, serverName, toolName, arguments: input } = parsed(text) ?? {}
    if (type !== 'use_mcp_tool' || typeof toolName !== 'string' || typeof serverName !== 'string') return
    telling.called(`${serverName}/${toolName}`, { server: serverName, tool: toolName, input, place })
  },
  tool: (telling, { text }, place) => telling.called(String(parsed(text)?.tool ?? 'tool'), { isOwn: true, place }),
  command: (telling, _, place) => telling.called('execute_command', { isOwn: true, place }),
  condense_context: (telling, _, place) => telling.changed('compacted', place),
  resume_task: (telling, _, place) => telling.changed('resumed', place),
  api_req_started(telling, { text, ts }, place) {
    const { tokensIn, tokensOut, cacheReads, cacheWrites } = parsed(text) ?? {}
    telling.asked({ prompt: tokensIn, read: cacheReads, written: cacheWrites, output: tokensOut, at: ts }, place)
  },
}

async function tellShown(telling, pieces, unread) {
  let isFirst = true
  await tellEach(pieces, unread, (value, number) => {
    if (value.partial) return
    telling.began(momentOf(value.ts))
    const kind = value.ask ?? value.say
    if (isFirst && (kind === 'text' || kind === 'task')) telling.said(value.text, number)
    else if (Object.hasOwn(SHOWN, kind)) SHOWN[kind](telling, value, number)
    isFirst = false
  })
  counted(telling.session)
}

/** Some versions count cached tokens in what they call tokens in, others beside it: where it is less than its parts, beside. */
function counted({ told }) {
  const asked = told.filter((each) => each.kind === 'asked')
  if (asked.every(({ prompt = 0, read, written }) => read + written <= prompt)) return
  for (const each of asked) each.prompt = (each.prompt ?? 0) + each.read + each.written
}

const callsOf = ({ told }) => told.filter(({ kind }) => kind === 'called').length

/** The folder of a task, by either of its files. */
async function* readTask(file, { program, problems }) {
  const folder = path.dirname(file)
  const [sent, shown] = ['api_conversation_history.json', 'ui_messages.json'].map((name) => path.join(folder, name))
  // Both are in one folder: it is read once.
  if (file === sent && fs.existsSync(shown)) return
  const telling = (name) => new Telling({ program, form: 'folders of tasks', file: name, id: path.basename(folder) })
  const [ofShown, ofSent] = [telling(shown), telling(sent)]
  if (fs.existsSync(shown)) await tellShown(ofShown, elementsOf(shown), (why) => problems.unread(program, shown, why))
  const asked = ofShown.session.told.filter((each) => each.kind === 'asked')
  if (fs.existsSync(sent)) {
    let at = 0
    const unread = (why) => problems.unread(program, sent, why)
    await tellMessages(ofSent, elementsOf(sent), { unread, usageOf: () => asked[at++], ask: true })
  }
  // What a person was shown has names as servers have them; a version that shows fewer calls tells less.
  const fuller = callsOf(ofSent.session) > callsOf(ofShown.session) || ofShown.isEmpty ? ofSent : ofShown
  fuller.began(ofShown.session.at)
  if (!fuller.isEmpty) yield fuller.session
}

async function* readMessages(file, { program, problems }) {
  const telling = new Telling({ program, form: 'one file of messages', file, id: path.basename(path.dirname(file)) })
  const usageOf = ({ metrics, modelInfo }) =>
    metrics && {
      prompt: metrics.inputTokens,
      read: metrics.cacheReadTokens,
      written: metrics.cacheWriteTokens,
      output: metrics.outputTokens,
      model: modelInfo?.id,
    }
  const unread = (why) => problems.unread(program, file, why)
  await tellMessages(telling, elementsOf(file, 'messages'), { unread, usageOf, ask: true })
  counted(telling.session)
  if (!telling.isEmpty) yield telling.session
}

export const TASKS = {
  form: 'folders of tasks',
  files: /^(api_conversation_history|ui_messages)\.json$/,
  read: readTask,
}
export const CLINE_MESSAGES = { form: 'one file of messages', files: /\.messages\.json$/, read: readMessages }
