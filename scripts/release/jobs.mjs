// Runs what the workflows run: every `run:` of the jobs that a Linux runner of this architecture would get, in order, each
// job in a clone of its own of what is committed, without node_modules. Artifacts pass from job to job as they do there.
//
//   npm run release:jobs                                 all, which builds and tests everything: an hour
//   npm run release:jobs -- --only release/gate          some
//   npm run release:jobs -- --skip test/checks --autocrlf   in clones as git for Windows makes them
//
// The clones are those of a tagged commit: the changelog has its version. What cannot run here is left out and named:
// what sets up a runner, GitHub's own program, containers without Docker. Caches are this checkout's, as a cache's would be.
//
// Exit code: 0 all that was run is right, 1 it is not, 2 wrong usage.

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

import { readArguments } from '../arguments.mjs'
import { asProgram, has, ReleaseError, ROOT, run } from './tools.mjs'
import { jobsOf, workflows } from './workflows.mjs'
import { NOT_YET } from './changelog.mjs'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const RUNNER = process.arch === 'arm64' ? 'ubuntu-24.04-arm' : 'ubuntu-24.04'

/** What expressions of the workflows stand for here. */
const GITHUB = {
  'github.ref_name': `v${version}`,
  'github.token': '',
  'github.event.pull_request.base.sha': 'HEAD',
}

/** Lines that only a runner or GitHub can run, and why. */
const LEFT_OUT = [
  [/^(rustup|cargo(-deny --version \|\| cargo)? install) .*$/gm, 'sets up the runner'],
  [/^gh [\s\S]*?[^\\]$/gm, 'is GitHub’s own'],
]
/** Lines that run with another argument here. */
const CHANGED = [
  // Seven of the eight binaries come from other machines.
  [/ --all\b/g, ''],
  [/ --provenance\b/g, ' --dry-run --partial'],
]
/** Kept between runs of a job by a cache, there and here. */
const CACHED = ['target', '.cache', 'npm/.cache']

/** The combinations of a matrix: the product of its lists, and what `include` adds to them or beside them. */
export function combinations({ include = [], ...lists } = {}) {
  let all = [{}]
  for (const [key, values] of Object.entries(lists))
    all = all.flatMap((one) => values.map((value) => ({ ...one, [key]: value })))
  const beside = []
  for (const more of include) {
    const fits = (one) => Object.keys(lists).every((key) => !(key in more) || one[key] === more[key])
    const found = Object.keys(lists).length > 0 ? all.filter(fits) : []
    for (const one of found) Object.assign(one, more)
    if (found.length === 0) beside.push(more)
  }
  return [...all.filter((one) => Object.keys(one).length > 0 || include.length === 0), ...beside]
}

/** A text with the values of its expressions. */
function filled(text, values) {
  return String(text).replaceAll(/\$\{\{ *([\w.]+) *\}\}/g, (whole, name) => values[name] ?? whole)
}

/** The jobs of all workflows that this machine's runner gets: name, steps, and environment, matrices filled in. */
export function linuxJobs() {
  const found = workflows().flatMap(({ file, text }) =>
    jobsOf({ text }).flatMap(([id, job]) =>
      combinations(job.strategy?.matrix).flatMap((combination) => {
        const values = Object.fromEntries(Object.entries(combination).map(([key, value]) => [`matrix.${key}`, value]))
        Object.assign(values, GITHUB)
        if (filled(job['runs-on'], values) !== RUNNER) return []
        const steps = job.steps.map(({ run: lines, uses, env = {}, with: given = {} }) => ({
          lines: lines && filled(lines, values),
          uses,
          env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filled(value, values)])),
          given: Object.fromEntries(Object.entries(given).map(([key, value]) => [key, filled(value, values)])),
        }))
        const which = combination.platform ?? combination.image
        return [{ name: [`${file.replace('.yml', '')}/${id}`, which].filter(Boolean).join(' '), steps }]
      }),
    ),
  )
  // Jobs that differ in nothing but the Node that is set up are one here.
  return found.filter(({ steps, name }, at) => {
    const same = (other) => other.name === name && JSON.stringify(lines(other.steps)) === JSON.stringify(lines(steps))
    return lines(steps).length > 0 && found.findIndex(same) === at
  })
}

