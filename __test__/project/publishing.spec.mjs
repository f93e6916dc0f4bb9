// A release, a patch of an old line and the way back from a bad version, in a registry of our own; and installations beside what
// people have. Packages have their manifests alone: which versions meet is decided by those. `npm run release:check` runs this
// file with pnpm and yarn too.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import test from 'ava'

import { npmCommand } from '../../scripts/npm.mjs'
import { manifestProblems, publishedManifests } from '../../scripts/release/manifests.mjs'
import { publish, tagOf } from '../../scripts/release/publish.mjs'
import { tarballOf as fileOf } from '../../scripts/release/tarballs.mjs'
import { managerProgram } from '../../scripts/release/tools.mjs'
import { tarballOf } from '../helpers/npm-registry.mjs'
import { run } from '../helpers/packages.mjs'
import { read, ROOT } from '../helpers/pages.mjs'
import { where } from '../helpers/skips.mjs'
import { tempDir } from '../helpers/temp.mjs'

const PACKAGES = ['main', 'programs', 'gateway']
const NAMES = ['tool-router', 'tool-router-programs', 'tool-router-gateway'].map((name) => `@zoo-code/${name}`)

/** What three packages name of each other, at one version. */
function manifestsAt(version) {
  const all = publishedManifests()
  const ours = Object.values(all).map(({ name }) => name)
  const kept = PACKAGES.map((id) => all[id].name)
  const moved = (field = {}) =>
    Object.fromEntries(
      Object.entries(field)
        .filter(([name]) => kept.includes(name) || !ours.includes(name))
        .map(([name, range]) => [name, ours.includes(name) ? version : range]),
    )
  const at = ({ dependencies, optionalDependencies, ...manifest }) => ({
    ...manifest,
    version,
    dependencies: moved(dependencies),
    optionalDependencies: moved(optionalDependencies),
    bin: undefined,
  })
  return Object.fromEntries(PACKAGES.map((id) => [id, at(all[id])]))
}

/** What our packages take from the registry, at the versions that are locked here. */
function neighbours() {
  const { packages } = JSON.parse(read('package-lock.json'))
  const names = Object.values(manifestsAt('1.0.0')).flatMap(({ dependencies }) => Object.keys(dependencies))
  return names
    .filter((name) => !name.startsWith('@zoo-code/'))
    .map((name) => ({ name, version: packages[`node_modules/${name}`].version }))
}

/** A registry with packages in it, and a person who is logged in to it. */
async function registry(t, seeds) {
  const folder = tempDir(t)
  const program = path.join(ROOT, '__test__', 'helpers', 'npm-registry.mjs')
  const child = spawn(process.execPath, [program, JSON.stringify(seeds)], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill())
  const [line] = await once(child.stdout, 'data')
  const url = String(line).trim()
  const file = path.join(folder, 'npmrc')
  const lines = [`registry=${url}/`, `//${new URL(url).host}/:_authToken=t`, `cache=${path.join(folder, 'cache')}`]
  writeFileSync(file, `${[...lines, 'audit=false', 'fund=false', 'update-notifier=false'].join('\n')}\n`)
  const kept = { YARN_CACHE_FOLDER: path.join(folder, 'yarn'), XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder }
  const env = { PATH: process.env.PATH, HOME: folder, NPM_CONFIG_USERCONFIG: file, ...kept }
  const npm = (args, cwd = folder) => {
    const [command, ...first] = npmCommand()
    return run(command, [...first, ...args], { cwd, env })
  }
  const tags = async () => {
    const all = await Promise.all(NAMES.map(async (name) => (await fetch(`${url}/-/package/${name}/dist-tags`)).json()))
    return all.map((each) => each.latest)
  }
  return { url, folder, env, npm, tags }
}

/** Publishes a version as the release does. */
function release({ folder, env }, version) {
  const manifests = manifestsAt(version)
  const place = path.join(folder, version)
  mkdirSync(place)
  for (const manifest of Object.values(manifests))
    writeFileSync(path.join(place, fileOf(manifest)), tarballOf(manifest))
  const before = process.env.NPM_CONFIG_USERCONFIG
  process.env.NPM_CONFIG_USERCONFIG = env.NPM_CONFIG_USERCONFIG
  try {
    return publish(place, { manifests })
  } finally {
    if (before === undefined) delete process.env.NPM_CONFIG_USERCONFIG
    else process.env.NPM_CONFIG_USERCONFIG = before
  }
}

/** The versions of our packages that a new installation of the gateway has. */
async function installed({ folder, npm }, name) {
  const project = path.join(folder, name)
  mkdirSync(project)
  writeFileSync(path.join(project, 'package.json'), '{ "private": true }')
  await npm(['install', '@zoo-code/tool-router-gateway'], project)
  const versionOf = (one) =>
    JSON.parse(readFileSync(path.join(project, 'node_modules', one, 'package.json'), 'utf8')).version
  return NAMES.map(versionOf)
}

