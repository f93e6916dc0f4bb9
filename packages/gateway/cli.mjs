#!/usr/bin/env node
// npx @zoo-code/tool-router-gateway --config mcp.json [--http 127.0.0.1:PORT]
//
// Standard output of a gateway belongs to the protocol; everything for a person goes to standard error.

import { readFileSync } from 'node:fs'
import os from 'node:os'
import process from 'node:process'

import { COMMANDS } from './cli/commands.mjs'
import { PROGRAM, readCommand, UsageError } from './cli/usage.mjs'

/** How long servers may take to end after a signal: twice the grace that each of them has. */
const CLOSE_MS = 8_000
/** How long calls under way may take to be answered after SIGTERM: as long as a call may where nothing else is said. */
const DRAIN_MS = 60_000

const print = (line) => process.stdout.write(`${line}\n`)
const say = (line) => process.stderr.write(`${PROGRAM}: ${line}\n`)

let gateway
/** Of OpenTelemetry, where one was started. */
let telemetry
let ending = false

/** Ends all servers, then the process. The second time it does not wait. */
async function end(exitCode, { drains = false } = {}) {
  if (ending) process.exit(exitCode)
  ending = true
  if (drains) await gateway?.drain(DRAIN_MS).catch(() => {})
  setTimeout(() => process.exit(exitCode), CLOSE_MS).unref()
  await gateway?.close().catch(() => {})
  await telemetry?.shutdown().catch(() => {})
  process.exit(exitCode)
}

async function main() {
  const { name, values, operand, help, version: isAsked } = readCommand(process.argv.slice(2))
  const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))
  if (help !== undefined) return void process.stdout.write(help)
  if (isAsked) return print(version)
  const { run } = COMMANDS[name]
  if (run !== undefined) {
    // Who reads the report may have enough of it, as `head` has.
    process.stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 1))
    const opened = (made) => {
      gateway = made
    }
    process.exitCode = await run({ values, name, operand, version, print, say, opened })
    return undefined
  }
  const { serve, connect } = await import('./cli/serve.mjs')
  const opened = (parts) => {
    gateway = parts.gateway ?? gateway
    telemetry = parts.telemetry ?? telemetry
  }
  const parts = { say, opened, end: () => ending || void end(0) }
  return name === 'connect' ? connect(values, version, parts) : serve(values, parts)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    // Of a gateway that a terminal has, its end; of any other, the wish that it reads its file again.
    const reloads = signal === 'SIGHUP' && gateway?.reloader !== undefined && !process.stdin.isTTY
    // Whoever supervises a gateway sends SIGTERM and waits; a person at a terminal does not.
    if (!reloads) return void end(128 + os.constants.signals[signal], { drains: signal === 'SIGTERM' })
    // What is wrong is in the log.
    return void gateway.reload().catch(() => {})
  })

try {
  await main()
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(error.message)
    process.exitCode = 2
  } else {
    say(error.message)
    await end(1)
  }
}
