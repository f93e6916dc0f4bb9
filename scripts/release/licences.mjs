// What is linked into the addon, and under which licences: THIRD-PARTY-LICENSES.txt for people, sbom.cdx.json for programs
// (sbom.mjs). Both are made from Cargo.lock for a release, into dist/credits, where pack.mjs takes them from.
//
//   npm run release:licences

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { CREDITS } from '../publisher.mjs'
import { sbom } from './sbom.mjs'
import { cargoAbout, asProgram, DIST, ROOT, run } from './tools.mjs'

/** The text as cargo-about writes it. */
function licences() {
  const [config, template] = ['about.toml', 'about.hbs'].map((file) => join(ROOT, 'scripts', 'release', file))
  const text = run(cargoAbout(), ['generate', '--locked', '--fail', '--config', config, template])
  return `${text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[ \t]+$/gm, '')
    .trim()}\n`
}

/** Writes both files. */
export function writeCredits() {
  const made = { 'THIRD-PARTY-LICENSES.txt': licences(), 'sbom.cdx.json': sbom() }
  mkdirSync(join(DIST, 'credits'), { recursive: true })
  for (const file of CREDITS) writeFileSync(join(DIST, 'credits', file), made[file])
}

await asProgram(import.meta.url, writeCredits)
