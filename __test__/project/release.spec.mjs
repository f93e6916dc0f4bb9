// What keeps a wrong release from being made: manifests, changelog, workflows, links, binaries. The rest of
// `npm run release:check` builds and packs, and takes minutes.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import test from 'ava'
import { parse } from 'yaml'

import { OLDEST_GLIBC, PLATFORMS } from '../../scripts/platforms.mjs'
import { linkedOutside, mainManifest, PUBLISHER } from '../../scripts/publisher.mjs'
import { binaryProblems } from '../../scripts/release/binaries.mjs'
import { NOT_YET, section, tagProblems } from '../../scripts/release/changelog.mjs'
import { manifestProblems, publishedManifests } from '../../scripts/release/manifests.mjs'
import { publish } from '../../scripts/release/publish.mjs'
import { sbom } from '../../scripts/release/sbom.mjs'
import { checkTarballs, linkProblems, publishOrder, sizeProblems, tarballOf } from '../../scripts/release/tarballs.mjs'
import { jobsOf, pinProblems, workflows } from '../../scripts/release/workflows.mjs'
import { ROOT } from '../helpers/packages.mjs'
import { where } from '../helpers/skips.mjs'
import { tempDir } from '../helpers/temp.mjs'

const inClone = where(existsSync(path.join(ROOT, '.git')), 'this is no clone of the repository')
const read = (file) => readFileSync(path.join(ROOT, file), 'utf8')

test('the twelve manifests are right', (t) => {
  t.deepEqual(manifestProblems(), [])
  t.is(Object.keys(publishedManifests()).length, 12)
})

for (const [what, folder, change, said] of [
  [
    'no public access',
    'model',
    { publishConfig: undefined },
    /^model: publishConfig: expected .*public.*, got undefined$/,
  ],
  ['overrides of the build', 'main', { overrides: { x: '1' } }, /^main: overrides: expected undefined, got /],
  ['a script', 'darwin-x64', { scripts: { postinstall: 'x' } }, /^darwin-x64: scripts: /],
  ['a platform left out', 'main', { optionalDependencies: {} }, /^main: optionalDependencies: /],
  [
    'an entry that does not travel',
    'main',
    { main: 'src/lib.rs' },
    /^main: src\/lib\.rs is an entry that does not travel$/,
  ],
]) {
  test(`a manifest with ${what} is refused`, (t) => {
    const manifests = publishedManifests()
    manifests[folder] = { ...manifests[folder], ...change }
    const problems = manifestProblems(manifests)
    t.true(
      problems.some((problem) => said.test(problem)),
      problems.join('\n'),
    )
  })
}

test('a tag is published only with its version and its section of the changelog', (t) => {
  const text =
    '# Changelog\n\n## 1.3.0 (unreleased)\n\n- that\n\n## 1.2.3 - 2026-01-02\n\n### Added\n\n- this\n\n## 1.2.2 - 2026-01-01\n'
  t.deepEqual(tagProblems('v1.2.3', '1.2.3', text, ''), [])
  t.deepEqual(tagProblems('v1.2.4', '1.2.3', text), ['the tag is v1.2.4, expected v1.2.3 (package.json)'])
  t.regex(tagProblems('v1.2.2', '1.2.2', text)[0], /says nothing/)
  t.regex(tagProblems('v2.0.0', '2.0.0', text)[0], /has no section/)
  t.regex(tagProblems('v1.2.3', '1.2.3', text, `# x\n${NOT_YET} More.\n`)[0], /README\.md still says/)
  t.is(section('1.2.3', text), '### Added\n\n- this')
  t.deepEqual(tagProblems('v1.3.0', '1.3.0', text, ''), ['CHANGELOG.md still says that 1.3.0 is unreleased'])
  t.is(section('1.3.0', text), '- that')
  t.truthy(section(mainManifest().version))
})

test('every action of a workflow is pinned by its hash', (t) => {
  const found = workflows()
  t.true(found.length >= 2)
  for (const workflow of found) t.deepEqual(pinProblems(workflow), [])
  for (const movable of ['actions/checkout@v6', 'actions/checkout@main', `actions/checkout@${'a'.repeat(40)}`])
    t.is(pinProblems({ file: 'x.yml', text: `steps:\n  - uses: ${movable}\n` }).length, 1, movable)
})

