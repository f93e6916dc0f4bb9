// The units of the kit, in order, and how they get into a tree of the extension. A unit is whole files of the kit, at the place that
// they have in the tree, and edits of the tree's own files (`edits.mjs`), which are found by their syntax. A file of the kit that the
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
 * @property {string[]} stories of the brief, by their numbers
 * @property {string[]} [needs] units that must be in the tree before
 * @property {Record<string, string[]>} touched for each package of the tree the suites that it may change, as vitest's filters
 */

/** @type {Unit[]} */
export const UNITS = [
  {
    id: '0-router',
    title: "The one router of the window: what is used of the addon, and the hub's servers",
    stories: ['#577'],
    touched: { src: ['services/tools', 'services/mcp'] },
  },
  {
    id: '1-session',
    title: 'A session of the router for each task, where tools are built; off until models can load the others',
    stories: ['#578', '#580'],
    needs: ['0-router'],
    touched: { src: ['core/task', 'core/condense', 'core/prompts/tools', 'core/assistant-message', 'services/tools'] },
  },
  {
    id: '2-mcp-load',
    title: 'mcp_load and mcp_call: names and group, parser and presenter',
    stories: ['#579'],
    needs: ['1-session'],
    touched: {
      src: [
        'core/assistant-message',
        'core/tools/__tests__/validateToolUse',
        'core/prompts',
        'shared',
        'services/tools',
      ],
    },
  },
  {
    id: '3-switch',
    title: 'The switch, an experiment that is off by default; with it tasks choose',
    stories: ['#578'],
    needs: ['2-mcp-load'],
    touched: {
      src: ['shared', 'core/task', 'services/tools'],
      'webview-ui': ['src/components/settings/__tests__/SettingsView', 'src/context'],
      'packages/types': ['index'],
    },
  },
  {
    id: '4-ranker',
    title: "BM25 in JavaScript with no dependency, behind the story's Ranker",
    stories: ['#575'],
    touched: { src: ['services/tools'] },
  },
  {
    id: '4-words',
    title: 'Words rank where the addon is not there, behind the same session and within the same limits',
    stories: ['#575'],
    needs: ['0-router', '4-ranker'],
    touched: { src: ['services/tools', 'services/mcp'] },
  },
  {
    id: '5-config',
    title:
      'onlyAllow, alwaysLoad and toolDescriptionOverrides in an entry of a server: validated, read where tools are fetched, and overrides seen',
    stories: ['#571', '#573'],
    touched: {
      src: ['services/mcp', 'services/tools', 'core/task/__tests__/native-tools'],
      'webview-ui': ['src/components/mcp', 'src/i18n'],
    },
  },
  {
    id: '6-status',
    title:
      'N of M attached and what was loaded, in the chat and in the settings; the warning stays where nothing is chosen',
    stories: ['#581'],
    needs: ['3-switch'],
    touched: {
      src: ['core/task', 'core/tools/__tests__/McpLoadTool', 'core/webview', 'services/tools'],
      'webview-ui': ['src/components/chat', 'src/components/mcp', 'src/i18n'],
    },
  },
  {
    id: '7-context',
    title: "What a request takes of the context window, by section, in the task's header",
    stories: ['#574'],
    touched: {
      src: ['core/task', 'core/webview/__tests__/webviewMessageHandler', 'services/tools'],
      'webview-ui': ['src/components/chat/__tests__/TaskHeader', 'src/components/chat/__tests__/ChatView'],
    },
  },
  {
    id: '8-settings',
    title: 'Threshold, tools at the start and per search, turns, and the addon, in all places and 18 languages',
    stories: ['#583'],
    needs: ['3-switch', '6-status'],
    touched: {
      src: ['core/task', 'core/webview', 'core/config', 'services/tools'],
      'webview-ui': ['src/components/mcp', 'src/components/settings/__tests__/SettingsView', 'src/context'],
      'packages/types': ['global-settings', 'index'],
    },
  },
  {
    id: '9-telemetry',
    title: 'The four events of story #582, by its names and fields',
    stories: ['#582'],
    needs: ['2-mcp-load'],
    touched: {
      src: ['services/tools', 'core/tools/__tests__/McpLoadTool'],
      'packages/types': ['telemetry'],
      'packages/telemetry': ['src'],
    },
  },
  {
    id: '10-modes',
    title: 'blockedMcpServers of a mode: the servers that it may not use, and their boxes',
    stories: ['#572'],
    touched: {
      src: [
        'core/tools/__tests__/mcpServerRestriction',
        'core/prompts',
        'core/config',
        'core/task/__tests__/native-tools',
      ],
      'webview-ui': ['src/components/mcp', 'src/i18n'],
      'packages/types': ['mode'],
    },
  },
  {
    id: '11-embedder',
    title: "The code index's embedder ranks tools where a setting of its own allows it",
    stories: ['#576'],
    needs: ['0-router', '1-session'],
    touched: { src: ['services/code-index/__tests__', 'services/tools'] },
  },
  {
    id: '12-packaging',
    title: 'A VSIX for each target with its addon, and the universal one for all other places',
    stories: [],
    touched: { 'packages/build': ['src'] },
  },
]

