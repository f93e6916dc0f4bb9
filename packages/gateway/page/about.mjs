// What the page says about the gateway itself: what it is, its profiles, and its settings.

import os from 'node:os'
import path from 'node:path'
import { isApprovable } from '../store/approvals.mjs'

import { shownEntry, shownPath } from '../reach/shown.mjs'
import { readSettings, ROWS } from '../config/settings.mjs'
import { canSwitch } from './switching.mjs'
import { plain } from '../base/errors.mjs'

/** Entries that are told of. */
const MOST = 500
const LINE = 300
const startedAt = Date.now()

/** @param {import('../activity/activity.mjs').Gateway} gateway @param {URLSearchParams} _asked @param {{ canAct: boolean, person?: string }} visitor */
export function overview(gateway, _asked, { canAct, person }) {
  const { config, clientInfo, router, catalogue, activity } = gateway
  const entries = [...catalogue.entries.values()]
  const inState = (state) => entries.filter(({ downstream }) => downstream.state === state)
  const firstOf = (found) => (found.length > 0 ? plain(found[0].definition.name, LINE) : undefined)
  const [login, failed] = [inState('login'), inState('waiting')]
  return {
    version: clientInfo.version,
    startedAt,
    model: router.status.state,
    servers: entries.length,
    ready: inState('ready').length,
    login: login.length,
    firstToLogIn: firstOf(login),
    failed: failed.length,
    firstFailed: firstOf(failed),
    tools: entries.reduce((sum, { names }) => sum + names.size, 0),
    clients: gateway.sessionCount,
    calls: activity.calls.length,
    waiting: entries.flatMap(({ withheld }) => [...withheld.values()]).filter(isApprovable).length,
    leftOut: config.leftOut.slice(0, MOST).map(({ kind, name, reason }) => ({
      kind,
      name: plain(name, LINE),
      reason: plain(reason, LINE),
    })),
    person: person ?? null,
    canAct,
    canReload: canAct && gateway.reloader !== undefined,
    canSwitch: canAct && canSwitch(gateway),
    // Whoever has come in for one profile is told of no other.
    profiles: canAct
      ? [...config.profiles].slice(0, MOST).map(([name, { token }]) => ({ name, hasToken: token !== undefined }))
      : [],
  }
}

/** The active settings by the names of the configuration, each with its default. */
export function settings({ config }) {
  const [active, otherwise] = [config.settings, readSettings({}, '.')]
  const of = (name) => settingOf(name, active[name], otherwise[name])
  return { settings: Object.keys(ROWS).map(of) }
}

function settingOf(name, value, otherwise) {
  const shown = (each) => {
    if (each === undefined || each.length === 0 || each.size === 0) return 'none'
    if (name === 'keySecret') return 'set'
    if (each instanceof Map) return plain([...each].map((pin) => pin.join('@')).join(', '), LINE)
    if (typeof each === 'string' && path.isAbsolute(each)) return shownPath(each, os.homedir())
    if (each.issuer !== undefined) return shownEntry({ url: each.issuer })
    // An address may hold a password, and behind `?` one more.
    if (/^[a-z]+:\/\//i.test(String(each))) return shownEntry({ url: String(each) })
    return plain(Array.isArray(each) ? each.join(', ') : String(each), LINE)
  }
  const [is, was] = [shown(value), shown(otherwise)]
  return { name, value: is, default: was, isChanged: is !== was }
}
