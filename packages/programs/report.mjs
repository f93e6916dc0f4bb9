// What a program's end says: to its host in parts, and to the model as one bounded text.

import { plainText, withNumbers } from '@zoo-code/tool-router/exact-json'

/** Tools that are named in a report, by what became of their calls. */
const MAX_NAMED = 20
/** Characters of what a program returned that are shown where it returned too much. */
const PREVIEW = 1_000
/** The place in a program that an error's stack names first. */
const PLACE = /program\.js:(\d+)/

const NOTHING = 'It returned nothing and printed nothing.'
const USE_RETURN = 'To answer something, await the calls and use return.'
/** By reason, what is wrong. */
const WHY = {
  'too-long': (_, { size, most }) => `the program has ${size} characters, ${most} are the most`,
  syntax: (_, { said, message, hint }) =>
    `it is not JavaScript: ${message ?? errorText(said)}${hint ? `; ${hint}` : ''}`,
  threw: (_, { said, size }) => (said === undefined ? `it threw an error of ${size} characters` : errorText(said)),
  time: ({ timeMs }) => `it took more than ${timeMs} ms`,
  compute: ({ computeMs }) => `it computed for more than ${computeMs} ms; let tools do the work, or do less`,
  memory: ({ memoryBytes }) => `it needs more than ${memoryBytes} bytes of memory; keep less of each result`,
  stack: () => 'its functions call each other too deeply',
  calls: ({ calls }) => `it makes more than ${calls} calls; do the rest in another program`,
  output: ({ outputCharacters }) => `it prints more than ${outputCharacters} characters; print less`,
  returned: ({ outputCharacters }, { size }) =>
    `it returned ${size} characters, ${outputCharacters} are the most; return less`,
  stalled: () => 'it waits for a promise that nothing settles; only calls of tools take time',
  refused: (_, { message }) => message,
  cancelled: () => 'it was cancelled',
  broke: () => 'its sandbox failed; the program may be tried again',
}

/** What the model may do about each: the reason that hosts switch on. */
const REASON = { returned: 'output' }

/** @param {string | undefined} said an error as JSON */
function errorText(said) {
  const { name, message, stack } = JSON.parse(said ?? '{}')
  const line = PLACE.exec(String(stack ?? ''))?.[1]
  const kind = typeof name === 'string' && name !== '' && name !== 'Error' ? `${name}: ` : ''
  return `${kind}${message ?? 'an error'}${line === undefined ? '' : ` (line ${line})`}`
}

/** `github/create_issue 3 times, mail/send_mail`. */
function named(calls) {
  const counts = new Map()
  for (const { serverName, toolName } of calls) {
    const name = `${serverName}/${toolName}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const all = [...counts].map(([name, times]) => (times === 1 ? name : `${name} ${times} times`))
  return all.length > MAX_NAMED
    ? `${all.slice(0, MAX_NAMED).join(', ')} and ${all.length - MAX_NAMED} more`
    : all.join(', ')
}

/** What became of the calls. What only reads has no effect. @param {import('./index.d.mts').ProgramCall[]} calls */
function toldOf(calls) {
  const changing = calls.filter(({ kind }) => kind !== 'read')
  const done = changing.filter(({ state }) => state === 'done')
  const unknown = changing.filter(({ state }) => state === 'failed' || state === 'under-way')
  const count = calls.filter(({ state }) => state !== 'refused').length
  const lines = [
    `Calls made: ${count}${count === 0 ? '' : ` (${named(calls.filter(({ state }) => state !== 'refused'))})`}.`,
  ]
  lines.push(done.length > 0 ? `Took effect: ${named(done)}.` : 'Nothing took effect.')
  if (unknown.length > 0) lines.push(`Whether these took effect is unknown: ${named(unknown)}.`)
  return lines.join(' ')
}

/**
 * @param {string} how
 * @param {{ said?: string, size?: number, most?: number, message?: string, hint?: string }} more
 * @param {{ calls: import('./index.d.mts').ProgramCall[], printed: string, computeMs: number, elapsedMs: number }} given
 * @param {import('./index.d.mts').Limits} limits
 * @returns {import('./index.d.mts').ProgramResult}
 */
export function messageOf(how, more, given, limits) {
  const told = { ...given, printed: plainText(given.printed) }
  // A host gets the value as JavaScript has it; the text has each digit.
  const said = more.said === undefined ? undefined : withNumbers(more.said)
  const room = limits.outputCharacters - told.printed.length
  if (how === 'returned' && said !== undefined && said.length <= room) {
    const value = said === '' ? undefined : JSON.parse(said)
    const shown = typeof value === 'string' ? value : said
    const text = `${told.printed}${shown}`.trimEnd()
    // Whoever hears nothing does it again.
    return { ok: true, text: text === '' ? `${NOTHING} ${toldOf(told.calls)} ${USE_RETURN}` : text, value, ...told }
  }
  const size = more.size ?? said?.length
  const message = WHY[how]?.(limits, { ...more, said, size }) ?? 'it ended'
  const parts = [`The program ended early: ${message}.`.replace(/([.!?])\.$/, '$1'), toldOf(told.calls)]
  if (told.printed !== '') parts.push(`It printed:\n${told.printed.trimEnd()}`)
  if (how === 'returned' && said) parts.push(`What it returned begins:\n${said.slice(0, PREVIEW)}`)
  return { ok: false, text: parts.join('\n'), problem: { reason: REASON[how] ?? how, message }, ...told }
}
