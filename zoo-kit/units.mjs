// SPDX-License-Identifier: Apache-2.0
//
// The units of the kit, in order, and how they get into a tree of the extension. A unit is whole files of ours, at the place that
// they have in the tree, and edits of the tree's own files (`edits.mjs`), which are found by their syntax. A file of ours that the
// tree has already, with other words, is the tree's and stays.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { openTree } from './tree.mjs'

const folder = fileURLToPath(new URL('units', import.meta.url))
const linesOf = (text) => text.split('\n').length - 1

/**
 * @typedef {object} Unit
 * @property {string} id
 * @property {string} title
 * @property {Record<string, string[]>} touched for each package of the tree the suites that it may change, as vitest's filters
 */

/** @type {Unit[]} */
export const UNITS = [
  {
    id: '1-ranker',
    title: 'A ranker behind their interface: theirs in JavaScript, the addon where it is switched on and worth it',
    touched: { src: ['services/mcp'] },
  },
  {
    id: '2-session',
    title:
      'A session for each task that chooses its MCP tools, where tools are built; off until models can load the others',
    touched: { src: ['core/task', 'core/condense', 'core/prompts/tools', 'core/assistant-message'] },
  },
  {
    id: '3-mcp-load',
    title: 'mcp_load: its name and group, parser, presenter, the list of tools, and which tools it loaded in the chat',
    touched: {
      src: [
        'core/assistant-message',
        'core/tools/__tests__/validateToolUse',
        'core/prompts',
        'shared',
        'services/tools',
      ],
      'webview-ui': ['src/components/chat/__tests__/ChatRow'],
    },
  },
  {
    id: '4-config',
    title: 'onlyAllow, alwaysLoad and toolDescriptionOverrides in an entry of a server: validated, read and chosen by',
    touched: { src: ['services/mcp', 'services/tools', 'core/task/__tests__/native-tools'] },
  },
  {
    id: '5-status',
    title: 'N of M attached in place of the warning of too many tools, in the chat and in the settings',
    touched: {
      src: ['core/task', 'core/webview', 'services/tools'],
      'webview-ui': ['src/components/chat', 'src/components/mcp', 'src/i18n'],
    },
  },
  {
    id: '6-context',
    title: "What a request takes of the context window, by section, in the task's header",
    touched: {
      src: ['core/task', 'core/webview/__tests__/webviewMessageHandler', 'services/tools'],
      'webview-ui': ['src/components/chat/__tests__/TaskHeader', 'src/components/chat/__tests__/ChatView'],
    },
  },
  {
    id: '7-settings',
    title: 'Settings of dynamic loading in all places and 18 languages; with them tasks choose',
    touched: {
      src: ['core/task', 'core/webview', 'core/config', 'services/tools'],
      'webview-ui': ['src/components/mcp', 'src/components/settings/__tests__/SettingsView', 'src/context'],
      'packages/types': ['global-settings', 'index'],
    },
  },
  {
    id: '8-telemetry',
    title: 'The four events of story #582, by its names and fields',
    touched: {
      src: ['services/tools', 'core/tools/__tests__/McpLoadTool'],
      'packages/types': ['telemetry'],
      'packages/telemetry': ['src'],
    },
  },
  {
    id: '9-packaging',
    title: 'A VSIX for each target with its addon, and the universal one for all other places',
    touched: { 'packages/build': ['src'] },
  },
]

/** Files of a unit, relative to the root of a tree. */
export function filesOf({ id }) {
  const root = path.join(folder, id)
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(root, path.join(parentPath, name)))
    .filter((file) => file.includes(path.sep) && !file.startsWith(`edits${path.sep}`))
    .sort()
}

/**
 * Puts a unit into a tree.
 *
 * @param {Unit} unit
 * @param {string} tree
 * @returns {Promise<{ added: string[], kept: string[], edited: string[], removed: string[], lines: number, localeLines: number }>}
 * files that were added, that are the tree's own, that were edited and that were removed; `lines` were added together, and
 * `localeLines` besides, in translations
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
async function applyEdits({ id }, root) {
  const module = path.join(folder, id, 'edits.mjs')
  if (!fs.existsSync(module)) return { edited: [], removed: [], lines: 0, localeLines: 0 }
  const { edit, isDone } = await import(pathToFileURL(module).href)
  const tree = openTree(root)
  if (isDone(tree)) return { edited: [], removed: [], lines: 0, localeLines: 0 }
  edit(tree)
  return tree.save()
}

/** Says no to a folder that is not a tree of the extension: nothing must be written elsewhere. */
export function assertTree(tree) {
  const hub = path.join(tree, 'src', 'services', 'mcp', 'McpHub.ts')
  if (!fs.existsSync(hub))
    throw new Error(`${tree}: expected a checkout of the extension with src/services/mcp/McpHub.ts`)
}

/** The version of the extension in a tree. */
export const versionOf = (tree) => JSON.parse(fs.readFileSync(path.join(tree, 'src', 'package.json'), 'utf8')).version
