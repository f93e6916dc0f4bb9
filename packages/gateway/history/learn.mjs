// What a history teaches: which tools are used, so that a gateway's first day knows its user. Whether that helps is measured: taught by
// the first half of a history, asked in the second.

import fs from 'node:fs'
import path from 'node:path'

import { definitionHash } from '../store/definitions.mjs'
import { changed, entriesIn } from '../clients/edits.mjs'
import { writeNew } from '../clients/write-file.mjs'
import { readConfigFile } from '../config/read.mjs'
import { MAX_OF_TOOL } from '../catalogue/learned-uses.mjs'
import { openStore } from '../store/store.mjs'
import { providerOf } from './bill.mjs'
import { shareOf } from './chance.mjs'
import { play } from './play.mjs'
import { asItComes } from './ways.mjs'

/** A tool is worth a pin where this share of the sessions that call anything call it, in so many sessions at least. */
const PIN_SHARE = 1 / 3
const PIN_SESSIONS = 3
const MAX_PINS = 5
/** Sessions that a half needs. */
const MIN_HALF = 2

/** `server::tool` as the router names it. */
export function toolOf(id) {
  const at = id.indexOf('::')
  return { serverName: id.slice(0, at), toolName: id.slice(at + 2) }
}

/**
 * Does a task once more, so that the router learns of it: each text is said, and what it led to is called.
 *
 * @param {import('@zoo-code/tool-router/internal').ToolRouter} router
 * @param {import('./play.mjs').Task} task
 * @param {{ settings?: object, toolFor?: (id: string) => { serverName: string, toolName: string } }} [options]
 */
export async function teach(router, task, { settings = {}, toolFor = toolOf } = {}) {
  const session = router.openSession({ settings })
  try {
    for (const [at, { text, needs }] of [task, ...task.steps].entries()) {
      await (at === 0 ? session.start(text) : session.turn(text))
      for (const [id] of needs) await session.recordUse(toolFor(id))
    }
  } finally {
    session.close()
  }
}

/**
 * @param {ReturnType<typeof import('./would.mjs').opened>} open
 * @param {import('./task.mjs').HistoryTask[]} tasks the oldest first
 * @param {number} seed
 */
export async function measured(open, tasks, seed) {
  const { router } = open
  const half = Math.floor(tasks.length / 2)
  if (half < MIN_HALF) return undefined
  const [first, second] = [tasks.slice(0, half), tasks.slice(half)]
  const there = async () => {
    const rows = []
    for (const task of second) {
      const { outcomes } = await play(open, task, asItComes(providerOf(task.session)), { loads: false })
      rows.push({ needed: outcomes.length, there: outcomes.filter(({ how }) => how !== 'missed').length })
    }
    return rows
  }
  await router.forget()
  const before = await there()
  for (const task of first) await teach(router, task)
  const after = await there()
  await router.forget()
  const column = (rows, name) => rows.map((row) => row[name])
  const needed = column(before, 'needed')
  const more = after.map((row, at) => row.there - before[at].there)
  return {
    taught: first.length,
    asked: second.length,
    needed: needed.reduce((sum, each) => sum + each, 0),
    before: shareOf(column(before, 'there'), needed, seed),
    after: shareOf(column(after, 'there'), needed, seed),
    difference: shareOf(more, needed, seed),
  }
}

/**
 * Tools that a person calls in so many sessions that they may stand in every first list.
 *
 * @param {import('./task.mjs').HistoryTask[]} tasks
 * @returns {{ serverName: string, toolName: string, sessions: number }[]}
 */
export function pinsOf(tasks) {
  const called = tasks.map((task) => new Set([task, ...task.steps].flatMap(({ needs }) => needs.map(([id]) => id))))
  const calling = called.filter(({ size }) => size > 0)
  const counts = new Map()
  for (const id of calling.flatMap((ids) => [...ids])) counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts]
    .filter(([, sessions]) => sessions >= Math.max(PIN_SESSIONS, calling.length * PIN_SHARE))
    .toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, MAX_PINS)
    .map(([id, sessions]) => ({ ...toolOf(id), sessions }))
}

/**
 * Tells the store of a gateway which tools were used: counts by definition, and nothing of who, when or what for. Of a tool no more
 * than gateways take over in a day.
 *
 * @param {string} file the gateway's configuration
 * @param {string | undefined} workspace
 * @param {import('./lists.mjs').Listed[]} servers
 * @param {{ name: string, count: number }[]} calls `server/tool`
 * @returns {Promise<number>} tools that were told of; none where the gateway keeps no such counts
 */
export async function seedUses(file, workspace, servers, calls) {
  const { settings, servers: definitions } = readConfigFile(file, workspace === undefined ? {} : { workspace })
  const store = await openStore(settings)
  try {
    if (store.uses === undefined) return 0
    const counts = new Map(calls.map(({ name, count }) => [name, count]))
    let told = 0
    for (const { name, tools } of servers) {
      const definition = definitions.get(name)
      if (definition === undefined) continue
      for (const tool of tools) {
        const times = Math.min(MAX_OF_TOOL, counts.get(`${name}/${tool.name}`) ?? 0)
        for (let time = 0; time < times; time++)
          store.uses.record(definition, { tool: tool.name, definition: definitionHash(tool) })
        told += Number(times > 0)
      }
    }
    await store.uses.flush()
    return told
  } finally {
    await store.close()
  }
}

/** Writes pins into the gateway's configuration, where a server says nothing about them yet. @returns {string[]} what was written */
export function writePins(file, pins) {
  const whole = path.resolve(file)
  const text = fs.readFileSync(whole, 'utf8')
  const key = ['mcpServers', 'servers'].find((each) => entriesIn(text, whole, each).size > 0) ?? 'mcpServers'
  const entries = entriesIn(text, whole, key)
  const changes = new Map()
  for (const { serverName, toolName } of pins) {
    const entry = changes.get(serverName) ?? entries.get(serverName)
    if (entry === undefined || (entry.alwaysLoad !== undefined && !changes.has(serverName))) continue
    changes.set(serverName, { ...entry, alwaysLoad: [...(entry.alwaysLoad ?? []), toolName] })
  }
  const { mode } = fs.statSync(whole)
  if (changes.size > 0) writeNew(whole, changed(text, whole, key, changes), { force: true, mode: mode & 0o777 })
  return [...changes].flatMap(([name, { alwaysLoad }]) => alwaysLoad.map((tool) => `${name}/${tool}`))
}
