// The addon with the feature `ablation`, which nothing published has: mechanisms can be switched off in it, and it tells what the
// measures of ranking read.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { npmCommand } from '../../../../scripts/npm.mjs'

const root = path.join(import.meta.dirname, '..', '..', '..', '..')
/** Where it is built. */
export const TARGET = path.join(root, 'target', 'ablation')

/** The package with the addon that has the feature, in a folder that nothing else reads. @returns {string} the folder */
export function build() {
  const [command, ...first] = npmCommand() ?? []
  const napi = ['exec', '--', 'napi', 'build', '--platform', '--release', '--no-js', '--features', 'ablation']
  const folders = ['--output-dir', TARGET, '--target-dir', path.join(TARGET, 'build')]
  const { status } = spawnSync(command, [...first, ...napi, ...folders], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error('the addon was not built')
  for (const file of ['index.js', 'named-model.cjs', 'package.json'])
    fs.copyFileSync(path.join(root, file), path.join(TARGET, file))
  const folder = path.join(TARGET, 'npm')
  if (!fs.existsSync(folder)) fs.symlinkSync(path.join(root, 'npm'), folder, 'junction')
  return TARGET
}
