// tool-router-gateway compare: what sessions cost with each of the two sets of settings of `gateway.compare`.

import { comparisonOf } from '../activity/comparison.mjs'
import { differencesOf, LEAST_SESSIONS } from '../activity/statistics.mjs'
import { readConfigFile } from '../config/read.mjs'
import { invalid, plain } from '../base/errors.mjs'
import { openStore } from '../store/store.mjs'
import { onlyGiven } from '../base/values.mjs'

/** What is compared, and what a person reads for it. */
const MEASURES = {
  tokens: 'tokens read',
  listTokens: '  of lists',
  answerTokens: '  of answers',
  steps: 'steps',
  searches: '  searches',
  refusals: '  refusals',
  seconds: 'seconds of calls',
}
/** Characters of a value of a setting. */
const VALUE = 100

/**
 * @param {{ config: string, workspace?: string, profile?: string, json?: boolean }} values
 * @param {(line: string) => void} print
 * @returns {Promise<number>} the exit code
 */
export async function runCompare({ config: file, workspace, profile, json }, print) {
  const { settings, servers } = readConfigFile(file, onlyGiven({ workspace, profile }))
  const comparison = comparisonOf(settings)
  if (comparison === undefined)
    throw invalid('config.gateway.compare', 'other settings, as { "settings": { "searchK": 5 } }', undefined)
  const rights = profile === undefined ? {} : { servers: () => [...servers.keys()] }
  const store = await openStore(settings, { ...rights, profile })
  try {
    const rows = (await store.compared?.read(comparison.id)) ?? []
    const result = resultOf(comparison, rows)
    for (const line of json ? [JSON.stringify(result, null, 2)] : linesOf(result)) print(line)
    return 0
  } finally {
    await store.close()
  }
}

/**
 * @param {NonNullable<ReturnType<typeof comparisonOf>>} comparison
 * @param {import('../store/compared.mjs').SessionCounts[]} rows
 */
function resultOf({ a, b, percent }, rows) {
  const whole = rows.map(({ ms, ...row }) => ({
    ...row,
    tokens: row.listTokens + row.answerTokens,
    seconds: ms / 1000,
  }))
  const [inA, inB] = ['a', 'b'].map((arm) => whole.filter((row) => row.arm === arm))
  const arm = (settings, own) => ({
    settings,
    sessions: own.length,
    withoutCalls: own.filter(({ steps }) => steps === 0).length,
  })
  return {
    percent,
    a: arm(a, inA),
    b: arm(b, inB),
    leastSessions: LEAST_SESSIONS,
    perSession: differencesOf(inA, inB, Object.keys(MEASURES)),
  }
}

/** @param {ReturnType<typeof resultOf>} result */
function linesOf({ percent, a, b, perSession }) {
  const valuesOf = ({ settings }) =>
    Object.entries(settings).map(([name, value]) => `${name} ${plain(String(value), VALUE)}`)
  const lines = [
    `a: ${valuesOf(a).join(', ')} (as configured)`,
    `b: ${valuesOf(b).join(', ')} (${percent} % of the sessions)`,
    '',
  ]
  if (a.sessions + b.sessions === 0)
    return [
      ...lines,
      'No session has been counted yet. Clients of the current protocol have no sessions and are not counted,',
      'unless "era": "legacy" has them served as older ones.',
    ]
  const rows = Object.entries(MEASURES).map(([name, words]) => [words, ...cellsOf(perSession[name])])
  const counts = [
    ['sessions', ...[a, b].map(({ sessions }) => String(sessions))],
    ['  without a call', ...[a, b].map(({ withoutCalls }) => String(withoutCalls))],
  ]
  const table = [['mean per session', 'a', 'b', 'difference', '95 % interval', ''], ...counts, ...rows]
  return [...lines, ...aligned(table), '', ...verdictOf(a, b, perSession)]
}

/** @param {import('../activity/statistics.mjs').Difference} found */
function cellsOf({ a, b, difference, interval }) {
  const number = (value) => value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 })
  if (interval === null) return [number(a), number(b), number(difference), 'too few']
  const [low, high] = interval
  const tells = low > 0 ? 'more' : high < 0 ? 'less' : ''
  return [number(a), number(b), number(difference), `${number(low)} to ${number(high)}`, tells]
}

function verdictOf(a, b, perSession) {
  if (Object.values(perSession).some(({ interval }) => interval === null))
    return [
      `Too few sessions to tell: each arm needs ${LEAST_SESSIONS}, and they have ${a.sessions} and ${b.sessions}. The means say nothing yet.`,
    ]
  return ['Where the last column is empty, the difference may be chance.']
}

/** @param {string[][]} rows the first column stands left, numbers stand right */
function aligned(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)))
  const padded = (text, at) =>
    at === 0 || at === widths.length - 1 ? text.padEnd(widths[at]) : text.padStart(widths[at])
  return rows.map((row) =>
    row
      .map((text, at) => padded(text, at))
      .join('  ')
      .trimEnd(),
  )
}