const three = (version) => [version, version, version]

test('no prerelease and no patch of an older line becomes what people install', (t) => {
  for (const [version, latest, tag] of [
    ['0.1.0', undefined, 'latest'],
    ['0.2.0', '0.1.0', 'latest'],
    ['0.10.0', '0.9.1', 'latest'],
    ['0.2.0', '0.2.0', 'latest'],
    ['0.1.0', '0.1.0-rc.1', 'latest'],
    ['0.1.1', '0.2.0', 'line-0.1'],
    ['0.9.2', '0.10.0', 'line-0.9'],
    ['0.3.0-beta.1', '0.2.0', 'next'],
  ])
    t.is(tagOf(version, latest), tag, `${version} after ${latest}`)
})

const withShell = where(process.platform !== 'win32', 'the page is for a shell')

withShell('a release, a patch of an old line, a bad version and the way back, for all three packages', async (t) => {
  const own = await registry(t, neighbours())
  release(own, '0.1.0')
  t.deepEqual(await own.tags(), three('0.1.0'))
  release(own, '0.2.0')
  t.deepEqual(await own.tags(), three('0.2.0'))
  t.true(release(own, '0.1.1').every((line) => line.includes('as line-0.1')))
  t.deepEqual(await own.tags(), three('0.2.0'))

  // The way back as the page writes it: from 0.2.0 to 0.1.0.
  const [commands] = /(?<=^```sh\n)for name in[\s\S]*?(?=^```)/m.exec(read('docs/inside/releasing.md'))
  await run('sh', ['-c', commands], { cwd: own.folder, env: own.env })
  t.deepEqual([await own.tags(), await installed(own, 'back')], [three('0.1.0'), three('0.1.0')])
  const { stderr } = await own.npm(['install', '--prefix', tempDir(t), '@zoo-code/tool-router-gateway@0.2.0'])
  t.is(stderr.match(/deprecated @zoo-code/g)?.length, 3, stderr)

  // What mends it is what people get again; who published half of it runs it once more.
  t.is(release(own, '0.2.1').length, 3)
  t.true(release({ ...own, folder: tempDir(t) }, '0.2.1').every((line) => line.endsWith('is published already')))
  t.deepEqual([await own.tags(), await installed(own, 'mended')], [three('0.2.1'), three('0.2.1')])
})

const OLDER = { ai: '6.0.326', langchain: '0.3.36', jose: '5.10.0', pg: '7.18.2', '@opentelemetry/api': '1.0.0' }
const AMONG = [
  ['older', { ...OLDER, '@opentelemetry/sdk-node': '0.57.0' }],
  ['newer', Object.fromEntries([...Object.keys(OLDER), '@opentelemetry/sdk-node'].map((name) => [name, '999.0.0']))],
]

for (const manager of ['npm', 'pnpm', 'yarn']) {
  const program = manager === 'npm' ? npmCommand() : managerProgram(manager)
  const check = where(program, `${manager} is not there; npm run release:check brings it`)
  for (const [age, versions] of AMONG)
    check(`${manager} installs both packages beside ${age} packages that ours may use`, async (t) => {
      const seeds = Object.entries(versions).map(([name, version]) => ({ name, version }))
      const own = await registry(t, [...neighbours(), ...seeds, ...Object.values(manifestsAt('1.0.0'))])
      const ours = { '@zoo-code/tool-router': '1.0.0', '@zoo-code/tool-router-gateway': '1.0.0' }
      const project = tempDir(t)
      writeFileSync(
        path.join(project, 'package.json'),
        JSON.stringify({ private: true, dependencies: { ...versions, ...ours } }),
      )
      writeFileSync(path.join(project, '.npmrc'), readFileSync(own.env.NPM_CONFIG_USERCONFIG))
      const [command, ...first] = program
      const { stdout, stderr } = await run(command, [...first, 'install'], { cwd: project, env: own.env })
      t.notRegex(stdout + stderr, /peer dep|unmet peer|incorrect peer|ERESOLVE/i)
      for (const name of [...Object.keys(versions), ...Object.keys(ours)])
        t.true(existsSync(path.join(project, 'node_modules', name)), name)
    })
}

test('an optional peer with a floor is refused', (t) => {
  const manifests = publishedManifests()
  manifests.main = { ...manifests.main, peerDependencies: { ai: '>=7' } }
  const problems = manifestProblems(manifests).filter((problem) => problem.includes('peer'))
  t.deepEqual(problems, ['main: peerDependencies.ai: expected "*", got ">=7"'])
})
