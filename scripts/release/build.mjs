// Builds the addon as it is published, into dist/binaries.
//
//   node scripts/release/build.mjs [--target x86_64-unknown-linux-gnu]
//
// Without --target it is the target of this machine. For Linux, cargo-zigbuild links against the oldest glibc that is
// promised (scripts/platforms.mjs), whatever this machine has. Nothing else of the checkout changes.

import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'

import { readArguments } from '../arguments.mjs'
import { addonFile, hostPlatform, OLDEST_GLIBC, platformOf } from '../platforms.mjs'
import { DIST, asProgram, pythonTools, ROOT, run } from './tools.mjs'

const { napi } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The oldest macOS that the addon runs on: that of Node 20 (arm64 begins with 11). */
const OLDEST_MACOS = { x64: '10.15', arm64: '11.0' }

/** The Rust target of this machine. */
export function hostTarget() {
  return napi.targets.find((target) => platformOf(target) === hostPlatform())
}

/**
 * Builds for a target.
 *
 * @param {string} target as in `napi.targets` of package.json
 * @returns {string} the binary in dist/binaries
 */
export function build(target) {
  const platform = platformOf(target)
  const env = { ...process.env }
  const args = ['--release', '--lib', '--locked', '--target']
  if (target.includes('-linux-')) {
    env.PATH = `${pythonTools()}${delimiter}${env.PATH}`
    const versioned = target.endsWith('-gnu') ? `${target}.${OLDEST_GLIBC}` : target
    run('cargo', ['zigbuild', ...args, versioned], { env, shown: true })
  } else {
    if (target.endsWith('-darwin')) env.MACOSX_DEPLOYMENT_TARGET = OLDEST_MACOS[platform.split('-')[1]]
    run('cargo', ['build', ...args, target], { env, shown: true })
  }
  const [prefix, suffix] = libraryName(target)
  const folder = join(DIST, 'binaries')
  mkdirSync(folder, { recursive: true })
  const binary = join(folder, addonFile(platform))
  copyFileSync(join(ROOT, 'target', target, 'release', `${prefix}tool_router${suffix}`), binary)
  return binary
}

function libraryName(target) {
  if (target.includes('-windows-')) return ['', '.dll']
  return ['lib', target.endsWith('-darwin') ? '.dylib' : '.so']
}

await asProgram(import.meta.url, () => {
  const given = readArguments('usage: build.mjs [--target <Rust target>]\n', {
    target: { type: 'string', choices: napi.targets, default: hostTarget() },
  })
  if (given) console.log(build(given.values.target))
})
