// What a replay says, for a terminal.

import { commandLine } from '../base/command-line.mjs'
import { plain } from '../base/errors.mjs'
import { shownPath } from '../reach/shown.mjs'
import { count, percent } from '../base/numbers.mjs'
import { CAUSES } from './bill.mjs'

/** Rows of a list that a terminal shows; `--json` has all. */
const ROWS = 8
/** Characters of a name or path. */
const NAME = 90

/** `1,234`, and `5.6 million` of what nobody reads digit by digit. */
const many = (number) => (number < 1e6 ? count(number) : `${(number / 1e6).toFixed(1)} million`)
/** A number of things. @param {number} number @param {string} word in its plural */
const several = (number, word) => `${count(number)} ${number === 1 ? word.slice(0, -1) : word}`
const share = (part, whole) => percent(whole === 0 ? 0 : part / whole)
const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** Rows with their columns beside each other: the first stands left. @param {string[][]} rows */
export function aligned(rows) {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length))) ?? []
  const pad = (text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at]))
  return rows.map((row) => `  ${row.map(pad).join('  ')}`.trimEnd())
}

const firstOf = (lines) =>
  lines.length > ROWS ? [...lines.slice(0, ROWS), `  and ${count(lines.length - ROWS)} more; --json has all`] : lines
/** As wide as those that are shown want it. */
const table = (rows) => [...aligned(rows.slice(0, ROWS)), ...firstOf(rows).slice(ROWS)]
const section = (title, lines) => ['', title, ...lines]
/** One that is left out where it is empty. */
const list = (title, lines) => (lines.length > 0 ? section(title, lines) : [])

/**
 * @param {import('./record.mjs').Record} record
 * @param {string} home
 * @param {{ config?: string }} [from] where the lists of tools come from
 * @returns {string[]}
 */
export function linesOf(record, home, from = {}) {
  const where = ({ file, place }) => `${plain(shownPath(file, home), 200)}:${place}`
  return [
    ...gatewayLines(record, from),
    ...readLines(record, home),
    ...toolLines(record),
    ...shownLines(record, where),
    ...idleLines(record),
    ...cacheLines(record, where),
    ...billLines(record),
  ]
}

/**
 * What a gateway would have saved, and what to do about it.
 *
 * @param {import('./record.mjs').Record} record
 * @param {{ config?: string }} from
 */
function gatewayLines({ bills, programs, lists }, { config }) {
  const [through] = bills?.[0]?.ways ?? []
  if (through === undefined) return []
  const { cost, share: part } = through
  const [first] = programs.toSorted((a, b) => b.sessions - a.sessions)
  const connect = ['connect-client', first?.program ?? 'claude-code', '--replace', '--write']
  const commands = [...(config ? [] : [['import', '--out', 'mcp.json']]), connect]
  const lines = commands.map(
    (words) => `  ${commandLine(words, words === connect ? { config: config ?? 'mcp.json' } : {})}`,
  )
  return [
    `Through the gateway: ${many(cost)} base tokens a session, ${percent(part)} of what all tools in every request cost`,
    ...(part < 1
      ? ['Put your servers behind it:', ...lines]
      : [`All ${several(lists.tools, 'tools')} cost no more than that: leave your servers as they are.`]),
    '',
  ]
}

/** What could not be read, and why. @param {import('./problems.mjs').Unread[]} unread @param {string} home */
export function unreadLines(unread, home) {
  const pieces = (number) => (number === 1 ? '1 piece' : `${count(number)} pieces`)
  const bad = unread.map(
    ({ file, pieces: number, why }) => `  ${plain(shownPath(file, home), 200)}: ${pieces(number)}: ${plain(why)}`,
  )
  return list('Not read:', firstOf(bad))
}

/** @param {import('./record.mjs').Record} record */
function readLines(record, home) {
  const { programs, unread, unknownKinds, sessions, subtasks, messages, requests, first, last } = record
  const period = first === undefined ? '' : `, ${first} to ${last}`
  const rows = programs.map((each) => [
    `${each.title}, ${each.form}`,
    several(each.files, 'files'),
    megabytes(each.bytes),
    several(each.sessions, 'sessions'),
  ])
  const kinds = unknownKinds.map(
    ({ program, kind, count: number }) => `  ${program}: ${plain(kind, 50)} (${count(number)})`,
  )
  return [
    `${several(sessions, 'sessions')}${subtasks > 0 ? ` (${count(subtasks)} of subtasks)` : ''}, ${several(messages, 'messages')}, ${several(requests, 'requests')}${period}`,
    ...aligned(rows),
    ...unreadLines(unread, home),
    ...list('Kinds that no table has, left out:', firstOf(kinds)),
  ]
}

