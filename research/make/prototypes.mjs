#!/usr/bin/env node
// Writes npm/model/prototypes.bin: the vectors of needs.txt and talk.txt in src/evidence/data, a byte a number, by the model in
// npm/model; which of them stand together, a byte a line, as a request is compared with the groups nearest to it alone; and the
// SHA-256 of both and of the lines.
//
//   node research/make/prototypes.mjs

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { hostPlatform, runtimeFile } from '../../scripts/platforms.mjs'

const ROOT = path.join(import.meta.dirname, '..', '..')
const DATA = path.join(ROOT, 'src', 'evidence', 'data')

/** Lines of a group, about. */
const GROUP = 50
const ROUNDS = 12

const files = ['needs.txt', 'talk.txt'].map((name) =>
  readFileSync(path.join(DATA, name), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#')),
)
const texts = files.flat()
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
const [needs] = files
const groups = [vectors.slice(0, needs.length), vectors.slice(needs.length)].flatMap(grouped)
const content = Buffer.concat([Buffer.from(Int8Array.from(bytes).buffer), Buffer.from(Uint8Array.from(groups))])
const hash = createHash('sha256').update(content)
for (const text of texts) hash.update(`${text}\n`)
writeFileSync(folder('model', 'prototypes.bin'), Buffer.concat([content, hash.digest()]))
console.error(`${texts.length} vectors, ${bytes.length} bytes`)

function product(a, b) {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at] * b[at]
  return sum
}

/** The group of each vector, by k-means on the sphere; the same in every run. */
function grouped(vectors) {
  const count = Math.max(1, Math.round(vectors.length / GROUP))
  if (count > 256) throw new Error(`${count} groups do not fit into a byte: make GROUP larger`)
  let centres = Array.from({ length: count }, (_, at) => vectors[Math.floor((at * vectors.length) / count)])
  let of
  for (let round = 0; round < ROUNDS; round++) {
    of = vectors.map((vector) => {
      const near = centres.map((centre) => product(vector, centre))
      return near.indexOf(Math.max(...near))
    })
    const sums = centres.map((centre) => centre.map(() => 0))
    for (const [at, vector] of vectors.entries())
      for (let place = 0; place < vector.length; place++) sums[of[at]][place] += vector[place]
    // A group that has lost its last line stays where it was.
    centres = sums.map((sum, at) => {
      const length = Math.sqrt(product(sum, sum))
      return length > 0 ? sum.map((value) => value / length) : centres[at]
    })
  }
  return of
}
