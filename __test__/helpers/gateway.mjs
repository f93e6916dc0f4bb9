// Gateways and their clients: the official SDK's client, in process, over stdio and over HTTP.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

import { commandOf, readDefinitions } from '../../examples/demo/servers.mjs'
import { createGateway } from '../../packages/gateway/gateway/index.mjs'
import { DEFAULT_META_TOOLS } from '../../packages/gateway/names/meta-tools.mjs'
import { tempDir } from './temp.mjs'

export { lives } from '../../packages/gateway/base/processes.mjs'
export { tempDir as folder } from './temp.mjs'

// What was accepted in another run is nothing here: servers have the same names then.
const state = mkdtempSync(path.join(tmpdir(), 'tool-router-state-'))
process.env.XDG_STATE_HOME = state
process.on('exit', () => rmSync(state, { recursive: true, force: true }))

const file = (name) => fileURLToPath(new URL(name, import.meta.url))

/** How many tools a client sees at first. */
export const META_COUNT = DEFAULT_META_TOOLS.length
/** Tools of fixtures/odd-server.mjs that the protocol takes. */
export const ODD_COUNT = 22
export const CLI = file('../../packages/gateway/cli.mjs')
export const ODD = file('../fixtures/odd-server.mjs')
/** A server with one tool, which says the word that the server was started with. */
export const MARKED = file('../fixtures/marked-server.mjs')
const LATE = file('../fixtures/late-server.mjs')

/** A server of the configuration: that of odd-server.mjs. */
export const odd = (more = {}, ...args) => ({ command: process.execPath, args: [ODD, ...args], ...more })
export const late = (more = {}) => ({ command: process.execPath, args: [LATE], ...more })

/** Real servers of the demo as a configuration has them, each with a folder of its own under `folder`. */
export function realServers(folder, names) {
  return Object.fromEntries(
    readDefinitions(names).map((definition) => {
      const own = mkdtempSync(path.join(folder, `${definition.name}-`))
      return [definition.name, commandOf(definition, own)]
    }),
  )
}

/** What nothing takes, on the busiest machine: a test that waits this long fails. The SDK's own minute is too short there. */
export const LONG_MS = 240_000
const LONG_S = LONG_MS / 1000

/** A client that waits long for each answer. */
export function patient(client) {
  const { request } = client
  client.request = (asked, ...rest) => {
    const last = rest.at(-1)
    const isOptions = last === undefined || !('~standard' in last || 'safeParse' in last)
    const options = isOptions ? rest.pop() : {}
    return request.call(client, asked, ...rest, { timeout: LONG_MS, ...options })
  }
  return client
}

/** Servers that may take long to start and to answer, unless a test says otherwise. */
function inNoHurry(mcpServers) {
  const entries = Object.entries(mcpServers ?? {})
  return Object.fromEntries(entries.map(([name, entry]) => [name, { startTimeout: LONG_S, ...entry }]))
}

let made = 0

/**
 * A gateway in this process, closed with the test. Names of servers get a suffix: the process has one catalogue. `keepsLists`: of
 * tools, in its `dir`. `fixed`: instead of what has one value.
 */
export async function gateway(t, config, { log, verbose, ready = true, keepsLists = false, fixed = {} } = {}) {
  const mcpServers = inNoHurry(config.mcpServers)
  const opened = await createGateway(
    { config: { ...config, mcpServers, gateway: { timeout: LONG_S, ...config.gateway } }, log, verbose },
    { ...(!keepsLists && { listDir: undefined }), ...fixed },
  )
  t.teardown(() => opened.close())
  if (ready) await opened.ready({ timeoutMs: LONG_MS })
  return opened
}

/** A name that no other test of the process uses, and the provider name of a tool of it. */
export function unique(name) {
  made += 1
  return `${name}${made}`
}

