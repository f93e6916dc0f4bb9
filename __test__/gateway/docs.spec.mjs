// What docs/gateway.md and README.md say about the gateway is so.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import test from 'ava'

import { COMMANDS } from '../../packages/gateway/cli/commands.mjs'
import { parseJson } from '../../packages/gateway/config/file.mjs'
import { readConfig } from '../../packages/gateway/config/read.mjs'
import { ROWS, settingsThat } from '../../packages/gateway/config/settings.mjs'
import { DEFAULT_META_TOOLS, META_TOOL_NAMES } from '../../packages/gateway/names/meta-tools.mjs'
import { run } from '../helpers/child.mjs'
import { CLI, configFile, connectClient, folder, realServers } from '../helpers/gateway.mjs'
import { coded, GUIDES, ROOT, read, rows } from '../helpers/pages.mjs'
import { where } from '../helpers/skips.mjs'

const README = GUIDES.find(({ name }) => name === 'README.md')
const PAGE = GUIDES.find(({ name }) => name === 'docs/gateway.md')
const CONFIG = GUIDES.find(({ name }) => name === 'docs/gateway-config.md')
const TEAM = GUIDES.find(({ name }) => name === 'docs/team.md')
const OPERATING = GUIDES.find(({ name }) => name === 'docs/operating.md')
const REPLAY = GUIDES.find(({ name }) => name === 'docs/replay.md')
const onLinux = where(process.platform === 'linux', 'wants Linux')
const block = ({ text }, kind) => new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``).exec(text)[1]

test('the configuration in docs/gateway.md is one', (t) => {
  const { servers, modules, modes, settings } = readConfig(JSON.parse(block(PAGE, 'json config')), {
    env: { GITHUB_TOKEN: 'a', WIKI_TOKEN: 'b' },
  })
  t.deepEqual([servers.size, modules.size, modes.size, settings.searchK], [3, 1, 1, 8])
})

/** Starts what an entry of README.md starts, as a client would, before two servers. */
async function asClient(t, args) {
  const place = folder(t)
  const file = configFile(t, { mcpServers: realServers(place, ['memory', 'everything']) })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: args.map((arg) => (arg === '/path/to/mcp.json' ? file : arg)),
    env: { ...process.env, HOME: place, XDG_CACHE_HOME: place },
    stderr: 'ignore',
  })
  const client = await connectClient(transport)
  t.teardown(() => client.close())
  t.deepEqual(await client.names(), DEFAULT_META_TOOLS)
  return client
}

test('the entry for a client that has a clone starts the gateway of the clone', async (t) => {
  const { gateway } = JSON.parse(block(README, 'json clone')).mcpServers
  t.is(gateway.command, 'node')
  await asClient(
    t,
    gateway.args.map((arg) => arg.replace('/path/to/tool-router', ROOT)),
  )
})

test('the entry for a client in README.md starts the gateway before the servers of its file', async (t) => {
  const { gateway } = JSON.parse(block(README, 'json client')).mcpServers
  const { name, bin } = JSON.parse(read('packages/gateway/package.json'))
  const [yes, fetched, ...args] = gateway.args
  // npx fetches the package and runs its program; here it is the one of this checkout.
  t.deepEqual([gateway.command, yes, fetched], ['npx', '-y', name])
  t.is(path.resolve(ROOT, 'packages', 'gateway', bin['tool-router-gateway']), CLI)
  const client = await asClient(t, [CLI, ...args])
  await client.use('mcp_load', { query: 'echo' })
  t.true((await client.names()).length > 7)
})

test('the options in the pages of the gateway are those of the program', async (t) => {
  const shown = Object.values(COMMANDS).flatMap(({ options }) => Object.entries(options))
  const known = [...new Set(shown.filter(([, { says }]) => says !== undefined).map(([name]) => `--${name}`))]
  const titles = ({ text }) => [...text.matchAll(/^\| (option[^|]*?) \|/gm)].map(([, title]) => title)
  const tables = [PAGE, CONFIG, TEAM, REPLAY, OPERATING].flatMap((page) =>
    titles(page).flatMap((title) => rows(page.text, title)),
  )
  const listed = tables.flatMap(([name]) => coded(name).map((code) => code.split(' ')[0]))
  t.deepEqual([...new Set([...listed, '--no-browser'])].toSorted(), known.toSorted())
  t.true(CONFIG.text.includes('`--no-browser`'))
})

/** The command lines of the pages: those of blocks, and those in a text that are whole. */
const commandLines = GUIDES.filter(({ name }) => name.startsWith('docs/')).flatMap(({ name, text }) => {
  const ofBlocks = [...text.matchAll(/^npx @zoo-code\/tool-router-gateway (.+)$/gm)]
  const ofTexts = [...text.matchAll(/`tool-router-gateway ([^`]* --config [^`]*)`/g)]
  return [...ofBlocks, ...ofTexts].map(([, line]) => ({ name, line: line.replaceAll(/\s+/g, ' ') }))
})
const words = (line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word)

/** Runs a command as it stands in a page, beside the file that it names; a gateway over HTTP is ended when it listens. */
async function runDocumented(t, line) {
  const place = folder(t)
  const config = {
    mcpServers: realServers(place, ['memory']),
    profiles: { work: { servers: ['memory'] } },
  }
  writeFileSync(path.join(place, 'mcp.json'), JSON.stringify(config))
  const args = words(line).map((word) => (/^127\.0\.0\.1:\d+$/.test(word) ? '127.0.0.1:0' : word))
  const names = ['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR']
  const env = { ...process.env, HOME: place, ...Object.fromEntries(names.map((name) => [name, place])) }
  const child = spawn(process.execPath, [CLI, ...args], { cwd: place, env, stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
    if (/listening on/.test(said)) child.kill('SIGTERM')
  })
  const [code] = await once(child, 'close')
  return { code, said }
}

