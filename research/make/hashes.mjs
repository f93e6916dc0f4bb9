#!/usr/bin/env node
// Writes the SHA-256 of each output into the table of research/README.md; with --check, says which differ.
//
//   node research/make/hashes.mjs [--check]

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const root = path.join(import.meta.dirname, '..', '..')
const page = path.join(root, 'research', 'README.md')

/** The table with the hashes that the files have now. */
export function withHashes(text) {
  return text.replaceAll(
    /^(\| `([\w./-]+)` \|.*\| `.*` \||\| `([\w./-]+)` \|.*\| the same \|)(.*)\|$/gm,
    (_, row, one, other) => {
      const hash = createHash('sha256')
        .update(readFileSync(path.join(root, one ?? other)))
        .digest('hex')
      return `${row} \`${hash.slice(0, 16)}\` |`
    },
  )
}

if (process.argv[1] === import.meta.filename) {
  const before = readFileSync(page, 'utf8')
  const now = withHashes(before)
  if (process.argv[2] !== '--check') writeFileSync(page, now)
  else if (now !== before) {
    process.stderr.write('research/README.md: hashes differ; run node research/make/hashes.mjs\n')
    process.exitCode = 1
  }
}
