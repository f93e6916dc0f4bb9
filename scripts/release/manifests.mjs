// SPDX-License-Identifier: Apache-2.0
//
// What must hold of the ten published manifests, whatever wrote them.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import { addonFile, MODEL_FILES, packageOf, PLATFORMS, runtimeFile, WITHOUT_RUNTIME } from '../platforms.mjs'
import { mainManifest, PUBLISHED } from '../publisher.mjs'
import { ROOT } from './tools.mjs'

const read = (file) => readFileSync(join(ROOT, file), 'utf8')
const checkout = JSON.parse(read('package.json'))

/** Fields that belong to the build and must not travel: npm would run, install or force something by them. */
const OF_THE_BUILD = ['scripts', 'devDependencies', 'overrides', 'workspaces']
/** What only the main package has: the gateway reads JSON with comments, and TOML. */
const OF_MAIN = ['dependencies', 'bundleDependencies']
const OF_TOOLS = ['ava', 'napi', 'private']

/** The manifests as they are published, by folder of npm/; `main` is the main package's. */
export function publishedManifests() {
  const folders = [...PLATFORMS, 'model']
  const manifests = folders.map((folder) => [folder, JSON.parse(read(`npm/${folder}/package.json`))])
  return Object.fromEntries([...manifests, ['main', mainManifest()]])
}

/**
 * What is wrong with manifests.
 *
 * @param {Record<string, object>} manifests see {@link publishedManifests}
 * @returns {string[]} one line each, with the field and both values; empty when all is right
 */
export function manifestProblems(manifests = publishedManifests()) {
  const problems = []
  const expect = (folder, field, expected, got = manifests[folder]?.[field]) => {
    if (isDeepStrictEqual(got, expected)) return
    problems.push(`${folder}: ${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`)
  }
  expect('all', 'packages', [...PLATFORMS, 'model', 'main'], Object.keys(manifests))
  for (const [folder, manifest] of Object.entries(manifests)) {
    expect(folder, 'version', checkout.version)
    expect(folder, 'license', 'Apache-2.0')
    expect(folder, 'engines', { node: '>=20' })
    for (const [field, value] of Object.entries(PUBLISHED)) expect(folder, field, value)
    for (const field of [...OF_THE_BUILD, ...OF_TOOLS]) expect(folder, field, undefined)
    if (folder !== 'main') for (const field of OF_MAIN) expect(folder, field, undefined)
    if (!(manifest.description?.length > 20)) problems.push(`${folder}: description: expected a sentence`)
  }
  for (const platform of PLATFORMS) {
    const [os, cpu, abi] = platform.split('-')
    expect(platform, 'name', packageOf(platform))
    expect(platform, 'os', [os])
    expect(platform, 'cpu', [cpu])
    expect(platform, 'libc', { gnu: ['glibc'], musl: ['musl'] }[abi])
    expect(platform, 'main', addonFile(platform))
    expect(platform, 'files', platformFiles(platform))
  }
  expect('model', 'name', `${checkout.name}-model`)
  expect('model', 'files', MODEL_FILES)
  problems.push(...mainProblems(manifests.main ?? {}, expect), ...lockstepProblems())
  return problems
}

/** Exactly what a platform's package lists beside the README and LICENSE that npm adds. */
function platformFiles(platform) {
  const ofRuntime = [runtimeFile(platform), 'onnxruntime.LICENSE.txt', 'onnxruntime.ThirdPartyNotices.txt']
  const runtime = WITHOUT_RUNTIME.includes(platform) ? [] : ofRuntime
  return [addonFile(platform), ...runtime, 'THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json']
}

function mainProblems(main, expect) {
  expect('main', 'name', checkout.name)
  const optional = [...PLATFORMS.map(packageOf), `${checkout.name}-model`]
  const exact = Object.fromEntries(optional.map((name) => [name, checkout.version]))
  expect('main', 'optionalDependencies', exact)
  expect('main', 'dependencies', checkout.dependencies)
  expect('main', 'bundleDependencies', Object.keys(checkout.dependencies))
  const { packages: locked } = JSON.parse(read('package-lock.json'))
  for (const [name, version] of Object.entries(checkout.dependencies)) {
    const { license, dependencies = {} } = locked[`node_modules/${name}`]
    expect('main', `dependencies.${name}`, true, /^\d+\.\d+\.\d+$/.test(version))
    expect('main', `licence of ${name}`, true, ['MIT', 'BSD-3-Clause', 'ISC', 'Apache-2.0'].includes(license))
    expect('main', `dependencies of ${name}, which would have to travel too`, {}, dependencies)
  }
  expect('main', 'files', [
    'index.js',
    'index.d.ts',
    'named-model.cjs',
    'gateway',
    'adapters',
    'programs',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
  ])
  const entries = [main.main, main.types, ...Object.values(main.bin ?? {}), ...targets(main.exports)]
  return entries
    .map((entry) => String(entry).replace(/^\.\//, ''))
    .filter((entry) => !existsSync(join(ROOT, entry)) || !isCovered(entry, main.files))
    .map((entry) => `main: ${entry} is an entry that does not travel`)
}

const isCovered = (entry, files = []) =>
  ['package.json', ...files].some((file) => entry === file || entry.startsWith(`${file}/`))

const targets = (value) => (typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(targets))

/** Versions that stand in other files than manifests. */
function lockstepProblems() {
  const found = {
    'Cargo.toml': /^version = "(.+)"$/m.exec(read('Cargo.toml'))?.[1],
    'Cargo.lock': /name = "tool-router"\nversion = "(.+)"/.exec(read('Cargo.lock'))?.[1],
    'package-lock.json': JSON.parse(read('package-lock.json')).version,
    'index.js': /^const VERSION = '(.+)'$/m.exec(read('index.js'))?.[1],
  }
  return Object.entries(found)
    .filter(([, version]) => version !== checkout.version)
    .map(([file, version]) => `${file}: version: expected ${checkout.version}, got ${version}`)
}
