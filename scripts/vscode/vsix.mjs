// Builds the VSIX of apps/vscode for this platform, from the tarballs that would be published:
//
//   node scripts/vscode/vsix.mjs <folder>
//
// Prints the path of the VSIX. The addon must be built and the assets fetched.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { npmCommand } from '../npm.mjs'
import { hostPlatform } from '../platforms.mjs'
import { ensureHost } from './host.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** What vsce calls the platforms of which we have packages. */
const target = hostPlatform().endsWith('-musl') ? `alpine-${process.arch}` : `${process.platform}-${process.arch}`

/** @param {ReturnType<typeof ensureHost>} host */
export function buildVsix(host, folder) {
  fs.mkdirSync(folder, { recursive: true })
  const staging = fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-vsix-'))
  try {
    const packed = run([process.execPath, path.join(root, 'scripts', 'pack.mjs'), path.join(staging, 'tarballs')], root)
    // As deep as in the repository: what lies beside the temporary folder is not what its types come from.
    const extension = path.join(staging, 'apps', 'vscode')
    const isSource = (file) => !/[\\/](node_modules|dist)([\\/]|$)/.test(path.relative(root, file))
    fs.cpSync(path.join(root, 'apps', 'vscode'), extension, { recursive: true, filter: isSource })
    const npm = npmCommand() ?? ['npm']
    run([...npm, 'ci', '--no-audit', '--no-fund'], extension)
    // The package is not published yet: its tarballs stand for it.
    const tarballs = packed
      .trim()
      .split('\n')
      .map((file) => path.resolve(root, file))
    run([...npm, 'install', '--save', '--no-audit', '--no-fund', ...tarballs], extension)
    run([...npm, 'run', '--silent', 'typecheck'], extension)
    fs.copyFileSync(path.join(root, 'LICENSE'), path.join(extension, 'LICENSE'))
    const file = path.join(folder, `mcp-tool-router-${target}.vsix`)
    run(
      [host.bin('vsce'), 'package', '--target', target, '--allow-missing-repository', '--out', file],
      extension,
      host.env,
    )
    return file
  } finally {
    fs.rmSync(staging, { recursive: true, force: true })
  }
}

/** A VSIX of a folder that needs nothing built: the test's own extension. */
export function packExtension(host, source, folder) {
  const file = path.join(folder, `${path.basename(source)}.vsix`)
  const args = ['package', '--allow-missing-repository', '--skip-license', '--no-dependencies', '--out', file]
  run([host.bin('vsce'), ...args], source, host.env)
  return file
}

export function run([command, ...args], cwd, env = process.env) {
  const done = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  if (done.status !== 0)
    throw new Error(`${path.basename(command)} ${args[0]}: ${done.stderr || done.stdout || done.error}`)
  return done.stdout
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('usage: node scripts/vscode/vsix.mjs <folder>')
  console.log(buildVsix(ensureHost(console.error), path.resolve(folder)))
}
