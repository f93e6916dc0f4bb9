// A long history in a home: conversations of Claude Code and a task of Roo Code with long results and screenshots, half of it in
// one conversation.
import fs from 'node:fs'
import path from 'node:path'

const MEGABYTE = 1024 * 1024
/** Bytes of a tool's answer, and of a screenshot as text, of which one answer in a hundred has one. */
const [ANSWER, SCREENSHOT] = [4_000, 3 * MEGABYTE]
const answer = (at) => 'x'.repeat(at % 100 === 99 ? SCREENSHOT : ANSWER)

/** Writes entries until a file has so many bytes. @returns {number} calls that were written */
function write(file, bytes, entriesOf, [open, between, close]) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const descriptor = fs.openSync(file, 'w')
  let [written, calls] = [fs.writeSync(descriptor, open), 0]
  for (; written < bytes; calls++) {
    const texts = entriesOf(calls).map((entry) => JSON.stringify(entry))
    written += fs.writeSync(descriptor, (calls === 0 ? '' : between) + texts.join(between))
  }
  fs.writeSync(descriptor, close)
  fs.closeSync(descriptor)
  return calls
}

/** A request with a call, and the answer; a message of a person before every tenth. */
function claudeCode(sessionId) {
  return (at) => {
    const id = `${sessionId}${at}`
    const use = { type: 'tool_use', id, name: 'mcp__shop__list_orders', input: { at } }
    const usage = { input_tokens: 5, cache_read_input_tokens: 1_000, output_tokens: 9 }
    const result = { type: 'tool_result', tool_use_id: id, content: answer(at) }
    const user = (content) => ({ type: 'user', sessionId, message: { role: 'user', content } })
    return [
      ...(at % 10 === 0 ? [user(`list the orders of day ${at}`)] : []),
      { type: 'assistant', sessionId, message: { id, role: 'assistant', model: 'm', usage, content: [use] } },
      user([result]),
    ]
  }
}

function rooCode(ts) {
  const use = { type: 'tool_use', id: `${ts}`, name: 'mcp--shop--list_orders', input: {} }
  const result = { type: 'tool_result', tool_use_id: `${ts}`, content: answer(ts) }
  return [
    { role: 'assistant', ts, content: [use] },
    { role: 'user', ts, content: [result] },
  ]
}

/** @returns {number} calls that were written into the home */
export function writeLongHistory(home, megabytes) {
  const bytes = megabytes * MEGABYTE
  const [lines, list] = [
    ['', '\n', '\n'],
    ['[', ',', ']'],
  ]
  const conversation = (name, share) =>
    write(path.join(home, '.claude', 'projects', '-shop', `${name}.jsonl`), bytes / share, claudeCode(name), lines)
  const tasks = path.join(home, '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks')
  const task = write(path.join(tasks, '1', 'api_conversation_history.json'), bytes / 4, rooCode, list)
  return conversation('long', 2) + conversation('s0', 8) + conversation('s1', 8) + task
}
