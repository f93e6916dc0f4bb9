#!/usr/bin/env node
// Builds npm/model/vectors.bin: the vectors of the tools of well-known servers, which a new machine need not compute.
//
//   node research/make/shipped-vectors.mjs [--tools <tools.jsonl>] [--cache <folder>] [--out <file>] [--check]
//
// Tools come from the live servers of examples/servers, and from a file of tool lists as `tools/list` answers them, with the
// names of their servers (research/labelled/README.md has the format). The model computes them once into a cache; what
// developers say when they need a tool (npm/model/knowledge) is added to its vector (research/make/sayings.mjs), and all is written
// with 8 bits per number; src/embedding/shipped.rs says how. Inputs and their hashes go to
// research/make/shipped-vectors.lock.json. With `--cache`, a folder for nothing else, a run that was interrupted goes on where it
// was: some minutes of computing. `--check` writes nothing and says whether the file in place is the one of the lock.
// After a change of the encoder, or of what is embedded of a tool, build it again.

import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { catalogueOf, liveServers } from '../measure/catalogue.mjs'
import { readArguments } from '../../scripts/arguments.mjs'
import { sayings } from './knowledge-files.mjs'
import { addSayings } from './sayings.mjs'
import { fileOf, readCache } from './shipped-file.mjs'

const root = path.join(import.meta.dirname, '..', '..')
const modelFolder = path.join(root, 'npm', 'model')
const lockFile = path.join(import.meta.dirname, 'shipped-vectors.lock.json')
const FILE_NAME = 'vectors.bin'

const hex = (data) => createHash('sha256').update(data).digest('hex')

const given = readArguments(
  'usage: shipped-vectors.mjs [--tools <tools.jsonl>] [--cache <folder>] [--out <file>] [--check]\n',
  {
    tools: { type: 'string' },
    cache: { type: 'string' },
    out: { type: 'string', default: path.join(modelFolder, FILE_NAME) },
    check: { type: 'boolean' },
  },
)
if (given?.values.check) check(given.values.out)
else if (given) await build(given.values)

function check(file) {
  const lock = JSON.parse(readFileSync(lockFile, 'utf8'))
  const found = hex(readFileSync(file))
  if (found === lock.sha256) return
  process.stderr.write(`${FILE_NAME}: expected SHA-256 ${lock.sha256}, got ${found}; build it again\n`)
  process.exitCode = 1
}

async function build({ tools, cache, out }) {
  const { ToolRouter } = createRequire(import.meta.url)(path.join(root, 'index.js'))
  const router = ToolRouter.shared()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'shipped-vectors-'))
  try {
    // A copy of the model without the file that is being built: every vector is computed.
    const model = path.join(folder, 'model')
    cpSync(modelFolder, model, { recursive: true, filter: (file) => path.basename(file) !== FILE_NAME })
    const { modelId, dimensions } = await router.loadModel({ modelDir: model, cacheDir: cache ?? folder })
    const inputs = []
    const embedded = []
    const embed = async (name, servers, text) => {
      await router.setServers(servers, { replace: true })
      while (router.status.vectorCount < router.status.toolCount) await router.ready({ timeoutMs: 5000 })
      inputs.push({ name, servers: servers.length, tools: router.status.toolCount, sha256: hex(text) })
      embedded.push(...servers.flatMap(({ name: server, tools }) => tools.map((tool) => ({ server, ...tool }))))
      process.stderr.write(`${name}: ${router.status.toolCount} tools of ${servers.length} servers\n`)
    }
    const live = await liveServers()
    await embed('examples/servers, live', live, JSON.stringify(live))
    if (tools) {
      const text = readFileSync(tools, 'utf8')
      const parsed = text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
      await embed(path.basename(path.dirname(path.resolve(tools))), catalogueOf(parsed).servers, text)
    }
    const plain = readCache(readFileSync(path.join(cache ?? folder, 'vectors-2.bin')), dimensions)
    const vectors = addSayings(plain, embedded, modelId)
    inputs.push({ name: 'npm/model/knowledge', sha256: hex(sayings()) })
    const file = fileOf(modelId, dimensions, vectors)
    writeFileSync(out, file)
    const lock = { encoder: modelId, inputs, vectors: vectors.length, bytes: file.length, sha256: hex(file) }
    writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
    process.stderr.write(`${path.relative(root, out)}: ${vectors.length} vectors, ${file.length} bytes\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
