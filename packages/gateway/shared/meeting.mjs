// Where clients of one configuration and the gateway that they share find each other: a folder for the user alone, with
// the address and the token of the gateway, and a file for each client that is there.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

import { MAX_OF_CONFIG, readRegular } from '../config/regular-file.mjs'
import { stateFolder } from '../config/settings.mjs'
import { HAS_GROUPS, lives } from '../base/processes.mjs'

/** How long a gateway may take until it listens. It does before its servers have started. */
const START_MS = 60_000
const LOOK_MS = 100
/** How long a gateway that listens may take to answer anything. */
const ANSWER_MS = 5_000
/** How often a gateway looks who is there, and how long it stays when nobody is: a window that is opened again finds it. */
const CLIENTS_MS = 1_000
const LINGER_MS = 10_000
/** Bytes of the end of the log that an error repeats. */
const TOLD = 500
const ADDRESS = 'address.json'
const CLIENTS = 'clients'
const LOG = 'gateway.log'

/**
 * The folder of a configuration. Windows of different projects share a gateway, unless the file speaks of the project that
 * a client was started in.
 *
 * @param {{ config: string, workspace?: string, profile?: string, modes?: string, lexical?: boolean }} values of the
 * command line
 * @param {string} version gateways of two versions are not shared
 */
export function meetingFolder({ config, workspace, profile, modes, lexical = false }, version) {
  const file = fs.realpathSync(config)
  const isOfProject = readRegular(file, MAX_OF_CONFIG).includes('workspaceFolder')
  const place = workspace ?? (isOfProject ? process.cwd() : null)
  const key = createHash('sha256')
    .update(JSON.stringify([file, version, place, profile ?? null, modes ?? null, lexical]))
    .digest('hex')
  return path.join(stateFolder(), 'run', key.slice(0, 32))
}

// --- the client's side ------------------------------------------------------------------------------

/**
 * The gateway of a folder; started when none runs.
 *
 * @param {string} folder
 * @param {string[]} command of the gateway, without what makes it a shared one
 * @returns {Promise<{ url: string, token: string }>}
 */
export async function reachShared(folder, command) {
  const until = Date.now() + START_MS
  while (Date.now() < until) {
    const address = readAddress(folder)
    if (address !== undefined && (await answers(address))) return address
    // One of those who come together starts it; the others wait.
    const unlock = lock(folder)
    if (unlock) await startShared(folder, command).finally(unlock)
    else await pause(LOOK_MS)
  }
  throw new Error(`the gateway did not listen within ${START_MS / 1000} s; its log is ${path.join(folder, LOG)}`)
}

/** The gateway that clients share now, if there is one. @returns {Promise<{ url: string, token: string } | undefined>} */
export async function runningShared(values, version) {
  const address = readAddress(meetingFolder(values, version))
  return address !== undefined && (await answers(address)) ? address : undefined
}

/** Says that a client is there, as long as its process lives. @returns {() => void} says that it has gone */
export function attend(folder) {
  const file = path.join(folder, CLIENTS, String(process.pid))
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  fs.writeFileSync(file, '', { mode: 0o600 })
  return () => fs.rmSync(file, { force: true })
}

/** An address that is not the user's alone is as good as none: somebody else may have written it. */
function readAddress(folder) {
  try {
    const file = path.join(folder, ADDRESS)
    const { mode } = fs.lstatSync(file)
    if (HAS_GROUPS && (mode & 0o077) !== 0) return undefined
    const { url, token, pid } = JSON.parse(fs.readFileSync(file, 'utf8'))
    return lives(pid) ? { url, token } : undefined
  } catch {
    return undefined
  }
}

/** Whether it is a gateway with this token: the process of an old address may be another one. */
async function answers({ url, token }) {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' }
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined)
  await response?.body?.cancel()
  // There is no such session; without the token it were 401.
  return response?.status === 404
}

function lock(folder) {
  const file = path.join(folder, 'lock')
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 })
    return () => fs.rmSync(file, { force: true })
  } catch {
    const holder = Number(readText(file))
    if (holder > 0 && !lives(holder)) fs.rmSync(file, { force: true })
    return undefined
  }
}

async function startShared(folder, command) {
  fs.rmSync(path.join(folder, ADDRESS), { force: true })
  const log = fs.openSync(path.join(folder, LOG), 'w', 0o600)
  const child = spawn(process.execPath, [...command, '--http', '127.0.0.1:0', '--shared', folder], {
    detached: true,
    stdio: ['ignore', log, log],
    windowsHide: true,
  })
  fs.closeSync(log)
  child.unref()
  let ended = false
  child.once('exit', () => (ended = true))
  const until = Date.now() + START_MS
  while (readAddress(folder) === undefined && Date.now() < until) {
    if (ended) throw new Error(readText(path.join(folder, LOG)).slice(-TOLD).trim() || 'the gateway has ended')
    await pause(LOOK_MS)
  }
}

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

// --- the gateway's side -----------------------------------------------------------------------------

/**
 * Lets clients find a gateway, and ends it when the last has gone.
 *
 * @param {string} folder
 * @param {{ url: string, token: string }} endpoint
 * @param {() => void} end
 */
export function openShared(folder, { url, token }, end) {
  const file = path.join(folder, ADDRESS)
  const draft = `${file}.${process.pid}`
  fs.writeFileSync(draft, JSON.stringify({ url, token, pid: process.pid }), { mode: 0o600 })
  fs.renameSync(draft, file)
  let attendedAt = Date.now()
  const timer = setInterval(() => {
    if (isAttended(folder)) attendedAt = Date.now()
    if (Date.now() - attendedAt < LINGER_MS) return
    clearInterval(timer)
    // First the address, so that nobody comes to one that ends.
    fs.rmSync(file, { force: true })
    end()
  }, CLIENTS_MS)
  timer.unref()
}

/** Whether a client is there. One that was killed has left its file. */
function isAttended(folder) {
  try {
    const pids = fs.readdirSync(path.join(folder, CLIENTS))
    const gone = pids.filter((pid) => !lives(Number(pid)))
    for (const pid of gone) fs.rmSync(path.join(folder, CLIENTS, pid), { force: true })
    return pids.length > gone.length
  } catch {
    return false
  }
}
