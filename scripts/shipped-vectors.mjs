#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// Builds npm/model/vectors.bin: the vectors of the tools of well-known servers, which a new machine need not compute.
//
//   node scripts/shipped-vectors.mjs [--tools <tools.jsonl>] [--out <file>] [--check]
//
// Tools come from the live servers of examples/servers, and from a file of tool lists as `tools/list` answers them, with the
// names of their servers (benchmark/labelled/README.md has the format). The model computes them once into a cache, and what
// the cache then holds is written with 8 bits per number; src/embedding/shipped.rs says how. Inputs and their hashes go to
// scripts/shipped-vectors.lock.json. `--check` writes nothing and says whether the file in place is the one of the lock.
// After a change of the encoder, or of what is embedded of a tool, build it again.

import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { catalogueOf, liveServers } from '../benchmark/catalogue.mjs'
import { readArguments } from './arguments.mjs'

const root = path.join(import.meta.dirname, '..')
const modelFolder = path.join(root, 'npm', 'model')
const lockFile = path.join(import.meta.dirname, 'shipped-vectors.lock.json')
const FILE_NAME = 'vectors.bin'

const MAGIC = 'toolshp1'
const KEY_BYTES = 16
/** The cache's records: mark, length, key, numbers, check; behind a header (src/embedding/cache.rs). */
const CACHE = { header: 16, mark: 'vec:', key: 32, check: 16 }

const sha256 = (data) => createHash('sha256').update(data).digest()
const hex = (data) => sha256(data).toString('hex')

const given = readArguments('usage: shipped-vectors.mjs [--tools <tools.jsonl>] [--out <file>] [--check]\n', {
  tools: { type: 'string' },
  out: { type: 'string', default: path.join(modelFolder, FILE_NAME) },
  check: { type: 'boolean' },
})
if (given?.values.check) check(given.values.out)
else if (given) await build(given.values)

function check(file) {
  const lock = JSON.parse(readFileSync(lockFile, 'utf8'))
  const found = hex(readFileSync(file))
  if (found === lock.sha256) return
  process.stderr.write(`${FILE_NAME}: expected SHA-256 ${lock.sha256}, got ${found}; build it again\n`)
  process.exitCode = 1
}

async function build({ tools, out }) {
  const { ToolRouter } = createRequire(import.meta.url)(path.join(root, 'index.js'))
  const router = ToolRouter.shared()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'shipped-vectors-'))
  try {
    // A copy of the model without the file that is being built: every vector is computed.
    const model = path.join(folder, 'model')
    cpSync(modelFolder, model, { recursive: true, filter: (file) => path.basename(file) !== FILE_NAME })
    const { modelId, dimensions } = await router.loadModel({ modelDir: model, cacheDir: folder })
    const inputs = []
    const embed = async (name, servers, text) => {
      await router.setServers(servers, { replace: true })
      while (router.status.vectorCount < router.status.toolCount) await router.ready({ timeoutMs: 5000 })
      inputs.push({ name, servers: servers.length, tools: router.status.toolCount, sha256: hex(text) })
      process.stderr.write(`${name}: ${router.status.toolCount} tools of ${servers.length} servers\n`)
    }
    const live = await liveServers()
    await embed('examples/servers, live', live, JSON.stringify(live))
    if (tools) {
      const text = readFileSync(tools, 'utf8')
      const parsed = text.split('\n').filter(Boolean).map((line) => JSON.parse(line))
      await embed(path.basename(path.dirname(path.resolve(tools))), catalogueOf(parsed).servers, text)
    }
    const vectors = readCache(readFileSync(path.join(folder, 'vectors-2.bin')), dimensions)
    const file = fileOf(modelId, dimensions, vectors)
    writeFileSync(out, file)
    const lock = { encoder: modelId, inputs, vectors: vectors.length, bytes: file.length, sha256: hex(file) }
    writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
    process.stderr.write(`${path.relative(root, out)}: ${vectors.length} vectors, ${file.length} bytes\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The vectors of a cache, by key in ascending order, each scaled so that its largest number is 127. */
function readCache(bytes, dimensions) {
  const found = new Map()
  for (let at = CACHE.header; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + CACHE.mark.length)
    const key = at + CACHE.mark.length + 4
    const numbers = key + CACHE.key
    if (bytes.toString('latin1', at, at + CACHE.mark.length) !== CACHE.mark || length !== dimensions * 4)
      throw new Error(`the cache has no whole record at byte ${at}`)
    const vector = Float32Array.from({ length: dimensions }, (_, place) => bytes.readFloatLE(numbers + 4 * place))
    const most = vector.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0)
    found.set(
      bytes.toString('hex', key, key + KEY_BYTES),
      Int8Array.from(vector, (number) => Math.round((127 * number) / most)),
    )
    at = numbers + length + CACHE.check
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function fileOf(modelId, dimensions, vectors) {
  const sizes = Buffer.alloc(8)
  sizes.writeUInt32LE(dimensions, 0)
  sizes.writeUInt32LE(vectors.length, 4)
  const keys = vectors.map(([key]) => Buffer.from(key, 'hex'))
  const numbers = vectors.map(([, vector]) => Buffer.from(vector.buffer))
  const content = Buffer.concat([Buffer.from(MAGIC, 'latin1'), sha256(modelId), sizes, ...keys, ...numbers])
  return Buffer.concat([content, sha256(content)])
}
