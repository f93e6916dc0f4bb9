// Transcripts as programs of several versions write them: one conversation of two messages, in every form.
import fs from 'node:fs'
import path from 'node:path'

/** The conversation that every form tells. */
export const TOLD = {
  said: ['list the open issues of the shop', 'thanks, now read the file'],
  /** By server and tool, in the words of whichever form. */
  called: ['github/list_issues', 'github/list_issues', 'files/read_text'],
  /** Calls of the program's own tools. */
  own: 1,
  requests: 4,
}
const USES = [
  { at: 0, server: 'github', tool: 'list_issues', input: { owner: 'a' } },
  { at: 0, server: 'github', tool: 'list_issues', input: { owner: 'b' } },
  { at: 1, own: true },
  { at: 1, server: 'files', tool: 'read_text', input: { path: 'x' } },
]
/** Prompt, read from a cache, written to it: of the four requests. */
const USAGE = [
  [10_000, 0, 10_000],
  [12_000, 10_000, 2_000],
  [13_000, 12_000, 1_000],
  [15_000, 13_000, 2_000],
]
const START = Date.parse('2026-03-01T10:00:00Z')
const iso = (minute) => new Date(START + minute * 60_000).toISOString()
const lines = (entries) =>
  `${entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry))).join('\n')}\n`

export function put(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text))
  return file
}

/** The moments of the conversation: messages, and calls with the request that each came of. */
function moments() {
  return TOLD.said.flatMap((text, at) => [
    { text },
    ...USES.map((use, request) => ({ ...use, request })).filter((use) => use.at === at),
  ])
}

let ids = 0
function uuid() {
  ids += 1
  return `${String(ids).padStart(8, '0')}-0000-4000-8000-000000000000`
}

/** Claude Code: an answer stands in as many lines as it has parts, each with the whole usage. */
export function claudeCode({ secret = '' } = {}) {
  const base = () => ({ uuid: uuid(), sessionId: 's', isSidechain: false, version: '2.1.0', timestamp: iso(0) })
  return lines(
    moments().flatMap(({ text, own, server, tool, input, request }) => {
      if (text !== undefined)
        return [{ ...base(), type: 'user', message: { role: 'user', content: `${text}${secret && ` ${secret}`}` } }]
      const [prompt, read, written] = USAGE[request]
      const usage = {
        input_tokens: prompt - read - written,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        output_tokens: 5,
      }
      const message = { id: `m${ids}`, role: 'assistant', model: 'claude-sonnet-5', usage }
      const use = {
        type: 'tool_use',
        id: `t${request}`,
        name: own ? 'Bash' : `mcp__${server}__${tool}`,
        input: { ...input, secret },
      }
      return [
        { ...base(), type: 'assistant', message: { ...message, content: [{ type: 'text', text: secret || 'well' }] } },
        { ...base(), type: 'assistant', message: { ...message, content: [use] } },
        {
          ...base(),
          type: 'user',
          message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: secret || 'done' }] },
        },
      ]
    }),
  )
}

