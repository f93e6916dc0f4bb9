// The ending of processes, for the gateway as well as for scripts, examples and tests. Imports nothing but Node.js, so
// that the set-up of a fresh clone can use it.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'

/** Whether a new process gets a group of its own with `detached`. On Windows `detached` means a new console instead. */
export const HAS_GROUPS = process.platform !== 'win32'

/**
 * Signals a process together with everything it started. On POSIX it must lead a group of its own (`detached:
 * HAS_GROUPS`). On Windows, which has no signals, any signal ends the tree immediately; 0 only looks.
 *
 * @param {number | undefined} pid
 * @param {NodeJS.Signals | 0} signal 0 sends nothing
 * @returns {boolean} false when nothing of it is left
 */
export function signalTree(pid, signal) {
  if (!HAS_GROUPS && signal !== 0) {
    const options = { stdio: /** @type {const} */ ('ignore'), windowsHide: true }
    return mayBeSignalled(pid) && spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], options).status === 0
  }
  return mayBeSignalled(pid) && send(HAS_GROUPS ? -Number(pid) : pid, signal)
}

/** Signals one process and nothing that it started. False when it has ended. */
export function signalProcess(pid, signal) {
  return mayBeSignalled(pid) && send(pid, signal)
}

/**
 * Processes that were started with a variable of this text, however far they have left the group of who started them: a
 * browser driver gives its browser a session of its own. On Linux, where the system tells.
 *
 * @param {string} text as in `NAME=value`, or the beginning of it
 */
export function startedWith(text) {
  if (process.platform !== 'linux') return []
  const found = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    try {
      if (`\0${readFileSync(`/proc/${name}/environ`, 'latin1')}`.includes(`\0${text}`)) found.push(pid)
    } catch {
      // It has ended, or belongs to another user.
    }
  }
  return found
}

/** Whether a process lives. One that belongs to another user does. */
export function lives(pid) {
  if (!Number.isInteger(pid) || pid < 1) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

/** Never 0 or 1: as groups they would mean our own processes, and all processes. */
function mayBeSignalled(pid) {
  return Number.isInteger(pid) && pid > 1
}

function send(target, signal) {
  try {
    return process.kill(target, signal)
  } catch {
    return false // it has ended already
  }
}
