// SPDX-License-Identifier: Apache-2.0
//
// THIRD-PARTY-LICENSES.txt: what is linked into the addon, and under which licences. The file is committed, so that
// packing needs no cargo-about. Beside it, for programs: sbom.cdx.json (sbom.mjs).
//
//   npm run release:licences              write both again, after a change of Cargo.lock
//   npm run release:licences -- --check   say whether they are as they would be written
//
// Exit code: 0 all is right, 1 it is out of date, 2 wrong usage.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

import { readArguments } from '../arguments.mjs'
import { SBOM, sbom } from './sbom.mjs'
import { cargoAbout, asProgram, ROOT, run } from './tools.mjs'

const FILE = join(ROOT, 'THIRD-PARTY-LICENSES.txt')

/** The text as cargo-about writes it now. */
function generated() {
  const [config, template] = ['about.toml', 'about.hbs'].map((file) => join(ROOT, 'scripts', 'release', file))
  const text = run(cargoAbout(), ['generate', '--locked', '--fail', '--config', config, template])
  return `${text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[ \t]+$/gm, '')
    .trim()}\n`
}

/** What is wrong with the committed file. */
export function licenceProblems() {
  const files = { 'THIRD-PARTY-LICENSES.txt': [FILE, generated], 'sbom.cdx.json': [SBOM, sbom] }
  return Object.entries(files)
    .filter(([, [file, write]]) => readFileSync(file, 'utf8') !== write())
    .map(([name]) => `${name} is out of date: npm run release:licences`)
}

await asProgram(import.meta.url, () => {
  const given = readArguments('usage: licences.mjs [--check]\n', { check: { type: 'boolean' } })
  if (given?.values.check) {
    for (const problem of licenceProblems()) {
      console.error(problem)
      process.exitCode = 1
    }
  } else if (given) {
    writeFileSync(SBOM, sbom())
    writeFileSync(FILE, generated())
  }
})
