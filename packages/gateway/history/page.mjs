// What a replay says, as one page.

import { shownPath } from '../reach/shown.mjs'
import { plain } from '../base/errors.mjs'
import { bar, cell, document, key, number, table, text } from '../base/html.mjs'
import { count, percent } from '../base/numbers.mjs'
import { CAUSES } from './bill.mjs'
import { between, many, meanOf, megabytes, several } from './lines.mjs'

/** Rows of a list: a page of a megabyte is still one. */
const MAX_ROWS = 500

const name = (value) => cell(`<code>${text(plain(value, 120))}</code>`)
const words = (value) => cell(text(plain(value, 300)))
/** A number that is written already, with what stands below it. */
const written = (value, below = '') =>
  `<td class="number">${text(value)}${below === '' ? '' : `<br><small class="note">${text(below)}</small>`}</td>`
const big = (value) => `<td class="number">${many(value)}</td>`
const share = (part, whole) => percent(whole === 0 ? 0 : part / whole)
const note = (value) => `<p class="note">${text(value)}</p>`
const more = (rows) => (rows.length > MAX_ROWS ? note(`and ${count(rows.length - MAX_ROWS)} more`) : '')
/** A section that is left out where nothing is in it. */
const section = (title, parts) =>
  parts.every((part) => part === '') ? '' : `<h2>${text(title)}</h2>\n${parts.join('\n')}`
const list = (titles, rows) => (rows.length === 0 ? '' : table(titles, rows.slice(0, MAX_ROWS)) + more(rows))
const folded = (title, inside) =>
  inside === '' ? '' : `<details><summary>${text(title)}</summary>\n${inside}\n</details>`

/**
 * @param {import('./record.mjs').Record} record
 * @param {string} home
 * @returns {string}
 */
export function page(record, home) {
  const path = (file) => plain(shownPath(file, home), 240)
  const where = ({ file, place }) => cell(`<code>${text(path(file))}</code>:${count(place).replaceAll(',', '')}`)
  const parts = [
    head(record),
    unused(record),
    bills(record),
    judged(record),
    learned(record),
    shown(record, where),
    idle(record),
    caches(record, where),
    called(record),
    gaps(record, path),
  ]
  return document('What your own history says', parts.filter((part) => part !== '').join('\n'))
}

/** @param {import('./record.mjs').Record} record */
function head(record) {
  const {
    sessions,
    subtasks,
    messages,
    requests,
    first,
    last,
    programs,
    lists,
    unused: { count: unusedCount },
  } = record
  const title =
    lists.from === undefined
      ? `${count(sessions)} sessions of your own`
      : `${count(unusedCount)} of ${several(lists.tools, 'tools')} were never called`
  const period = first === undefined ? '' : `, from ${first} to ${last}`
  const rows = programs.map((each) => [
    words(`${each.title}, ${each.form}`),
    number(each.files),
    written(megabytes(each.bytes)),
    number(each.sessions),
  ])
  return `<h1>${text(title)}</h1>
<p>${several(sessions, 'sessions')}${subtasks > 0 ? ` (${count(subtasks)} of subtasks)` : ''}, ${several(messages, 'messages')} and
${several(requests, 'requests')} to models${period}. Read on this machine; none of your texts is on this page.</p>
${table(['transcripts of', 'files', 'size', 'sessions'], rows)}`
}

/** @param {import('./record.mjs').Record} record */
function unused(record) {
  const {
    lists,
    unused: { servers, tools, tokens, count: unusedCount },
    requests,
  } = record
  if (lists.from === undefined) return ''
  const longest = Math.max(1, ...servers.map((each) => each.tokens))
  const rows = servers.map((each) => [
    name(each.name),
    written(`${count(each.unused)} of ${count(each.tools)}`),
    number(each.unusedTokens),
    bar(
      [
        ['b', each.tokens - each.unusedTokens],
        ['e', each.unusedTokens],
      ],
      each.tokens,
      longest,
    ),
  ])
  const all = tools.map((tool) => [name(tool.name), number(tool.tokens)])
  return section('Tools that were never called', [
    `<p>${count(tokens)} of ${count(lists.scoped)} tokens of definitions (${share(tokens, lists.scoped)}) are of tools that none of
these sessions called. Where a program sends all its tools, they stand in each of ${several(requests, 'requests')}.</p>`,
    key([
      ['b', 'called'],
      ['e', 'never called'],
    ]),
    list(['server', 'never called', 'their tokens', ''], rows),
    folded(`All ${count(unusedCount)}, by name`, list(['tool', 'tokens'], all)),
  ])
}

