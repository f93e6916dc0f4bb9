// A release as it will be, to a registry on loopback: publishes all twelve packages in order, again as after a break, and
// installs by name what a user of each platform would get. Binaries that this machine lacks are left out of their
// packages.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'

import { PLATFORMS } from '../platforms.mjs'
import { publishedManifests } from './manifests.mjs'
import { publish } from './publish.mjs'
import { publishOrder, tarballOf } from './tarballs.mjs'
import { npm, ReleaseError, ROOT } from './tools.mjs'

/**
 * Rehearses the publishing of tarballs.
 *
 * @param {string} folder of tarballs, the main package's and the model's among them
 * @returns {Promise<string[]>} what was done, a line each
 * @throws {ReleaseError} when an installation gets other packages than it should
 */
export async function rehearse(folder) {
  const temporary = mkdtempSync(join(tmpdir(), 'tool-router-rehearsal-'))
  const registry = spawn(process.execPath, [join(ROOT, 'scripts', 'release', 'local-registry.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const [line] = await once(registry.stdout, 'data')
    const env = environment(String(line).trim(), temporary)
    const tarballs = complete(folder, join(temporary, 'tarballs'))
    const published = publish(tarballs, { env })
    const again = publish(tarballs, { env })
    if (!again.every((said) => said.endsWith('is published already')))
      throw new ReleaseError(`a second run published again:\n${again.join('\n')}`)
    const installed = PLATFORMS.map((platform) => installFor(platform, join(temporary, platform), env))
    return [`${published.length} packages published in order, and left alone by a second run`, ...installed]
  } finally {
    registry.kill()
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** npm's settings: this registry alone, with a cache and an account of its own. */
function environment(address, temporary) {
  const userconfig = join(temporary, 'npmrc')
  writeFileSync(userconfig, `registry=${address}/\n${address.replace('http:', '')}/:_authToken=rehearsal\n`)
  const settings = {
    userconfig,
    cache: join(temporary, 'cache'),
    audit: 'false',
    fund: 'false',
    registry: `${address}/`,
  }
  const named = Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value])
  return { ...process.env, ...Object.fromEntries(named) }
}

/** A folder with all twelve tarballs: those that there are, and manifests alone for the others. */
function complete(folder, target) {
  mkdirSync(target)
  const there = publishOrder(folder).map(({ tarball }) => tarball)
  for (const tarball of there) copyFileSync(tarball, join(target, basename(tarball)))
  for (const [id, manifest] of Object.entries(publishedManifests())) {
    if (existsSync(join(target, tarballOf(manifest)))) continue
    const source = join(target, '..', `source-${id}`)
    mkdirSync(source)
    writeFileSync(join(source, 'package.json'), JSON.stringify(manifest))
    npm(['pack', '--ignore-scripts', '--pack-destination', target, source])
  }
  return target
}

/** Installs by name as npm does on a platform, and looks at what was installed. */
function installFor(platform, folder, env) {
  const { name } = publishedManifests().main
  const [os, cpu, abi] = platform.split('-')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const target = [
    `--os=${os}`,
    `--cpu=${cpu}`,
    ...(os === 'linux' ? [`--libc=${abi === 'musl' ? 'musl' : 'glibc'}`] : []),
  ]
  npm(['install', '--ignore-scripts', ...target, name], { cwd: folder, env })
  const [scope, own] = name.split('/')
  const found = readdirSync(join(folder, 'node_modules', scope)).toSorted()
  const expected = [own, `${own}-${platform}`, `${own}-model`].toSorted()
  if (found.join() !== expected.join())
    throw new ReleaseError(`${platform}: expected ${expected.join(', ')} to be installed, got ${found.join(', ')}`)
  return `npm install ${target.join(' ')}: ${found.join(', ')}`
}