/** A client with `changes`, the count of list_changed it has received, and a few words for short tests. */
export async function connectClient(transport) {
  const client = patient(new Client({ name: 'test', version: '0.0.0' }))
  client.onerror = () => {}
  client.changes = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => (client.changes += 1))
  await client.connect(transport, { timeout: LONG_MS })
  client.names = async () => (await client.listTools()).tools.map(({ name }) => name)
  client.use = (name, args = {}, options) => client.callTool({ name, arguments: args }, undefined, options)
  client.ask = async (name, args) => {
    const answer = await client.use(name, args)
    return answer.isError ? { error: answer.content[0].text } : JSON.parse(answer.content[0].text)
  }
  return client
}

/** The progress a client receives from now on. Its SDK itself passes none on that comes together with the result. */
export function progressReceived(client) {
  const received = []
  const { transport } = client
  const { onmessage } = transport
  transport.onmessage = (message, ...rest) => {
    if (message.method === 'notifications/progress') received.push(message.params.progress)
    onmessage.call(transport, message, ...rest)
  }
  return received
}

/** A client in this process. */
export async function inProcess(t, opened) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await opened.connect(theirs)
  const client = await connectClient(ours)
  t.teardown(() => client.close())
  return client
}

/** Has a client load all tools of a server, by their names: a module loads its core. */
export function loadAll(client, opened, serverName) {
  const names = [...opened.catalogue.entries.get(serverName).names.values()]
  return client.ask('mcp_load', { query: names.join(', ') })
}

/** A client of a gateway over HTTP. */
export async function overHttp(t, endpoint) {
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), {
    requestInit: { headers: { Authorization: `Bearer ${endpoint.token}` } },
  })
  const client = await connectClient(transport)
  t.teardown(() => client.close())
  return client
}

/** A file with a configuration, or with a text, in a folder of its own. */
export function configFile(t, config = { mcpServers: { odd: odd() } }) {
  const written = path.join(tempDir(t), 'mcp.json')
  writeFileSync(written, typeof config === 'string' ? config : JSON.stringify(config))
  return written
}

/** A client of the command line over stdio. `errors()` is what it printed for a person. */
export async function overStdio(t, config, { args = [], env = {} } = {}) {
  const whole = { ...config, gateway: { dir: tempDir(t), ...config.gateway } }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'gateway', '--config', configFile(t, whole), '--lexical', ...args],
    env: { ...process.env, ...env },
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr.on('data', (chunk) => (stderr += chunk))
  const client = await connectClient(transport)
  t.teardown(() => client.close())
  client.errors = () => stderr
  client.pid = transport.pid
  await allAsked(client)
  return client
}

/** Waits until the gateway of a client has asked its servers: it waits some seconds itself, which a busy machine takes. */
export async function allAsked(client) {
  while ((await client.ask('manage_modules', { action: 'list' })).still_starting !== undefined)
    await new Promise((resolve) => setTimeout(resolve, 100))
}

/** The command line as a process of its own. `line(pattern)` resolves with the first line of stderr that matches. */
export function startCli(t, args, { env = {}, stdin = 'pipe', cli = CLI } = {}) {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...process.env, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const started = { child, stdout: '', stderr: '' }
  const waiting = []
  child.stdout.on('data', (chunk) => (started.stdout += chunk))
  child.stderr.on('data', (chunk) => {
    started.stderr += chunk
    for (const { pattern, resolve } of waiting) if (pattern.test(started.stderr)) resolve(pattern.exec(started.stderr))
  })
  started.line = (pattern) =>
    pattern.test(started.stderr)
      ? Promise.resolve(pattern.exec(started.stderr))
      : new Promise((resolve) => waiting.push({ pattern, resolve }))
  started.ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })))
  return started
}

/** Waits until something holds. The limit is far above what any of these needs; the test fails when it is reached. */
export async function until(t, holds, what, limitMs = LONG_MS) {
  const deadline = Date.now() + limitMs
  while (Date.now() < deadline) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  t.fail(`did not come about: ${what}`)
}
