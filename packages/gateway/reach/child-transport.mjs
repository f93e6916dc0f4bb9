// A transport of the SDK over a child process. Unlike the SDK's own it ends the whole process group, keeps the order of
// progress and result, and reads large messages in linear time.

import { spawn } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { setImmediate as turn } from 'node:timers/promises'

import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { deserializeMessage } from '@modelcontextprotocol/client'

import { parse, stringify } from '@zoo-code/tool-router/exact-json'

import { LineReader, LineWriter } from '../base/lines.mjs'
import { longAnswer, MAX_MESSAGE_BYTES, MAX_NOTICE_BYTES, mostOf, received } from '../base/long-answer.mjs'
import { HAS_GROUPS, signalProcess, signalTree, startedWith } from '../base/processes.mjs'
import { settled } from '../base/settled.mjs'
import { oddAnswer } from './exchanges.mjs'
import { LivingGroups, mark, OF_ALL } from './watchdog.mjs'

/** Messages that may wait to be handled before the server has to wait. */
const MAX_WAITING = 1_000
/** How long a server may take to end after its input is closed, then after SIGTERM. */
const GRACE_MS = 2_000
/** How long what a server started may take to end after it: most ends by itself. */
const ORPHAN_GRACE_MS = 500
/** How long what a server said last may take to arrive: megabytes may wait in the pipe. */
const LAST_WORDS_MS = 1_000
/** How often it is looked whether a group has ended. */
const LOOK_MS = 20

/** Groups that live, for the last resort at the end of the process. */
const living = new LivingGroups()
let watching = false

/** Kills what lives when the process ends without close(): nothing asynchronous runs any more then. */
function watchExit(pid) {
  living.add(pid)
  if (watching) return
  watching = true
  process.on('exit', () => {
    for (const group of living) signalTree(group, 'SIGKILL')
    for (const pid of startedWith(OF_ALL)) signalProcess(pid, 'SIGKILL')
  })
}

/**
 * @typedef {import('@modelcontextprotocol/client').Transport} Transport
 * @typedef {import('@modelcontextprotocol/client').JSONRPCMessage} Message
 *
 * @typedef {object} Program
 * @property {string} command
 * @property {string[]} args
 * @property {Map<string, string>} env
 * @property {Map<string, string>} [inherited] variables of the gateway that it gets
 * @property {string} [cwd]
 */

/**
 * @param {Program} definition
 * @param {(chunk: Buffer) => void} [onStderr] what the server prints, which is dropped otherwise
 */
export function childTransport(definition, onStderr) {
  return HAS_GROUPS ? new ChildTransport(definition, onStderr) : new WindowsChildTransport(definition, onStderr)
}

/**
 * What a server is started with: a few variables that any program needs, those that it is to get, and its own.
 *
 * @param {Program} definition
 */
function environment({ env, inherited = new Map() }, marked = []) {
  const { ZOO_TOOL_ROUTER_DEPTH: depth } = process.env // see cli.mjs
  // A Map may hold `__proto__`; fromEntries defines it as a plain key.
  const given = Object.fromEntries([...inherited, ...env, ...marked])
  const base = getDefaultEnvironment()
  // The folder of this Node.js has `node` and `npx`, wherever the gateway was started from.
  if (base.PATH !== undefined) base.PATH += path.delimiter + path.dirname(process.execPath)
  return { ...base, ...(depth && { ZOO_TOOL_ROUTER_DEPTH: depth }), ...given }
}

