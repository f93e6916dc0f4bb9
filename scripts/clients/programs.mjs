// node scripts/clients/programs.mjs [--keep <folder>] [name...]
//
// Command-line clients as they come from their registries, before a gateway over stdio: each is given the gateway as its
// own command or file wants it, lists, and calls a tool. Agents ask a stand-in for a model on the loopback interface
// (model.mjs), so none needs an account. Installs 2 GB into .cache/clients; each gets a home of its own, which --keep leaves in
// a folder of the program's name, with the transcript of what was done. Prints a table; exit code 1 when one of them did not
// see what it should.

import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs, promisify } from 'node:util'

import { commandOf, readDefinitions } from '../../examples/demo/servers.mjs'
import { CALLS_BY_KIND, DEFAULT_META_TOOLS } from '../../packages/gateway/names/meta-tools.mjs'
import { pythonPrograms, ROOT } from '../release/tools.mjs'
import { openModel, WANTED } from './model.mjs'

const execute = promisify(execFile)
const CLI = path.join(ROOT, 'packages', 'gateway', 'cli.mjs')
const CACHE = path.join(ROOT, '.cache', 'clients', 'programs')
/** The newest that some of these ask for; the gateway runs on the one that runs this. */
const NODE = 'node@24.21.0'
const PYTHON = 'fastmcp==4.1.2'
const META_TOOLS = DEFAULT_META_TOOLS
const QUESTION = 'add two and three'
const CALL = { name: WANTED, arguments: { a: 2, b: 3 } }
const SUM = /sum of 2 and 3 is 5/
const CONNECTED = /gateway\b.*connected/i
/** An agent that answers at all does so in seconds; downloads that are refused are waited for by some. */
const TIMEOUT_MS = 120_000

const json = (value) => JSON.stringify(value)
const mcpServers = ({ gateway: [command, ...args] }) => ({ mcpServers: { gateway: { command, args } } })

/**
 * Each program: its package; `transcript`, where `replay` reads what it keeps; `files` in its home or its folder; `add` and `list`, with what the list shows; `ask`, for
 * agents, or `call`, for clients that call tools themselves; and `end`, for one that leaves a process.
 */
