// Claude Code: a file of JSON lines for each conversation, and of later versions one for each subtask. Seen of 0.2 to 2.1.330.

import { between, listOf, without } from '../marked.mjs'
import { linesOf, tellEach } from '../pieces.mjs'
import { momentOf, Telling } from '../told.mjs'

/** Kinds of lines that hold nothing of what is asked here. */
const PASSED =
  /^(summary|file-history-\S+|queue-operation|progress|last-prompt|atis-latch|cost-state|tools-used|api-request-blob|api-request-shape|custom-title|ai-title|agent-\S+|pr-link|tag|mode|permission-mode|saved_hook_context|content-replacement|marble-\S+|speculation-\S+|attribution-\S+|task-summary|worktree-state|last-\S+)$/
/** What the program itself writes where a person's words would stand. */
const NOT_SAID = /^(<(command-|local-command-|bash-|task-notification|user-memory-)|Caveat: |\[Request interrupted)/

/** @type {Record<string, (telling: Telling, line: any, place: number) => void>} what each kind of line tells */
const KINDS = {
  user(telling, { message, isMeta, isCompactSummary }, place) {
    if (isCompactSummary) return telling.changed('compacted', place)
    if (isMeta) return undefined
    const { content } = message ?? {}
    const texts =
      typeof content === 'string'
        ? [content]
        : listOf(content).map((block) => (block?.type === 'text' ? block.text : ''))
    for (const text of texts) telling.said(wordsOf(text), place)
    return undefined
  },
  assistant(telling, { message, timestamp }, place) {
    const { id, model, usage, content } = message ?? {}
    if (model === '<synthetic>') return
    if (usage) telling.asked({ id, model, at: momentOf(timestamp), ...costOf(usage) }, place)
    for (const block of listOf(content))
      if (block?.type === 'tool_use') {
        const isOwn = typeof block.name === 'string' && !block.name.startsWith('mcp__')
        telling.called(block.name, { id: block.id, isOwn, input: block.input, place })
      }
  },
  system(telling, { subtype }, place) {
    if (subtype === 'compact_boundary') telling.changed('compacted', place)
  },
  attachment(telling, { attachment }) {
    if (attachment?.type === 'deferred_tools_delta' && listOf(attachment.addedNames).some(isOfServer))
      telling.session.defers = true
  },
}

const isOfServer = (name) => typeof name === 'string' && name.startsWith('mcp__')

function wordsOf(text) {
  if (typeof text !== 'string') return ''
  // What stands behind a command is said by the person.
  if (text.startsWith('<command-')) return between(text, '<command-args>', '</command-args>') ?? ''
  return NOT_SAID.test(text) ? '' : without(text, '<system-reminder>', '</system-reminder>')
}

/** Cached tokens are not part of `input_tokens`. */
function costOf({ input_tokens: input = 0, cache_read_input_tokens: read = 0, output_tokens: output, ...usage }) {
  const written = usage.cache_creation_input_tokens ?? 0
  const writtenLong = usage.cache_creation?.ephemeral_1h_input_tokens
  return { prompt: input + read + written, read, written, writtenLong, output }
}

/** The 48 first bits of an id: conversations that were gone on with hold lines of the ones before, and a million ids must fit. */
const bitsOf = (uuid) => Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)

/**
 * @param {string} file
 * @param {{ program: string, problems: import('../problems.mjs').Problems, seen: Set<number> }} how
 * @returns {AsyncGenerator<import('../told.mjs').Session>}
 */
async function* read(file, { program, problems, seen }) {
  /** Of a conversation, and of each subtask that stands in it. @type {Map<string, { telling: Telling, shape?: string }>} */
  const tellings = new Map()
  const unread = (why) => problems.unread(program, file, why)
  await tellEach(linesOf(file), unread, (value, number) => {
    const { type, sessionId, isSidechain, agentId, timestamp, uuid } = value
    if (typeof uuid === 'string' && (type === 'user' || type === 'assistant')) {
      const bits = bitsOf(uuid)
      if (seen.has(bits)) return
      seen.add(bits)
    }
    const id = String((isSidechain && (agentId ?? 'subtask')) || sessionId || 'conversation')
    if (!tellings.has(id)) {
      const isSubtask = isSidechain === true
      tellings.set(id, { telling: new Telling({ program, form: 'JSON lines', file, id, isSubtask }) })
    }
    const known = /** @type {{ telling: Telling, shape?: string }} */ (tellings.get(id))
    if (Object.hasOwn(KINDS, type)) {
      known.telling.began(momentOf(timestamp))
      KINDS[type](known.telling, value, number)
    } else if (type === 'api-request') {
      // Later versions tell when the system prompt or the list of tools is another one.
      if (known.shape !== undefined && known.shape !== value.shapeHash) known.telling.changed('tools', number)
      known.shape = value.shapeHash
    } else if (!PASSED.test(type)) problems.unknown(program, type)
  })
  for (const { telling } of tellings.values()) if (!telling.isEmpty) yield telling.session
}

export const CLAUDE_CODE = { form: 'JSON lines', files: /\.jsonl$/, read }
