// Publishes the tarballs of a folder: packages of platforms, the model, the main package, programs and the gateway, so that nobody
// installs a package whose parts are not there yet. What is published already is left out, so a run that broke off goes on.
//
//   node scripts/release/publish.mjs <folder> [--dry-run [--partial]] [--provenance]
//
// All twelve must be there; with --partial a dry run takes those that this machine can make, and at least one. Authentication is
// npm's: trusted publishing in the workflow, a login by hand.
// By hand npm may ask for a one-time password or for a page to be opened, for each package: it has the terminal then.

import { basename, resolve } from 'node:path'

import { readArguments } from '../arguments.mjs'
import { publishedManifests } from './manifests.mjs'
import { asProgram, npm, ReleaseError } from './tools.mjs'
import { publishOrder } from './tarballs.mjs'

/**
 * Publishes, or plays it.
 *
 * @param {string} folder of tarballs
 * @param {{ dryRun?: boolean, partial?: boolean, provenance?: boolean, asks?: boolean, manifests?: Record<string, any> }} [options]
 * `partial`: some may be missing; `asks`: npm may ask the person at the terminal
 * @returns {string[]} a line for each package
 */
export function publish(folder, options = {}) {
  const {
    dryRun = false,
    partial = false,
    provenance = false,
    asks = false,
    manifests = publishedManifests(),
  } = options
  const packages = publishOrder(folder, manifests)
  const all = Object.keys(manifests).length
  const isEnough = dryRun && partial ? packages.length > 0 : packages.length === all
  if (!isEnough) {
    const wanted = dryRun && partial ? 'at least one tarball' : `${all} tarballs`
    throw new ReleaseError(
      `expected ${wanted} in ${folder}, got ${packages.length}; run: node scripts/pack.mjs ${folder}`,
    )
  }
  const { name: first, version: given } = manifests.main
  // One tag for all: the main package names the others, and is what `latest` was moved back to after a bad version.
  const tag = tagOf(given, dryRun ? undefined : viewed(first, 'dist-tags.latest'))
  return packages.map(({ name, version, tarball }) => {
    if (!dryRun && viewed(`${name}@${version}`, 'version')) return `${name}@${version}: is published already`
    // By name: a manifest's own publishConfig could change what is meant here.
    const flags = ['--access', 'public', '--tag', tag, `--provenance=${provenance}`, ...(dryRun ? ['--dry-run'] : [])]
    npm(['publish', tarball, ...flags], { asks })
    return `${name}@${version}: ${dryRun ? 'would be published' : `published as ${tag}`} (${basename(tarball)})`
  })
}

/**
 * The tag of a version. `latest` goes to no prerelease, and to no patch of a line older than what it stands for.
 *
 * @param {string} version
 * @param {string} [latest] what the tag stands for
 */
export function tagOf(version, latest = '0.0.0') {
  if (version.includes('-')) return 'next'
  const isOlder = version.localeCompare(latest.split('-')[0], 'en', { numeric: true }) < 0
  return isOlder ? `line-${version.split('.', 2).join('.')}` : 'latest'
}

/** A field of what the registry has; undefined where it has none. */
function viewed(spec, field) {
  try {
    return npm(['view', spec, field]).trim() || undefined
  } catch (error) {
    if (/E404|is not in this registry/.test(error.message)) return undefined
    throw error
  }
}

await asProgram(import.meta.url, () => {
  const given = readArguments(
    'usage: publish.mjs <folder> [--dry-run [--partial]] [--provenance]\n',
    { 'dry-run': { type: 'boolean' }, partial: { type: 'boolean' }, provenance: { type: 'boolean' } },
    { least: 1, most: 1 },
  )
  if (given) {
    const { 'dry-run': dryRun, partial, provenance } = given.values
    const asks = !dryRun && !provenance
    for (const line of publish(resolve(given.positionals[0]), { dryRun, partial, provenance, asks })) console.log(line)
  }
})
