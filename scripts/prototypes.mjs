#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// Writes src/ranking/data/prototypes.bin: the vectors of needs.txt and talk.txt beside it, a byte a number, by the model in
// npm/model.
//
//   node scripts/prototypes.mjs

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { hostPlatform, runtimeFile } from './platforms.mjs'

const ROOT = path.join(import.meta.dirname, '..')
const DATA = path.join(ROOT, 'src', 'ranking', 'data')

const texts = ['needs.txt', 'talk.txt'].flatMap((name) =>
  readFileSync(path.join(DATA, name), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#')),
)
const folder = (...parts) => path.join(ROOT, 'npm', ...parts)
const platform = hostPlatform()
const embedder = 'run --quiet --release --example embed --no-default-features --features onnx --'.split(' ')
const { status, stdout } = spawnSync('cargo', [...embedder, folder('model'), folder(platform, runtimeFile(platform))], {
  cwd: ROOT,
  input: texts.map((text) => `${JSON.stringify(text)}\n`).join(''),
  encoding: 'utf8',
  maxBuffer: 1 << 28,
  stdio: ['pipe', 'pipe', 'inherit'],
})
if (status !== 0) throw new Error(`the embedder ended with status ${status}`)
const vectors = stdout
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
if (vectors.length !== texts.length) throw new Error(`expected ${texts.length} vectors, got ${vectors.length}`)
// The largest number of each becomes 127; lengths are divided out again where cosines are made.
const bytes = vectors.flatMap((vector) => {
  const most = Math.max(...vector.map(Math.abs))
  return vector.map((number) => Math.round((number / most) * 127))
})
writeFileSync(path.join(DATA, 'prototypes.bin'), Int8Array.from(bytes))
console.error(`${texts.length} vectors, ${bytes.length} bytes`)
