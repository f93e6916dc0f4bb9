// What tasks cost at providers that cache prefixes, by delivery:
//
//   npm run eval -- bill                      our tasks and sessions, their tools taken live
//   npm run eval -- bill own strangers        and those over servers that nothing here knows (research/measure/strangers/capture.mjs)
//   npm run eval -- bill own <folder> ...     sets besides: sessions.jsonl, and requests that need several tools
//
// Exit code: 0 done, 1 failed, 2 wrong arguments.

import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../../../scripts/arguments.mjs'
import { ensure, explainFailure, SetupError } from '../../../../scripts/setup.mjs'
import { OWN, readSets, SetError } from '../../ranking/eval/sets.mjs'
import { strangerTools } from '../../strangers/catalogue.mjs'
import { STRANGERS } from './tasks.mjs'

const root = path.join(import.meta.dirname, '..', '..', '..', '..')

const USAGE = `usage: npm run eval -- bill [own | strangers | folder ...] [options]
  --half <name>       which of our tasks: tuning, held-out or all (all)
  --initial-k <k>     tools of the first selection, or auto (30)
  --out <file>        the page whose short table and plot are written, beside research/notes/bill.md, or none (docs/delivery.md)
`

const started = performance.now()
function say(line) {
  process.stderr.write(`${String(Math.round((performance.now() - started) / 1000)).padStart(5)} s  ${line}\n`)
}

async function main({ sources, half, initialK, out }) {
  await ensure({ say })
  const [{ openRouter }, { tasksToPlay }, { billOf }, report] = await Promise.all([
    import('../../ranking/eval/systems/router.mjs'),
    import('./tasks.mjs'),
    import('./bill.mjs'),
    import('./report.mjs'),
  ])
  const sets = await readSets(
    sources.filter((source) => source !== STRANGERS),
    say,
  )
  if (sources.includes(STRANGERS)) sets.push({ name: STRANGERS, tools: strangerTools() })
  const rows = []
  for (const set of sets) {
    const opened = await openRouter(set, { say })
    const played = tasksToPlay(set).filter((task) => half === 'all' || task.half !== other(half))
    if (played.length === 0) continue
    say(`${set.name}: ${played.length} tasks`)
    const counting = { ...opened, count: (text) => opened.router.countTokens(text) }
    const own = await billOf(counting, played, initialK, say)
    rows.push(...own.map((row) => ({ ...row, set: set.name })))
  }
  const text = report.table(rows)
  process.stdout.write(`${text}\n`)
  if (out === 'none') return
  const write = (file, table) => {
    fs.writeFileSync(file, report.withTable(fs.readFileSync(file, 'utf8'), table))
    say(`wrote ${path.relative(root, file)}`)
  }
  const page = path.resolve(root, out)
  write(path.join(root, 'research', 'notes', 'bill.md'), text)
  // The short table has both beside each other.
  const isThere = (isStranger) =>
    rows.some(({ set, half }) => (set === STRANGERS) === isStranger && half === 'held-out')
  if (!isThere(true) || !isThere(false)) return say(`${out} stays as it is: it wants own and strangers, held out`)
  write(page, report.shortTable(rows))
  fs.writeFileSync(page.replace(/\.md$/, '.svg'), report.plot(rows))
}

function other(half) {
  return half === 'tuning' ? 'held-out' : 'tuning'
}

const given = readArguments(
  USAGE,
  {
    half: { type: 'string', default: 'all', choices: ['tuning', 'held-out', 'all'] },
    'initial-k': { type: 'string', default: '30' },
    out: { type: 'string', default: path.join('docs', 'delivery.md') },
  },
  { most: Infinity },
)
if (given) {
  const [, ...sources] = given.positionals
  const initialK = given.values['initial-k'] === 'auto' ? 'auto' : Number(given.values['initial-k'])
  try {
    await main({ ...given.values, initialK, sources: sources.length > 0 ? sources : [OWN] })
  } catch (error) {
    process.exitCode = 1
    if (error instanceof SetupError) explainFailure(error)
    else if (error instanceof SetError) process.stderr.write(`\n${error.message}\n`)
    else process.stderr.write(`\nthe simulation failed: ${error.code ? `${error.code}: ` : ''}${error.stack}\n`)
  }
}
