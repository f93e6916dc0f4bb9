// Threads that run programs. One that has run a program waits for the next, so that a program begins within
// milliseconds; one that does not come to an end is ended.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

import { programError } from './limits.mjs'

/** Programs that run at the same time, in one process. Each thread takes some 10 MB. */
const MAX_RUNNING = 8
/** Programs whose person is asked: they only wait, so they take no place of one that runs. */
const MAX_ASKED = 24
/** Programs that wait for a thread. */
const MAX_WAITING = 64
/** Programs of one client that have a thread, and that wait for one: others have theirs whatever it does. */
const MAX_OF_ONE = 4
const MAX_WAITING_OF_ONE = 16
/** How long a thread waits for a program before it ends. */
const IDLE_MS = 60_000
/** Megabytes of a thread's own heap and stack: what crosses the border is text of a few, and QuickJS needs stack. */
const RESOURCES = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 }

/** The compiled sandbox, shared by all threads. */
let compiled
const idle = new Set()
const threads = new Set()
const waiting = []
let running = 0
let asked = 0
/** Programs that have a thread, by client. @type {Map<object, number>} */
const places = new Map()

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
  /** Receives what the program under way sends. @type {((message: any) => void) | undefined} */
  listener
  /** What the program in it has of what is bounded. @type {{ client: object, isAsked: boolean } | undefined} */
  place
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

/**
 * A thread for one program. Give it back with {@link give}, or end it.
 *
 * @param {object} client whose program it is
 * @returns {Promise<Thread>}
 */
export async function take(client) {
  if (hasPlace(client)) return begin(client)
  const ofClient = waiting.filter((each) => each.client === client).length
  if (ofClient >= MAX_WAITING_OF_ONE)
    throw programError(
      'ERR_BUSY',
      `${MAX_OF_ONE} programs of this client are under way and ${ofClient} wait; try again later`,
    )
  if (waiting.length >= MAX_WAITING)
    throw programError('ERR_BUSY', `${running} programs run and ${MAX_WAITING} wait; try again later`)
  return new Promise((resolve, reject) => waiting.push({ client, resolve, reject }))
}

const hasPlace = (client) => running < MAX_RUNNING && (places.get(client) ?? 0) < MAX_OF_ONE

async function begin(client) {
  const place = { client, isAsked: false }
  running += 1
  places.set(client, (places.get(client) ?? 0) + 1)
  try {
    const [rested] = idle
    if (rested !== undefined) idle.delete(rested)
    const thread = rested ?? (await opened())
    thread.place = place
    thread.take()
    return thread
  } catch (error) {
    free(place)
    throw error
  }
}

function free({ client, isAsked }) {
  if (isAsked) asked -= 1
  else running -= 1
  const left = (places.get(client) ?? 1) - 1
  if (left > 0) places.set(client, left)
  else places.delete(client)
  next()
}

/** Begins what waits and may begin, the oldest first; a client that has its places keeps nobody else waiting. */
function next() {
  for (;;) {
    const at = waiting.findIndex(({ client }) => hasPlace(client))
    if (at < 0) return
    const [{ client, resolve, reject }] = waiting.splice(at, 1)
    begin(client).then(resolve, reject)
  }
}

/**
 * Leaves the place of a program to others while its person is asked.
 *
 * @param {Thread | undefined} thread
 * @returns {(() => void) | undefined} ends it; undefined where so many are asked that nobody else can be
 */
export function ask(thread) {
  const place = thread?.place
  if (place === undefined) return () => {}
  if (asked >= MAX_ASKED) return undefined
  place.isAsked = true
  asked += 1
  running -= 1
  next()
  return () => {
    if (thread?.place !== place) return
    place.isAsked = false
    asked -= 1
    running += 1
  }
}

/** @param {Thread} thread */
function leave(thread) {
  thread.listener = undefined
  const { place } = thread
  thread.place = undefined
  if (place !== undefined) free(place)
}

/** @param {Thread} thread */
export function give(thread) {
  if (idle.size >= MAX_RUNNING) return end(thread)
  if (threads.has(thread)) {
    idle.add(thread)
    thread.rest()
  }
  leave(thread)
}

/** Ends a thread that does not come to an end by itself; another takes its place where a program waits. @param {Thread} thread */
export function end(thread) {
  void thread.end()
  leave(thread)
}

/** Starts a thread ahead of the first program. */
export async function warm() {
  if (idle.size === 0 && threads.size < MAX_RUNNING) give(await opened())
}

/** Ends the threads that no program runs in. */
export async function close() {
  await Promise.all([...idle].map((thread) => thread.end()))
}