test('a release needs all tests and no advisory, and its artifacts outlive an approval', (t) => {
  const { jobs } = parse(workflows().find(({ file }) => file === 'release.yml').text)
  for (const name of ['tests', 'advisories', 'pack', 'smoke', 'smoke-container'])
    t.true(jobs.publish.needs.includes(name))
  t.is(jobs.tests.uses, './.github/workflows/test.yml')
  t.is(jobs.announce.needs, 'publish')
  const uploads = Object.values(jobs).flatMap(({ steps = [] }) =>
    steps.filter(({ uses }) => uses?.includes('/upload-')),
  )
  t.is(uploads.length, 2)
  for (const { with: given } of uploads) t.true(given['retention-days'] > 30)
  for (const { file, text } of workflows())
    for (const [name, { permissions }] of jobsOf({ text })) t.truthy(permissions, `${file}: ${name}`)
})

inClone('every file that git holds has LF in every clone', async (t) => {
  const { status, stdout } = spawnSync('git', ['ls-files', '--eol'], { cwd: ROOT, encoding: 'utf8' })
  t.is(status, 0)
  const files = stdout.trim().split('\n')
  t.true(files.length > 300)
  for (const line of files.filter((one) => !one.endsWith('mistakes/bom.json')))
    t.regex(line, /^i\/(lf|none|-text) +w\/(lf|none|-text) +attr\/(text=auto eol=lf|-text)/)
})

test('the release workflow builds and tries each platform', (t) => {
  const { text } = workflows().find(({ file }) => file === 'release.yml')
  const { napi } = JSON.parse(read('package.json'))
  for (const target of napi.targets) t.true(text.includes(`target: ${target},`), target)
  const [, smoke] = text.split('\n  smoke:\n')
  for (const platform of PLATFORMS.filter((name) => !name.endsWith('-musl'))) t.true(smoke.includes(platform), platform)
  t.regex(smoke, /24-alpine/)
})

test('targets, package folders and the table of docs/installing.md are one list', (t) => {
  const table = [...read('docs/installing.md').matchAll(/^\| \w+ [^|]+\| `([\w-]+)` \|/gm)].map(([, name]) => name)
  const folders = readdirSync(path.join(ROOT, 'npm')).filter((name) => name !== 'model' && !name.startsWith('.'))
  for (const list of [table, folders]) t.deepEqual(list.toSorted(), PLATFORMS.toSorted())
})

test('links of published pages lead somewhere from inside the tarball', (t) => {
  const folder = tempDir(t)
  const manifest = mainManifest()
  for (const file of manifest.files) cpSync(path.join(ROOT, file), path.join(folder, file), { recursive: true })
  const files = readdirSync(folder, { recursive: true })
    .map((file) => file.replaceAll(path.sep, '/'))
    .toSorted()
  const pages = files.filter((file) => file.endsWith('.md'))
  t.true(pages.includes('README.md'))
  for (const page of pages) writeFileSync(path.join(folder, page), linkedOutside(read(page), page, manifest))
  t.deepEqual(linkProblems(folder, files), [])
})

test('a link to what does not travel leads to the repository at this version', (t) => {
  const manifest = { ...mainManifest(), files: ['README.md', 'docs'] }
  const outside = `${PUBLISHER.repository}/blob/v${manifest.version}`
  for (const [page, link, expected] of [
    ['README.md', 'DESIGN.md#a', `${outside}/DESIGN.md#a`],
    ['docs/inside/ranking.md', '../../DESIGN.md', `${outside}/DESIGN.md`],
    ['docs/inside/ranking.md', '../../README.md', '../../README.md'],
    ['README.md', 'docs/inside/ranking.md#a', 'docs/inside/ranking.md#a'],
    ['README.md', 'https://example.org', 'https://example.org'],
    ['README.md', '#b', '#b'],
  ])
    t.is(linkedOutside(`[x](${link})`, page, manifest), `[x](${expected})`)
  const dead = () => linkedOutside('[x](nowhere.md)', 'docs/inside/ranking.md', manifest)
  t.throws(dead, { message: 'docs/inside/ranking.md: there is no nowhere.md to link to' })
})

