// tool-router-gateway replay: what a person's own transcripts say about tools, and what this router would have done. Transcripts are
// read only, nothing of them is kept, and nothing leaves the machine unless a model is named.

import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { ToolRouter } from '@zoo-code/tool-router/internal'
import { invalid, plain } from '../base/errors.mjs'
import { linesOf, unreadLines } from '../history/lines.mjs'
import { seedUses, writePins } from '../history/learn.mjs'
import { linesOfLists, listsOf } from '../history/lists.mjs'
import { budgetOf, Endpoint } from '../history/endpoint.mjs'
import { History, sourcesOf } from '../history/read.mjs'
import { openLists, recordOf, tallyOf } from '../history/record.mjs'
import { writeNew } from '../clients/write-file.mjs'

/** Sessions that are played: the newest. More of them say little more, and a minute is long. */
const SESSIONS = 60
const SEED = 1
const DAY_MS = 86_400_000

/**
 * @typedef {{ from?: string[], config?: string, tools?: string, ask?: boolean, workspace?: string, sessions?: string, days?: string,
 * model?: string, name?: string, key?: string, budget?: string, price?: string, learn?: boolean, pin?: boolean, seed?: string, lexical?: boolean, out?: string, force?: boolean, json?: boolean, verbose?: boolean }} Values
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
  const seed = whole(values.seed, '--seed', SEED)
  const days = whole(values.days, '--days', 0)
  if (values.learn && values.config === undefined)
    throw invalid('--learn', 'the gateway that learns behind --config', 'no --config')
  const model = modelOf(values)
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
  const record = await recordOf({
    history,
    tally,
    lists,
    tools,
    scoped,
    router,
    seed,
    learns: values.learn,
    model,
    say: progress,
  })
  for (const line of values.json ? [JSON.stringify(record, undefined, 2)] : linesOf(record, os.homedir(), values))
    print(line)
  if (values.learn && values.config !== undefined) await learn(values, record, lists, print)
  return 0
}

/** @param {Values} values @returns {((count: (text: string) => Promise<number>) => Endpoint) | undefined} */
function modelOf({ model: base, name, key, budget, price, tools, config, ask }) {
  if (base === undefined) return undefined
  if (name === undefined) throw invalid('--model', 'the name of a model behind --name', 'no --name')
  // What it costs is nobody's surprise.
  if (budget === undefined)
    throw invalid('--model', 'what it may cost behind --budget, as 200000 or $2.50', 'no --budget')
  if (!(tools || config || ask)) throw invalid('--model', 'lists of tools: --config, --tools or --ask', 'none of them')
  if (key !== undefined && !process.env[key]) throw invalid('--key', 'the name of a variable that is set', key)
  // A key is for one address: none is sent that was not named for this one.
  const given = { base, name, key: key && process.env[key], budget: budgetOf(budget, price) }
  // An address that is none is refused before anything is read.
  new Endpoint({ ...given, count: async () => 0 })
  return (count) => new Endpoint({ ...given, count })
}

/**
 * Only counts of tools are kept, and pins that were asked for.
 *
 * @param {Values} values
 * @param {import('../history/record.mjs').Record} record
 * @param {import('../history/lists.mjs').Lists} lists
 * @param {(line: string) => void} print
 */
async function learn({ config = '', workspace, pin, json }, { calls, learned }, { servers }, print) {
  const told = await seedUses(config, workspace, servers, calls)
  const written = pin ? writePins(config, learned?.pins ?? []) : []
  if (json) return
  print(
    told > 0
      ? `\nThe gateway of ${config} knows now which tools are used: ${told}.`
      : '\nThis gateway keeps no counts of uses.',
  )
  if (written.length > 0) print(`Pinned in ${config}: ${plain(written.join(', '), 400)}`)
  else if ((learned?.pins.length ?? 0) > 0 && !pin) print('Pin them with --pin.')
}
