// opencode: a database, since 1.2, which takes over the files of versions before it. Seen of 1.2 to 1.18.33.

import fs from 'node:fs'
import { pathToFileURL } from 'node:url'

import { isObject } from '../../base/values.mjs'
import { parsed } from '../marked.mjs'
import { Telling } from '../told.mjs'

/** Its own tools. Those of servers stand as `server_tool`, and nothing else tells them apart. */
const OWN =
  /^(apply_patch|bash|batch|codesearch|edit|glob|grep|invalid|list|lsp|lsp_\w+|multiedit|patch|plan_\w+|question|read|skill|task|todoread|todowrite|webfetch|websearch|write|StructuredOutput)$/
/** @type {Record<string, (telling: Telling, part: any, place: number, message: any) => void>} what parts tell */
const PARTS = {
  text(telling, { text, synthetic, ignored }, place, { role }) {
    if (role === 'user' && !synthetic && !ignored) telling.said(text, place)
  },
  tool(telling, { tool, callID: id, state }, place) {
    telling.called(tool, { id, isOwn: OWN.test(tool), input: state?.input, place })
  },
  compaction: (telling, _, place) => telling.changed('compacted', place),
}
const PASSED = /^(reasoning|file|step-start|step-finish|snapshot|patch|agent|retry|subtask)$/

/** A message with its parts. */
function tell(telling, message, parts, place, unknown) {
  telling.began(message.time?.created)
  const steps = parts.filter(({ type }) => type === 'step-finish')
  const usages = steps.length > 0 ? steps : [message]
  let step = 0
  const ask = () => {
    const { input = 0, output, cache = {} } = usages[step]?.tokens ?? {}
    const [read, written] = [cache.read ?? 0, cache.write ?? 0]
    const model = message.modelID ?? message.model?.modelID
    telling.asked({ prompt: input + read + written, read, written, output, model, at: message.time?.created }, place)
    step += 1
  }
  // Of a message with several steps each begins with a part that says so.
  const isMarked = parts.some(({ type }) => type === 'step-start')
  if (message.role === 'assistant' && !isMarked) ask()
  for (const part of parts) {
    if (part.type === 'step-start' && step < usages.length) ask()
    if (Object.hasOwn(PARTS, part.type)) PARTS[part.type](telling, part, place, message)
    else if (!PASSED.test(part.type)) unknown(part.type)
  }
}

/** Tells a message; one that is not as this program writes it costs itself alone. */
const tellerOf = (program, problems, file) => (telling, message, parts, place) => {
  try {
    tell(telling, message, parts, place, (kind) => problems.unknown(program, kind))
  } catch {
    problems.unread(program, file, 'not as this program writes it')
  }
}

/** The database is opened so that nothing beside it is written: as one that nobody changes, or with the log that is there. */
async function openDatabase(file) {
  const sqlite = await import(/** @type {any} */ ('node:sqlite')).catch(() => {
    throw new Error('a database, which this version of Node.js does not read; use 22.13 or later')
  })
  const url = pathToFileURL(file)
  const hasLog = (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const isOpen = hasLog && fs.existsSync(`${file}-shm`)
  url.search = isOpen ? '?mode=ro' : '?mode=ro&immutable=1'
  const database = new sqlite.DatabaseSync(/** @type {any} */ (url), { readOnly: true })
  return { database, misses: hasLog && !isOpen }
}

const MESSAGES = `SELECT message.id AS id, message.session_id AS session, session.parent_id AS parent, message.data AS message,
  part.data AS part FROM message LEFT JOIN session ON session.id = message.session_id
  LEFT JOIN part ON part.message_id = message.id ORDER BY message.session_id, message.time_created, message.id, part.id`

async function* readDatabase(file, { program, problems }) {
  const { database, misses } = await openDatabase(file)
  if (misses) problems.unread(program, file, 'its latest changes are in a log that nobody has written into it yet')
  try {
    /** @type {Telling | undefined} */
    let telling
    let [place, id] = [0, '']
    /** @type {any} */
    let message
    /** @type {any[]} */
    let parts = []
    const tellOne = tellerOf(program, problems, file)
    const end = () => {
      if (message) tellOne(telling, message, parts, place)
      message = undefined
      parts = []
    }
    const parse = (text) => {
      const value = parsed(text)
      if (isObject(value)) return value
      problems.unread(program, file, 'a row that is not JSON')
      return undefined
    }
    for (const row of /** @type {Iterable<any>} */ (database.prepare(MESSAGES).iterate())) {
      if (row.id !== id || row.session !== telling?.session.id) end()
      if (row.session !== telling?.session.id) {
        if (telling && !telling.isEmpty) yield telling.session
        telling = new Telling({ program, form: 'database', file, id: row.session, isSubtask: row.parent !== null })
        place = 0
      }
      if (row.id !== id) {
        id = row.id
        place += 1
        message = parse(row.message)
      }
      const part = row.part === null ? undefined : parse(row.part)
      if (part) parts.push(part)
    }
    end()
    if (telling && !telling.isEmpty) yield telling.session
  } finally {
    database.close()
  }
}

export const OPENCODE = { form: 'database', files: /^opencode[\w-]*\.db$/, read: readDatabase }
