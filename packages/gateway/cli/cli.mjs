#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// npx zoo-tool-router gateway --config mcp.json [--http 127.0.0.1:PORT]
//
// Standard output of a gateway belongs to the protocol; everything for a person goes to standard error.

import { readFileSync } from 'node:fs'
import os from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'

const USAGE = `usage: zoo-tool-router <command> [options]

gateway --config <file>   Serves all MCP servers of a configuration as one, with few tools at first.
connect --config <file>   The same for many clients: passes messages to one gateway that all share, and starts it.
page --config <file>      Prints an address that opens the page of the gateway that clients share, or of one at --http.
import                    Finds the files of installed MCP clients and shows what it would take of them.
doctor --config <file>    Starts each server once and says what works, what does not and why.
report "task text"        Writes one page: what a task would get of the servers, why, and what it costs. Wants --config.
replay                    Reads the transcripts of your programs and says what their tools cost, and would cost here.
compare                   Says what sessions cost with each of two sets of settings. Wants --config.
approve [server[/tool[#hash]]]   Says what has changed and is withheld, or accepts the text of a hash. Wants --config.
add-key <name>            Makes a key for a client, in the database that gateways share; keys lists them, revoke-key <name>
                          ends one. All three want --config.
migrate-store             Copies lists of tools and approvals from files into the database. Wants --config.
registry                  Says which servers the database offers and what they start; registry-add <server> puts one of the
                          configuration there, registry-remove <server> takes it out. All three want --config.
connect-client <client>   Shows what writing the gateway into the file of a client changes, and writes it.
install-service           Shows what has the system start a gateway over HTTP, and writes it. Wants --config.
login <server>            Logs in to a remote server in a browser; logout forgets it. Both want --config.

  --config <file>       as your MCP client has it: JSON (also with comments), TOML or YAML
  --workspace <folder>  what \${workspaceFolder} stands for; otherwise the project of the file, or this folder
  --profile <name>      of gateway and connect: serve only what this profile of the file has; over HTTP each
                        profile is also at /mcp/<name>
  --modes <set>         of gateway and connect: modes that come with the package: coding
  --verbose             also what servers print on their standard error
  --help, --version

gateway
  --http <host:port>    Streamable HTTP on the loopback interface instead of stdio; port 0 is any
  --lexical             rank by terms only; no model is loaded
  --token-file <file>   the bearer token for --http, in a file that only you can read
  --ui                  with --http: a page to look at, under /ui on the same address; prints where it opens once
  --quiet               say nothing of servers that start and end

import
  --from <client>       only of this client; may be given again
  --project <folder>    the project to look in; otherwise this folder
  --out <file>          write one file with all of it; --force replaces one that is there, and keeps what is its own
  --check <file>        compares a file that was written with what your clients have now
  --pin                 tools that your clients always allow stand in the first list
  --inherit-env         servers get the variables of your shell that their clients gave them

report                    --lexical, --out (otherwise tool-report.html) and --force as above
  --later <text>        a later message of the task; may be given again

replay                    --config, --lexical, --out (the lists that were asked) and --force as above; --from <program>, one of
                          claude-code, codex, opencode, cline, roo-code, zoo-code, or program=folder for a copy
  --ask                 start the servers of your clients and ask for their tools, as --config does those of a file
  --tools <file>        lists of tools that were kept, instead of servers
  --html <file>         the same as one page; --json as JSON
  --sessions <number>   how many are played, the newest; otherwise 60. --days <number> reads only what is that new
  --seed <number>       of what is drawn; otherwise 1
  --learn               tell the gateway of --config which tools were used; --pin also pins those of every third session
  --model <address>     of a model behind Chat Completions, as --name: it chooses among all tools, thirty, and two tiers. It is
                        sent first messages of yours and definitions of tools; --key <variable> has its key
  --budget <number>     tokens that it may cost, or dollars, as $2, at --price <read>/<written> for a million; never passed

compare                   --profile as above: what its sessions cost
  --json                the same as JSON

approve
  --all                 accept all that have changed

add-key                   --profile as above: what the key opens; otherwise all servers
  --days <number>       how long the key is one; otherwise until it is revoked

migrate-store             --profile as above: only its servers, as it has them; otherwise all
  --to <address>        the database; otherwise that of the configuration

connect-client            claude-desktop, claude-code, cursor, vscode, windsurf, codex, gemini-cli, opencode, zed, cline,
                          roo-code, zoo-code, kilo-code, copilot-cli, qwen-code, kiro, lm-studio, goose
  --write               write it; without this it is only shown
  --bridge              by connect, so that all its windows and other clients share one gateway
  --replace             take out the servers that the gateway serves
  --name <name>         what the gateway is called there; otherwise gateway
  --undo                put back what was there

install-service           --http, --lexical, --write and --undo as above; --force replaces a service that is there

login
  --no-browser          only print the address

Environment: ZOO_TOOL_ROUTER_TOKEN is the bearer token for --http; one is made and printed when it is not set.
`

