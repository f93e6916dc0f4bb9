// SPDX-License-Identifier: Apache-2.0
//
// The gate of CHANGELOG.md.
//
//   node scripts/release/changelog.mjs --since origin/main   what users meet has changed: so has the changelog
//   node scripts/release/changelog.mjs --tag v0.2.0          the tag is this version, and has its section
//
// Exit code: 0 all is right, 1 something is missing, 2 wrong usage.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

import { readArguments } from '../arguments.mjs'
import { asProgram, ROOT, run } from './tools.mjs'

/** What users meet: a change there is told in CHANGELOG.md. */
const MET_BY_USERS = ['src', 'gateway', 'index.js', 'named-model.cjs', 'index.d.ts', 'npm', 'Cargo.toml']

/** The text under the heading of a version or of `Unreleased`; undefined without one. */
export function section(version, text = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')) {
  const heading = new RegExp(`^## \\[?${version.replaceAll('.', '\\.')}\\]?(?: - \\d{4}-\\d{2}-\\d{2})?$`, 'm')
  const [, after] = text.split(heading)
  return after?.split(/^## /m)[0].trim()
}

/** What keeps a tag from being published: one line each. */
export function tagProblems(tag, version, text) {
  if (tag !== `v${version}`) return [`the tag is ${tag}, expected v${version} (package.json)`]
  const told = section(version, text)
  if (told === undefined) return [`CHANGELOG.md has no section "## ${version} - <date>"`]
  return told === '' ? [`CHANGELOG.md says nothing of ${version}`] : []
}

function changeProblems(since) {
  const changed = (...paths) => run('git', ['diff', '--name-only', `${since}...HEAD`, '--', ...paths]).trim()
  const met = changed(...MET_BY_USERS)
  if (met === '' || changed('CHANGELOG.md') !== '') return []
  return [`these changed and CHANGELOG.md does not say so:\n${met}`]
}

await asProgram(import.meta.url, () => {
  const given = readArguments('usage: changelog.mjs --since <commit> | --tag <tag>\n', {
    since: { type: 'string' },
    tag: { type: 'string' },
  })
  if (given) {
    const { since, tag } = given.values
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const problems = [...(since ? changeProblems(since) : []), ...(tag ? tagProblems(tag, version) : [])]
    for (const problem of problems) console.error(`changelog: ${problem}`)
    process.exitCode = problems.length > 0 ? 1 : 0
  }
})
