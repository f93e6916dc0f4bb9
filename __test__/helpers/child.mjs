// Runs a script in a process of its own: what a process does at its end can only be seen from outside.
import { spawn } from 'node:child_process'
import { ADDON } from './router.mjs'

/** Stands at the top of every script. */
const PRELUDE = `
const { ToolRouter, Session } = require(${JSON.stringify(ADDON)})
const router = ToolRouter.shared()
const ADDON = ${JSON.stringify(ADDON)}
const say = (value) => require('node:fs').writeSync(1, JSON.stringify(value) + '\\n')
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const thousand = (name, count = 1000) => ({ name, tools: Array.from({ length: count }, (_, at) => ({ name: 'tool_' + at, description: 'does the thing of number ' + at })) })
`

/**
 * Runs CommonJS source with `router`, `say` (a line of JSON to us), `sleep` and `thousand` at hand.
 * `hung` is true when it had to be killed, after ten minutes; standard error says so then.
 */
export function runScript(source, { env = {}, args = [] } = {}) {
  return run(
    [
      ...args,
      '-e',
      `${PRELUDE}\n;(async () => {\n${source}\n})().catch((error) => { console.error(error); process.exitCode = 99 })`,
    ],
    { env },
  )
}

// Two at a time: thirty processes on two cores would take longer than the addon waits at the end of one.
let free = 2
const waiting = []

async function slot(work) {
  if (free > 0) free -= 1
  else await new Promise((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
}

export function run(args, options) {
  return slot(() => spawned(args, options))
}

/** No test waits longer for a program; a loaded machine is slow, and slow is not wrong. */
const HUNG_MS = 600_000

function spawned(args, { env = {}, cwd } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr, hung] = ['', '', false]
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => (stderr += data))
    const timer = setTimeout(() => {
      hung = true
      stderr += `killed after ${HUNG_MS / 1000} s`
      child.kill('SIGKILL')
    }, HUNG_MS)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      const said = stdout
        .split('\n')
        .filter((line) => /^[[{"\dtfn]/.test(line))
        .flatMap((line) => {
          try {
            return [JSON.parse(line)]
          } catch {
            return []
          }
        })
      resolve({ code, signal, hung, stdout, stderr, said })
    })
  })
}

/** Asserts that a script ended by itself and well, and gives what it said. */
export function endedWell(t, { code, signal, hung, stderr, said }) {
  t.deepEqual({ code, signal, hung, stderr }, { code: 0, signal: null, hung: false, stderr: '' })
  return said
}