/** Options of each command, and whether it wants a configuration and the name of a server. */
const COMMANDS = {
  gateway: {
    options: [
      ...['config', 'workspace', 'verbose', 'http', 'lexical', 'quiet', 'profile', 'modes', 'token-file', 'shared'],
      'ui',
    ],
    wantsConfig: true,
  },
  connect: { options: ['config', 'workspace', 'verbose', 'lexical', 'profile', 'modes'], wantsConfig: true },
  page: {
    options: ['config', 'workspace', 'profile', 'modes', 'lexical', 'http', 'token-file'],
    wantsConfig: true,
  },
  import: { options: ['from', 'project', 'out', 'check', 'pin', 'inherit-env', 'force'] },
  doctor: { options: ['config', 'workspace', 'verbose'], wantsConfig: true },
  report: {
    options: ['config', 'workspace', 'verbose', 'lexical', 'later', 'out', 'force'],
    wantsConfig: true,
    wantsName: true,
  },
  replay: {
    options: [
      ...['from', 'config', 'workspace', 'tools', 'ask', 'sessions', 'days', 'seed', 'lexical', 'html', 'out', 'force'],
      ...['json', 'verbose', 'learn', 'pin', 'model', 'name', 'key', 'budget', 'price'],
    ],
  },
  compare: { options: ['config', 'workspace', 'profile', 'json'], wantsConfig: true },
  approve: { options: ['config', 'workspace', 'all'], wantsConfig: true, mayName: true },
  'add-key': { options: ['config', 'workspace', 'profile', 'days'], wantsConfig: true, wantsName: true },
  keys: { options: ['config', 'workspace'], wantsConfig: true },
  'revoke-key': { options: ['config', 'workspace'], wantsConfig: true, wantsName: true },
  'migrate-store': { options: ['config', 'workspace', 'profile', 'to'], wantsConfig: true },
  registry: { options: ['config', 'workspace'], wantsConfig: true },
  'registry-add': { options: ['config', 'workspace'], wantsConfig: true, wantsName: true },
  'registry-remove': { options: ['config', 'workspace'], wantsConfig: true, wantsName: true },
  'install-service': {
    options: ['config', 'workspace', 'http', 'lexical', 'profile', 'modes', 'write', 'undo', 'force'],
    wantsConfig: true,
  },
  'connect-client': { options: ['config', 'project', 'name', 'bridge', 'replace', 'write', 'undo'], wantsName: true },
  login: { options: ['config', 'workspace', 'no-browser'], wantsConfig: true, wantsName: true },
  logout: { options: ['config', 'workspace'], wantsConfig: true, wantsName: true },
}

/** Counts gateways that start gateways. */
const DEPTH = 'ZOO_TOOL_ROUTER_DEPTH'
/** One before another is a use; more are a circle. */
const MAX_DEPTH = 3
/** How long servers may take to end after a signal: twice the grace that each of them has. */
const CLOSE_MS = 8_000
/** How long calls under way may take to be answered after SIGTERM: as long as a call may where nothing else is said. */
const DRAIN_MS = 60_000

