// The kit for the extension: what it writes into a tree. `npm run zoo:check` tries the units in a tree that somebody has.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import test from 'ava'
import { transformSync } from 'esbuild'

import { lives, until } from '../helpers/gateway.mjs'
import { coded, read, rows, section } from '../helpers/pages.mjs'
import { where } from '../helpers/skips.mjs'
import { copyTree } from '../../apps/zoo-kit/copy.mjs'
import { addAboveServers, openTree } from '../../apps/zoo-kit/tree.mjs'
import { holdToPolicy } from '../../apps/zoo-kit/units/2-mcp-load/edits.mjs'
import { applyUnit, applyUnits, assertTree, filesOf, SMALLEST, UNITS, unitsOf } from '../../apps/zoo-kit/units.mjs'

const UNIT_FOLDER = fileURLToPath(new URL('../../apps/zoo-kit/units', import.meta.url))
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
	return filterMcpToolsForMode(mcpTools, mode, { disabledTools, modelInfo })
}
`,
  'core/task/Task.ts': `import { one } from "./one"

export class Task {
${[1, 2, 3, 4].map((at) => `	build${at}() {\n		return buildNativeToolsArrayWithRestrictions({\n			mode,\n		})\n	}`).join('\n')}
	async *attemptApiRequest() {
		const shouldIncludeTools = allTools.length > 0
		yield shouldIncludeTools
	}
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

const SESSION = UNITS.find(({ id }) => id === '1-session')
const textOf = (tree, file) => fs.readFileSync(path.join(tree, 'src', file), 'utf8')

test('the session is where tools are built, and what it says is in the request and in the history', async (t) => {
  const tree = fakeTree('edited')
  await applyUnit(SESSION, tree)
  const task = textOf(tree, 'core/task/Task.ts')
  const count = (pattern) => task.match(pattern)?.length
  t.is(count(/toolSession: this\.toolSession/g), 4)
  t.is(count(/addTexts\(cleanConversationHistory, toolTexts\)/g), 1)
  t.is(count(/addTexts\(this\.apiConversationHistory, toolTexts\)/g), 1)
  const built = textOf(tree, 'core/task/build-tools.ts')
  t.regex(built, /const allMcpTools = getMcpServerTools\(hub, allowed\)\n/)
  t.notRegex(task + built, /;$/m, 'written as the tree is')
  const again = await applyUnit(SESSION, tree)
  t.deepEqual([again.edited, textOf(tree, 'core/task/Task.ts')], [[], task])
})

test('a tree with other places is refused with what was looked for, and nothing is written', async (t) => {
  const [task] = SOURCES['core/task/Task.ts'].split('\tbuild1')
  const sources = { ...SOURCES, 'core/task/Task.ts': `${task}}\n` }
  const tree = fakeTree('other', sources)
  await t.throwsAsync(applyUnit(SESSION, tree), {
    message:
      /^1-session: .*buildNativeToolsArrayWithRestrictions: expected in the tree's Task, got none; nothing was written$/,
  })
  for (const [file, text] of Object.entries(sources)) t.is(textOf(tree, file), text)
  t.false(fs.existsSync(path.join(tree, 'src', 'services', 'tools')))
})

test('of the units of a request all are written or none', async (t) => {
  const tree = fakeTree('none', { ...SOURCES, 'core/task/build-tools.ts': 'export {}\n' })
  const error = await t.throwsAsync(applyUnits([UNITS[0], SESSION], tree))
  t.regex(error.message, /^1-session: .*getMcpServerTools/)
  t.false(filesOf(UNITS[0]).some((file) => fs.existsSync(path.join(tree, file))))
})

test('the function that builds tools is found by what it calls, and its filter is asked as the tree asks it', async (t) => {
  const renamed = Object.entries(SOURCES).map(([file, text]) => [
    file,
    text.replaceAll('buildNativeToolsArrayWithRestrictions', 'buildNativeToolsArray'),
  ])
  const tree = fakeTree('renamed', Object.fromEntries(renamed))
  await applyUnit(SESSION, tree)
  t.is(textOf(tree, 'core/task/Task.ts').match(/toolSession: this\.toolSession/g).length, 4)
  const built = textOf(tree, 'core/task/build-tools.ts')
  t.true(built.includes('filterMcpToolsForMode(allMcpTools, mode, { disabledTools, modelInfo })'))
  t.regex(built, /excludedTools[\s\S]*withheld\.includes\("use_mcp_tool"\)/)
})

test('in a tree with one policy for all tools, mcp_load and mcp_call are there where MCP tools may be called', (t) => {
  const file = 'core/policy.ts'
  const tree = fakeTree('policy', {
    [file]: `export function resolveEffectiveToolPolicy({ experiments, hasMcpTools, disabled }: any) {
	const allowedToolNames = new Set(["use_mcp_tool", "mcp_load", "mcp_call", "read_file"])
	for (const name of disabled) allowedToolNames.delete(name)
	if (!hasMcpTools) {
		allowedToolNames.delete("use_mcp_tool")
	}
	return allowedToolNames
}
`,
  })
  const opened = openTree(tree)
  holdToPolicy(opened.source(`src/${file}`))
  opened.save()
  const { code } = transformSync(textOf(tree, file), { loader: 'ts', format: 'cjs' })
  const module = { exports: {} }
  new Function('module', 'exports', code)(module, module.exports)
  const names = (experiments, hasMcpTools, disabled = []) => [
    ...module.exports.resolveEffectiveToolPolicy({ experiments, hasMcpTools, disabled }),
  ]
  const on = { dynamicMcpTools: true }
  t.deepEqual(names(on, true), ['use_mcp_tool', 'mcp_load', 'mcp_call', 'read_file'])
  t.deepEqual(names(undefined, true), ['use_mcp_tool', 'read_file'])
  t.deepEqual(names(on, false), ['read_file'])
  t.deepEqual(names(on, true, ['use_mcp_tool']), ['read_file'])
})

test('what units show above the servers stands there whichever comes first, each once', (t) => {
  const file = 'McpView.tsx'
  const warning = 'isOverThreshold && <Warning />'
  for (const [name, text] of Object.entries({ first: `{${warning}}`, later: `{toolMode === "all" && ${warning}}` })) {
    const tree = fakeTree(name, { [file]: `import { a } from "b"\n\nconst McpView = () => <div>\n${text}\n</div>\n` })
    const opened = openTree(tree)
    addAboveServers(opened.source(`src/${file}`), 'One', './One')
    addAboveServers(opened.source(`src/${file}`), 'Two', './Two')
    opened.save()
    t.true(textOf(tree, file).includes(`<div>\n<One />\n<Two />\n${text}`))
    t.regex(textOf(tree, file), /^import \{ One \} from "\.\/One"\nimport \{ Two \} from "\.\/Two"$/m)
  }
})

test('nothing is written into a folder that is no tree of the extension', (t) => {
  t.throws(() => assertTree(output), { message: /expected a checkout of the extension/ })
  t.notThrows(() => assertTree(fakeTree('right')))
  t.throws(() => copyTree(fakeTree('unversioned'), output), { message: /expected a checkout of git/ })
})

test('a unit that needs another says which in one line, and every story of the brief has a unit', (t) => {
  const tree = fakeTree('needs')
  t.throws(() => unitsOf('8-settings', tree), { message: /^8-settings: needs 3-switch in the tree; apply it first$/ })
  t.throws(() => unitsOf('9-nothing', tree), { message: /^--units: expected 0-router, .*; got 9-nothing$/ })
  t.deepEqual(
    unitsOf('3-switch,1-session,2-mcp-load,0-router', tree).map(({ id }) => id),
    SMALLEST,
  )
  for (const { id, needs = [] } of UNITS)
    for (const need of needs)
      t.true(UNITS.findIndex((each) => each.id === need) < UNITS.findIndex((each) => each.id === id), `${id}: ${need}`)
  const stories = new Set(UNITS.flatMap(({ stories }) => stories))
  for (let story = 571; story <= 583; story++) t.true(stories.has(`#${story}`), `#${story}`)
})

test('applying tells a mistake, and a prettier that is not there, in one line each', (t) => {
  const apply = (...args) => {
    const program = fileURLToPath(new URL('../../apps/zoo-kit/apply.mjs', import.meta.url))
    return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })
  }
  const { status, stderr } = apply(fakeTree('lines'), '--units', '5-config')
  t.is(status, 1)
  t.regex(stderr, /^5-config: the tree is another one than it knows: .*nothing was written\n$/)
  t.regex(
    apply(fakeTree('unformatted'), '--units', '0-router,1-session').stdout,
    /^prettier is not installed in the tree: .*\n/,
  )
})