/** @param {import('./record.mjs').Record} record */
function bills(record) {
  const { bill, bills: all, requests, seed, ranker } = record
  const was =
    bill.requests === 0
      ? ''
      : `<p>As it was: ${many(bill.cost)} base tokens for ${count(bill.requests)} of ${several(requests, 'requests')}; ${share(bill.read, bill.prompt)}
of what they read came from a cache.</p>`
  const tables = (all ?? []).map(({ provider, sessions, ways, measured, measuredSessions }) => {
    const longest = Math.max(...ways.map(({ cost }) => cost))
    const rows = ways.map((way) => [
      words(way.title),
      big(way.cost),
      written(percent(way.share), between(way.interval).replace(' %', '')),
      written(percent(way.covered), `${way.searches.toFixed(1)} searches`),
      bar([['a', way.cost]], way.cost, longest),
    ])
    const known =
      measured === undefined
        ? `${count(measuredSessions)} of them say what they cost; of the others the length of requests is estimated.`
        : `As it was, one cost ${many(measured)}.`
    const titles = ['the cheapest first', 'a session', 'of all tools', 'tools there', '']
    return `<h3>${text(provider)}, ${several(sessions, 'sessions')}</h3>${note(known)}${table(titles, rows)}`
  })
  const how = `In base tokens at each provider’s prices for cached prefixes. Played by ${ranker}; below shares intervals of 95 %, drawn with seed ${seed}. “Tools there” is the share of called tools that were attached or listed before their first call. What the model would have done with other tools is not in it.`
  return section('The bill as it was, and as it would be', [was, ...tables, all ? note(how) : ''])
}

/** @param {import('./record.mjs').Record} record */
function shown(record, where) {
  const { shown: found, played } = record
  if (found === undefined) return ''
  const { needed, attached, listed, missed, misses, unknown } = found
  const longest = Math.max(1, needed)
  const row = (title, colour, value) => [words(title), number(value), bar([[colour, value]], value, longest)]
  const rows = misses.map(({ tool, rank, ...at }) => [
    name(tool.replace('::', '/')),
    written(rank === undefined ? 'not ranked' : count(rank)),
    where(at),
  ])
  const gap = unknown > 0 ? note(`${count(unknown)} calls are of tools in no list; nothing is known of them.`) : ''
  return section('What this router would have shown before each call', [
    `<p>Of ${several(needed, 'tools')} at their first call in a session, in the newest ${several(played, 'sessions')}:</p>`,
    table(
      ['', 'calls', ''],
      [
        row('attached with the message', 'b', attached),
        row('listed in the directory', 'a', listed),
        row('not shown: the model would have searched', 'e', missed),
      ],
    ),
    gap,
    folded(
      `The ${count(missed)} that were not shown`,
      list(['tool', 'place in the ranking', 'where the call is'], rows),
    ),
  ])
}

/** @param {import('./record.mjs').Record} record */
function idle(record) {
  const { talk, code } = record
  if (talk === undefined || code === undefined) return ''
  const row = (title, { messages, requests, all, router, quiet }) => [
    cell(
      `${text(title)}<br><small class="note">${several(messages, 'messages')}, ${several(requests, 'requests')}</small>`,
    ),
    big(all),
    big(router),
    written(share(quiet, messages)),
  ]
  return section('Small talk and code', [
    '<p>Messages after which no tool of a server was called, and the tokens of tools that their requests read.</p>',
    table(['', 'all tools', 'this router', 'bring no tool'], [row('small talk', talk), row('code', code)]),
  ])
}

