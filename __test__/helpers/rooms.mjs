// The rooms of the JavaScript trees, and which of them imports which: a room is a folder of a tree, or a file at its top.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { build } from 'esbuild'

import { ROOT } from './pages.mjs'

const CODE = /\.(mjs|cjs|js|jsx|mts|ts|tsx)$/

/** Files of code below a folder, from the root of the repository. */
export function codeOf(folder, { without = [] } = {}) {
  const all = readdirSync(path.join(ROOT, folder), { recursive: true }).map((name) => name.replaceAll('\\', '/'))
  const isLeftOut = (name) => /(^|\/)(node_modules|built|dist)\//.test(name) || /\.d\.[mc]?ts$/.test(name)
  return all
    .filter((name) => CODE.test(name) && !isLeftOut(name) && !without.some((part) => name.startsWith(part)))
    .map((name) => `${folder}/${name}`)
    .toSorted()
}

/**
 * What each file imports, `import()` and re-exports too, as the parser of esbuild reads it: files from the root, and packages
 * by name.
 *
 * @param {string[]} files
 * @param {{ [file: string]: string }} [added] text that a test puts behind a file's
 * @returns {Promise<Map<string, string[]>>}
 */
export async function importsOf(files, added = {}) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: files,
    bundle: true,
    packages: 'external',
    external: ['vscode'],
    platform: 'node',
    format: 'esm',
    splitting: true,
    // The paths of the extension lead to declarations.
    tsconfigRaw: '{}',
    jsx: 'automatic',
    outdir: path.join(ROOT, 'nowhere'),
    write: false,
    metafile: true,
    logLevel: 'silent',
    loader: { '.node': 'empty', '.css': 'empty', '.html': 'empty' },
    plugins: [
      {
        name: 'added',
        setup({ onLoad }) {
          onLoad({ filter: CODE }, ({ path: file }) => {
            const text = added[path.relative(ROOT, file).replaceAll('\\', '/')]
            return text === undefined ? undefined : { contents: `${readFileSync(file, 'utf8')}\n${text}`, loader: 'js' }
          })
        },
      },
    ],
  })
  return new Map(
    files.map((file) => [file, [...new Set(metafile.inputs[file].imports.map((each) => each.path))].toSorted()]),
  )
}

/** The room of a file of a tree. @param {string} tree such as `packages/gateway` */
export const roomOf = (tree, file) => file.slice(tree.length + 1).split('/')[0]

/** Which room of a tree imports which others. @returns {Map<string, Set<string>>} */
export function roomsOf(tree, imports) {
  const rooms = new Map()
  for (const [file, targets] of imports) {
    if (!file.startsWith(`${tree}/`)) continue
    const own = roomOf(tree, file)
    const named = rooms.get(own) ?? new Set()
    rooms.set(own, named)
    for (const target of targets) {
      const other = target.startsWith(`${tree}/`) ? roomOf(tree, target) : own
      if (other !== own) named.add(other)
    }
  }
  return rooms
}

/** A way from something back to itself, or undefined. @param {Map<string, Iterable<string>>} arrows */
export function circleIn(arrows) {
  const done = new Set()
  const way = []
  const walk = (at) => {
    if (way.includes(at)) return [...way.slice(way.indexOf(at)), at]
    if (done.has(at)) return undefined
    way.push(at)
    for (const next of arrows.get(at) ?? []) {
      const found = walk(next)
      if (found !== undefined) return found
    }
    way.pop()
    done.add(at)
    return undefined
  }
  for (const at of arrows.keys()) {
    const found = walk(at)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * What a tree does against its table, as one line each: a room that the table does not have, an import that it does not
 * allow, or allows and nobody makes, and an arrow to a room that comes later.
 *
 * @param {string} tree
 * @param {Map<string, string[]>} table each room with those that it may import, the lowest first
 * @param {Map<string, string[]>} imports
 */
export function against(tree, table, imports) {
  const rooms = roomsOf(tree, imports)
  const order = [...table.keys()]
  const wrong = []
  for (const [room, named] of rooms) {
    const allowed = table.get(room)
    if (allowed === undefined) wrong.push(`${room} is not in the table`)
    for (const other of named) if (!allowed?.includes(other)) wrong.push(`${room} imports ${other}`)
    for (const other of allowed ?? []) if (!named.has(other)) wrong.push(`${room} may import ${other} and does not`)
  }
  for (const [room, allowed] of table) {
    if (!rooms.has(room)) wrong.push(`${room} is no room`)
    for (const other of allowed)
      if (order.indexOf(other) >= order.indexOf(room)) wrong.push(`${room} looks up to ${other}`)
  }
  return wrong
}
