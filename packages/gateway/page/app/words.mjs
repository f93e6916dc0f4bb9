// Numbers, times and states in words.

const NUMBER = new Intl.NumberFormat('en')
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
/** @type {[number, string][]} */
const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
]

export const number = (value) => (value === null || value === undefined ? '–' : NUMBER.format(value))
export const clock = (at) => CLOCK.format(at)

/** `3 min`; for a moment that has just been, `now`. */
export function ago(at, now) {
  const ms = now - at
  const [unit, name] = UNITS.find(([each]) => ms >= each) ?? []
  return unit === undefined ? 'now' : `${Math.floor(ms / unit)} ${name}`
}

export function bytes(count) {
  if (count < 1_000) return `${count} B`
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`
}

export function duration(ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`

/** What each state of a server means: its word, its tone. */
export const STATES = {
  ready: ['ready', 'good'],
  connecting: ['starting', 'busy'],
  idle: ['not started', 'quiet'],
  waiting: ['failed', 'bad'],
  login: ['wants a login', 'warn'],
  closed: ['stopped', 'quiet'],
}

export const OUTCOMES = {
  ok: ['done', 'good'],
  error: ['tool error', 'warn'],
  refused: ['refused', 'warn'],
  unavailable: ['unavailable', 'bad'],
  failed: ['failed', 'bad'],
  begun: ['not known', 'warn'],
}

export const KINDS = { read: ['reads', 'quiet'], write: ['writes', 'quiet'], destructive: ['may destroy', 'warn'] }
export const SEVERITIES = { high: 'bad', medium: 'warn', low: 'quiet' }
