// What README.md says of the gateway is so.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import test from 'ava'

import { readConfig } from '../gateway/config.mjs'
import { META_TOOL_NAMES } from '../gateway/meta-tools.mjs'
import { run } from './helpers/child.mjs'
import { folder } from './helpers/gateway.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const README = readFileSync(path.join(ROOT, 'README.md'), 'utf8')
const SECTION = README.slice(README.indexOf('## Gateway'), README.indexOf('## Tokens'))

test('the configuration in README.md is one', (t) => {
  const [, json] = /```json config\n([\s\S]*?)```/.exec(SECTION)
  const { servers, modules, modes, settings } = readConfig(JSON.parse(json), { env: { GITHUB_TOKEN: 'a', WIKI_TOKEN: 'b' } })
  t.deepEqual([servers.size, modules.size, modes.size, settings.metaTools.length], [3, 1, 1, 3])
})

test('the tables in README.md name all meta tools, and all settings with their defaults', (t) => {
  const rows = (title) => SECTION.slice(SECTION.indexOf(title)).split('\n\n')[0].split('\n').slice(2).map((row) => row.split('|').map((cell) => cell.trim()))
  t.deepEqual(rows('| meta tool |').map(([, name]) => name.replaceAll('`', '')), META_TOOL_NAMES)
  const { settings } = readConfig({ mcpServers: {} })
  const named = rows('| in `gateway` |').flatMap(([, names, defaults]) => names.split(', ').map((name, at) => [name.replaceAll('`', ''), defaults.split(', ')[at]]))
  const declared = readFileSync(path.join(ROOT, 'gateway', 'index.d.mts'), 'utf8')
  for (const [name, value] of named) {
    t.true(new RegExp(`^  ${name}\\?: `, 'm').test(declared), name)
    const inMs = settings[`${name.replace(/S$/, '')}Ms`]
    if (/^\d+$/.test(value)) t.is(inMs === undefined ? settings[name] : inMs / 1000, Number(value), name)
  }
  t.is(named.length, Object.keys(settings).length)
})

test('the program in README.md prints what it says', async (t) => {
  const [, source] = /```js gateway\n([\s\S]*?)```/.exec(SECTION)
  const file = path.join(folder(t), 'program.mjs')
  writeFileSync(file, source.replace('@zoo-code/tool-router/gateway', pathToFileURL(path.join(ROOT, 'gateway', 'index.mjs')).href))
  const [, printed] = /console\.log\(.*\) \/\/ (.+)/.exec(source)
  const { code, stdout, stderr, hung } = await run([file])
  t.deepEqual({ code, stdout, stderr, hung }, { code: 0, stdout: `${printed}\n`, stderr: '', hung: false })
})

test('the example plays its task on real servers to the end', async (t) => {
  t.timeout(120_000)
  const { code, stdout, hung } = await run([path.join(ROOT, 'examples', 'gateway', 'run.mjs')], { limit: 100_000 })
  t.deepEqual({ code, hung }, { code: 0, hung: false })
  for (const text of ['mode remember', 'Ada', 'take_screenshot', 'The sum of 2 and 3 is 5.', 'prompt cache']) t.true(stdout.includes(text), text)
  t.true(stdout.split('list_changed').length > 3)
})

test('no file of the gateway has more than 400 lines', (t) => {
  for (const name of ['catalogue', 'child-transport', 'cli', 'client-session', 'config', 'downstream', 'http', 'index', 'meta-answers', 'meta-tools']) {
    t.true(readFileSync(path.join(ROOT, 'gateway', `${name}.mjs`), 'utf8').split('\n').length <= 400, name)
  }
})
