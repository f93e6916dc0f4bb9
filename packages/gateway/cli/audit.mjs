// tool-router-gateway audit: who called what, over all gateways of a database, or of a folder of this machine.

import { ToolRouter } from '@zoo-code/tool-router/internal'
import { Activity } from '../activity/activity.mjs'
import { invalid, plain } from '../base/errors.mjs'
import { personOfThisMachine } from '../base/local-person.mjs'
import { integer } from '../base/values.mjs'
import { readConfigFile } from '../config/read.mjs'
import { openStore } from '../store/store.mjs'

const MINUTE_MS = 60_000
const UNITS = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS }
const MOST = 100_000

/** What is done by a command leaves its row, too. @param {import('../store/store.mjs').Store} store */
export function rowOfCommand(store) {
  const activity = new Activity(ToolRouter.shared(), { audit: store.calls, who: () => personOfThisMachine() })
  return { acted: (server, what) => activity.acted('command line', server, what) }
}

/**
 * @param {{ config: string, workspace?: string, since?: string, person?: string, server?: string, tool?: string, outcome?: string,
 * most?: string, json?: boolean }} values
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit code
 */
export async function runAudit({ config: file, workspace, since = '1d', most = '100', json = false, ...asked }, print) {
  const { person, server, tool, outcome } = asked
  const { settings } = readConfigFile(file, workspace === undefined ? {} : { workspace })
  const wanted = {
    since: Date.now() - agoOf(since),
    most: integer(Number(most), '--most', 1, MOST),
    is: { person, server, tool, outcome },
  }
  const store = await openStore(settings)
  try {
    if (store.calls === undefined)
      throw invalid('config.gateway', 'audit, which keeps one in files, or store, a database that has one', 'neither')
    const calls = await store.calls.list(wanted)
    for (const call of calls) print(json ? JSON.stringify(call) : lineOf(call))
    if (calls.length === 0 && !json) print(`No call since ${new Date(wanted.since).toISOString()} fits.`)
    return 0
  } finally {
    await store.close()
  }
}

/** @param {string} text as `90m`, `12h`, `7d` */
function agoOf(text) {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  if (count === undefined) throw invalid('--since', 'how long ago, as 90m, 12h or 7d', text)
  return Number(count) * UNITS[unit]
}

/** A name that a server or a client chose is no line of its own. @param {import('../store/postgres/calls.mjs').Call} call */
function lineOf({ at, person, client, server, tool, outcome, ms, sent, received, session, replica, profile }) {
  const what = server === '' ? tool : `${server}/${tool}`
  const cost = outcome === 'begun' ? 'how it ended is not known' : `${Math.round(ms)} ms, ${sent} and ${received} bytes`
  const where = [client, profile && `profile ${profile}`, session && `session ${session}`, `at ${replica}`].filter(
    Boolean,
  )
  const parts = [new Date(at).toISOString(), outcome, person || 'nobody known', what, cost, ...where]
  return parts.map((part) => plain(part, 300)).join('  ')
}
