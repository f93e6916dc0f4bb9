// SPDX-License-Identifier: Apache-2.0
//
// npm run fuzz [-- --cases 100000]
//
// Many cases of tests/fuzz.rs, optimised: bytes of any kind into everything that reads bytes. The next run takes other ones.

import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { readArguments } from './arguments.mjs'

const given = readArguments('usage: fuzz.mjs [--cases 100000]\n', {
  cases: { type: 'integer', default: 100_000, least: 1 },
})
if (given) {
  const { status } = spawnSync('cargo', ['test', '--release', '--no-default-features', '--test', 'fuzz'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, PROPTEST_CASES: String(given.values.cases) },
    stdio: 'inherit',
  })
  process.exit(status ?? 1)
}
