// Histories of Claude Code that are longer than one conversation: what each request read is what such a conversation costs.
import path from 'node:path'

import { SERVERS } from './catalogue.mjs'
import { put } from './transcripts.mjs'

/** The lists of the invented servers, as `--tools` reads them. */
export function putLists(folder, servers = SERVERS) {
  const tools = servers.flatMap(({ name: server, tools: own }) =>
    own.map((tool) => ({ ...tool, server, inputSchema: JSON.parse(tool.inputSchema) })),
  )
  return put(path.join(folder, 'tools.jsonl'), tools.map((tool) => JSON.stringify(tool)).join('\n'))
}

const START = Date.parse('2026-04-01T08:00:00Z')
let ids = 0

/**
 * A conversation: `turns` of a text and steps, each with the calls that a request led to, the tokens by which the prompt grew, the
 * minutes before it, and what else of the answer is another one.
 *
 * @param {string} home
 * @param {{ id: string, day?: number, first?: number, turns: { text: string, steps: { calls?: string[], grows?: number,
 * minutes?: number, model?: string, condensed?: boolean, lost?: number }[] }[] }} conversation
 */
export function putConversation(home, { id, day = 0, first = 20_000, turns }) {
  const entries = []
  let [moment, prompt, before] = [START + day * 86_400_000, first, 0]
  const add = (type, message, more = {}) => {
    ids += 1
    const uuid = `${String(ids).padStart(8, '0')}-1111-4000-8000-000000000000`
    entries.push({ type, uuid, sessionId: id, timestamp: new Date(moment).toISOString(), message, ...more })
  }
  for (const { text, steps } of turns) {
    add('user', { role: 'user', content: text })
    for (const {
      calls = [],
      grows = 900,
      minutes = 1,
      model = 'claude-sonnet-5',
      condensed = false,
      lost = 0,
    } of steps) {
      moment += minutes * 60_000
      if (condensed) add('user', { role: 'user', content: 'A summary.' }, { isCompactSummary: true })
      prompt = before === 0 ? first : condensed ? Math.round(prompt / 3) : prompt + grows
      const read = before === 0 || minutes > 5 || condensed ? 0 : Math.max(0, before - lost)
      const usage = {
        input_tokens: 0,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: prompt - read,
        output_tokens: 40,
      }
      const content = calls.map((name, at) => ({ type: 'tool_use', id: `${ids}-${at}`, name, input: {} }))
      add('assistant', { id: `m${ids}`, role: 'assistant', model, usage, content })
      before = prompt
    }
  }
  const text = entries.map((entry) => JSON.stringify(entry)).join('\n')
  return put(path.join(home, '.claude', 'projects', '-shop', `${id}.jsonl`), text)
}