const PROGRAMS = {
  'Claude Code': {
    transcript: 'claude-code',
    package: '@anthropic-ai/claude-code@2.1.330',
    add: ({ gateway }) => ['claude', 'mcp', 'add', 'gateway', '--', ...gateway],
    list: () => ['claude', 'mcp', 'list'],
    shows: CONNECTED,
    ask: () => ['claude', '-p', QUESTION, '--allowedTools', 'mcp__gateway'],
    env: ({ model }) => ({
      ...{ ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'none', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    }),
    // The others are behind its own search for tools.
    lists: ['mcp_load', ...CALLS_BY_KIND],
  },
  Codex: {
    transcript: 'codex',
    package: '@openai/codex@0.169.0',
    add: ({ gateway }) => ['codex', 'mcp', 'add', 'gateway', '--', ...gateway],
    list: () => ['codex', 'mcp', 'list'],
    shows: /gateway .*enabled/,
    ask: ({ model }) => [
      ...['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-m', 'stand-in'],
      // Otherwise it asks its model before its servers are there.
      ...['-c', 'mcp_servers.gateway.required=true', '-c', 'mcp_servers.gateway.startup_timeout_sec=60'],
      ...['-c', 'model_provider=own', '-c', `model_providers.own={name="own",base_url="${model}/v1",env_key="KEY"}`],
      QUESTION,
    ],
    env: () => ({ KEY: 'none' }),
  },
  'Gemini CLI': {
    package: '@google/gemini-cli@0.61.0',
    files: () => ({ '.gemini/settings.json': json({ security: { auth: { selectedType: 'gemini-api-key' } } }) }),
    add: ({ gateway }) => ['gemini', 'mcp', 'add', '--scope', 'user', 'gateway', ...gateway],
    list: () => ['gemini', 'mcp', 'list'],
    shows: CONNECTED,
    ask: () => ['gemini', '--yolo', '-m', 'gemini-2.5-pro', '-p', QUESTION],
    env: ({ model }) => ({
      ...{ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    }),
  },
  'Qwen Code': {
    package: '@qwen-code/qwen-code@0.24.4',
    files: () => ({ '.qwen/settings.json': json({ tools: { toolSearch: { enabled: false } } }) }),
    add: ({ gateway }) => ['qwen', 'mcp', 'add', 'gateway', ...gateway],
    list: () => ['qwen', 'mcp', 'list'],
    shows: CONNECTED,
    ask: () => ['qwen', '--auth-type', 'openai', '--yolo', '-p', QUESTION],
    env: ({ model }) => ({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: 'stand-in' }),
  },
  'Copilot CLI': {
    package: '@github/copilot@1.0.102',
    add: ({ gateway }) => ['copilot', 'mcp', 'add', 'gateway', '--', ...gateway],
    list: () => ['copilot', 'mcp', 'list'],
    shows: /gateway \(local\)/,
    ask: () => ['copilot', '-p', QUESTION, '--allow-all-tools'],
    env: ({ model }) => ({
      ...{ COPILOT_OFFLINE: 'true', COPILOT_PROVIDER_BASE_URL: `${model}/v1`, COPILOT_MODEL: 'stand-in' },
    }),
  },
  opencode: {
    transcript: 'opencode',
    package: 'opencode-ai@1.18.33',
    files: ({ gateway, model }) => ({
      'opencode.json': json({
        model: 'own/stand-in',
        provider: {
          own: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: 'none' },
            models: { 'stand-in': {} },
          },
        },
        mcp: { gateway: { type: 'local', command: gateway } },
      }),
    }),
    list: () => ['opencode', 'mcp', 'list'],
    shows: CONNECTED,
    ask: () => ['opencode', 'run', QUESTION],
  },
  Cline: {
    transcript: 'cline',
    package: 'cline@3.0.65',
    // It leaves out a server that has not answered within 3 s.
    files: ({ gateway: [command, ...args] }) => ({
      '.cline/data/settings/cline_mcp_settings.json': json({ mcpServers: { gateway: { command, args, timeout: 60 } } }),
    }),
    // It has no command that lists.
    add: ({ model }) => ['cline', 'auth', '-p', 'openai', '-k', 'none', '-m', 'stand-in', '-b', `${model}/v1`],
    ask: () => ['cline', '-P', 'openai-compatible', '-m', 'stand-in', QUESTION],
    // What it started would stay.
    end: () => ['cline', 'hub', 'stop'],
  },
  'MCP Inspector': {
    package: '@modelcontextprotocol/inspector@2.12.0',
    files: (given) => ({ 'mcp.json': json(mcpServers(given)) }),
    list: () => [
      ...['mcp-inspector', '--cli', '--config', 'mcp.json', '--server', 'gateway', '--method', 'tools/list'],
    ],
    call: () => [
      ...['mcp-inspector', '--cli', '--config', 'mcp.json', '--server', 'gateway', '--method', 'tools/call'],
      ...['--tool-name', 'call_tool_read', '--tool-args-json', json(CALL)],
    ],
  },
  mcporter: {
    package: 'mcporter@0.12.3',
    files: (given) => ({ 'config/mcporter.json': json(mcpServers(given)) }),
    list: () => ['mcporter', 'list', 'gateway'],
    call: () => ['mcporter', 'call', 'gateway.call_tool_read', '--args', json(CALL)],
  },
  FastMCP: {
    package: PYTHON,
    files: (given) => ({ 'mcp.json': json(mcpServers(given)) }),
    list: () => ['fastmcp', 'list', 'mcp.json'],
    call: () => ['fastmcp', 'call', 'mcp.json', 'call_tool_read', '--input-json', json(CALL)],
  },
}