/** @type {NonNullable<import('node:util').ParseArgsConfig['options']>} */
const options = {
  config: { type: 'string' },
  http: { type: 'string' },
  lexical: { type: 'boolean' },
  profile: { type: 'string' },
  'token-file': { type: 'string' },
  modes: { type: 'string' },
  // Of `connect`: the folder where clients find the gateway.
  shared: { type: 'string' },
  quiet: { type: 'boolean' },
  ui: { type: 'boolean' },
  workspace: { type: 'string' },
  verbose: { type: 'boolean' },
  from: { type: 'string', multiple: true },
  project: { type: 'string' },
  out: { type: 'string' },
  later: { type: 'string', multiple: true },
  check: { type: 'string' },
  'inherit-env': { type: 'boolean' },
  pin: { type: 'boolean' },
  force: { type: 'boolean' },
  write: { type: 'boolean' },
  bridge: { type: 'boolean' },
  replace: { type: 'boolean' },
  undo: { type: 'boolean' },
  name: { type: 'string' },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  days: { type: 'string' },
  to: { type: 'string' },
  tools: { type: 'string' },
  ask: { type: 'boolean' },
  sessions: { type: 'string' },
  seed: { type: 'string' },
  learn: { type: 'boolean' },
  model: { type: 'string' },
  key: { type: 'string' },
  budget: { type: 'string' },
  price: { type: 'string' },
  html: { type: 'string' },
  'no-browser': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
}

const print = (line) => process.stdout.write(`${line}\n`)
const say = (line) => process.stderr.write(`zoo-tool-router: ${line}\n`)

const packageFile = () => JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

let gateway
/** Of OpenTelemetry, where one was started. */
let telemetry
let ending = false

/** Ends all servers, then the process. The second time it does not wait. */
async function end(exitCode, { drains = false } = {}) {
  if (ending) process.exit(exitCode)
  ending = true
  if (drains) await gateway?.drain(DRAIN_MS).catch(() => {})
  setTimeout(() => process.exit(exitCode), CLOSE_MS).unref()
  await gateway?.close().catch(() => {})
  await telemetry?.shutdown().catch(() => {})
  process.exit(exitCode)
}

async function main() {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return void process.stdout.write(USAGE)
  if (values.version) {
    return void process.stdout.write(`${packageFile().version}\n`)
  }
  const [name, server] = positionals
  const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name] : undefined
  const isWhole =
    command !== undefined &&
    (positionals.length === (command.wantsName ? 2 : 1) || (command.mayName && positionals.length === 2)) &&
    !(command.wantsConfig && values.config === undefined) &&
    Object.keys(values).every((key) => command.options.includes(key))
  if (!isWhole) {
    process.stderr.write(USAGE)
    process.exitCode = 2
    return undefined
  }
  if (name === 'gateway') return serve(values)
  if (name === 'connect') return connect(values)
  process.exitCode = await run(name, values, server)
  return undefined
}

/** A command that does one thing and ends. Its report is on standard output. */
async function run(name, values, server) {
  // Who reads the report may have enough of it, as `head` has.
  process.stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 1))
  switch (name) {
    case 'page':
      return (await import('./page.mjs')).runPage(values, packageFile().version, print)
    case 'import':
      return (await import('./import.mjs')).runImport(values, print)
    case 'doctor':
      return (await import('./doctor.mjs')).runDoctor(values, print, say, (opened) => (gateway = opened))
    case 'report':
      return (await import('./report.mjs')).runReport(
        values,
        server,
        print,
        say,
        (opened) => (gateway = opened),
      )
    case 'replay':
      return (await import('./replay.mjs')).runReplay(values, print, say, (opened) => (gateway = opened))
    case 'compare':
      return (await import('./compare.mjs')).runCompare(values, print)
    case 'approve':
      return (await import('./approve.mjs')).runApprove(values, server, print)
    case 'add-key':
    case 'keys':
    case 'revoke-key':
      return (await import('./keys.mjs')).runKeys(values, name, server, print)
    case 'registry':
    case 'registry-add':
    case 'registry-remove':
      return (await import('./registry.mjs')).runRegistry(values, name, server, print)
    case 'migrate-store':
      return (await import('./migrate-store.mjs')).runMigrateStore(values, print)
    case 'install-service':
      return (await import('./install-service.mjs')).runInstallService(values, print)
    case 'connect-client':
      return (await import('./connect-client.mjs')).runConnectClient(values, server, print)
    case 'login':
      return (await import('./login.mjs')).runLogin(values, server, print)
    default:
      return (await import('./login.mjs')).runLogout(values, server, print)
  }
}

