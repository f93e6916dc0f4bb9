// A root of an old Linux, to load there what was built here: Debian 11 with glibc 2.31, unpacked with debootstrap into a
// folder outside the checkout and entered with chroot in a mount namespace of its own.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'

import { npmCommand } from '../npm.mjs'
import { hostPlatform } from '../platforms.mjs'
import { has, nodeProgram, ROOT, run } from './tools.mjs'

/** The oldest Debian that mirrors still carry. */
const SUITE = 'bullseye'

/** In the root: checkout, tarballs, Node and npm, each a folder of this machine. */
const PLACES = ['checkout', 'tarballs', 'node', 'npm']

/** Mounts the folders given in order, then runs the rest inside. Mounts end with the namespace. */
const ENTER = `
root=$1; shift
for place in ${PLACES.join(' ')}; do mkdir -p "$root/mnt/$place"; mount --bind "$1" "$root/mnt/$place"; shift; done
mount -t proc proc "$root/proc"
exec chroot "$root" "$@"`

/** Why this machine cannot make such a root; undefined where it can. */
export function whyNoOldRoot() {
  if (hostPlatform() !== 'linux-x64-gnu') return `this machine is ${hostPlatform()}, and the root is for linux-x64-gnu`
  if (process.getuid() !== 0) return 'only root may enter one: run this as root'
  if (!has('debootstrap')) return 'debootstrap is not installed'
  if (!has('unshare', ['--mount', 'true'])) return 'mount namespaces are not allowed here'
  return undefined
}

/**
 * Makes the root, once a machine.
 *
 * @returns {string} its folder
 */
export function makeOldRoot() {
  const root = join(tmpdir(), `tool-router-root-${SUITE}`)
  // Written last, so a root that was interrupted is made again.
  const done = join(root, 'made-by-release-check')
  if (existsSync(done)) return root
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  run('debootstrap', ['--variant=minbase', SUITE, root])
  writeFileSync(done, '')
  return root
}

/**
 * Runs the tests of packages inside, on a Node of a given version.
 *
 * @returns {{ glibc: string, said: string }} the version of glibc there, and what the tests said
 */
export function testInOldRoot(root, tarballs, version) {
  const inside = (...command) => {
    const folders = [ROOT, tarballs, dirname(dirname(nodeProgram(version))), dirname(dirname(npmCommand().at(-1)))]
    return run('unshare', [
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-ec',
      ENTER,
      'sh',
      root,
      ...folders,
      ...command,
    ])
  }
  const glibc = inside('/usr/bin/ldd', '--version').split('\n')[0]
  const env = ['PATH=/mnt/node/bin:/usr/bin:/bin', 'HOME=/root', 'TOOL_ROUTER_TARBALLS=/mnt/tarballs']
  const ava = 'cd /mnt/checkout && exec node node_modules/ava/entrypoints/cli.mjs __test__/project/package.spec.mjs'
  const said = inside('/usr/bin/env', '-i', ...env, 'npm_execpath=/mnt/npm/bin/npm-cli.js', '/bin/sh', '-c', ava)
  return { glibc, said }
}
