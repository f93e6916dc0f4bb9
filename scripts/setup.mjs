// Makes a fresh clone ready to run, part by part; a part that is ready is left alone.
//
//   npm run setup
//
// `npm run demo` and `npm test` begin with it, quietly: they say nothing of what is ready. Nothing goes through a shell,
// so that paths with spaces and Windows need no care.

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { HAS_GROUPS, signalProcess, signalTree } from '../packages/gateway/base/processes.mjs'
import { readArguments } from './arguments.mjs'
import { npmCommand } from './npm.mjs'
import { addonFile, hostPlatform } from './platforms.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

const USAGE = `usage: npm run setup [-- --quiet]

Installs packages, fetches model and runtime, builds the addon: what of it is missing or out of date.

  --quiet   say nothing of what is ready
`

/** The oldest Node that the tests run on: ava 7 needs 20.19. */
const OLDEST_NODE = '20.19'
/** A line of progress this often: a first release build takes minutes. */
const PROGRESS_MS = 15_000
/** How long an interrupted command may take to end: npm finishes what it is at, which may be all. */
const GRACE_MS = 2_000
/** Lines of a failed command that are shown: enough for one compiler error. */
const SHOWN_LINES = 30

/** A step that failed. The message says what is missing, `nextStep` what to do about it. */
export class SetupError extends Error {
  constructor(message, nextStep) {
    super(message)
    this.name = 'SetupError'
    this.nextStep = nextStep
  }
}

/**
 * Brings the work tree to where examples and tests run. Each part is looked at before the first one is set up, so that a
 * person sees first what is to come. Run again after a failure it goes on from there.
 *
 * @param {object} [wanted]
 * @param {boolean} [wanted.servers] the packages of examples/servers
 * @param {boolean} [wanted.assets] the model and ONNX Runtime; without them ranking is lexical
 * @param {boolean} [wanted.build] the native addon
 * @param {boolean} [wanted.evaluation] the packages of research/measure/ranking/eval
 * @param {boolean} [wanted.bench] the packages of research/measure/cost/bench
 * @param {boolean} [wanted.quiet] says nothing of what is ready
 * @param {AbortSignal} [wanted.signal] ends what is running, children included
 * @param {(line: string) => void} [wanted.say]
 * @returns {Promise<void>}
 * @throws {SetupError}
 */
export async function ensure({
  servers = true,
  assets = true,
  build = true,
  evaluation = false,
  bench = false,
  quiet = false,
  signal,
  say = printLine,
} = {}) {
  const step = { say, signal }
  checkNode()
  const parts = [
    packages('packages', root),
    servers && packages('example servers', path.join(root, 'examples', 'servers'), ['--omit=dev']),
    evaluation && packages('peers', path.join(root, 'research', 'measure', 'ranking', 'eval')),
    bench && packages('peers of bench', path.join(root, 'research', 'measure', 'cost', 'bench')),
    assets && ASSETS,
    build && ADDON,
  ].filter(Boolean)
  const found = parts.map((part) => ({ ...part, missing: part.findMissing() }))
  const missing = found.filter((part) => part.missing !== undefined)
  if (!quiet) for (const { what } of found.filter((part) => part.missing === undefined)) report(step, what, 'ready')
  for (const part of missing) report(step, part.what, part.missing)
  // What a person has to install is told now, not after the downloads.
  for (const part of missing) part.checkTools?.(step)
  for (const part of missing) report(step, part.what, await part.setUp(step))
}

/**
 * A part of the set-up.
 *
 * @typedef {object} Part
 * @property {string} what
 * @property {() => string | undefined} findMissing what is missing, and how it will be had; nothing when it is ready.
 *   Cheap: all parts together take less than a second.
 * @property {(step: object) => void} [checkTools] throws where a tool is missing that the part needs, before any download
 * @property {(step: object) => Promise<string>} setUp resolves with what a person is told at the end
 */

function printLine(line) {
  process.stdout.write(`${line}\n`)
}

function report({ say }, what, text) {
  say(`setup  ${what.padEnd(16)} ${text}`)
}

function checkNode() {
  if (!isOlder(process.versions.node, OLDEST_NODE)) return
  throw new SetupError(
    `Node ${process.versions.node} is too old: ${OLDEST_NODE} or later is needed`,
    'install a current Node from https://nodejs.org',
  )
}

/** Compares versions, part by part. */
function isOlder(version, oldest) {
  return version.localeCompare(oldest, 'en', { numeric: true }) < 0
}

// --- npm packages ---------------------------------------------------------------------------

