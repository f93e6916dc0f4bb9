// npm run fuzz [-- --cases 100000] [-- --properties] [-- --sanitizer address]
//
// Many cases of tests/fuzz.rs, optimised: bytes of any kind into everything that reads bytes. The next run takes other ones.
// With --properties, the same of all other properties. A sanitizer needs the target's own build of everything.

import { execFileSync, spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { readArguments } from './arguments.mjs'

const PROPERTIES = ['--lib', '--test', 'invariants', '--test', 'modules', '--test', 'curator']

const given = readArguments('usage: fuzz.mjs [--cases 100000] [--properties] [--sanitizer address]\n', {
  cases: { type: 'integer', default: 100_000, least: 1 },
  properties: { type: 'boolean', default: false },
  sanitizer: { type: 'string' },
})
if (given) {
  const { cases, properties, sanitizer } = given.values
  const args = ['test', '--release', '--no-default-features', ...(properties ? PROPERTIES : ['--test', 'fuzz'])]
  const env = { ...process.env, PROPTEST_CASES: String(cases) }
  if (sanitizer !== undefined) {
    const [, target] = /^host: (.+)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))
    args.push('--target', target, '--target-dir', `target/${sanitizer}`)
    // The stable compiler has sanitizers' libraries, but takes the flag in this way only.
    Object.assign(env, { RUSTC_BOOTSTRAP: '1', RUSTFLAGS: `-Zsanitizer=${sanitizer}` })
  }
  const { status } = spawnSync('cargo', args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env,
    stdio: 'inherit',
  })
  process.exit(status ?? 1)
}
