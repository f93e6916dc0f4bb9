// Shows the router at work with real MCP servers:
//
//   npm run demo
//   npm run demo -- "task text" --later "a later message"
//
// Sets up what is missing, starts the servers of examples/servers, and plays one task
// (examples/demo). No server gets a real token, and nothing leaves the machine but downloads
// of the set-up. Exit code: 0 done, 1 failed, 128+n on a signal.

import os from 'node:os'
import process from 'node:process'

import { readArguments } from './arguments.mjs'
import { ensure, explainFailure, SetupError } from './setup.mjs'

const HELP = `usage: npm run demo [-- "task text" [--later "message"]...]

  --later  a later message of your own task; may be given more than once
`

const interruption = new AbortController()
let running

async function main({ later }, taskText) {
  await ensure({ quiet: true, signal: interruption.signal })
  // Imported only now: before the set-up there is no addon to import.
  const [{ default: addon }, { readDefinitions, RunningServers }, { play }] = await Promise.all([
    import('../index.js'),
    import('../examples/demo/servers.mjs'),
    import('../examples/demo/story.mjs'),
  ])
  if (interruption.signal.aborted) return
  running = new RunningServers()
  try {
    const { signal } = interruption
    await play(addon.ToolRouter.shared(), running, readDefinitions(), { taskText, later, signal })
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

const given = readArguments(HELP, { later: { type: 'string', multiple: true } }, { most: Infinity })
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
