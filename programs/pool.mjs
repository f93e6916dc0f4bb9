// SPDX-License-Identifier: Apache-2.0
//
// Threads that run programs. One that has run a program waits for the next, so that a program begins within
// milliseconds; one that does not come to an end is ended.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

import { programError } from './limits.mjs'

/** Programs that run at the same time, in one process. Each thread takes some 10 MB. */
const MOST_THREADS = 8
/** Programs that wait for a thread. */
const MOST_WAITING = 64
/** How long a thread waits for a program before it ends. */
const IDLE_MS = 60_000
/** Megabytes of a thread's own heap and stack: what crosses the border is text of a few, and QuickJS needs stack. */
const RESOURCES = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 }

/** The compiled sandbox, shared by all threads. */
let compiled
const idle = new Set()
const threads = new Set()
const waiting = []
let starting = 0

/** @returns {Promise<WebAssembly.Module>} */
async function compile() {
  const require = createRequire(import.meta.url)
  let file
  try {
    const main = createRequire(require.resolve('quickjs-emscripten'))
    file = main.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  } catch {
    const message =
      'programs need the package quickjs-emscripten, which is not installed; npm install quickjs-emscripten'
    throw programError('ERR_RUNTIME_NOT_FOUND', message)
  }
  return WebAssembly.compile(await readFile(file))
}

/** A thread with a program in it, or without. */
class Thread {
  /** What hears of the program under way. @type {((message: any) => void) | undefined} */
  listener
  #worker
  #timer
  #isReady

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.#worker = new Worker(new URL('./worker.mjs', import.meta.url), {
      workerData: { module },
      env: {},
      execArgv: [],
      argv: [],
      stdin: false,
      resourceLimits: RESOURCES,
      name: 'tool-router-program',
    })
    threads.add(this)
    this.#isReady = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve).once('exit', () => reject(new Error('the thread has ended')))
    })
    this.#isReady.catch(() => {})
    this.#worker.on('message', (message) => this.listener?.(message))
    this.#worker.on('error', () => {})
    this.#worker.on('exit', () => this.#gone())
  }

  async ready() {
    await this.#isReady
    return this
  }

  /** @param {object} message */
  post(message) {
    this.#worker.postMessage(message)
  }

  /** Holds the process open while a program runs. */
  take() {
    clearTimeout(this.#timer)
    this.#worker.ref()
  }

  rest() {
    this.listener = undefined
    this.#worker.unref()
    this.#timer = setTimeout(() => this.end(), IDLE_MS)
    this.#timer.unref()
  }

  end() {
    clearTimeout(this.#timer)
    idle.delete(this)
    threads.delete(this)
    return this.#worker.terminate()
  }

  #gone() {
    clearTimeout(this.#timer)
    idle.delete(this)
    threads.delete(this)
    this.listener?.({ kind: 'gone' })
  }
}

async function opened() {
  compiled ??= compile()
  compiled.catch(() => {
    compiled = undefined
  })
  const module = await compiled
  return new Thread(module).ready()
}

/** A thread for one program. Give it back with {@link give}, or end it. */
export async function take() {
  const [thread] = idle
  if (thread !== undefined) {
    idle.delete(thread)
    thread.take()
    return thread
  }
  if (threads.size + starting < MOST_THREADS) return start()
  if (waiting.length >= MOST_WAITING)
    throw programError('ERR_BUSY', `${MOST_THREADS} programs run and ${MOST_WAITING} wait; try again later`)
  return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
}

async function start() {
  starting += 1
  try {
    const thread = await opened()
    thread.take()
    return thread
  } finally {
    starting -= 1
  }
}

/** @param {Thread} thread */
export function give(thread) {
  thread.listener = undefined
  const next = waiting.shift()
  if (next !== undefined) return next.resolve(thread)
  idle.add(thread)
  thread.rest()
}

/** Ends a thread that does not come to an end by itself; another takes its place where a program waits. @param {Thread} thread */
export function end(thread) {
  thread.listener = undefined
  void thread.end()
  const next = waiting.shift()
  if (next !== undefined) start().then(next.resolve, next.reject)
}

/** Starts a thread ahead of the first program. */
export async function warm() {
  if (idle.size === 0 && threads.size + starting < MOST_THREADS) give(await start())
}

/** Ends the threads that no program runs in. */
export async function close() {
  await Promise.all([...idle].map((thread) => thread.end()))
}