test('a dead link is found', (t) => {
  const folder = tempDir(t)
  writeFileSync(
    path.join(folder, 'README.md'),
    `# A heading\n[a](gone.md) [b](#a-heading) [c](#no) [d](${PUBLISHER.repository}/blob/v1/no.md)`,
  )
  const said = linkProblems(folder, ['README.md']).join('\n')
  for (const target of ['gone.md does not travel', '#no: there is no such heading', 'the repository has no no.md'])
    t.true(said.includes(target), said)
  t.false(said.includes('#a-heading'))
})

test('a binary that an older system cannot load is refused', (t) => {
  const right = {
    path: 'tool-router.linux-x64-gnu.node',
    format: 'ELF',
    architecture: 'x64',
    needs: ['libc.so.6', 'libm.so.6'],
    versions: { GLIBC: OLDEST_GLIBC },
    nodelete: true,
    exports: ['napi_register_module_v1'],
  }
  const said = (change) => binaryProblems({ ...right, ...change }, 'linux-x64-gnu', 'addon').join('\n')
  t.is(said({}), '')
  t.regex(said({ versions: { GLIBC: '2.34' } }), /GLIBC: expected 2\.28 or older, got 2\.34/)
  t.is(said({ versions: { GLIBC: '2.4' } }), '', 'versions are compared as numbers')
  t.regex(said({ needs: ['libssl.so.3'] }), /needs libssl\.so\.3, which not every system has/)
  t.regex(said({ architecture: 'arm64' }), /architecture: expected x64, got arm64/)
  t.regex(said({ nodelete: false }), /nodelete/)
  t.regex(said({ exports: [] }), /does not export napi_register_module_v1/)
  t.regex(said({ format: 'PE' }), /format: expected ELF, got PE/)
  const mac = { ...right, format: 'Mach-O', minimum: '15.0', needs: ['/usr/lib/libSystem.B.dylib'] }
  t.regex(binaryProblems(mac, 'darwin-x64', 'addon').join(), /macOS: expected 10\.15 or older, got 15\.0/)
})

test('the list of what is linked, for programs, names crates with licence and hash, and both runtimes', (t) => {
  const { bomFormat, components } = JSON.parse(sbom())
  t.is(bomFormat, 'CycloneDX')
  const crates = components.filter(({ purl }) => purl.startsWith('pkg:cargo/'))
  t.true(crates.length > 100)
  for (const { name, licenses, hashes } of crates) {
    t.regex(licenses[0].expression, /MIT|Apache|BSD|ISC|MPL|Zlib|Unicode|BSL|CC0/, name)
    t.regex(hashes[0].content, /^[0-9a-f]{64}$/, name)
  }
  t.is(components.filter(({ name }) => name === 'onnxruntime').length, 2)
})

test('a tarball that has grown is refused', (t) => {
  t.deepEqual(sizeProblems('linux-x64-gnu', 18_000_000), [])
  t.regex(sizeProblems('linux-x64-gnu', 19_000_000)[0], /^size: expected at most 18500000 bytes, got 19000000$/)
  for (const id of ['main', 'programs', 'gateway', 'model', 'linux-x64-musl'])
    t.is(sizeProblems(id, 33_000_000).length, 1, id)
})

test('each package is published after all of this project that it names', (t) => {
  const folder = tempDir(t)
  mkdirSync(folder, { recursive: true })
  for (const manifest of Object.values(publishedManifests())) writeFileSync(path.join(folder, tarballOf(manifest)), '')
  const order = publishOrder(folder)
  t.is(order.length, 12)
  for (const [at, { name, dependencies, optionalDependencies }] of order.entries()) {
    const before = order.slice(0, at).map((each) => each.name)
    const named = Object.keys({ ...dependencies, ...optionalDependencies }).filter((each) =>
      each.startsWith('@zoo-code/'),
    )
    t.deepEqual(
      named.filter((each) => !before.includes(each)),
      [],
      name,
    )
  }
})

test('without a tarball publishing fails, with and without --partial', (t) => {
  const folder = tempDir(t)
  for (const partial of [false, true])
    t.throws(() => publish(folder, { dryRun: true, partial }), {
      message: /expected .*tarball.*got 0; run: node scripts\/pack/,
    })
  t.regex(checkTarballs(folder).problems.join(), /expected tarballs, got none/)
})