/** @returns {Part} */
function packages(what, folder, options = []) {
  const shown = path.relative(root, folder) || 'the project root'
  return {
    what,
    findMissing() {
      const lock = modifiedAt(path.join(folder, 'package-lock.json'))
      if (lock === undefined) {
        throw new SetupError(
          `package-lock.json is missing in ${shown}`,
          'restore it: git checkout -- package-lock.json',
        )
      }
      // npm writes this file last, so it is there only when an installation went through.
      const installed = modifiedAt(path.join(folder, 'node_modules', '.package-lock.json'))
      if (installed !== undefined && installed >= lock) return undefined
      return `${installed === undefined ? 'missing' : 'out of date'}: npm ci in ${shown}`
    },
    async setUp(step) {
      const npm = findNpm()
      // Without install scripts: none of these packages needs one, and none should run unasked.
      const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...options]
      const { exitCode, lines, seconds } = await run(step, what, npm[0], [...npm.slice(1), ...flags], { cwd: folder })
      if (exitCode !== 0) throw npmFailure(shown, exitCode, lines)
      return `ready after ${seconds} s`
    },
  }
}

function findNpm() {
  const npm = npmCommand()
  if (npm) return npm
  throw new SetupError(
    'npm was not found',
    'run this through npm (npm run setup), or install the npm that comes with Node',
  )
}

function npmFailure(shown, exitCode, lines) {
  const isOffline = /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONN|ERR_SOCKET_TIMEOUT|network/i.test(lines.join('\n'))
  // npm says what is wrong first, and how it is used last.
  return new SetupError(
    `${indented(lines.slice(0, SHOWN_LINES / 2))}npm ci failed in ${shown} (exit code ${exitCode})`,
    isOffline
      ? 'check the network, the proxy and `npm config get registry`, then run this again'
      : 'read the lines above, then run this again',
  )
}

// --- model and ONNX Runtime ------------------------------------------------------------------

const ASSETS_SCRIPT = path.join(root, 'scripts', 'assets.mjs')

/** @type {Part} */
const ASSETS = {
  what: 'model',
  findMissing() {
    const options = { stdio: 'ignore', windowsHide: true }
    if (spawnSync(process.execPath, [ASSETS_SCRIPT, '--check'], options).status === 0) return undefined
    return 'missing: model and ONNX Runtime, through Python 3 with pip (about 45 MB)'
  },
  checkTools(step) {
    // A model is optional: without Python all but that is set up.
    const { status } = spawnSync(process.execPath, [ASSETS_SCRIPT, '--python'], { stdio: 'inherit', windowsHide: true })
    if (status !== 0) report(step, 'model', 'no Python with pip was found: ranking will be lexical only')
  },
  async setUp(step) {
    // It says by itself what is missing, Python included, and takes no half files for whole ones.
    const args = [ASSETS_SCRIPT, '--optional']
    const { exitCode } = await run(step, 'model', process.execPath, args, { cwd: root, inherit: true })
    if (exitCode !== 0) {
      throw new SetupError(
        `scripts/assets.mjs failed (exit code ${exitCode})`,
        'read the lines above, then run this again',
      )
    }
    return this.findMissing() === undefined ? 'ready' : 'not all of it is there: ranking will be lexical only'
  },
}

// --- the addon -------------------------------------------------------------------------------

/** The file that index.js loads on this machine. */
const ADDON_FILE = path.join(root, addonFile(hostPlatform()))
/** What the addon is built from. */
const SOURCES = ['src', 'Cargo.toml', 'Cargo.lock', 'build.rs']

/** @type {Part} */
const ADDON = {
  what: 'addon',
  findMissing() {
    const built = fs.existsSync(path.join(root, 'index.js')) ? modifiedAt(ADDON_FILE) : undefined
    if (built === undefined) return 'missing: to be built, which takes minutes the first time'
    const changed = Math.max(...SOURCES.map((name) => newest(path.join(root, name))))
    return built >= changed ? undefined : 'out of date: its sources have changed, to be built again'
  },
  checkTools() {
    const env = cargoEnvironment()
    checkCargo(env)
    checkCompiler(env)
  },
  async setUp(step) {
    const env = cargoEnvironment()
    const npm = findNpm()
    let crate = 'cargo is starting'
    const { exitCode, lines, seconds } = await run(step, 'addon', npm[0], [...npm.slice(1), 'run', 'build'], {
      cwd: root,
      env,
      onLine: (line) => (crate = /^\s*(Compiling \S+) v/.exec(line)?.[1] ?? crate),
      progress: () => crate,
    })
    if (exitCode !== 0) {
      throw new SetupError(
        `${indented(lines.slice(-SHOWN_LINES))}the build failed (exit code ${exitCode})`,
        'read the lines above, then run this again',
      )
    }
    const shown = path.basename(ADDON_FILE)
    if (!fs.existsSync(ADDON_FILE))
      throw new SetupError(`the build left no ${shown}`, 'look at the script "build" in package.json')
    const now = new Date()
    fs.utimesSync(ADDON_FILE, now, now) // some systems copy a file with its old time
    return `ready after ${seconds} s, ${shown}`
  },
}

/** The environment with rustup's folder on the path: a shell opened before its installation lacks it. */
function cargoEnvironment() {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH'
  const folder = path.join(process.env.CARGO_HOME ?? path.join(os.homedir(), '.cargo'), 'bin')
  return { ...process.env, [name]: [process.env[name], folder].filter(Boolean).join(path.delimiter) }
}

