// What another value of a setting would change, on recorded sessions. What is told of them are numbers.

import { ROWS, readSettings, settingsThat } from '../config/settings.mjs'
import { playBoth } from './play.mjs'
import { Refused } from './replies.mjs'

/** Settings that can be played, each with the values that the configuration allows. */
const PLAYED = Object.fromEntries(settingsThat('played').map((name) => [name, ROWS[name].range]))
/** Sessions that are played, and how long that may take. */
const MOST = 50
const MOST_S = 10

/** Gateways that play now: each plays one thing at a time. @type {WeakSet<object>} */
const playing = new WeakSet()

/** @param {import('../activity/activity.mjs').Gateway} gateway */
export async function recorded({ config, recorder }) {
  return {
    isOn: recorder !== undefined,
    sessions: (await recorder?.count()) ?? 0,
    // With all tools listed from the start nothing is searched for.
    settings:
      config.settings.mode === 'static'
        ? []
        : Object.entries(PLAYED).map(([name, values]) => ({ name, value: config.settings[name], ...values })),
  }
}

/** @param {import('../activity/activity.mjs').Gateway} gateway @param {Record<string, unknown>} asked */
export async function play(gateway, { setting, value }) {
  const { recorder, config } = gateway
  if (typeof setting !== 'string' || !Object.hasOwn(PLAYED, setting))
    throw new Refused(400, `setting: expected one of ${Object.keys(PLAYED).join(', ')}`)
  const other = { [setting]: readSettings({ [setting]: value }, '.')[setting] }
  if (recorder === undefined) throw new Refused(409, 'no session is recorded: the setting recordDir names no folder')
  if (config.settings.mode === 'static')
    throw new Refused(409, 'all tools are listed from the start, so no session looks for any')
  if (playing.has(gateway)) throw new Refused(409, 'sessions are being played already; try again in some seconds')
  playing.add(gateway)
  try {
    const sessions = await recorder.latest(MOST)
    const result = await playBoth(gateway, sessions, other, 1_000 * MOST_S)
    return { setting, value: config.settings[setting], other: other[setting], sessions: sessions.length, ...result }
  } finally {
    playing.delete(gateway)
  }
}