/** The least that a user has something of: tasks choose, models load the others, and it is off until it is switched on. */
export const SMALLEST = ['0-router', '1-session', '2-mcp-load', '3-switch']

/**
 * The units that are wanted, in the order of the table. One that needs another, which is neither wanted nor in the tree, is told.
 *
 * @param {string | undefined} ids
 * @param {string} [tree] without it the others are applied besides
 */
export function unitsOf(ids, tree) {
  const wanted = ids?.split(',') ?? UNITS.map(({ id }) => id)
  const unknown = wanted.filter((id) => !UNITS.some((unit) => unit.id === id))
  if (unknown.length > 0)
    throw new Error(`--units: expected ${UNITS.map(({ id }) => id).join(', ')}; got ${unknown.join()}`)
  const units = UNITS.filter(({ id }) => wanted.includes(id))
  for (const { id, needs = [] } of units)
    for (const need of needs)
      if (tree !== undefined && !wanted.includes(need) && !isIn(need, tree))
        throw new Error(`${id}: needs ${need} in the tree; apply it first`)
  return units
}

/** Whether a tree has a unit: a file of it that is ours, or its edits. */
const isIn = (id, tree) => filesOf({ id }).every((file) => fs.existsSync(path.join(tree, file)))

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
 * @param {[file: string, text: string | undefined][]} [undo] gets what files said before
 * @returns {Promise<{ added: string[], kept: string[], edited: string[], removed: string[], lines: number, localeLines: number }>}
 * files that were added, that are the tree's own, that were edited and that were removed; `lines` were added together, and
 * `localeLines` besides, in translations
 */
export async function applyUnit(unit, tree, undo = []) {
  // First, since it may find that the tree is another one than it knows.
  const done = { added: [], kept: [], ...(await applyEdits(unit, tree, undo)) }
  for (const file of filesOf(unit)) {
    const text = fs.readFileSync(path.join(folder, unit.id, file), 'utf8')
    const target = path.join(tree, file)
    if (fs.existsSync(target) && fs.readFileSync(target, 'utf8') !== text) {
      done.kept.push(file)
      continue
    }
    undo.push([target, fs.existsSync(target) ? text : undefined])
    fs.mkdirSync(path.dirname(target), { recursive: true })
    fs.writeFileSync(target, text)
    done.added.push(file)
    done.lines += linesOf(text)
  }
  return done
}

/**
 * Puts units into a tree, all of them or none.
 *
 * @param {Unit[]} units
 * @param {string} tree
 * @param {(unit: Unit, done: Awaited<ReturnType<typeof applyUnit>>) => void} [onDone]
 */
export async function applyUnits(units, tree, onDone) {
  const undo = []
  try {
    for (const unit of units) {
      const done = await applyUnit(unit, tree, undo)
      onDone?.(unit, done)
    }
  } catch (error) {
    for (const [file, text] of undo.reverse()) {
      if (text === undefined) fs.rmSync(file, { force: true })
      else fs.writeFileSync(file, text)
    }
    throw error
  }
}

/** All edits or none. A tree that has them already is left alone. */
async function applyEdits({ id }, root, undo) {
  const module = path.join(folder, id, 'edits.mjs')
  if (!fs.existsSync(module)) return { edited: [], removed: [], lines: 0, localeLines: 0 }
  const { edit, isDone } = await import(pathToFileURL(module).href)
  const tree = openTree(root)
  try {
    if (isDone(tree)) return { edited: [], removed: [], lines: 0, localeLines: 0 }
    edit(tree)
  } catch (error) {
    // ts-morph says what it looked for on its first line.
    const [reason] = error.message.split('\n')
    throw new Error(`${id}: the tree is another one than it knows: ${reason}; nothing was written`, { cause: error })
  }
  return tree.save(undo)
}

/** Says no to a folder that is not a tree of the extension: nothing must be written elsewhere. */
export function assertTree(tree) {
  const hub = path.join(tree, 'src', 'services', 'mcp', 'McpHub.ts')
  if (!fs.existsSync(hub))
    throw new Error(`${tree}: expected a checkout of the extension with src/services/mcp/McpHub.ts`)
}

/** The version of the extension in a tree. */
export const versionOf = (tree) => JSON.parse(fs.readFileSync(path.join(tree, 'src', 'package.json'), 'utf8')).version
