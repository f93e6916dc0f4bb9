// Who publishes, and what manifests and texts say about it once they are published.

import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

import { packageOf, PLATFORMS } from './platforms.mjs'

/**
 * Who publishes, and from where. TO BE CONFIRMED BY THE MAINTAINERS before the first release: nothing else in the
 * repository names an address of its own. npm's provenance compares `repository` with where the workflow runs, and npm
 * publishes under a scope only for its owners.
 */
export const PUBLISHER = {
  /** Owner of the npm scope `@zoo-code`, and author of the packages. */
  author: 'Zoo Code',
  /** The public repository, without `.git`. */
  repository: 'https://github.com/Zoo-Code-Org/tool-router',
}

/** What every published manifest says about it. */
export const PUBLISHED = {
  author: PUBLISHER.author,
  homepage: `${PUBLISHER.repository}#readme`,
  repository: { type: 'git', url: `git+${PUBLISHER.repository}.git` },
  bugs: { url: `${PUBLISHER.repository}/issues` },
  // npm refuses to publish a scoped package for all otherwise.
  publishConfig: { access: 'public' },
}

/** The packages beside the main one, by the folder of each; a later one may depend on those before it. */
/** What a release makes for the packages of platforms: what is linked, and under which licences (release/licences.mjs). */
export const CREDITS = ['THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json']

export const WORKSPACES = { programs: 'packages/programs', gateway: 'packages/gateway' }

/** What of the checkout's manifest a user's installation reads. The rest (scripts, overrides) is of the build. */
const PUBLISHED_FIELDS = (
  'name version description keywords license type main types exports bin files engines dependencies ' +
  'peerDependencies peerDependenciesMeta'
).split(' ')

/** The published manifest of the main package. Every platform is optional: npm installs the one that fits. */
export function mainManifest() {
  const checkout = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const { name, version } = checkout
  const optional = [...PLATFORMS.map(packageOf), `${name}-model`]
  return {
    ...published(checkout),
    ...PUBLISHED,
    optionalDependencies: Object.fromEntries(optional.map((packageName) => [packageName, version])),
  }
}

/** The published manifest of a workspace. @param {keyof typeof WORKSPACES} id */
export function workspaceManifest(id) {
  const directory = WORKSPACES[id]
  const checkout = JSON.parse(readFileSync(new URL(`../${directory}/package.json`, import.meta.url), 'utf8'))
  return { ...published(checkout), ...PUBLISHED, repository: { ...PUBLISHED.repository, directory } }
}

const published = (checkout) =>
  Object.fromEntries(
    PUBLISHED_FIELDS.map((field) => [field, checkout[field]]).filter(([, value]) => value !== undefined),
  )

/** Links and images of Markdown that begin at the page: `](target)`. */
const LINK = /(?<=\]\()(?!#|[a-z][a-z+.-]*:)([^)\s#]+)/gi

/**
 * The text of a Markdown page for the tarball: links to files that do not travel lead to the repository, at this version.
 *
 * @param {string} text
 * @param {string} page its path from the root, such as `README.md`
 * @param {{ files: string[], version: string }} manifest what travels
 * @param {string} [folder] of the package, from the root
 * @returns {string}
 */
export function linkedOutside(text, page, { files, version }, folder = '.') {
  const inside = files.map((travels) => posix.join(folder, travels))
  return text.replaceAll(LINK, (link) => {
    const file = posix.join(posix.dirname(page), link)
    if (!existsSync(new URL(`../${file}`, import.meta.url))) throw new Error(`${page}: there is no ${link} to link to`)
    if (inside.some((travels) => file === travels || file.startsWith(`${travels}/`))) return link
    const view = /\.(svg|png)$/.test(file) ? 'raw' : 'blob'
    return `${PUBLISHER.repository}/${view}/v${version}/${file}`
  })
}
