// Gives all twelve packages and the crate a new version, and the changelog's unreleased one its number and date.
//
//   npm run release:version -- 0.2.0
//
// Changes files only: look at the diff, commit, tag.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

import { readArguments } from '../arguments.mjs'
import { WORKSPACES } from '../publisher.mjs'
import { asProgram, npm, ReleaseError, ROOT, run } from './tools.mjs'

await asProgram(import.meta.url, () => {
  const given = readArguments('usage: version.mjs <version>\n', {}, { least: 1, most: 1 })
  if (given) {
    const [version] = given.positionals
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      throw new ReleaseError(`version: expected one as in 1.2.3, got ${version}`)
    for (const where of [[], ...Object.values(WORKSPACES).map((folder) => ['--workspace', folder])])
      npm(['version', version, '--no-git-tag-version', '--ignore-scripts', '--allow-same-version', ...where])
    for (const folder of Object.values(WORKSPACES))
      change(`${folder}/package.json`, /(?<="@zoo-code\/tool-router(?:-programs)?": ").+(?=")/g, version)
    npm(['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'])
    change('Cargo.toml', /^version = ".+"$/m, `version = "${version}"`)
    change('Cargo.lock', /(?<=name = "tool-router"\nversion = ").+(?=")/, version)
    for (const file of [
      'examples/team/compose.yaml',
      'examples/team/Dockerfile',
      'examples/team/kubernetes/replicas.yaml',
      'examples/team/kubernetes/tables.yaml',
      'docs/team.md',
    ])
      change(file, /(?<=zoo-tool-router-team:)[\w.-]+/g, version)
    change('examples/team/kustomization.yaml', /(?<=newTag: ).+/, version)
    change('examples/team/package.json', /(?<="@zoo-code\/tool-router-gateway": ").+(?=")/, version)
    const today = new Date().toISOString().slice(0, 10)
    change('CHANGELOG.md', /^## \S+ \(unreleased\)$/m, `## ${version} - ${today}`)
    // index.js and the manifests under npm/ follow from package.json.
    run(process.execPath, [join(ROOT, 'scripts', 'generate.mjs')])
    // In a process of its own: this one has read the version before.
    run(process.execPath, [join(ROOT, 'scripts', 'release', 'check.mjs'), '--only', 'manifests'])
    console.log(`all is ${version} now; next: git diff, git commit, git tag v${version}`)
  }
})

function change(file, pattern, text) {
  const path = join(ROOT, file)
  const before = readFileSync(path, 'utf8')
  if (!pattern.test(before)) throw new ReleaseError(`${file}: there is no ${pattern}`)
  writeFileSync(
    path,
    before.replace(pattern, () => text),
  )
}
