// Shows the router at work with real MCP servers:
//
//   npm run demo
//   npm run demo -- "task text" --later "a later message" --html report.html
//
// Sets up what is missing, starts the servers of examples/servers, and plays one task
// (examples/demo). No server gets a real token, and nothing leaves the machine but downloads
// of the set-up. Exit code: 0 done, 1 failed, 128+n on a signal.

import { writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from './arguments.mjs'
import { ensure, explainFailure, SetupError } from './setup.mjs'

const HELP = `usage: npm run demo [-- "task text" [--later "message"]... [--html <file>]]

  --later  a later message of your own task; may be given more than once
  --html   writes what was played as one page, with nothing from elsewhere
`

const interruption = new AbortController()
let running

async function main({ later, html }, taskText) {
  await ensure({ quiet: true, signal: interruption.signal })
  // Imported only now: before the set-up there is no addon to import.
  const [{ default: addon }, { readDefinitions, RunningServers }, { play }, { page }] = await Promise.all([
    import('../index.js'),
    import('../examples/demo/servers.mjs'),
    import('../examples/demo/story.mjs'),
    import('../packages/gateway/report/page.mjs'),
  ])
  if (interruption.signal.aborted) return
  running = new RunningServers()
  try {
    const { signal } = interruption
    const record = await play(addon.ToolRouter.shared(), running, readDefinitions(), { taskText, later, signal })
    if (html === undefined) return
    const file = path.resolve(html)
    writeFileSync(file, page(record))
    process.stdout.write(`\nreport: ${file}\n`)
  } finally {
    await running.close()
  }
}

async function interrupt(signal) {
  const exitCode = 128 + os.constants.signals[signal]
  if (interruption.signal.aborted) process.exit(exitCode) // the second time: without waiting
  interruption.abort()
  process.exitCode = exitCode
  process.stderr.write('\ninterrupted\n')
  if (!running) return // the set-up ends by itself, after the command that it runs
  await running.close({ atOnce: true })
  process.exit()
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt)
process.stdout.on('error', () => void interrupt('SIGTERM')) // nobody reads any more: `npm run demo | head`

const given = readArguments(
  HELP,
  { later: { type: 'string', multiple: true }, html: { type: 'string' } },
  { most: Infinity },
)
if (given) {
  try {
    await main(given.values, given.positionals.join(' ').trim())
  } catch (error) {
    if (!interruption.signal.aborted) {
      if (error instanceof SetupError) explainFailure(error)
      else process.stderr.write(`\nthe demo failed: ${error.code ? `${error.code}: ` : ''}${error.message}\n`)
      process.exitCode = 1
    }
  }
}