const lines = (steps) => steps.filter((step) => step.lines).map(({ lines: text, env }) => ({ text, env }))

/** A clone without node_modules, as the commit of a tag is. */
function cloned(folder, autocrlf) {
  run('git', ['-c', `core.autocrlf=${autocrlf}`, 'clone', '--quiet', ROOT, folder])
  const edit = (file, change) => {
    const path = join(folder, file)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }
  edit('CHANGELOG.md', (text) => text.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} - 2026-01-01`))
  edit('README.md', (text) => text.replace(NOT_YET, ''))
  for (const cache of CACHED.filter((name) => existsSync(join(ROOT, name))))
    symlinkSync(join(ROOT, cache), join(folder, cache))
  return folder
}

/** Plays the actions that pass files on. */
function pass({ uses = '', given }, folder, artifacts) {
  const place = given.path && join(folder, given.path)
  if (uses.startsWith('actions/upload-artifact@')) cpSync(place, join(artifacts, given.name), { recursive: true })
  if (!uses.startsWith('actions/download-artifact@')) return
  const names = new RegExp(`^${(given.name ?? given.pattern).replaceAll('*', '.*')}$`)
  mkdirSync(place, { recursive: true })
  for (const name of readdirSync(artifacts).filter((one) => names.test(one)))
    cpSync(join(artifacts, name), place, { recursive: true })
}

/** Runs a job; the lines that failed. */
function play({ name, steps }, folder, artifacts) {
  const docker = has('docker', ['info'])
  for (const step of steps) {
    pass(step, folder, artifacts)
    if (!step.lines) continue
    let text = step.lines
    const leftOut = docker ? LEFT_OUT : [...LEFT_OUT, [/^(for [\s\S]*)?\s*docker run[\s\S]*/gm, 'needs Docker']]
    for (const [pattern, why] of leftOut)
      text = text.replaceAll(pattern, (line) => {
        console.log(`   left out, ${why}: ${line.split('\n')[0]}`)
        return ''
      })
    for (const [pattern, instead] of CHANGED) text = text.replaceAll(pattern, instead)
    if (text.trim() === '') continue
    console.log(`   ${text.trim().replaceAll('\n', '\n   ')}`)
    const { status } = spawnSync('bash', ['-eo', 'pipefail', '-c', text], {
      cwd: folder,
      env: { ...process.env, ...step.env, npm_execpath: '' },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    if (status !== 0) return [`${name}: exit code ${status}: ${text.trim().split('\n')[0]}`]
  }
  return []
}

await asProgram(import.meta.url, () => {
  const given = readArguments('usage: jobs.mjs [--only <jobs>] [--skip <jobs>] [--autocrlf]\n', {
    only: { type: 'string', default: '' },
    skip: { type: 'string', default: '' },
    autocrlf: { type: 'boolean' },
  })
  if (!given) return
  const [only, skip] = [given.values.only, given.values.skip].map((list) => list.split(',').filter(Boolean))
  const named = (list, { name }) => list.some((one) => name === one || name.startsWith(`${one} `))
  const jobs = linuxJobs().filter((job) => (only.length === 0 || named(only, job)) && !named(skip, job))
  if (jobs.length === 0)
    throw new ReleaseError(
      `expected jobs of ${linuxJobs()
        .map(({ name }) => name)
        .join(', ')}`,
    )
  const temporary = mkdtempSync(join(tmpdir(), 'tool-router-jobs-'))
  try {
    const artifacts = join(temporary, 'artifacts')
    mkdirSync(artifacts)
    const failed = jobs.flatMap((job, at) => {
      console.log(`\n== ${job.name}`)
      return play(job, cloned(join(temporary, String(at)), given.values.autocrlf ?? false), artifacts)
    })
    console.log(failed.length > 0 ? `\nfailed:\n${failed.join('\n')}` : `\n${jobs.length} jobs are right`)
    process.exitCode = failed.length > 0 ? 1 : 0
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
})