/** @implements {Transport} */
class ChildTransport {
  /** @type {Transport['onmessage']} */
  onmessage
  /** @type {Transport['onclose']} */
  onclose
  /** @type {Transport['onerror']} */
  onerror
  /** How it frames its messages, where that is none of the protocol. @type {string | undefined} */
  framing
  #definition
  #onStderr
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child
  #mark = mark()
  #lines = new LineReader(MAX_NOTICE_BYTES, {
    mostOf,
    onLine: (line) => this.#read(line),
    onTooLong: (head, tail) => this.#hand(longAnswer(head, tail)),
  })
  /** @type {LineWriter | undefined} */
  #writer
  /** @type {Message[]} */
  #waiting = []
  /** @type {Promise<void> | undefined} */
  #pumping
  /** @type {Promise<void>} */
  #exited = Promise.resolve()
  /** @type {Promise<void> | undefined} */
  #ended

  /** @param {Program} definition @param {(chunk: Buffer) => void} [onStderr] */
  constructor(definition, onStderr) {
    this.#definition = definition
    this.#onStderr = onStderr
  }

  get pid() {
    return this.#child?.pid ?? null
  }

  /** By this and the id of the process the SDK knows that it is no HTTP. What is printed goes elsewhere. */
  get stderr() {
    return null
  }

  /** How its process ended; undefined while it runs. */
  get exit() {
    const { exitCode: code, signalCode: signal } = this.#child ?? {}
    return code === null && signal === null ? undefined : { code, signal }
  }

  /** @returns {Promise<void>} */
  start() {
    if (this.#child) throw new Error('the transport has been started before')
    const { command, args, cwd } = this.#definition
    const child = spawn(command, args, {
      cwd,
      env: environment(this.#definition, [this.#mark]),
      stdio: ['pipe', 'pipe', this.#onStderr ? 'pipe' : 'ignore'],
      // A group of its own, which is ended as a whole: `npx` starts a server as a grandchild.
      detached: true,
      shell: false,
    })
    this.#child = child
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()))
    child.stdin?.on('error', (error) => this.onerror?.(error)) // EPIPE when it has ended
    child.stdout?.on('data', (chunk) => this.#lines.take(chunk))
    child.stdout?.on('error', (error) => this.onerror?.(error))
    if (this.#onStderr) child.stderr?.on('data', this.#onStderr)
    return new Promise((resolve, reject) => {
      child.once('spawn', () => {
        watchExit(child.pid)
        resolve()
      })
      child.once('error', (error) => {
        reject(error)
        this.onerror?.(error)
      })
      // Not `close`: a grandchild may hold the pipes open for ever.
      child.once('exit', () => void this.#reap(child))
    })
  }

  /**
   * After the server has ended: takes what it still said, ends what it started, and tells of the end once.
   *
   * @param {import('node:child_process').ChildProcess} child
   */
  #reap(child) {
    this.#ended ??= (async () => {
      const closed = new Promise((resolve) => child.once('close', resolve))
      const groupEnded = endGroup(child.pid, this.#mark.join('='))
      await settled(closed, LAST_WORDS_MS)
      await this.#pump()
      this.#lines.clear()
      this.onclose?.()
      await groupEnded
      living.delete(child.pid)
      for (const stream of child.stdio) stream?.destroy()
    })()
    return this.#ended
  }

  async close() {
    const child = this.#child
    if (!child?.pid) return
    if (child.exitCode === null && child.signalCode === null) {
      child.stdin?.end()
      if (!(await settled(this.#exited, GRACE_MS))) {
        signalTree(child.pid, 'SIGTERM')
        if (!(await settled(this.#exited, GRACE_MS))) {
          signalTree(child.pid, 'SIGKILL')
          await this.#exited
        }
      }
    }
    await this.#reap(child)
  }

  /** @param {Message} message */
  send(message) {
    const { stdin } = this.#child ?? {}
    if (!stdin?.writable) return Promise.reject(new Error('the server has ended'))
    // It may end meanwhile: the request itself is then rejected with the connection.
    this.#writer ??= new LineWriter(stdin)
    return this.#writer.write(message)
  }

  #read(line) {
    const json = received(line)?.trim()
    if (!json) return
    let message
    try {
      message = deserializeMessage(json)
    } catch {
      // Its text is not told: what a server prints is not ours to log.
      this.onerror?.(new Error('a line of the server is not a JSON-RPC message'))
      this.framing ??= framingOf(line)
      message = answerLike(line)
    }
    this.#hand(message)
  }

  /** @param {Message | undefined} message */
  #hand(message) {
    if (message === undefined) return
    this.#waiting.push(message)
    if (this.#waiting.length > MAX_WAITING) this.#child?.stdout?.pause()
    void this.#pump()
  }

  #pump() {
    this.#pumping ??= this.#handWaiting()
    return this.#pumping
  }

  async #handWaiting() {
    await undefined // so that the end below comes after the assignment above
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      try {
        this.onmessage?.(message)
      } catch (error) {
        this.onerror?.(error)
      }
      // The SDK handles a notification some microtasks later and a response immediately: a progress that came just before
      // its result would find nobody. One turn of the event loop lets it through first.
      if (!('id' in message)) await turn()
    }
    // In the same breath as the last look at what waits: a message that comes later begins a new wait.
    this.#pumping = undefined
    this.#child?.stdout?.resume()
  }
}

/** On Windows the SDK finds `npx.cmd` and its like; only the end of the process tree is ours. */
class WindowsChildTransport extends StdioClientTransport {
  /** @type {LineWriter | undefined} */
  #writer

  /** @param {Program} definition @param {(chunk: Buffer) => void} [onStderr] */
  constructor(definition, onStderr) {
    const { command, args, cwd } = definition
    super({
      command,
      args,
      env: environment(definition),
      cwd,
      stderr: onStderr ? 'pipe' : 'ignore',
      maxBufferSize: MAX_MESSAGE_BYTES,
    })
    if (onStderr) this.stderr?.on('data', onStderr)
    // The SDK's own reader of lines, and what it parses them with.
    Object.assign(this, { _readBuffer: exactReader() })
  }

  async start() {
    await super.start()
    watchExit(this.pid)
  }

  /** @param {Message} message */
  send(message) {
    const { _process: child } = /** @type {any} */ (this)
    if (!child?.stdin?.writable) return Promise.reject(new Error('the server has ended'))
    this.#writer ??= new LineWriter(child.stdin)
    return this.#writer.write(message)
  }

  async close() {
    const { pid } = this
    if (pid) signalTree(pid, 'SIGKILL')
    await super.close()
    living.delete(pid)
  }
}

/** What the SDK's transport reads lines with, but that numbers stay as they were written. */
function exactReader() {
  const lines = []
  const onLine = (line) => {
    const json = received(line)?.trim()
    if (json) lines.push(json)
  }
  const onTooLong = (head, tail) => {
    const answer = longAnswer(head, tail)
    if (answer) lines.push(stringify(answer))
  }
  const reader = new LineReader(MAX_NOTICE_BYTES, { mostOf, onLine, onTooLong })
  return {
    append: (chunk) => reader.take(chunk),
    clear: () => reader.clear(),
    readMessage() {
      const line = lines.shift()
      return line === undefined ? null : deserializeMessage(line)
    },
  }
}

/**
 * For an answer that is none of the protocol's, such as one without a result: an error, so that nobody waits for it.
 *
 * @returns {Message | undefined}
 */
function answerLike(line) {
  try {
    const { id, method } = parse(line)
    if (method !== undefined || !['number', 'string'].includes(typeof id)) return undefined
    return oddAnswer(id)
  } catch {
    return undefined
  }
}

function framingOf(line) {
  if (/^Content-Length:\s*\d/i.test(line)) return 'a Content-Length header before each message'
  return /^\s*[[{]\s*$/.test(line) ? 'JSON over several lines' : undefined
}

/** Ends what is left of a group whose leader has ended, and what it started that has left the group. */
async function endGroup(pid, marked) {
  const away = startedWith(`${marked}\0`)
  const send = (signal) => [signalTree(pid, signal), ...away.map((each) => signalProcess(each, signal))].some(Boolean)
  if (!HAS_GROUPS || !send('SIGTERM')) return
  const deadline = Date.now() + ORPHAN_GRACE_MS
  while (Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    if (!send(0)) return
  }
  send('SIGKILL')
}
