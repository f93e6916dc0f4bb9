// An edited configuration while the gateway runs: what has changed is changed, and nothing else. A file that cannot be
// read, or a setting that is wrong, changes nothing; an entry that cannot be read leaves its server as it was.

import fs from 'node:fs'

import { settingsThat } from '../config/settings.mjs'

/** How often the file is looked at. It is asked for its time, since editors replace files, which ends a watch of them. */
const LOOK_MS = 1_000
/** Fields of a server that say what is shown of it: to change them needs no new start. */
const SHOWN = (
  'description capabilities syntheticQueries disabledTools onlyAllow parts alwaysLoad essential ' +
  'toolDescriptionOverrides searchDescriptions toolKinds'
).split(' ')
/** Settings that hold from now on, all others with the next start; and those by which the tools of all servers are shown. */
const LIVE = settingsThat('live')
const OF_ALL = settingsThat('shown')

/**
 * What an edit changes. `refreshed`: servers that run on, and of which only what is shown has changed.
 *
 * @param {import('../config/read.mjs').Config} before
 * @param {import('../config/read.mjs').Config} after
 */
export function differencesOf(before, after) {
  const [was, is] = [before.servers, new Map(after.servers)]
  // An entry that became unreadable: its server goes on.
  const kept = after.leftOut.flatMap(({ kind, name }) => (kind === 'server' ? (was.get(name) ?? []) : []))
  for (const definition of kept) is.set(definition.name, definition)
  const settings = Object.keys(after.settings).filter((key) => differs(before.settings[key], after.settings[key]))
  const both = [...is.values()].filter(({ name }) => was.has(name))
  const changed = both.filter((definition) => differs(reachOf(was.get(definition.name)), reachOf(definition)))
  const isOfAll = settings.some((key) => OF_ALL.includes(key))
  const refreshed = both.filter(
    (definition) => !changed.includes(definition) && (isOfAll || differs(was.get(definition.name), definition)),
  )
  return {
    servers: is,
    kept: kept.map(({ name }) => name),
    removed: [...was.keys()].filter((name) => !is.has(name)),
    added: [...is.values()].filter(({ name }) => !was.has(name)),
    changed,
    refreshed,
    order: [...is.keys()],
    settings: settings.filter((key) => LIVE.includes(key)),
    later: settings.filter((key) => !LIVE.includes(key)),
  }
}

function reachOf(definition) {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => !SHOWN.includes(key)))
}

function differs(a, b) {
  return textOf(a) !== textOf(b)
}

function textOf(value) {
  return JSON.stringify(value, (_, each) => (each instanceof Map || each instanceof Set ? [...each] : each))
}

export class Reloader {
  #gateway
  #read
  /** @type {Promise<unknown>} */
  #reloading = Promise.resolve()
  #file
  #look = ({ mtimeMs, size, ino }, before) => {
    if (mtimeMs === before.mtimeMs && size === before.size && ino === before.ino) return
    void this.reload().catch(() => {})
  }

  /**
   * @param {Pick<import('./gateway.mjs').Gateway, 'catalogue' | 'config' | 'log' | 'profiles'>} gateway
   * @param {() => import('../config/read.mjs').Config} read reads the file again
   */
  constructor(gateway, read) {
    this.#gateway = gateway
    this.#read = read
  }

  /** Reloads whenever the file changes. */
  watch(file) {
    this.#file = file
    fs.watchFile(file, { interval: LOOK_MS, persistent: false }, this.#look)
  }

  /**
   * Reads the file again and changes what has changed, one time after the other.
   *
   * @returns {Promise<import('../index.d.mts').ReloadResult>}
   * @throws {ToolRouterError} when the file cannot be read; nothing has changed then
   */
  reload() {
    const reloaded = this.#reloading.then(() => this.#reload())
    this.#reloading = reloaded.catch(() => {})
    return reloaded
  }

  async #reload() {
    const gateway = this.#gateway
    const before = gateway.config
    let after
    let found
    try {
      after = this.#read()
      found = differencesOf(before, after)
      gateway.catalogue.assertFree([...found.added, ...found.changed])
    } catch (error) {
      gateway.log(`the configuration was edited and is not used: ${error.message}; everything goes on as before`)
      gateway.config = { ...before, notes: [...own(before.notes), `${EDITED}: ${error.message}`] }
      throw error
    }
    const { settings } = before
    // The same object: all parts of the gateway hold it.
    for (const key of found.settings) settings[key] = after.settings[key]
    gateway.config = { ...after, servers: found.servers, settings }
    await gateway.catalogue.reload(found)
    gateway.profiles.reloaded()
    return this.#told(found, after)
  }

  #told({ removed, added, changed, refreshed, kept, settings, later }, { leftOut }) {
    const names = (definitions) => definitions.map(({ name }) => name)
    const told = { added: names(added), changed: names(changed), removed, kept, settings, nextStart: later }
    const parts = Object.entries({ ...told, shown: names(refreshed) }).filter(([, each]) => each.length > 0)
    const { log } = this.#gateway
    if (parts.length > 0)
      log(
        `the configuration was read again: ${parts.map(([what, each]) => `${WORDS[what]} ${each.join(', ')}`).join('; ')}`,
      )
    for (const { kind, name, reason } of leftOut) log(`${kind} ${name} is left out: ${reason}`)
    return told
  }

  close() {
    if (this.#file !== undefined) fs.unwatchFile(this.#file, this.#look)
  }
}

const EDITED = 'the configuration was edited and is not used'
/** Notes of the file itself, without those of an edit. */
const own = (notes) => notes.filter((note) => !note.startsWith(EDITED))
const WORDS = {
  added: 'added',
  changed: 'started again:',
  removed: 'removed',
  kept: 'left as they were:',
  settings: 'settings',
  nextStart: 'with the next start:',
  shown: 'shown otherwise:',
}
