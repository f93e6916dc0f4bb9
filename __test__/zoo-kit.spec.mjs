// SPDX-License-Identifier: Apache-2.0
//
// The kit for the extension: what it writes into a tree, and its ranker over the real addon. `npm run zoo:check` tries the units
// in a tree that somebody has.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import test from 'ava'
import { build } from 'esbuild'

import addon, { ToolRouter } from '../index.js'
import { applyUnit, assertTree, filesOf, UNITS } from '../zoo-kit/units.mjs'

const UNIT_FOLDER = fileURLToPath(new URL('../zoo-kit/units', import.meta.url))
const output = fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-zoo-kit-'))
test.after.always(() => fs.rmSync(output, { recursive: true, force: true }))

/** Made up: as much of a tree as the kit looks for. */
const SOURCES = {
  'services/mcp/McpHub.ts': 'export class McpHub {}\n',
  'core/task/build-tools.ts': `import type OpenAI from "openai"

interface BuildToolsOptions {
	mode: string | undefined
}

export async function buildNativeToolsArrayWithRestrictions(options: BuildToolsOptions) {
	const { mode } = options
	const mcpTools = getMcpServerTools(hub, allowed)
	return mcpTools
}
`,
  'core/task/Task.ts': `import { one } from "./one"

export class Task {
	constructor(path: string) {
		this.globalStoragePath = path
		this.rest()
	}
${[1, 2, 3, 4].map((at) => `	build${at}() {\n		return buildNativeToolsArrayWithRestrictions({\n			mode,\n		})\n	}`).join('\n')}
	handleWebviewAskResponse(askResponse: string, text?: string) {
		this.text = text
	}
	async startTask(task?: string) {
		this.begin()
	}
	async condenseContext() {
		const { summary } = await summarize()
		await this.overwriteApiConversationHistory(messages)
	}
${[1, 2].map((at) => `	manage${at}() {\n		if (truncateResult.summary) {\n			this.say()\n		}\n	}`).join('\n')}
}
`,
}

function fakeTree(name, sources = SOURCES) {
  const tree = path.join(output, name)
  for (const [file, text] of Object.entries(sources)) {
    fs.mkdirSync(path.join(tree, 'src', path.dirname(file)), { recursive: true })
    fs.writeFileSync(path.join(tree, 'src', file), text)
  }
  return tree
}

