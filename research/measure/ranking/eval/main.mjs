// Measures ranking over labelled sets, beside baselines and peers, and writes research/evaluation.md:
//
//   npm run eval                       our own set, its tools taken live
//   npm run eval -- own <folder> ...   more sets: a folder with tools.jsonl and queries.jsonl, or a folder of such folders
//   npm run eval -- ablation           what each mechanism is worth: research/measure/ranking/ablation
//
// research/labelled/README.md describes the format. Exit code: 0 done, 1 failed, 2 wrong arguments.

import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../../../scripts/arguments.mjs'
import { ensure, explainFailure, SetupError } from '../../../../scripts/setup.mjs'
import { OWN, readSets, SetError } from './sets.mjs'

const root = path.join(import.meta.dirname, '..', '..', '..', '..')

const USAGE = `usage: npm run eval -- [own | folder ...] [options]
  --mode <list>         ranking modes of the router, by commas (auto,lexical,semantic,curator)
  --baselines <list>    baselines and peers by name, "all" or "none" (all)
  --out <file>          where the report goes (research/evaluation.md)
  --resamples <n>       resamples for the intervals (1000)
  --seed <n>            for everything that is drawn (1)
`

const started = performance.now()
function say(line) {
  process.stderr.write(`${String(Math.round((performance.now() - started) / 1000)).padStart(5)} s  ${line}\n`)
}

async function main(options) {
  await ensure({ evaluation: true, say })
  // Imported only now: before the set-up there is no addon, and there are no peers.
  const [{ evaluate }, { routerMode }, { chooseBaselines, packageVersions }, { renderReport }] = await Promise.all([
    import('./run.mjs'),
    import('./systems/router.mjs'),
    import('./systems/index.mjs'),
    import('./report.mjs'),
  ])
  const baselines = await chooseBaselines(options.baselines, say)
  try {
    const sets = await readSets(options.sources, say)
    const modes = options.mode.split(',').map((mode) => routerMode(mode.trim(), say))
    const systems = [...modes, ...baselines.systems]
    const results = await evaluate(sets, systems, { ...options, say })
    const out = path.resolve(root, options.out)
    fs.mkdirSync(path.dirname(out), { recursive: true })
    const named = options.sources.map((source) => (source === OWN ? OWN : '<folder>'))
    const command = ['npm run eval --', ...named].join(' ')
    fs.writeFileSync(out, renderReport(results, { versions: packageVersions(systems), command }))
    say(`wrote ${path.relative(root, out)}`)
  } finally {
    await baselines.close()
  }
}

const isAblation = process.argv[2] === 'ablation'
if (isAblation) await import('../ablation/main.mjs')
const given =
  !isAblation &&
  readArguments(
    USAGE,
    {
      mode: { type: 'string', default: 'auto,lexical,semantic,curator' },
      baselines: { type: 'string', default: 'all' },
      out: { type: 'string', default: path.join('research', 'evaluation.md') },
      resamples: { type: 'integer', default: 1000, least: 1 },
      seed: { type: 'integer', default: 1 },
    },
    { most: Infinity },
  )
if (given) {
  try {
    await main({ ...given.values, sources: given.positionals.length > 0 ? given.positionals : [OWN] })
  } catch (error) {
    process.exitCode = 1
    if (error instanceof SetupError) explainFailure(error)
    else if (error instanceof SetError) process.stderr.write(`\n${error.message}\n`)
    else process.stderr.write(`\nthe evaluation failed: ${error.code ? `${error.code}: ` : ''}${error.stack}\n`)
  }
}