/** @param {import('./record.mjs').Record} record */
function caches(record, where) {
  const {
    caches: { causes, breaks },
    bill,
  } = record
  if (bill.requests === 0) return section('Caches', [note('No transcript says what its requests cost.')])
  const longest = Math.max(1, ...causes.map(({ tokens }) => tokens))
  const rows = causes
    .toSorted((a, b) => b.tokens - a.tokens)
    .map(({ cause, count: times, tokens }) => [
      words(CAUSES[cause]),
      number(times),
      big(tokens),
      bar([['e', tokens]], tokens, longest),
    ])
  const worst = breaks.map((each) => [where(each), words(CAUSES[each.cause]), big(each.tokens)])
  return section('Caches that were broken', [
    rows.length === 0 ? note('None.') : '',
    list(['by what', 'times', 'tokens read again', ''], rows),
    folded('The most expensive', list(['where', 'by what', 'tokens'], worst)),
  ])
}

/** @param {import('./record.mjs').Record} record */
function called(record) {
  const { calls, callsElsewhere, lists } = record
  const rows = (all) => all.map(({ name: tool, count: times }) => [name(tool), number(times)])
  return section('Calls', [
    folded(`${count(calls.length)} tools that were called`, list(['tool', 'calls'], rows(calls))),
    folded(
      `${count(callsElsewhere.length)} ${lists.from === undefined ? 'tools of servers' : 'that are in no list'}`,
      list(['tool', 'calls'], rows(callsElsewhere)),
    ),
  ])
}

/** @param {import('./record.mjs').Record} record */
function gaps(record, path) {
  const { unread, unknownKinds, lists } = record
  const files = unread.map(({ file, pieces, why }) => [
    cell(`<code>${text(path(file))}</code>`),
    number(pieces),
    words(why),
  ])
  const kinds = unknownKinds.map(({ program, kind, count: times }) => [words(program), name(kind), number(times)])
  const missing = lists.missing.map(({ name: server, why }) => [name(server), words(why)])
  const unlisted = note('Which tools your servers have was not asked: --config, --tools or --ask say it.')
  return section('What is missing here', [
    lists.from === undefined ? unlisted : '',
    list(['not read', 'pieces', 'why'], files),
    list(['kinds that no table has', '', 'lines'], kinds),
    list(['servers without a list', 'why'], missing),
  ])
}

/** @param {import('./record.mjs').Record} record */
function judged({ judged: found, seed }) {
  if (found === undefined || found.arms.length === 0) return ''
  const { name: model, messages, of, arms, stopped } = found
  const mean = (each, digits) => {
    const [value, interval = ''] = meanOf(each, digits).split(' (')
    return written(value, interval.replace(')', ''))
  }
  const rows = arms.map((arm) => [
    words(arm.title),
    written(percent(arm.right.share), between(arm.right.interval).replace(' %', '')),
    mean(arm.steps, 1),
    mean(arm.tokens, 0),
    mean(arm.seconds, 1),
  ])
  const ended = stopped === undefined ? '' : ` Ended early: ${plain(stopped)}.`
  return section('Judged by a model', [
    note(
      `${plain(model, 90)} was given ${count(messages)} of ${count(of)} first messages, drawn with seed ${seed}.${ended} Right is a first call of a tool that your own session called; below each mean its interval of 95 %.`,
    ),
    table(['', 'right first calls', 'steps', 'tokens', 'seconds'], rows),
  ])
}

/** @param {import('./record.mjs').Record} record */
function learned({ learned: taught }) {
  if (taught === undefined) return ''
  const { found, pins } = taught
  const told =
    found === undefined
      ? 'Too few sessions to measure what learning gives.'
      : `Taught by the first ${several(found.taught, 'sessions')}, asked in the next ${count(found.asked)}: ${percent(found.before.share)} of the called tools were there before, ${percent(found.after.share)} after (difference ${between(found.difference.interval)}).`
  const rows = pins.map(({ serverName, toolName, sessions }) => [name(`${serverName}/${toolName}`), number(sessions)])
  return section('What this history teaches', [
    note(told),
    list(['called in a third of the sessions or more', 'sessions'], rows),
  ])
}