async function load(name) {
  const file = fileURLToPath(new URL(`../zoo-kit/units/${name}`, import.meta.url))
  const outfile = path.join(output, `${path.basename(name, '.ts')}.mjs`)
  await build({ entryPoints: [file], outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' })
  return import(pathToFileURL(outfile).href)
}

for (const unit of UNITS) {
  test(`unit ${unit.id} is what a reviewer reads in one sitting, and brings its own tests`, (t) => {
    const files = filesOf(unit)
    const lines = files.map(
      (file) => fs.readFileSync(path.join(UNIT_FOLDER, unit.id, file), 'utf8').split('\n').length - 1,
    )
    const own = lines.reduce((sum, count) => sum + count, 0)
    t.true(own <= 400, `${own} lines`)
    t.true(files.some((file) => /\.(spec|test)\.tsx?$/.test(file)))
  })
}

const LANGUAGES = 'ca de en es fr hi id it ja ko nl pl pt-BR ru tr vi zh-CN zh-TW'.split(' ')
const flat = (value) => (typeof value === 'string' ? { '': value } : value)
const namesIn = (text) => (text.match(/{{\w+}}/g) ?? []).sort().join()

test('what a unit says, it says in all languages of the extension, with the same keys and names', async (t) => {
  const files = UNITS.map(({ id }) => path.join(UNIT_FOLDER, id, 'edits', 'translations.mjs')).filter(fs.existsSync)
  t.true(files.length >= 4)
  for (const file of files) {
    for (const [name, words] of Object.entries(await import(pathToFileURL(file).href))) {
      t.deepEqual(Object.keys(words).sort(), [...LANGUAGES].sort(), name)
      const english = flat(words.en)
      for (const language of LANGUAGES) {
        const own = flat(words[language])
        t.deepEqual(Object.keys(own), Object.keys(english), `${name}, ${language}`)
        for (const [key, text] of Object.entries(own)) {
          t.is(namesIn(text), namesIn(english[key]), `${name}.${key}, ${language}`)
          t.not(text.trim(), '')
        }
      }
    }
  }
})

test('a file that the tree has in other words stays, and applying twice changes nothing', async (t) => {
  const tree = fakeTree('twice')
  const [unit] = UNITS
  const [own, ...others] = filesOf(unit)
  fs.mkdirSync(path.dirname(path.join(tree, own)), { recursive: true })
  fs.writeFileSync(path.join(tree, own), '// theirs\n')
  t.deepEqual((await applyUnit(unit, tree)).kept, [own])
  t.deepEqual((await applyUnit(unit, tree)).added, others)
  t.is(fs.readFileSync(path.join(tree, own), 'utf8'), '// theirs\n')
})

const SESSION = UNITS.find(({ id }) => id === '2-session')
const textOf = (tree, file) => fs.readFileSync(path.join(tree, 'src', file), 'utf8')

test('the session is where tools are built, where the user writes, and in all three places that condense', async (t) => {
  const tree = fakeTree('edited')
  await applyUnit(SESSION, tree)
  const task = textOf(tree, 'core/task/Task.ts')
  const count = (pattern) => task.match(pattern)?.length
  t.is(count(/this\.toolSession\.select\(\.\.\.given\)/g), 4)
  t.is(count(/this\.toolSession\.condensed\(/g), 3)
  t.is(count(/this\.toolSession\.noteUserText\(/g), 2)
  t.is(count(/\?\?= createToolSession\(this\.globalStoragePath, this\.taskId\)/g), 1)
  const built = textOf(tree, 'core/task/build-tools.ts')
  t.regex(
    built,
    /const allMcpTools = getMcpServerTools\(hub, allowed\)\n\tconst mcpTools = options\.selectMcpTools\n\t\t\? await/,
  )
  t.notRegex(task + built, /;$/m, 'written as the tree is')
  const again = await applyUnit(SESSION, tree)
  t.deepEqual([again.edited, textOf(tree, 'core/task/Task.ts')], [[], task])
})

test('a tree with other places is refused with what was looked for, and nothing is written', async (t) => {
  const sources = {
    ...SOURCES,
    'core/task/Task.ts': SOURCES['core/task/Task.ts'].replace(
      'build4() {',
      'build4() {\n\t\tbuildNativeToolsArrayWithRestrictions({})\n',
    ),
  }
  const tree = fakeTree('other', sources)
  await t.throwsAsync(applyUnit(SESSION, tree), {
    message: /buildNativeToolsArrayWithRestrictions: expected 4 in the tree, got 5/,
  })
  for (const [file, text] of Object.entries(sources)) t.is(textOf(tree, file), text)
  t.false(fs.existsSync(path.join(tree, 'src', 'services', 'tools')))
})

test('nothing is written into a folder that is no tree of the extension', (t) => {
  t.throws(() => assertTree(output), { message: /expected a checkout of the extension/ })
  t.notThrows(() => assertTree(fakeTree('right')))
})

const doc = (serverName, toolName, description) => ({ serverName, toolName, description })
const ITEMS = [
  doc('postgres', 'query', 'Run a query on a database'),
  doc('jira', 'createIssue', 'Create an issue in a project'),
  doc('slack', 'postMessage', 'Send a message to a Slack channel'),
]

test.serial(
  'above the threshold the real addon ranks behind the interface, and its answers are the items',
  async (t) => {
    const { ToolRanker } = await load('1-ranker/src/services/tools/ToolRanker.ts')
    const { Bm25Ranker } = await load('1-ranker/src/services/tools/Bm25Ranker.ts')
    let loads = 0
    const ranker = (threshold) =>
      new ToolRanker(new Bm25Ranker(), {
        isAddonWanted: () => true,
        threshold,
        onFallback: () => {},
        load: async () => {
          loads++
          return addon
        },
      })
    t.deepEqual(await ranker(3).rank('send slack message', ITEMS, 1), [ITEMS[2]])
    t.is(loads, 0)
    const native = ranker(2)
    t.deepEqual(await native.rank('send slack message', ITEMS, 1), [ITEMS[2]])
    t.is(loads, 1)
    t.deepEqual(await native.rank('file a bug report', ITEMS, 1), [ITEMS[1]], 'without a word in common')
    t.deepEqual(await native.rank('zzz', ITEMS, 0), [])
    for (const { serverName } of ITEMS) await ToolRouter.shared().removeServer(serverName)
    await ToolRouter.shared().setEmbedder(null)
  },
)
