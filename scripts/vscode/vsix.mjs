// Builds the VSIX of apps/vscode for this platform, from the tarballs that would be published:
//
//   node scripts/vscode/vsix.mjs <folder>
//
// Prints the path of the VSIX. The addon must be built and the assets fetched.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { hostPlatform } from '../platforms.mjs'
import { npm, ROOT, run } from '../release/tools.mjs'
import { ensureHost } from './host.mjs'

/** What vsce calls the platforms of which we have packages. */
const target = hostPlatform().endsWith('-musl') ? `alpine-${process.arch}` : `${process.platform}-${process.arch}`

/** @param {ReturnType<typeof ensureHost>} host */
export function buildVsix(host, folder) {
  fs.mkdirSync(folder, { recursive: true })
  const staging = fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-vsix-'))
  try {
    const packed = run(process.execPath, [path.join(ROOT, 'scripts', 'pack.mjs'), path.join(staging, 'tarballs')])
    // As deep as in the repository: what lies beside the temporary folder is not what its types come from.
    const extension = path.join(staging, 'apps', 'vscode')
    const isSource = (file) => !/[\\/](node_modules|dist)([\\/]|$)/.test(path.relative(ROOT, file))
    fs.cpSync(path.join(ROOT, 'apps', 'vscode'), extension, { recursive: true, filter: isSource })
    npm(['ci', '--no-audit', '--no-fund'], { cwd: extension })
    // The package is not published yet: its tarballs stand for it.
    const tarballs = packed
      .trim()
      .split('\n')
      .map((file) => path.resolve(ROOT, file))
    npm(['install', '--save', '--no-audit', '--no-fund', ...tarballs], { cwd: extension })
    npm(['run', '--silent', 'typecheck'], { cwd: extension })
    fs.copyFileSync(path.join(ROOT, 'LICENSE'), path.join(extension, 'LICENSE'))
    const file = path.join(folder, `mcp-tool-router-${target}.vsix`)
    const args = ['package', '--target', target, '--allow-missing-repository', '--out', file]
    run(host.bin('vsce'), args, { cwd: extension, env: host.env })
    return file
  } finally {
    fs.rmSync(staging, { recursive: true, force: true })
  }
}

/** A VSIX of a folder that needs nothing built: the test's own extension. */
export function packExtension(host, source, folder) {
  const file = path.join(folder, `${path.basename(source)}.vsix`)
  const args = ['package', '--allow-missing-repository', '--skip-license', '--no-dependencies', '--out', file]
  run(host.bin('vsce'), args, { cwd: source, env: host.env })
  return file
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('usage: node scripts/vscode/vsix.mjs <folder>')
  console.log(buildVsix(ensureHost(console.error), path.resolve(folder)))
}