/** What needs more than a file: a login, a database, a gateway that runs, a client of the user's, something that changed, a history. */
const NEEDS_MORE =
  /^(login|logout|add-key|keys|revoke-key|prepare-store|page|import|approve|audit|replay|gateway --config \S+ --http)/

onLinux('each command in the pages is one that the program takes', async (t) => {
  t.true(commandLines.length > 14, `${commandLines.length}`)
  for (const { name, line } of commandLines) {
    const { code, said } = await runDocumented(t, line.replace('/path/to/', ''))
    t.not(code, 2, `${name}: ${line}`)
    if (!NEEDS_MORE.test(line)) t.is(code, 0, `${name}: ${line}: ${said}`)
  }
})

test('docs/gateway-config.md names what is read, and its configuration is one', (t) => {
  const [ofShell, ofLogin] = [...CONFIG.text.matchAll(/```json\n(\{\n {2}"mcpServers[\s\S]*?)```/g)].map(([, json]) =>
    readConfig(JSON.parse(json), { env: { CRM_SECRET: 's', AWS_PROFILE: 'a', HTTPS_PROXY: 'p' } }),
  )
  t.deepEqual([...ofShell.servers.get('cloud').inherited.keys()], ['AWS_PROFILE'])
  t.deepEqual(ofShell.settings.inheritEnv, ['HTTPS_PROXY', 'NODE_EXTRA_CA_CERTS'])
  t.deepEqual(ofLogin.servers.get('crm').oauth.redirectPort, 8123)
  for (const [placeholder] of rows(CONFIG.text, 'in a text').slice(0, 2))
    for (const text of coded(placeholder)) {
      const { servers: read } = readConfig({ mcpServers: { a: { command: text } } }, { env: { NAME: 'value' } })
      t.is(read.get('a').command, 'value', text)
    }
  const declared = read('packages/gateway/index.d.mts')
  for (const [names] of rows(CONFIG.text, 'in `oauth`'))
    for (const name of coded(names)) t.true(new RegExp(`^  ${name}\\?: `, 'm').test(declared), name)
})

test('the tables in docs/gateway.md name all meta tools, and all settings with their defaults', (t) => {
  t.deepEqual(
    rows(PAGE.text, 'meta tool').flatMap(([name]) => coded(name)),
    META_TOOL_NAMES,
  )
  const { settings } = readConfig({ mcpServers: {} })
  const named = rows(PAGE.text, 'in `gateway`').flatMap(([names, defaults]) =>
    coded(names).map((name, at) => [name, defaults.split(', ')[at]]),
  )
  const declared = readFileSync(path.join(ROOT, 'packages', 'gateway', 'index.d.mts'), 'utf8')
  for (const [name, value] of named) {
    t.true(new RegExp(`^  ${name}\\?: `, 'm').test(declared), name)
    const inMs = settings[`${name.replace(/S$/, '')}Ms`]
    if (/^\d+$/.test(value)) t.is(inMs === undefined ? settings[name] : inMs / 1000, Number(value), name)
  }
  t.is(named.length, Object.keys(ROWS).length)
})

test('the example plays its task on real servers to the end', async (t) => {
  t.timeout(120_000)
  const { code, stdout, hung } = await run([path.join(ROOT, 'examples', 'gateway', 'run.mjs')])
  t.deepEqual({ code, hung }, { code: 0, hung: false })
  for (const text of ['mode remember', 'Ada', 'take_screenshot', 'The sum of 2 and 3 is 5.', 'prompt cache'])
    t.true(stdout.includes(text), text)
  t.true(stdout.split('list_changed').length > 3)
})

test('types and page name each setting, and where it may differ, as its row does', (t) => {
  const types = readFileSync(path.join(ROOT, 'packages', 'gateway', 'index.d.mts'), 'utf8')
  const [, fields] = /export interface GatewaySettings \{\n([\s\S]*?)\n\}/.exec(types)
  const named = [...fields.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name)
  t.deepEqual(named.toSorted(), Object.keys(ROWS).toSorted())
  const [, shared] = /a profile may have its own ([\s\S]*?): the others are/.exec(PAGE.text)
  t.deepEqual(
    coded(shared)
      .map((name) => name.replace(': true', ''))
      .toSorted(),
    settingsThat('profile').toSorted(),
  )
})

test('no file of the gateway has more than 400 lines', (t) => {
  const files = readdirSync(path.join(ROOT, 'packages', 'gateway'), { recursive: true }).filter((name) =>
    name.endsWith('.mjs'),
  )
  t.true(files.length > 15)
  for (const name of files) {
    const lines = readFileSync(path.join(ROOT, 'packages', 'gateway', name), 'utf8').split('\n').length
    t.true(lines <= 400, `${name}: ${lines}`)
  }
})

test('every file of the gateway is type checked', (t) => {
  const files = readdirSync(path.join(ROOT, 'packages', 'gateway'), { recursive: true }).filter((name) =>
    name.endsWith('.mjs'),
  )
  const isLeftOut = (name) =>
    /@ts-(nocheck|ignore)/.test(readFileSync(path.join(ROOT, 'packages', 'gateway', name), 'utf8'))
  t.deepEqual(files.filter(isLeftOut), [], 'npm run typecheck says what is wrong with its types')
  const { include, exclude = [] } = parseJson(read('packages/tsconfig.json'))
  t.deepEqual([include.includes('gateway/**/*.mjs'), exclude], [true, []])
})
