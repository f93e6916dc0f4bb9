// Codex: a file of JSON lines for each conversation. Since 0.2x each line has an envelope; earlier ones are bare items. Seen up to
// 0.169.

import { linesOf, tellEach } from '../pieces.mjs'
import { momentOf, Telling } from '../told.mjs'

/** What the program puts among a person's messages. */
const NOT_SAID =
  /^\s*(<(environment_context|user_instructions|turn_aborted|skill|permissions|collaboration|user_shell|subagent)|# AGENTS\.md)/
/** Items of a response that hold nothing of what is asked here. */
const PASSED =
  /^(reasoning|\w+_output|ghost_snapshot|compaction|other|item_reference|turn_context|world_state|session_state|event_msg\/\w+|state)$/

/** Calls of the program's own tools. */
const own = (nameOf) => (telling, item, place) => {
  telling.called(nameOf(item), { id: item.call_id, isOwn: true, place })
}

/** @type {Record<string, (telling: Telling, item: any, place: number, at?: number) => void>} */
const ITEMS = {
  message(telling, { role, content }, place) {
    if (role !== 'user' || !Array.isArray(content)) return
    for (const part of content)
      if (typeof part?.text === 'string' && !NOT_SAID.test(part.text)) telling.said(part.text, place)
  },
  function_call(telling, { name, namespace, arguments: input, call_id: id }, place) {
    if (typeof name !== 'string') return
    const isSpace = typeof namespace === 'string' && namespace.startsWith('mcp__')
    const whole = isSpace ? `${namespace}__${name}` : name
    telling.called(whole, { id, isOwn: !isSpace && !name.includes('__'), input, place })
  },
  local_shell_call: own(() => 'local_shell'),
  custom_tool_call: own(({ name }) => name),
  web_search_call: own(() => 'web_search'),
  tool_search_call: own(() => 'tool_search'),
}

const USAGE = (usage, more) => ({
  prompt: usage.input_tokens,
  read: usage.cached_input_tokens,
  written: usage.cache_write_input_tokens,
  output: usage.output_tokens,
  ...more,
})

/** What the state of a file's reading is, beside what it tells. */
class State {
  model
  total
  /** Since 0.16x each request has a record; the counts beside it are the same again. */
  hasRecords = false
}

/** @type {Record<string, (telling: Telling, payload: any, place: number, state: State, at?: number) => void>} */
const EVENTS = {
  token_count(telling, { info }, place, state, at) {
    const [last, total] = [info?.last_token_usage, info?.total_token_usage?.total_tokens]
    // It is told again when a limit changes.
    if (!last || state.hasRecords || (total !== undefined && total === state.total)) return
    state.total = total
    telling.asked(USAGE(last, { model: state.model, at }), place)
  },
  // Before the names of a server were in the items, they stood here alone.
  mcp_tool_call_end: (telling, { call_id: id, invocation }) => named(telling, id, invocation ?? {}),
  item_completed: (telling, { item }) => {
    if (item?.type === 'McpToolCall') named(telling, item.id, item)
  },
  context_compacted: (telling, _, place) => telling.changed('compacted', place),
}

function named(telling, id, { server, tool }) {
  if (typeof server === 'string' && typeof tool === 'string') telling.named(id, server, tool)
}

/** @type {Record<string, (telling: Telling, entry: any, place: number, state: State, problems: (kind: string) => void) => void>} */
const LINES = {
  session_meta: (telling, { payload }) => telling.began(momentOf(payload?.timestamp)),
  turn_context(_, { payload }, __, state) {
    state.model = payload?.model
  },
  response_item: (telling, { payload }, place, _, unknown) => item(telling, payload, place, unknown),
  event_msg(telling, { payload, timestamp }, place, state) {
    if (Object.hasOwn(EVENTS, payload?.type)) EVENTS[payload.type](telling, payload, place, state, momentOf(timestamp))
  },
  token_usage_record(telling, { payload, timestamp }, place, state) {
    if (!payload?.usage) return
    state.hasRecords = true
    telling.asked(USAGE(payload.usage, { model: state.model, at: momentOf(timestamp) }), place)
  },
  compacted: (telling, _, place) => telling.changed('compacted', place),
}

function item(telling, value, place, unknown) {
  if (Object.hasOwn(ITEMS, value?.type)) ITEMS[value.type](telling, value, place)
  else if (!PASSED.test(value?.type)) unknown(value?.type)
}

async function* read(file, { program, problems }) {
  const telling = new Telling({ program, form: 'JSON lines', file, id: file })
  const state = new State()
  const unknown = (kind) => problems.unknown(program, kind)
  const unread = (why) => problems.unread(program, file, why)
  await tellEach(linesOf(file), unread, (value, number) => {
    if (Object.hasOwn(LINES, value.type)) {
      telling.began(momentOf(value.timestamp))
      LINES[value.type](telling, value, number, state, unknown)
    } else if (value.record_type !== undefined || value.type === undefined) telling.began(momentOf(value.timestamp))
    else item(telling, value, number, unknown)
  })
  if (!telling.isEmpty) yield telling.session
}

export const CODEX = { form: 'JSON lines', files: /^rollout-.*\.jsonl(\.zst)?$/, read }
