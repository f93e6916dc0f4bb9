// A thread that runs programs, one at a time, each in a WebAssembly instance of its own that is dropped with it. It knows
// nothing of tools: what a program asks for goes to the thread that started it, as text.

import { performance } from 'node:perf_hooks'
import { parentPort, workerData } from 'node:worker_threads'
import { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC } from 'quickjs-emscripten'

import { formsOf, hintFor } from './forms.mjs'
import { INSIDE } from './inside.mjs'

/** Bytes of a page of WebAssembly's memory, and pages that QuickJS has before a program takes any. */
const PAGE = 65_536
const OWN_PAGES = 256
/** Bytes of stack: QuickJS gives up there, long before the thread's own stack (`pool.mjs`) ends. */
const STACK_BYTES = 256 * 1024
/** A program's name in its errors; the line in front of its own. */
const NAME = 'program.js'
/** What a sandbox says where its memory or its stack is spent. */
const OWN_ERROR = 'InternalError'
const OUT_OF_MEMORY = 'out of memory'
const OUT_OF_STACK = 'stack overflow'
/** Jobs that run before it is looked whether the program may go on. */
const JOBS = 100
/** Characters that are printed before they are sent: a message for each line would flood the other thread. */
const PART = 4_096
const silent = () => {}

/** @type {{ module: WebAssembly.Module }} */
const { module } = workerData
/** The program under way. */
let current

/** A fresh instance, whose memory cannot grow beyond what the program may have. */
async function instanceOf(memoryBytes) {
  const maximum = OWN_PAGES + Math.ceil(memoryBytes / PAGE)
  const wasmMemory = new WebAssembly.Memory({ initial: OWN_PAGES, maximum })
  const emscriptenModule = /** @type {any} */ ({ print: silent, printErr: silent })
  const variant = newVariant(RELEASE_SYNC, { wasmModule: module, wasmMemory, emscriptenModule })
  return { quickjs: await newQuickJSWASMModuleFromVariant(variant), wasmMemory }
}

class Program {
  #id
  #limits
  #context
  #memory
  #settle
  #spentMs = 0
  #startedAt = 0
  #pending = 0
  #asked = 0
  #printed = 0
  /** What it printed and the other thread has not been given yet. */
  #unsent = ''
  #isInterrupted = false
  /** How it has ended. */
  #outcome

  constructor(id, limits) {
    this.#id = id
    this.#limits = limits
  }

  get id() {
    return this.#id
  }

  async start(code, parameters, mark) {
    const { quickjs, wasmMemory } = await instanceOf(this.#limits.memoryBytes)
    if (current !== this) return
    this.#memory = wasmMemory
    const runtime = quickjs.newRuntime({
      memoryLimitBytes: this.#limits.memoryBytes,
      maxStackSizeBytes: STACK_BYTES,
      interruptHandler: () => this.#isLate(),
    })
    this.#context = runtime.newContext()
    this.#enter((context) => this.#begin(context, code, { parameters, mark }))
  }

  /** Evaluates what stands before the program, then the program as the body of a function. */
  #begin(context, code, { parameters, mark }) {
    const inside = context.unwrapResult(context.evalCode(INSIDE, 'inside.js'))
    const send = context.newFunction('send', (...args) => this.#sent(context, args))
    const given = [parameters, mark].map((text) => context.newString(text))
    const own = context.unwrapResult(context.callFunction(inside, context.undefined, send, ...given))
    this.#settle = context.getProp(own, 'settle')
    const main = this.#read(context, code)
    if (main !== undefined)
      context.unwrapResult(context.callFunction(context.getProp(own, 'start'), context.undefined, main))
  }

  /** The program as a function; of several forms that it may have been meant in, the first that is one. */
  #read(context, code) {
    let main
    for (const form of formsOf(code)) {
      main?.dispose()
      main = context.evalCode(`(async function () {${form}\n})`, NAME)
      if (!main.error && context.typeof(main.value) === 'function') return main.value
    }
    if (main.error) this.#failed(context, main.error, 'syntax', { hint: hintFor(code) })
    else this.#end('syntax', { message: 'a bracket closes too much' })
    return undefined
  }

  settle(id, isAnswer, text) {
    this.#pending -= 1
    this.#enter((context) => {
      const args = [context.newNumber(id), isAnswer ? context.true : context.false, context.newString(text)]
      context.unwrapResult(context.callFunction(this.#settle, context.undefined, ...args))
      for (const arg of args) arg.dispose()
    })
  }