async function serve(values) {
  // Servers get the depth with their variables: a gateway whose configuration names itself would start for ever.
  const depth = Number(process.env[DEPTH] ?? 0)
  if (depth >= MAX_DEPTH)
    throw new Error(`more than ${MAX_DEPTH} gateways behind each other; does the configuration name its own gateway?`)
  process.env[DEPTH] = String(depth + 1)
  const { createGateway } = await import('../gateway/index.mjs')
  telemetry = await (await import('../base/telemetry.mjs')).startSdk(say)
  const address = values.http === undefined ? undefined : readAddress(values.http)
  if (values.ui && address === undefined)
    throw new Error('--ui: expected --http beside it, got none; add --http 127.0.0.1:0, or a port of your choice')
  const { config: configFile, workspace, profile, modes, verbose, quiet } = values
  const oneClient = address === undefined
  gateway = await createGateway({
    configFile,
    workspace,
    profile,
    modes,
    verbose,
    oneClient,
    watch: true,
    log: quiet ? undefined : say,
  })
  if (!values.lexical) {
    const { vectorStore } = gateway
    gateway.router.loadModel({ vectorStore }).catch((error) => say(`${error.message}; ranking is by terms only`))
  }
  return address === undefined ? serveStdio() : serveHttp(address, values)
}

/** The client ends with its bridge, and the shared gateway some seconds after the last of them. */
async function connect(values) {
  const { runConnect } = await import('./connect.mjs')
  gateway = await runConnect(values, packageFile().version, { onEnd: () => ending || void end(0), say })
}

async function serveStdio() {
  const { StdioTransport } = await import('../http/stdio.mjs')
  const transport = new StdioTransport({ maxBytes: gateway.config.settings.maxMessageBytes })
  // What the transport has to say about the client's messages is printed even when servers are not mentioned.
  transport.onerror = ({ message }) => say(message)
  transport.onclose = () => ending || void end(0)
  await gateway.connect(transport)
}

async function serveHttp({ host, port }, { shared, ui, 'token-file': tokenFile }) {
  const token = process.env.ZOO_TOOL_ROUTER_TOKEN || (tokenFile && readFileSync(tokenFile, 'utf8').trim())
  delete process.env.ZOO_TOOL_ROUTER_TOKEN
  const endpoint = await gateway.listen({ host, port, token, page: ui })
  if (shared !== undefined) {
    const { openShared } = await import('../shared/meeting.mjs')
    openShared(shared, endpoint, () => void end(0))
    return
  }
  say(`listening on ${endpoint.url}`)
  if (token === undefined) say(`bearer token ${endpoint.token}`)
  if (ui) say(`the page opens once at ${endpoint.pageUrl}; afterwards by the bearer token`)
}

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`, or a port alone. */
function readAddress(text) {
  const [, host = '127.0.0.1', port] = /^(?:(\[[\da-f:]+\]|[^:]+):)?(\d+)$/i.exec(text) ?? []
  if (port === undefined) throw new Error(`--http: expected host:port, got ${JSON.stringify(text)}`)
  return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    // Of a gateway that a terminal has, its end; of any other, the wish that it reads its file again.
    const reloads = signal === 'SIGHUP' && gateway?.reloader !== undefined && !process.stdin.isTTY
    // Whoever supervises a gateway sends SIGTERM and waits; a person at a terminal does not.
    if (!reloads) return void end(128 + os.constants.signals[signal], { drains: signal === 'SIGTERM' })
    // What is wrong is in the log.
    return void gateway.reload().catch(() => {})
  })

try {
  await main()
} catch (error) {
  const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' && /@modelcontextprotocol\//.test(String(error.message))
  const needed = () =>
    Object.keys(packageFile().peerDependencies)
      .filter((name) => name.startsWith('@modelcontextprotocol/'))
      .join(' ')
  say(isMissing ? `the gateway needs the MCP SDK; install it with: npm install ${needed()}` : error.message)
  await end(error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? 2 : 1)
}