/** Codex with envelopes, `records` as since 0.16x; bare items as before 0.2x. */
export function codex({ isBare = false, records = false, namespaces = false } = {}) {
  const put = (payload) => (isBare ? payload : { timestamp: iso(0), type: 'response_item', payload })
  const event = (payload) => (isBare ? [] : [{ timestamp: iso(0), type: 'event_msg', payload }])
  const said = (text) => put({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
  const head = isBare
    ? { id: 's', timestamp: iso(0), instructions: null }
    : { timestamp: iso(0), type: 'session_meta', payload: { id: 's', timestamp: iso(0) } }
  let total = 0
  return lines([
    head,
    said('<environment_context>\n<cwd>/x</cwd></environment_context>'),
    ...moments().flatMap(({ text, own, server, tool, input, request }) => {
      if (text !== undefined) return [said(text), ...event({ type: 'user_message', message: text })]
      const name = own ? 'shell' : namespaces ? tool : `${server}__${tool}`
      const call = {
        type: 'function_call',
        name,
        ...(namespaces && !own && { namespace: `mcp__${server}` }),
        arguments: JSON.stringify(input ?? {}),
        call_id: `c${request}`,
      }
      const [prompt, read, written] = USAGE[request]
      const usage = {
        input_tokens: prompt,
        cached_input_tokens: read,
        cache_write_input_tokens: written,
        output_tokens: 5,
        total_tokens: prompt + 5,
      }
      total += prompt + 5
      const info = { total_token_usage: { total_tokens: total }, last_token_usage: usage }
      return [
        put(call),
        put({ type: 'function_call_output', call_id: call.call_id, output: 'done' }),
        ...(records ? [{ timestamp: iso(0), type: 'token_usage_record', payload: { usage } }] : []),
        // Told twice, as when a limit changes.
        ...event({ type: 'token_count', info }),
        ...event({ type: 'token_count', info }),
      ]
    }),
  ])
}

/** opencode's messages with their parts. */
function opencodeMessages() {
  return moments().map(({ text, own, server, tool, input, request }, at) => {
    const id = `msg_${String(at).padStart(3, '0')}`
    const time = { created: START + at }
    if (text !== undefined) return { id, message: { id, role: 'user', time }, parts: [{ type: 'text', text }] }
    const [prompt, read, write] = USAGE[request]
    const tokens = { input: prompt - read - write, output: 5, reasoning: 0, cache: { read, write } }
    const call = {
      type: 'tool',
      tool: own ? 'bash' : `${server}_${tool}`,
      callID: `c${request}`,
      state: { status: 'completed', input: input ?? {}, output: 'done' },
    }
    const parts = [{ type: 'step-start' }, call, { type: 'step-finish', tokens }]
    return { id, message: { id, role: 'assistant', modelID: 'claude-x', time, tokens }, parts }
  })
}

/** The database of opencode 1.2 and later. @param {any} sqlite the module of Node.js */
export function opencodeDatabase(file, sqlite) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const database = new sqlite.DatabaseSync(file)
  database.exec(`CREATE TABLE session (id text, parent_id text);
    CREATE TABLE message (id text, session_id text, time_created integer, data text);
    CREATE TABLE part (id text, message_id text, data text)`)
  database.prepare('INSERT INTO session VALUES (?, ?)').run('ses_1', null)
  for (const { id, message, parts } of opencodeMessages()) {
    database
      .prepare('INSERT INTO message VALUES (?, ?, ?, ?)')
      .run(id, 'ses_1', message.time.created, JSON.stringify(message))
    for (const [at, part] of parts.entries())
      database.prepare('INSERT INTO part VALUES (?, ?, ?)').run(`${id}_${at}`, id, JSON.stringify(part))
  }
  database.close()
}

/** What a model of Cline, Roo Code or Zoo Code was sent: calls as text, or calls of its own. */
export function sentMessages({ isText = true, separator = '--' } = {}) {
  return moments().flatMap(({ text, own, server, tool, input, request }, at) => {
    if (text !== undefined) {
      const tag = at === 0 ? 'task' : 'feedback'
      const added = '<environment_details>\n# Visible files\n</environment_details>'
      return [
        {
          role: 'user',
          ts: START + at,
          content: [
            { type: 'text', text: `<${tag}>\n${text}\n</${tag}>` },
            { type: 'text', text: added },
          ],
        },
      ]
    }
    const written = own
      ? '<execute_command>\n<command>ls</command>\n</execute_command>'
      : `<use_mcp_tool>\n<server_name>${server}</server_name>\n<tool_name>${tool}</tool_name>\n<arguments>\n${JSON.stringify(input)}\n</arguments>\n</use_mcp_tool>`
    const use = {
      type: 'tool_use',
      id: `t${request}`,
      name: own ? 'execute_command' : `mcp${separator}${server}${separator}${tool}`,
      input: input ?? {},
    }
    return [
      { role: 'assistant', ts: START + at, content: [isText ? { type: 'text', text: `Well.\n${written}` } : use] },
      { role: 'user', ts: START + at, content: [{ type: 'text', text: '[use_mcp_tool] Result:\ndone' }] },
    ]
  })
}

/** What a person was shown of it; `isBeside`: cached tokens are not among the tokens in, as in later Cline. */
export function shownMessages({ isBeside = false } = {}) {
  return moments().flatMap(({ text, own, server, tool, input, request }, at) => {
    const ts = START + at
    if (text !== undefined) return [{ ts, type: 'say', say: at === 0 ? 'text' : 'user_feedback', text }]
    const [prompt, cacheReads, cacheWrites] = USAGE[request]
    const tokensIn = isBeside ? prompt - cacheReads - cacheWrites : prompt
    const call = own
      ? { ts, type: 'ask', ask: 'command', text: 'ls' }
      : {
          ts,
          type: 'ask',
          ask: 'use_mcp_server',
          text: JSON.stringify({
            type: 'use_mcp_tool',
            serverName: server,
            toolName: tool,
            arguments: JSON.stringify(input),
          }),
        }
    return [
      {
        ts,
        type: 'say',
        say: 'api_req_started',
        text: JSON.stringify({ request: 'x', tokensIn, tokensOut: 5, cacheReads, cacheWrites }),
      },
      { ...call, partial: true },
      call,
      { ts, type: 'say', say: 'mcp_server_response', text: 'done' },
    ]
  })
}

/** The one file of the command-line Cline. */
export const clineMessages = () => ({
  version: 1,
  sessionId: 's',
  messages: moments().map(({ text, own, server, tool, input, request }, at) => {
    const ts = START + at
    if (text !== undefined)
      return { role: 'user', ts, content: [{ type: 'text', text: `<user_input mode="act">${text}</user_input>` }] }
    const [prompt, read, written] = USAGE[request]
    return {
      role: 'assistant',
      ts,
      content: [
        { type: 'tool_use', id: `t${request}`, name: own ? 'run_commands' : `${server}__${tool}`, input: input ?? {} },
      ],
      modelInfo: { id: 'claude-x' },
      metrics: { inputTokens: prompt, cacheReadTokens: read, cacheWriteTokens: written, outputTokens: 5 },
    }
  }),
  system_prompt: 'You are a program.',
})