  /** Lets the program run until it waits. Its end is told when nothing of it runs any more. */
  #enter(act) {
    const context = this.#context
    this.#startedAt = performance.now()
    try {
      act(context)
      this.#work(context)
    } catch (error) {
      this.#broke(error)
    }
    this.#spentMs += performance.now() - this.#startedAt
    this.#flush()
    if (this.#outcome === undefined && this.#isInterrupted) this.#end('compute')
    // A program that has no memory left cannot even say so.
    if (this.#outcome === undefined && this.#pending === 0) this.#end(this.#isSpent() ? 'memory' : 'stalled')
    if (this.#outcome === undefined) return post('idle', this.#id, { spentMs: this.#spentMs })
    current = undefined
    post('end', this.#id, { spentMs: this.#spentMs, ...this.#outcome })
  }

  /** Runs what waits, in parts: a program may catch being interrupted, and go on. */
  #work(context) {
    const { runtime } = context
    while (runtime.hasPendingJob() && !this.#isLate()) {
      const result = runtime.executePendingJobs(JOBS)
      if (result.error) this.#failed(context, result.error, 'threw')
    }
  }

  #isLate() {
    const spentMs = this.#spentMs + performance.now() - this.#startedAt
    this.#isInterrupted ||= spentMs > this.#limits.computeMs
    return this.#isInterrupted || this.#outcome !== undefined
  }

  /** What `send` was given, inside a call of the program. */
  #sent(context, args) {
    if (this.#outcome !== undefined) return
    const [what, id, path, text] = args
    const kind = context.getString(what)
    const size = context.typeof(text) === 'string' ? context.getNumber(context.getProp(text, 'length')) : 0
    const most = this.#limits.sizes[kind]
    const said = size > most ? undefined : context.getString(text)
    if (kind === 'returned') return this.#end(kind, said === undefined ? { size } : { said })
    if (kind === 'threw') return this.#threw(said, size)
    if (kind === 'print') return this.#print(said, size)
    this.#pending += 1
    this.#asked += 1
    if (this.#asked > this.#limits.calls) return this.#end('calls')
    const isShort = context.getNumber(context.getProp(path, 'length')) <= this.#limits.sizes.path
    const named = isShort ? context.getString(path) : ''
    post('ask', this.#id, { what: kind, call: context.getNumber(id), path: named, said })
  }

  /** A line feed counts too: a program may print nothing, for ever. */
  #print(said, size) {
    this.#printed += size + 1
    if (said !== undefined) this.#unsent += `${said}\n`
    if (this.#unsent.length >= PART) this.#flush()
    if (this.#printed > this.#limits.sizes.print) this.#end('output')
  }

  #flush() {
    if (this.#unsent !== '') post('print', this.#id, { said: this.#unsent })
    this.#unsent = ''
  }

  /** An error that the sandbox itself raised, or that nobody caught. */
  #failed(context, handle, kind, more = {}) {
    const error = context.dump(handle)
    const { name, message, stack } = Object(error)
    this.#threw(error === null ? 'null' : JSON.stringify({ name, message, stack }), 0, kind, more)
  }

  #threw(said, size, kind = 'threw', more = {}) {
    if (this.#isInterrupted) return this.#end('compute')
    const error = said === undefined ? {} : JSON.parse(said)
    const isOwn = error?.name === OWN_ERROR
    if (isOwn && error.message === OUT_OF_MEMORY) return this.#end('memory')
    if (isOwn && error.message === OUT_OF_STACK) return this.#end('stack')
    // Where there is no memory for an error, it is null.
    if ((error === null || error.message === 'null') && this.#isFull()) return this.#end('memory')
    this.#end(kind, said === undefined ? { size } : { said: error === null ? '{"message":"null"}' : said, ...more })
  }

  /** Whether the program has had more memory than an instance begins with, which every limit lies above. */
  #isFull() {
    return this.#memory.buffer.byteLength > OWN_PAGES * PAGE
  }

  /** Whether hardly any memory is left. */
  #isSpent() {
    try {
      const { memory_used_size: taken } = this.#context.dump(this.#context.runtime.computeMemoryUsage())
      return !(taken < 0.7 * this.#limits.memoryBytes)
    } catch {
      return true
    }
  }

  /** The instance itself failed; nothing of it is used again. */
  #broke(error) {
    if (this.#isInterrupted) return this.#end('compute')
    this.#end(error instanceof RangeError ? 'stack' : this.#isFull() ? 'memory' : 'broke')
  }

  #end(how, more = {}) {
    this.#outcome ??= { how, ...more }
  }
}

function post(kind, program, more) {
  parentPort?.postMessage({ kind, program, ...more })
}

const ANSWERS = {
  run: ({ program, limits, code, parameters, mark }) => {
    const made = new Program(program, limits)
    current = made
    made.start(code, parameters, mark).catch(() => post('end', program, { how: 'broke', spentMs: 0 }))
  },
  settle: ({ program, call, isAnswer, text }) => {
    if (current?.id === program) current.settle(call, isAnswer, text)
  },
  drop: () => {
    current = undefined
  },
}

parentPort?.on('message', (message) => ANSWERS[message.kind](message))
post('ready', 0, {})