const withSignals = where(process.platform !== 'win32', 'Windows has no signals')

withSignals('a check that is ended says where it was, and leaves no copy and no program', async (t) => {
  const tree = fakeTree('checked')
  fs.writeFileSync(path.join(tree, 'package.json'), '{}')
  fs.writeFileSync(path.join(tree, 'src/package.json'), '{ "version": "1.0.0" }')
  const bin = path.join(tree, 'node_modules/.bin')
  fs.mkdirSync(bin, { recursive: true })
  const pid = path.join(output, 'pid')
  const waits = `require('node:fs').writeFileSync(${JSON.stringify(pid)}, String(process.pid)); setInterval(() => {}, 1e6)`
  fs.writeFileSync(path.join(bin, 'tsc'), `#!${process.execPath}\n${waits}\n`, { mode: 0o755 })
  spawnSync('git', ['init', '--quiet'], { cwd: tree })
  spawnSync('git', ['add', 'package.json', 'src'], { cwd: tree })
  const temporary = path.join(output, 'temporary')
  fs.mkdirSync(temporary)
  const program = fileURLToPath(new URL('../../apps/zoo-kit/check.mjs', import.meta.url))
  const env = { ...process.env, TMPDIR: temporary }
  const child = spawn(process.execPath, [program, tree, '--units', '0-router'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const ended = once(child, 'close')
  await until(t, () => fs.existsSync(pid) && fs.readFileSync(pid, 'utf8') !== '', 'the first program runs')
  child.kill('SIGTERM')
  t.deepEqual(await ended, [143, null], said)
  t.regex(said, /^0-router, 1 of 1\n {2}types of src …\n/)
  t.deepEqual(fs.readdirSync(temporary), [])
  await until(t, () => !lives(Number(fs.readFileSync(pid, 'utf8'))), 'the program has ended')
})

test('docs/zoo-code.md has the lines of each new file of the smallest request', (t) => {
  const smallest = UNITS.filter(({ id }) => SMALLEST.includes(id))
  const isNew = (file) => !file.includes('__tests__')
  const linesOf = smallest.flatMap((unit) =>
    filesOf(unit)
      .filter(isNew)
      .map((file) => [
        file.replace('src/', ''),
        fs.readFileSync(path.join(UNIT_FOLDER, unit.id, file), 'utf8').split('\n').length - 1,
      ]),
  )
  const page = section({ name: 'docs/zoo-code.md', text: read('docs/zoo-code.md') }, 'The smallest pull request')
  const said = rows(page, 'file, new').map(([file, lines]) => [coded(file)[0], Number(lines)])
  t.deepEqual(Object.fromEntries(said), Object.fromEntries(linesOf))
})
