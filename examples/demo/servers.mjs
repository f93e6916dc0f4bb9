// Real MCP servers over the official SDK: started as child processes, asked for their tools,
// ended without a trace. The demo and the tests use it.

import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { signalProcess } from '../../packages/gateway/base/processes.mjs'

const home = fileURLToPath(new URL('../servers/', import.meta.url))
// The SDK that is installed with the servers, in examples/servers.
const require = createRequire(path.join(home, 'package.json'))

/** Servers started at once: more only slows each of them down on a small machine. */
const AT_ONCE = Math.min(8, Math.max(2, os.availableParallelism()))
/** Pages of one `tools/list`: a server whose cursor never ends is not asked for ever. */
const MAX_PAGES = 100
/** Bytes of a server's stderr that are kept, for the reason why it failed. */
const KEPT_STDERR = 2_000

/**
 * @typedef {object} ServerDefinition an entry of examples/servers/servers.json
 * @property {string} name
 * @property {string} bin the program, from examples/servers or absolute
 * @property {string[]} [runner] what runs the program, with its arguments; Node.js by default
 * @property {string[]} [args] `{tmp}` stands for the server's own folder, here and in `env`
 * @property {Record<string, string>} [env]
 * @property {number} [timeoutMs]
 *
 * @typedef {object} StartedServer
 * @property {string} name
 * @property {number} elapsedMs
 * @property {string} [reason] why it could not be started; then nothing below is there
 * @property {string} [folder] its own folder
 * @property {import('@modelcontextprotocol/sdk/client/index.js').Client} [client]
 * @property {object[]} [tools] as `tools/list` answered them, all pages
 * @property {string} [instructions]
 */

/** @returns {ServerDefinition[]} those named, or all of them, in the order of servers.json */
export function readDefinitions(names) {
  const all = JSON.parse(fs.readFileSync(path.join(home, 'servers.json'), 'utf8'))
  return names === undefined ? all : all.filter((definition) => names.includes(definition.name))
}

/**
 * How a server is started, with `folder` as its home, its working directory and its `{tmp}`.
 *
 * @param {ServerDefinition} definition
 * @param {string} folder
 * @returns {{ command: string, args: string[], env: Record<string, string>, cwd: string }}
 */
export function commandOf({ bin, runner = [process.execPath], args = [], env = {} }, folder) {
  const fill = (text) => text.replaceAll('{tmp}', folder)
  const [command, ...before] = runner
  return {
    command,
    args: [...before, path.resolve(home, bin), ...args.map(fill)],
    env: { ...homeVariables(folder), ...mapValues(env, fill) },
    cwd: folder,
  }
}

/** Asks a server for its tools, page by page. */
export async function listTools(client, timeout = 30_000) {
  const tools = []
  let cursor
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await client.listTools(cursor === undefined ? undefined : { cursor }, { timeout })
    tools.push(...answer.tools)
    cursor = answer.nextCursor
    if (cursor === undefined) return tools
  }
  throw new Error(`tools/list has more than ${MAX_PAGES} pages`)
}

/** Servers that run, in one temporary folder that goes when they do. */
export class RunningServers {
  /** The folder that holds one folder for each server. */
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-')))
  #open = new Map()
  #closing
  #killAll = () => this.#kill()

  constructor() {
    // The last resort, for a process that ends without close(): nothing asynchronous runs any more.
    process.on('exit', this.#killAll)
  }

  /** The folder of one server, which is its home, its working directory and its `{tmp}`. */
  folderOf(name) {
    const folder = path.join(this.folder, name.replaceAll(/[^\w.-]/g, '_'))
    fs.mkdirSync(folder, { recursive: true })
    return folder
  }

  /**
   * Starts several servers and tells of each in the order given, whichever is ready first.
   *
   * @param {ServerDefinition[]} definitions
   * @param {(server: StartedServer) => void | Promise<void>} onServer
   */
  async startAll(definitions, onServer) {
    const waiting = definitions.map((definition) => {
      let begin
      const started = new Promise((resolve) => (begin = () => resolve(this.start(definition))))
      return { begin, started }
    })
    const queue = [...waiting]
    const next = () => {
      const server = queue.shift()
      if (!server) return
      server.begin()
      void server.started.then(next)
    }
    for (let lane = 0; lane < AT_ONCE; lane++) next()
    for (const { started } of waiting) {
      const server = await started
      if (this.#closing) throw new Error('interrupted')
      await onServer(server)
    }
  }

  /**
   * Starts a server and lists its tools. Never rejects: what went wrong is the `reason`.
   *
   * @param {ServerDefinition} definition
   * @param {{ capabilities?: object, onListChanged?: () => void }} [options]
   * @returns {Promise<StartedServer>}
   */
  async start(definition, { capabilities = {}, onListChanged } = {}) {
    const { name, timeoutMs = 30_000 } = definition
    const started = performance.now()
    const elapsedMs = () => Math.round(performance.now() - started)
    let client
    let stderr = ''
    try {
      if (this.#closing) throw new Error('interrupted')
      const { Client } = require('@modelcontextprotocol/sdk/client/index.js')
      const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js')
      const folder = this.folderOf(name)
      const transport = new StdioClientTransport({ ...commandOf(definition, folder), stderr: 'pipe' })
      transport.stderr?.on('data', (chunk) => (stderr = (stderr + chunk).slice(-KEPT_STDERR)))
      client = new Client({ name: 'tool-router-example', version: '0.0.0' }, { capabilities })
      client.onerror = () => {} // a line of a server that is no JSON is not ours to report
      this.#open.set(client, transport)
      if (onListChanged) {
        const { ToolListChangedNotificationSchema } = require('@modelcontextprotocol/sdk/types.js')
        client.setNotificationHandler(ToolListChangedNotificationSchema, onListChanged)
      }
      await client.connect(transport, { timeout: timeoutMs })
      const tools = await listTools(client, timeoutMs)
      return { name, elapsedMs: elapsedMs(), folder, client, tools, instructions: client.getInstructions() }
    } catch (error) {
      if (client) await this.stop(client)
      return { name, elapsedMs: elapsedMs(), reason: reasonOf(error, stderr) }
    }
  }

  /** Ends one server: its input is closed, then it is asked to end, then it is killed. */
  async stop(client) {
    await client.close().catch(() => {})
    this.#open.delete(client)
  }

  /** Ends all servers and removes their folder. Idempotent. With `atOnce` none is asked politely first. */
  close({ atOnce = false } = {}) {
    if (atOnce) this.#signal('SIGTERM')
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close() {
    await Promise.all([...this.#open.keys()].map((client) => this.stop(client)))
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
    process.off('exit', this.#killAll)
  }

  #signal(name) {
    for (const { pid } of this.#open.values()) signalProcess(pid, name)
  }

  #kill() {
    this.#signal('SIGKILL')
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** What a person can act on: the error that the server printed, or what the SDK says. */
function reasonOf(error, stderr) {
  const lines = stderr.split('\n').map((line) => line.trim())
  const printed = lines.find((line) => /error/i.test(line)) ?? lines.findLast(Boolean)
  const message = error.message.replace(/^MCP error -?\d+: /, '')
  return printed ? `${message}: ${printed}` : message
}

/** A home of its own for a server: what it writes there goes with the demo. */
function homeVariables(folder) {
  const names = ['HOME', 'TMPDIR', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TEMP', 'TMP']
  return Object.fromEntries(names.map((name) => [name, folder]))
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}
