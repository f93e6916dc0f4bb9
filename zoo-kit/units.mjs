// SPDX-License-Identifier: Apache-2.0
//
// The units of the kit, in order, and how they get into a tree of the extension. A unit is whole files of ours below `src`, and
// edits of the tree's own files (`edits.mjs`), which are found by their syntax. A file of ours that the tree has already, with
// other words, is the tree's and stays.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { IndentationText, Project, QuoteKind } from 'ts-morph'

const folder = fileURLToPath(new URL('units', import.meta.url))

/**
 * @typedef {object} Unit
 * @property {string} id
 * @property {string} title
 * @property {string[]} touched suites of the tree that it may change, as vitest's filters, below `src`
 */

/** @type {Unit[]} */
export const UNITS = [
  {
    id: '1-ranker',
    title: 'A ranker behind their interface: theirs in JavaScript, the addon where it is switched on and worth it',
    touched: ['services/mcp'],
  },
  {
    id: '2-session',
    title:
      'A session for each task that chooses its MCP tools, where tools are built; off until models can load the others',
    touched: ['core/task', 'core/condense', 'core/prompts/tools', 'core/assistant-message'],
  },
]

/** Files of a unit, relative to the root of a tree. */
export function filesOf({ id }) {
  const root = path.join(folder, id, 'src')
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join('src', path.relative(root, path.join(parentPath, name))))
    .sort()
}

/**
 * Puts a unit into a tree.
 *
 * @param {Unit} unit
 * @param {string} tree
 * @returns {Promise<{ added: string[], kept: string[], edited: string[], lines: number }>} files that were added, that are the
 * tree's own, and that were edited; `lines` were added together
 */
export async function applyUnit(unit, tree) {
  // First, since it may find that the tree is another one than it knows.
  const done = { added: [], kept: [], ...(await applyEdits(unit, tree)) }
  for (const file of filesOf(unit)) {
    const text = fs.readFileSync(path.join(folder, unit.id, file), 'utf8')
    const target = path.join(tree, file)
    if (fs.existsSync(target) && fs.readFileSync(target, 'utf8') !== text) {
      done.kept.push(file)
      continue
    }
    fs.mkdirSync(path.dirname(target), { recursive: true })
    fs.writeFileSync(target, text)
    done.added.push(file)
    done.lines += linesOf(text)
  }
  return done
}

/** All edits or none. A tree that has them already is left alone. */
async function applyEdits({ id }, tree) {
  const module = path.join(folder, id, 'edits.mjs')
  if (!fs.existsSync(module)) return { edited: [], lines: 0 }
  const { edit, files, isDone } = await import(pathToFileURL(module).href)
  const manipulationSettings = {
    indentationText: IndentationText.Tab,
    quoteKind: QuoteKind.Double,
    useTrailingCommas: true,
  }
  const project = new Project({
    manipulationSettings,
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
  })
  const sources = new Map(files.map((file) => [file, project.addSourceFileAtPath(path.join(tree, file))]))
  const source = (file) => sources.get(file)
  if (isDone(source)) return { edited: [], lines: 0 }
  const count = () => [...sources.values()].reduce((sum, each) => sum + linesOf(each.getFullText()), 0)
  const before = count()
  edit(source)
  project.saveSync()
  return { edited: files, lines: count() - before }
}

const linesOf = (text) => text.split('\n').length - 1

/** Says no to a folder that is not a tree of the extension: nothing must be written elsewhere. */
export function assertTree(tree) {
  const hub = path.join(tree, 'src', 'services', 'mcp', 'McpHub.ts')
  if (!fs.existsSync(hub))
    throw new Error(`${tree}: expected a checkout of the extension with src/services/mcp/McpHub.ts`)
}

/** The version of the extension in a tree. */
export const versionOf = (tree) => JSON.parse(fs.readFileSync(path.join(tree, 'src', 'package.json'), 'utf8')).version
