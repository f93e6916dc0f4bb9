// Programs of the tree, one at a time. Each is said when it begins, and ends with us: what is told to end leaves nothing behind.

import { spawn } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

let running

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => {
    // A group of its own, so that what it has started ends too.
    if (running?.pid) process.kill(-running.pid, 'SIGKILL')
    process.exit(128 + os.constants.signals[signal])
  })

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {{ env?: NodeJS.ProcessEnv, about?: string }} [options] `about`: what it is for, for a person who waits
 * @returns {Promise<{ ok: boolean, text: string }>}
 */
export function run(command, args, cwd, { env, about } = {}) {
  console.error(`  ${about ?? path.basename(command)} …`)
  return new Promise((resolve) => {
    const chunks = []
    running = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [running.stdout, running.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
    running.on('error', ({ message }) => resolve({ ok: false, text: message }))
    running.on('close', (code) => {
      running = undefined
      resolve({ ok: code === 0, text: Buffer.concat(chunks).toString() })
    })
  })
}
