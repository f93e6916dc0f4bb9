#!/usr/bin/env node
// What a ranking finds while some vectors are missing: at 10, 50 and 90 % of them, beside waiting (terms alone) and all.
//
//   node research/measure/ranking/partial-vectors.mjs [--most <requests per set>] [--cache <folder>] <set> ...
//
// A set is a folder in the format of research/labelled/README.md. Which tools have a vector is drawn, the same on every
// run. The measurement reaches inside the crate, so it is a test of it (research/measure/ranking/partial_vectors.rs).

import { spawnSync } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../../scripts/arguments.mjs'
import { hostPlatform, runtimeFile } from '../../../scripts/platforms.mjs'

const root = path.join(import.meta.dirname, '..', '..', '..')
const given = readArguments(
  'usage: partial-vectors.mjs [--most <requests per set>] [--cache <folder>] <set> ...\n',
  {
    most: { type: 'integer', default: 200, least: 1 },
    cache: { type: 'string', default: path.join(os.tmpdir(), 'partial-vectors') },
  },
  { most: Infinity },
)
if (given) {
  const { most, cache } = given.values
  const platform = hostPlatform()
  const env = {
    ...process.env,
    TOOL_ROUTER_SETS: given.positionals.map((folder) => path.resolve(folder)).join(','),
    TOOL_ROUTER_CACHE: path.resolve(cache),
    TOOL_ROUTER_MOST: String(most),
    TOOL_ROUTER_RUNTIME: path.join(root, 'npm', platform, runtimeFile(platform)),
  }
  console.log('Recall at 10 of needs whose tool has a vector / has none / all.\n')
  console.log(
    '| set | vectors there | those that are there | terms alone | all vectors |\n| --- | --- | --- | --- | --- |',
  )
  const features = ['--no-default-features', '--features', 'onnx']
  const args = [
    'test',
    ...features,
    '--lib',
    'measure_rankings_while_vectors_are_missing',
    '--',
    '--ignored',
    '--nocapture',
  ]
  const run = spawnSync('cargo', args, { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 26 })
  const rows = run.stdout.split('\n').filter((line) => line.startsWith('| '))
  console.log(rows.join('\n'))
  if (run.status !== 0) {
    process.stderr.write(run.stdout + run.stderr)
    process.exitCode = 1
  }
}
