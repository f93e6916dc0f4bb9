// What must hold of the twelve published manifests, whatever wrote them.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import { addonFile, MODEL_FILES, packageOf, PLATFORMS, runtimeFile, WITHOUT_RUNTIME } from '../platforms.mjs'
import { CREDITS, mainManifest, PUBLISHED, WORKSPACES, workspaceManifest } from '../publisher.mjs'
import { ROOT } from './tools.mjs'

const read = (file) => readFileSync(join(ROOT, file), 'utf8')
const checkout = JSON.parse(read('package.json'))

/** Fields that belong to the build and must not travel: npm would run, install or force something by them. */
const OF_THE_BUILD = ['scripts', 'devDependencies', 'overrides', 'workspaces']
/** What only a workspace has. Nothing travels within another package. */
const OF_WORKSPACES = ['dependencies']
const LICENCES = ['MIT', 'BSD-3-Clause', 'ISC', 'Apache-2.0']
const OF_TOOLS = ['ava', 'napi', 'private']

/** The manifests as they are published, in that order, by folder of npm/, `main`, or the name of a workspace. */
export function publishedManifests() {
  const folders = [...PLATFORMS, 'model']
  const manifests = folders.map((folder) => [folder, JSON.parse(read(`npm/${folder}/package.json`))])
  const workspaces = Object.keys(WORKSPACES).map((id) => [id, workspaceManifest(id)])
  return Object.fromEntries([...manifests, ['main', mainManifest()], ...workspaces])
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
  expect('all', 'packages', [...PLATFORMS, 'model', 'main', ...Object.keys(WORKSPACES)], Object.keys(manifests))
  for (const [folder, manifest] of Object.entries(manifests)) {
    expect(folder, 'version', checkout.version)
    expect(folder, 'license', 'Apache-2.0')
    expect(folder, 'engines', { node: '>=20' })
    const directory = WORKSPACES[folder]
    const published = directory ? { ...PUBLISHED, repository: { ...PUBLISHED.repository, directory } } : PUBLISHED
    for (const [field, value] of Object.entries(published)) expect(folder, field, value)
    expect(folder, 'bundleDependencies', undefined)
    for (const field of [...OF_THE_BUILD, ...OF_TOOLS]) expect(folder, field, undefined)
    if (!directory) for (const field of OF_WORKSPACES) expect(folder, field, undefined)
    // npm refuses the whole package beside an older optional peer: what needs a version says so where it imports it.
    const { peerDependencies: peers = {}, peerDependenciesMeta: meta } = manifest
    for (const peer of Object.keys(peers)) {
      expect(folder, `peerDependencies.${peer}`, '*', peers[peer])
      expect(folder, `peerDependenciesMeta.${peer}`, { optional: true }, meta?.[peer])
    }
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
  for (const [id, folder] of Object.entries(WORKSPACES))
    problems.push(...workspaceProblems(id, folder, manifests[id] ?? {}, manifests))
  return problems
}

/** Exactly what a platform's package lists beside the README and LICENSE that npm adds. */
function platformFiles(platform) {
  const ofRuntime = [runtimeFile(platform), 'onnxruntime.LICENSE.txt', 'onnxruntime.ThirdPartyNotices.txt']
  const runtime = WITHOUT_RUNTIME.includes(platform) ? [] : ofRuntime
  return [addonFile(platform), ...runtime, ...CREDITS]
}

function mainProblems(main, expect) {
  expect('main', 'name', checkout.name)
  const optional = [...PLATFORMS.map(packageOf), `${checkout.name}-model`]
  const exact = Object.fromEntries(optional.map((name) => [name, checkout.version]))
  expect('main', 'optionalDependencies', exact)
  expect(
    'main',
    'files',
    'index.js index.d.ts internal.js internal.d.ts named-model.cjs adapters README.md LICENSE'.split(' '),
  )
  return entryProblems('main', '.', main)
}

/** Our own packages by their exact version, so that all of a release are one; what is of others by a licence that may be used. */
function workspaceProblems(id, folder, manifest, manifests) {
  const ours = Object.values(manifests).map(({ name }) => name)
  const { packages: locked } = JSON.parse(read('package-lock.json'))
  const problems = Object.entries(manifest.dependencies ?? {}).flatMap(([name, version]) => {
    const wrong = (field, expected, got) => [
      `${id}: ${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`,
    ]
    if (ours.includes(name))
      return version === checkout.version ? [] : wrong(`dependencies.${name}`, checkout.version, version)
    const { license } = locked[`node_modules/${name}`]
    return LICENCES.includes(license) ? [] : wrong(`licence of ${name}`, LICENCES, license)
  })
  return [...problems, ...entryProblems(id, folder, manifest)]
}

function entryProblems(id, folder, { main = [], types = [], bin = {}, exports, files }) {
  const entries = [main, types, ...Object.values(bin), ...targets(exports)].flat()
  return entries
    .map((entry) => String(entry).replace(/^\.\//, ''))
    .filter((entry) => !entry.includes('*'))
    .filter((entry) => !existsSync(join(ROOT, folder, entry)) || !isCovered(entry, files))
    .map((entry) => `${id}: ${entry} is an entry that does not travel`)
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
    ...Object.fromEntries(
      Object.values(WORKSPACES).map((folder) => [
        `package-lock.json, ${folder}`,
        JSON.parse(read('package-lock.json')).packages[folder]?.version,
      ]),
    ),
    'index.js': /^const VERSION = '(.+)'$/m.exec(read('index.js'))?.[1],
  }
  return Object.entries(found)
    .filter(([, version]) => version !== checkout.version)
    .map(([file, version]) => `${file}: version: expected ${checkout.version}, got ${version}`)
}
