// The doors of the project: set-up, command lines, and what scripts share with the gateway.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { HAS_GROUPS, lives, signalProcess, signalTree } from '../../packages/gateway/base/processes.mjs'
import { addonFile, hostPlatform } from '../../scripts/platforms.mjs'
import { run } from '../helpers/child.mjs'
import { until } from '../helpers/gateway.mjs'
import { ROOT } from '../helpers/pages.mjs'
import { where } from '../helpers/skips.mjs'
import { tempDir } from '../helpers/temp.mjs'

const withSignals = where(HAS_GROUPS, 'Windows has no signals')
const ADDON = addonFile(hostPlatform())
/** Where neither npm's registry nor cargo nor Python can be reached: what is set up all the same was there before. */
const ALONE = { PATH: '', Path: '', CARGO_HOME: path.join(ROOT, 'no-such-folder'), PYTHON: '' }
/** In seconds: packages and addon are newer than their sources. */
const [OLD, NEW] = [1_000_000_000, 1_100_000_000]

/** A checkout in which nothing is missing, as far as set-up looks: its packages and its addon are empty files. */
function checkout(t) {
  const folder = realpathSync(tempDir(t))
  cpSync(path.join(ROOT, 'scripts'), path.join(folder, 'scripts'), { recursive: true })
  symlinkSync(path.join(ROOT, 'npm'), path.join(folder, 'npm'), 'junction')
  const write = (name, time, text = '') => {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    utimesSync(file, time, time)
  }
  for (const name of ['package.json', 'packages/gateway/base/processes.mjs']) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    cpSync(path.join(ROOT, name), path.join(folder, name))
  }
  for (const name of [
    'package-lock.json',
    'examples/servers/package-lock.json',
    'Cargo.lock',
    'build.rs',
    'src/lib.rs',
  ])
    write(name, OLD)
  write('Cargo.toml', OLD, 'rust-version = "1.85"\n')
  for (const place of ['.', 'examples/servers']) write(`${place}/node_modules/.package-lock.json`, NEW)
  write('index.js', NEW)
  write(ADDON, NEW)
  utimesSync(path.join(folder, 'src'), OLD, OLD)
  const setUp = (...args) => run([path.join(folder, 'scripts', 'setup.mjs'), ...args], { env: ALONE, cwd: folder })
  return { folder, setUp, touch: (name) => utimesSync(path.join(folder, name), NEW + 1, NEW + 1) }
}

test('where nothing is missing, set-up does nothing, and quiet set-up says nothing', async (t) => {
  const { setUp } = checkout(t)
  const { code, stdout, stderr } = await setUp()
  t.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  for (const what of ['packages', 'example servers', 'model', 'addon'])
    t.regex(stdout, new RegExp(`${what} +ready\n`), what)
  const quiet = await setUp('--quiet')
  t.deepEqual({ code: quiet.code, stdout: quiet.stdout, stderr: quiet.stderr }, { code: 0, stdout: '', stderr: '' })
})

for (const [what, change] of [
  ['no addon', ({ folder }) => rmSync(path.join(folder, ADDON))],
  ['a source newer than the addon', ({ touch }) => touch('src/lib.rs')],
  ['a source removed since the build', ({ touch }) => touch('src')],
]) {
  test(`with ${what}, set-up builds, and says what it lacks for that`, async (t) => {
    const made = checkout(t)
    change(made)
    const { code, stdout, stderr } = await made.setUp('--quiet')
    t.is(code, 1)
    t.regex(stdout, /^setup {2}addon +(missing|out of date): [^\n]+\n$/)
    t.regex(stderr, /cargo was not found\nnext step: install Rust 1\.85 or later/)
  })
}

test('what a person has to install is told before anything is downloaded', async (t) => {
  const { folder, setUp } = checkout(t)
  rmSync(path.join(folder, 'examples/servers/node_modules'), { recursive: true })
  rmSync(path.join(folder, ADDON))
  const { code, stdout, stderr } = await setUp('--quiet')
  t.is(code, 1)
  t.regex(stderr, /cargo was not found\nnext step: install Rust/)
  // No line but those that say what is to come: npm ci would have had a second one.
  t.is(stdout.trim().split('\n').length, 2, stdout)
})

withSignals('an interrupted set-up ends what it has started, and says that it can go on', async (t) => {
  const { folder } = checkout(t)
  rmSync(path.join(folder, ADDON))
  const build = `require('node:fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1e6)`
  writeFileSync(path.join(folder, 'build.cjs'), build)
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  manifest.scripts.build = 'node build.cjs'
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
  const child = spawn(process.execPath, [path.join(folder, 'scripts', 'setup.mjs')], { cwd: folder })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const ended = once(child, 'close')
  const written = () => existsSync(path.join(folder, 'pid')) && Number(readFileSync(path.join(folder, 'pid'), 'utf8'))
  await until(t, written, 'the build runs')
  child.kill('SIGINT')
  t.deepEqual(await ended, [1, null])
  t.regex(stderr, /interrupted during: addon\nnext step: run this again/)
  await until(t, () => !lives(written()), 'the build has ended')
})

for (const [args, message] of [
  [['scripts/setup.mjs', '--verbose'], /'--verbose'/],
  [['scripts/assets.mjs', '--platform', 'plan9'], /--platform: expected one of .*linux-x64-gnu.*, got plan9/],
  [['scripts/pack.mjs'], /expected 1 argument, got 0/],
  [['research/measure/cost/bench.mjs', '--runs', '1.5'], /--runs: expected an integer from 1, got 1\.5/],
  [['research/measure/gateway/gateway.mjs', '--seed', ''], /--seed: expected an integer, got \n/],
]) {
  test(`wrong arguments are named, with the usage: ${args.join(' ')}`, async (t) => {
    const { code, stdout, stderr } = await run(args, { cwd: ROOT })
    t.deepEqual({ code, stdout }, { code: 2, stdout: '' })
    t.regex(stderr, message)
    t.regex(stderr, /^usage: /m)
  })
}

test('no process id means more than the process: none reaches our own group, or all processes', (t) => {
  for (const pid of [undefined, null, NaN, 0, 1, -1, -5, 1.5, '1']) {
    // Signal 0 is sent by nobody to nobody: it only says whether there is something that would have got it.
    t.false(signalTree(pid, 0), String(pid))
    t.false(signalProcess(pid, 0), String(pid))
  }
  for (const pid of [undefined, NaN, 0, -1, 1.5]) t.false(lives(pid), String(pid))
  t.true(lives(process.pid))
})

test('a process is ended with what it started, also when it ignores the end of its parent', async (t) => {
  const script = `
    const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])
    console.log(pid)
    setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'], detached: HAS_GROUPS })
  const [line] = await once(child.stdout, 'data')
  const grandchild = Number(line)
  t.true(lives(child.pid) && lives(grandchild))
  t.true(signalTree(child.pid, 'SIGKILL'))
  await once(child, 'exit')
  await until(t, () => !lives(grandchild), 'the grandchild has ended')
  t.false(signalTree(child.pid, 0))
})

test('what cannot be tried here is skipped with its reason: no test passes instead', (t) => {
  const folder = path.join(ROOT, '__test__')
  const specs = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.spec.mjs'))
  t.true(specs.length > 100)
  const wrong = specs.filter((name) =>
    /return t\.pass\b|t\.pass\(\s*['"`]/.test(readFileSync(path.join(folder, name), 'utf8')),
  )
  t.deepEqual(wrong, [], 'use where of helpers/skips.mjs')
})
