// A copy of a tree of the extension, with what the tree has installed. Nothing of the tree is changed.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** What git says about a tree. */
export const git = (tree, ...args) =>
  spawnSync('git', ['-C', tree, ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 }).stdout.trim()

/** Copies what git knows of the tree, and links what is installed. */
export function copyTree(tree, target) {
  const files = git(tree, 'ls-files')
    .split('\n')
    .filter((file) => fs.existsSync(path.join(tree, file)))
  if (!files[0]) throw new Error(`${tree}: expected a checkout of git, got none`)
  for (const file of files) {
    fs.mkdirSync(path.dirname(path.join(target, file)), { recursive: true })
    if (fs.lstatSync(path.join(tree, file)).isFile()) fs.copyFileSync(path.join(tree, file), path.join(target, file))
  }
  const manifests = files.filter((file) => path.basename(file) === 'package.json')
  for (const folder of new Set(['.', ...manifests.map(path.dirname)])) {
    const installed = path.join(tree, folder, 'node_modules')
    if (fs.existsSync(installed)) linkInstalled(tree, installed, path.join(target, folder, 'node_modules'), target)
  }
  return target
}

/** Packages of the tree itself are those of the copy. */
function linkInstalled(tree, from, to, target) {
  fs.mkdirSync(to)
  for (const name of fs.readdirSync(from)) {
    const entry = path.join(from, name)
    if (name.startsWith('@') && fs.statSync(entry).isDirectory())
      linkInstalled(tree, entry, path.join(to, name), target)
    else {
      const own = path.relative(fs.realpathSync(tree), fs.realpathSync(entry))
      const isOwn = !own.startsWith('..') && !own.split(path.sep).includes('node_modules')
      fs.symlinkSync(isOwn ? path.join(target, own) : entry, path.join(to, name))
    }
  }
}
