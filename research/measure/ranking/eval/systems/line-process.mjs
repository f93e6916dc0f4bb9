// A program that answers each line of JSON with one line of JSON.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export class LineProcess {
  #child
  #lines

  /** Starts it; rejects when there is no such program. */
  static async start(command, args, options = {}) {
    const started = new LineProcess()
    const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'], windowsHide: true })
    child.stdin.on('error', () => {}) // its end is noticed where its answer is awaited
    await once(child, 'spawn')
    started.#child = child
    started.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    return started
  }

  /** One question at a time. */
  async ask(question) {
    this.#child.stdin.write(`${JSON.stringify(question)}\n`)
    const { value, done } = await this.#lines.next()
    if (done)
      throw new Error(`${this.#child.spawnargs.slice(0, 2).join(' ')} ended early; what it wrote above says why`)
    return JSON.parse(value)
  }

  /** Lets it end by itself. */
  close() {
    this.#child.stdin.end()
  }
}