/** @param {import('./record.mjs').Record} record */
function toolLines(record) {
  const { lists, unused, calls, callsElsewhere, requests } = record
  const elsewhere = callsElsewhere.map(({ name, count: number }) => [plain(name, NAME), count(number)])
  const other = lists.from === undefined ? 'Calls of tools of servers:' : 'Called, and in no list:'
  const ofOthers = list(other, table(elsewhere))
  const missing = lists.missing.map(({ name, why }) => `  without ${plain(name, NAME)}: ${plain(why)}`)
  if (lists.from === undefined)
    return [
      ...ofOthers,
      '',
      'Which tools your servers have is not known here: what they cost, and what this router would have done, is not told.',
      'Add --config <file>, --tools <file>, or --ask, which starts the servers of your clients and asks them.',
    ]
  const rows = unused.servers
    .filter((each) => each.unused > 0)
    .map((each) => [
      plain(each.name, NAME),
      `${count(each.unused)} of ${count(each.tools)}`,
      `${count(each.unusedTokens)} tokens`,
    ])
  const called = calls.map(({ name, count: number }) => [plain(name, NAME), count(number)])
  return [
    ...section(
      `${several(lists.tools, 'tools')} of ${several(lists.servers, 'servers')} (${plain(lists.from, NAME)}): ${count(lists.scoped)} tokens in every request`,
      missing,
    ),
    `Never called: ${count(unused.count)} of ${count(lists.tools)}. They are ${count(unused.tokens)} of these tokens (${share(unused.tokens, lists.scoped)}), in each of ${several(requests, 'requests')}.`,
    ...table(rows),
    ...list('Called most:', table(called)),
    ...ofOthers,
  ]
}

/** @param {import('./record.mjs').Record} record */
function shownLines(record, where) {
  const { shown, played } = record
  if (shown === undefined) return []
  const { needed, attached, listed, missed, misses, unknown } = shown
  const rows = misses.map(({ tool, rank, ...at }) => [
    plain(tool.replace('::', '/'), NAME),
    rank === undefined ? 'not ranked' : `place ${count(rank)}`,
    where(at),
  ])
  const more = unknown > 0 ? ` ${count(unknown)} calls are of tools in no list.` : ''
  return section(
    `Before the first call of a tool in a session (in the newest ${several(played, 'sessions')}) this router would have`,
    [
      `  attached it ${count(attached)} times, listed it ${count(listed)} times, and not shown it ${count(missed)} times (${share(missed, needed)} of ${count(needed)}).${more}`,
      ...(rows.length > 0 ? ['Not shown, with its place in the ranking of the message, and where the call is:'] : []),
      ...table(rows),
    ],
  )
}

/** @param {import('./record.mjs').Record} record */
function idleLines(record) {
  const { talk, code } = record
  if (talk === undefined || code === undefined) return []
  const row = (title, { messages, requests, all, router, quiet }) => [
    title,
    several(messages, 'messages'),
    several(requests, 'requests'),
    `${many(all)} tokens with all tools`,
    `${many(router)} with this router`,
    `${share(quiet, messages)} bring no tool`,
  ]
  return section('Messages that called no tool of a server, and what their requests read of tools:', [
    ...aligned([row('small talk', talk), row('code', code)]),
  ])
}

/** @param {import('./record.mjs').Record} record */
function cacheLines(record, where) {
  const { caches, bill } = record
  if (bill.requests === 0) return section('No transcript says what its requests cost: nothing is told of caches.', [])
  const { causes, breaks } = caches
  const sum = (name) => causes.reduce((total, each) => total + each[name], 0)
  const rows = causes
    .toSorted((a, b) => b.tokens - a.tokens)
    .map(({ cause, count: number, tokens }) => [CAUSES[cause], `${count(number)} times`, `${many(tokens)} tokens`])
  const worst = breaks.slice(0, 3).map((each) => [where(each), CAUSES[each.cause], `${many(each.tokens)} tokens`])
  return section(`Caches broken: ${count(sum('count'))} times, ${many(sum('tokens'))} tokens read again`, [
    ...aligned(rows),
    ...(worst.length > 0 ? ['The most expensive:', ...aligned(worst)] : []),
  ])
}

/** @param {import('./record.mjs').Record} record */
function billLines(record) {
  const { bill, bills, requests, ranker } = record
  const title = `As it was: ${many(bill.cost)} base tokens for ${count(bill.requests)} of ${several(requests, 'requests')}, ${many(bill.prompt)} read (${share(bill.read, bill.prompt)} from a cache)`
  const was = bill.requests === 0 ? [] : section(title, [])
  if (bills === undefined) return was
  return [
    ...was,
    ...bills.flatMap((each) => {
      const measured =
        each.measured === undefined
          ? `${count(each.measuredSessions)} of them say what they cost; the rest is estimated`
          : `${many(each.measured)} as it was`
      const rows = each.ways.map((way) => [
        way.title,
        many(way.cost),
        percent(way.share),
        way.searches.toFixed(1),
        way.rewrites.toFixed(1),
      ])
      const titles = ['the gateway, then the cheapest', 'a session', 'of all tools', 'searches', 'rewrites']
      return section(
        `As it would be at ${each.provider}, ${several(each.sessions, 'sessions')}, in base tokens (${measured}):`,
        aligned([titles, ...rows]),
      )
    }),
    `Played by ${ranker}. A simulation of the tools: what the model would have done with other tools is not in it.`,
  ]
}