/** Folders of the programs. */
async function install(names) {
  const packages = names.map((name) => PROGRAMS[name].package).filter((each) => each !== PYTHON)
  mkdirSync(CACHE, { recursive: true })
  const manifest = path.join(CACHE, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private":true}')
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'))
  const missing = [NODE, ...packages].filter((each) => {
    const [, name, version] = /^(.+)@(.+)$/.exec(each)
    return dependencies[name] !== version
  })
  if (missing.length > 0)
    await execute('npm', ['install', '--no-audit', '--no-fund', '--save-exact', ...missing], { cwd: CACHE })
  const python = names.includes('FastMCP') ? [pythonPrograms(path.join(CACHE, 'python'), [PYTHON])] : []
  return [path.join(CACHE, 'node_modules', '.bin'), ...python]
}

/** Its own folder, a home in it, and nothing of this process's environment but the path. */
async function tryProgram(program, { folder, places, gateway, model }) {
  const given = { gateway, model: model.url }
  const home = path.join(folder, 'home')
  mkdirSync(home, { recursive: true })
  for (const [name, text] of Object.entries(program.files?.(given) ?? {})) {
    // What begins with a point belongs to its home.
    const file = path.join(name.startsWith('.') ? home : folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const env = { PATH: [...places, process.env.PATH].join(path.delimiter), HOME: home, ...program.env?.(given) }
  const run = async (words) => {
    if (words === undefined) return ''
    const [command, ...args] = words
    const started = execute(command, args, { cwd: folder, env, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 })
    started.child.stdin.end()
    const { stdout, stderr } = await started
    return stdout + stderr
  }
  await run(program.add?.(given))
  const listed = await run(program.list?.(given))
  const answered = await run((program.ask ?? program.call)(given))
  await run(program.end?.(given))
  // Its own transcript of that, as `replay` reads it.
  const replay = program.transcript && ['node', CLI, 'replay', '--json', '--from', program.transcript]
  const transcript = replay
    ? JSON.parse((await execute(replay[0], replay.slice(1), { cwd: folder, env })).stdout)
    : undefined
  return { listed, answered, seen: model.seen, transcript }
}

const named = (tools, name) => tools.some((tool) => tool.replaceAll(/\W+/g, '_').endsWith(name.replaceAll(/\W+/g, '_')))

/** What it saw, as a row of the table says it; throws when that is wrong. */
function judge(program, { listed, answered, seen, transcript }) {
  const calls = transcript?.callsElsewhere.map(({ name, count }) => `${name} ${count}`).join(', ')
  if (transcript && !(transcript.sessions === 1 && calls === 'everything/get-sum 1' && transcript.unread.length === 0))
    throw new Error(`replay reads ${transcript.sessions} sessions of it, with ${calls || 'no call'}`)
  const lists = program.lists ?? META_TOOLS
  if (!SUM.test(answered)) throw new Error(`the call was answered with ${answered.trim().slice(-300)}`)
  if (program.call) {
    const missing = META_TOOLS.filter((name) => !listed.includes(name))
    if (missing.length > 0) throw new Error(`the list lacks ${missing.join(', ')}: ${listed.slice(-300)}`)
    return [`${META_TOOLS.length} tools`, 'not told', 'by `call_tool_read`']
  }
  if (program.shows !== undefined && !program.shows.test(listed))
    throw new Error(`its own list shows ${listed.slice(-300)}`)
  const [first, last] = [seen[0].tools, seen.at(-1).tools]
  const missing = lists.filter((name) => !named(first, name))
  if (missing.length > 0) throw new Error(`the model was not offered ${missing.join(', ')}`)
  // Only a client of the older era is told what was attached before.
  const era = seen[1].results.at(-1).includes('alreadyAttached') ? 'older' : 'modern'
  const shown = CONNECTED === program.shows ? 'the gateway, connected; ' : program.shows ? 'the gateway; ' : ''
  const offers = `${shown}its model: ${lists === META_TOOLS ? `${META_TOOLS.length} tools` : lists.map((name) => `\`${name}\``).join(', ')}`
  return [offers, era, named(last, WANTED) ? 'by its own name, once it was loaded' : 'by `call_tool_read`']
}

const { values, positionals: wanted } = parseArgs({ options: { keep: { type: 'string' } }, allowPositionals: true })
const names = Object.keys(PROGRAMS).filter((name) => wanted.length === 0 || wanted.includes(name))
const places = await install(names)
const lines = ['| program | version | what it lists | era | how it calls a tool |', '| --- | --- | --- | --- | --- |']
let failures = 0
for (const name of names) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-program-'))
  const model = await openModel()
  const [, version] = /[@=]([\d.]+)$/.exec(PROGRAMS[name].package)
  try {
    const [everything] = readDefinitions(['everything'])
    const config = path.join(folder, 'servers.json')
    const mcp = { mcpServers: { everything: commandOf(everything, folder) }, gateway: { dir: folder } }
    writeFileSync(config, json(mcp))
    const gateway = [process.execPath, CLI, 'gateway', '--config', config, '--lexical', '--quiet']
    const row = judge(PROGRAMS[name], await tryProgram(PROGRAMS[name], { folder, places, gateway, model }))
    lines.push(`| ${[name, version, ...row].join(' | ')} |`)
  } catch (error) {
    failures += 1
    const reason = String(error.stderr || error.message)
    lines.push(`| ${name} | ${version} | FAILED: ${reason.trim().replaceAll(/\s+/g, ' ').slice(-400)} | | |`)
  } finally {
    model.close()
    if (values.keep !== undefined)
      cpSync(path.join(folder, 'home'), path.join(values.keep, name), { recursive: true, verbatimSymlinks: true })
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  console.log(lines.at(-1))
}
console.log(`\n${lines.join('\n')}`)
process.exit(failures === 0 ? 0 : 1)
