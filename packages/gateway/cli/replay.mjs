// tool-router-gateway replay: what a person's own transcripts say about tools, and what this router would have done. Transcripts are
// read only, nothing of them is kept, and nothing leaves the machine.

import os from 'node:os'
import path from 'node:path'

import { ToolRouter } from '@zoo-code/tool-router/internal'
import { invalid } from '../base/errors.mjs'
import { linesOf, unreadLines } from '../history/lines.mjs'
import { linesOfLists, listsOf } from '../history/lists.mjs'
import { History, sourcesOf } from '../history/read.mjs'
import { openLists, recordOf, tallyOf } from '../history/record.mjs'
import { writeNew } from '../clients/write-file.mjs'

/** Sessions that are played: the newest. More of them say little more, and a minute is long. */
const SESSIONS = 60
const DAY_MS = 86_400_000

/**
 * @typedef {{ from?: string[], config?: string, tools?: string, ask?: boolean, workspace?: string, sessions?: string, days?: string,
 * lexical?: boolean, out?: string, force?: boolean, json?: boolean, verbose?: boolean }} Values
 */

/** @param {string | undefined} text @param {string} name @param {number} otherwise */
function whole(text, name, otherwise) {
  if (text === undefined) return otherwise
  if (!/^\d{1,9}$/.test(text)) throw invalid(name, 'a whole number', text)
  return Number(text)
}

/**
 * @param {Values} values
 * @param {(line: string) => void} print
 * @param {(line: string) => void} say what goes beside the report
 * @param {(opened: { close: () => Promise<void> }) => void} opened told of the gateway, for a signal that comes meanwhile
 * @returns {Promise<number>} the exit code: 1 where no transcript was found
 */
export async function runReplay(values, print, say, opened) {
  const most = whole(values.sessions, '--sessions', SESSIONS)
  const days = whole(values.days, '--days', 0)
  const history = new History(sourcesOf(values.from), days > 0 ? { since: Date.now() - days * DAY_MS } : {})
  const lists = await listsOf(values, opened)
  if (values.out !== undefined) writeNew(path.resolve(values.out), linesOfLists(lists.servers), values)
  const tally = await tallyOf(history, lists.servers.length > 0 ? most : 0)
  if (tally.sessions === 0) {
    print('No transcript of these programs is here. Name a place: --from claude-code=/path/to/projects')
    for (const line of unreadLines(history.problems.files, os.homedir())) print(line)
    return 1
  }
  const router = lists.servers.length > 0 ? ToolRouter.shared() : undefined
  const progress = values.verbose ? say : () => {}
  const { tools, scoped } = router
    ? await openLists(router, lists.servers, { lexical: values.lexical, say })
    : { tools: [], scoped: 0 }
  const record = await recordOf({ history, tally, lists, tools, scoped, router, say: progress })
  for (const line of values.json ? [JSON.stringify(record, undefined, 2)] : linesOf(record, os.homedir(), values))
    print(line)
  return 0
}