function checkCargo(env) {
  const manifest = fs.readFileSync(path.join(root, 'Cargo.toml'), 'utf8')
  const oldest = /^rust-version\s*=\s*"([\d.]+)"/m.exec(manifest)?.[1] ?? '1.85'
  const install = `install Rust ${oldest} or later from https://rustup.rs, then run this again`
  const { status, stdout } = spawnSync('cargo', ['--version'], { cwd: root, env, encoding: 'utf8', windowsHide: true })
  if (status !== 0) throw new SetupError('the addon must be built, and cargo was not found', install)
  if (isOlder(/\d+\.\d+/.exec(stdout)?.[0] ?? '0.0', oldest)) {
    throw new SetupError(
      `the addon must be built, and ${stdout.trim()} is too old`,
      `run \`rustup update\`, or ${install}`,
    )
  }
}

/** A crate has a part in C. On Windows cargo itself says what is missing of Visual Studio. */
function checkCompiler(env) {
  if (process.platform === 'win32') return
  const compiler = env.CC?.trim() || 'cc'
  const [command, ...args] = compiler.split(' ')
  if (spawnSync(command, [...args, '--version'], { env, stdio: 'ignore' }).status === 0) return
  const install = process.platform === 'darwin' ? 'run `xcode-select --install`' : 'install gcc or clang'
  throw new SetupError(
    `the addon must be built, and the C compiler ${compiler} was not found`,
    `${install}, then run this again`,
  )
}

// --- files and processes -----------------------------------------------------------------------

function modifiedAt(file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

/** When a file, or the newest file under a folder, was changed; 0 when there is none. */
function newest(file) {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  if (!found) return 0
  if (!found.isDirectory()) return found.mtimeMs
  // The folder's own time tells of files that were removed.
  return Math.max(found.mtimeMs, ...fs.readdirSync(file).map((name) => newest(path.join(file, name))))
}

function indented(lines) {
  return lines.map((line) => `    ${line}\n`).join('')
}

/** Runs a command to its end. Its output is kept, or with `inherit` shown as it comes. */
function run(step, what, command, args, { cwd, env = process.env, inherit = false, onLine, progress }) {
  const { signal } = step
  const interrupted = () => new SetupError(`interrupted during: ${what}`, 'run this again; it goes on from there')
  if (signal?.aborted) return Promise.reject(interrupted())
  return new Promise((resolve, reject) => {
    const started = Date.now()
    const seconds = () => Math.round((Date.now() - started) / 1000)
    const stdio = inherit ? 'inherit' : ['ignore', 'pipe', 'pipe']
    // A group of its own, so that cargo and all compilers under npm can be ended together.
    const grouped = !inherit && HAS_GROUPS
    const send = grouped || !HAS_GROUPS ? signalTree : signalProcess
    const child = spawn(command, args, { cwd, env, stdio, windowsHide: true, detached: grouped })
    const lines = []
    for (const stream of inherit ? [] : [child.stdout, child.stderr]) {
      let rest = ''
      stream.setEncoding('utf8').on('data', (text) => {
        const parts = (rest + text).split(/\r?\n/)
        rest = parts.pop()
        for (const line of parts) {
          lines.push(line)
          onLine?.(line)
        }
        lines.splice(0, lines.length - 10 * SHOWN_LINES) // no more than a failure may show
      })
      stream.on('close', () => rest && lines.push(rest))
    }
    const timer = inherit
      ? undefined
      : setInterval(() => report(step, what, [`${seconds()} s`, progress?.()].filter(Boolean).join(', ')), PROGRESS_MS)
    const kill = () => send(child.pid, 'SIGKILL')
    let lastResort
    const stop = () => {
      send(child.pid, 'SIGTERM')
      if (!inherit) lastResort = setTimeout(kill, GRACE_MS)
    }
    signal?.addEventListener('abort', stop, { once: true })
    process.once('exit', kill) // a second interruption does not wait
    const end = () => {
      clearInterval(timer)
      clearTimeout(lastResort)
      signal?.removeEventListener('abort', stop)
      process.off('exit', kill)
    }
    child.on('error', (error) => {
      end()
      reject(
        new SetupError(`${command} cannot be started (${error.message})`, 'check that it is installed and on the path'),
      )
    })
    child.on('close', (exitCode) => {
      end()
      if (signal?.aborted) reject(interrupted())
      else resolve({ exitCode, lines, seconds: seconds() })
    })
  })
}

/** Prints what failed and what to do, for scripts that begin with {@link ensure}. */
export function explainFailure(error) {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`\nsetup failed\n${error.message}\nnext step: ${error.nextStep}\n`)
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const given = readArguments(USAGE, { quiet: { type: 'boolean' } })
  if (!given) process.exit()
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => controller.abort())
  try {
    await ensure({ quiet: given.values.quiet, signal: controller.signal })
  } catch (error) {
    explainFailure(error)
    process.exitCode = 1
  }
}
