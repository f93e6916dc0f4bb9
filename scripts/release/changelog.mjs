// The gate of CHANGELOG.md.
//
//   node scripts/release/changelog.mjs --since origin/main   what users meet has changed: so has the changelog
//   node scripts/release/changelog.mjs --tag v0.2.0          the tag is this version, and has its section
//   node scripts/release/changelog.mjs --notes v0.2.0        prints the section, for the release on GitHub
//
// Exit code: 0 all is right, 1 something is missing, 2 wrong usage.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

import { readArguments } from '../arguments.mjs'
import { asProgram, ROOT, run } from './tools.mjs'

const read = (file) => readFileSync(join(ROOT, file), 'utf8')

/** What users meet: a change there is told in CHANGELOG.md. */
const MET_BY_USERS =
  'src packages adapters index.js named-model.cjs index.d.ts internal.js internal.d.ts npm Cargo.toml'.split(' ')

/** The text under the heading of a version, which has its date or `(unreleased)`; undefined without one. */
export function section(version, text = read('CHANGELOG.md')) {
  const [, after] = text.split(
    new RegExp(`^## ${version.replaceAll('.', '\\.')} (?:- \\d{4}-\\d{2}-\\d{2}|\\(unreleased\\))$`, 'm'),
  )
  return after?.split(/^## /m)[0].trim()
}

/** What README.md says as long as nothing is published. */
export const NOT_YET = '**Not on npm yet.**'

/** What keeps a tag from being published: one line each. */
export function tagProblems(tag, version, text = read('CHANGELOG.md'), readme = read('README.md')) {
  if (tag !== `v${version}`) return [`the tag is ${tag}, expected v${version} (package.json)`]
  const told = section(version, text)
  if (told === undefined) return [`CHANGELOG.md has no section "## ${version} - <date>"`]
  return [
    ...(text.includes(`## ${version} (unreleased)`) ? [`CHANGELOG.md still says that ${version} is unreleased`] : []),
    ...(told === '' ? [`CHANGELOG.md says nothing of ${version}`] : []),
    ...(readme.includes(NOT_YET) ? [`README.md still says "${NOT_YET}"; remove that paragraph`] : []),
  ]
}

function changeProblems(since) {
  const changed = (...paths) => run('git', ['diff', '--name-only', `${since}...HEAD`, '--', ...paths]).trim()
  const met = changed(...MET_BY_USERS)
  if (met === '' || changed('CHANGELOG.md') !== '') return []
  return [`these changed and CHANGELOG.md does not say so:\n${met}`]
}

await asProgram(import.meta.url, () => {
  const given = readArguments('usage: changelog.mjs --since <commit> | --tag <tag> | --notes <tag>\n', {
    since: { type: 'string' },
    tag: { type: 'string' },
    notes: { type: 'string' },
  })
  if (given) {
    const { since, tag, notes } = given.values
    const { version } = JSON.parse(read('package.json'))
    if (notes) console.log(section(notes.replace(/^v/, '')) ?? `See CHANGELOG.md at ${notes}.`)
    const problems = [...(since ? changeProblems(since) : []), ...(tag ? tagProblems(tag, version) : [])]
    for (const problem of problems) console.error(`changelog: ${problem}`)
    process.exitCode = problems.length > 0 ? 1 : 0
  }
})
