#!/usr/bin/env node
// How much memory does a replay read a long history with? Writes one into a folder that is gone afterwards: conversations of Claude
// Code and tasks of Roo Code with long results and screenshots, half of it in one conversation. Prints what was read, and exits
// with 1 where the process had more than 200 MB, or did not count what was written.
//
//   node research/measure/history/stream.mjs [--megabytes <n>]

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../../scripts/arguments.mjs'

const MOST_MB = 200
const MEGABYTE = 1024 * 1024
/** Bytes of a tool's answer, and of a screenshot as text, of which one line in a hundred has one. */
const [ANSWER, SCREENSHOT] = [4_000, 3 * MEGABYTE]

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

const answer = (at) => 'x'.repeat(at % 100 === 99 ? SCREENSHOT : ANSWER)

/** A request with a call, and the answer; a message of a person before every tenth. */
function claudeCode(name) {
  return (at) => {
    const id = `${name}${at}`
    const use = { type: 'tool_use', id, name: 'mcp__shop__list_orders', input: { at } }
    const usage = { input_tokens: 5, cache_read_input_tokens: 1_000, output_tokens: 9 }
    const said = { type: 'user', sessionId: name, message: { role: 'user', content: `list the orders of day ${at}` } }
    return [
      ...(at % 10 === 0 ? [said] : []),
      { type: 'assistant', sessionId: name, message: { id, role: 'assistant', model: 'm', usage, content: [use] } },
      {
        type: 'user',
        sessionId: name,
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: answer(at) }] },
      },
    ]
  }
}

const rooCode = (at) => [
  {
    role: 'assistant',
    ts: at,
    content: [{ type: 'tool_use', id: `${at}`, name: 'mcp--shop--list_orders', input: {} }],
  },
  { role: 'user', ts: at, content: [{ type: 'tool_result', tool_use_id: `${at}`, content: answer(at) }] },
]

/** Reads a home in a process of its own, which says what it counted and the most memory that it had. */
function read(home) {
  const source = `
    const { History, sourcesOf } = await import(${JSON.stringify(new URL('../../../packages/gateway/history/read.mjs', import.meta.url).href)})
    const { tallyOf } = await import(${JSON.stringify(new URL('../../../packages/gateway/history/record.mjs', import.meta.url).href)})
    const where = { home: process.argv[1], platform: 'linux', env: {} }
    const tally = await tallyOf(new History(sourcesOf(['claude-code', 'roo-code'], where)), 60)
    const calls = tally.calls.reduce((sum, { count }) => sum + count, 0)
    console.log(JSON.stringify({ sessions: tally.sessions, calls, maxMb: process.resourceUsage().maxRSS / 1024 }))`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', source, home], { encoding: 'utf8' })
  if (child.status !== 0) throw new Error(`reading failed: ${child.stderr}`)
  return JSON.parse(child.stdout)
}

function main({ megabytes }) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-history-'))
  try {
    const bytes = megabytes * MEGABYTE
    const project = path.join(home, '.claude', 'projects', '-shop')
    const lines = ['', '\n', '\n']
    const parts = Math.max(1, Math.round(megabytes / 20))
    let calls = write(path.join(project, 'long.jsonl'), bytes / 2, claudeCode('long'), lines)
    for (let at = 0; at < parts; at++)
      calls += write(path.join(project, `${at}.jsonl`), bytes / 4 / parts, claudeCode(`s${at}`), lines)
    const tasks = path.join(home, '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks')
    const list = ['[', ',', ']']
    calls += write(path.join(tasks, '1', 'api_conversation_history.json'), bytes / 4, rooCode, list)
    const started = performance.now()
    const found = read(home)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(JSON.stringify({ megabytes, written: calls, ...found, maxMb: Math.round(found.maxMb), seconds }))
    process.exitCode = found.calls === calls && found.maxMb < MOST_MB ? 0 : 1
  } finally {
    fs.rmSync(home, { recursive: true, force: true })
  }
}

const given = readArguments('usage: stream.mjs [--megabytes <n>]\n', {
  megabytes: { type: 'integer', default: 500, least: 1 },
})
if (given) main(given.values)
