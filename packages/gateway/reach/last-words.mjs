// What a server prints for a person, its standard error: the last lines of it say why it has ended.

import { StringDecoder } from 'node:string_decoder'

import { plain } from '../base/errors.mjs'

/** Lines that are kept: a stack and what stands before it. */
const KEPT = 40
/** Characters of a line that are read. What is longer is data, not words. */
const MAX_LINE = 8_192
/** Characters of a line that are shown. */
const SHOWN = 300
/** Lines that say why a server has ended, and characters of them together. */
const TOLD_LINES = 3
const TOLD = 400

/** Where in the code it happened is for the server's author; what happened is for the user. */
const OF_A_STACK =
  /^\s*(at |\^|Node\.js v\d|File "|Traceback |During handling|\.\.\. \d+ lines|stack backtrace|\d+: 0x|~+)/
const NAMES_AN_ERROR = /\b(\w*Error|\w*Exception|panic(ked)?|fatal|error)\b.*?[:!]/i
/** Fields of an error as Node.js prints it, and the brackets around them: its first line has said the same. */
const OF_AN_OBJECT = /^(\s*[\])}]+[;,]?|\s*(errno|syscall|address|port|spawnargs|code): ['[\d-].*)$/
/** A cause is told behind what it caused. */
const IS_A_CAUSE = /^\s*(\[cause\]:|caused by\b)/i
/** Where a log lies, what is new, and lines with nothing behind their prefix. */
const BESIDE =
  /\b(complete log of this run|debug log) can be found\b|^npm (notice|warn)\b|^npm (error|ERR!)( \d+)?\s*$/i
/** What npm, pnpm and the like put before each line of one error: the first of these lines says what it is. */
const PREFIX = /^\S+ (error|ERR!) /i

export class LastWords {
  #secrets
  #onLine
  #decoder = new StringDecoder('utf8')
  #open = ''
  #lines = []

  /**
   * @param {import('../base/secrets.mjs').Secrets} secrets what is hidden in each line
   * @param {(line: string) => void} [onLine] hears each line as it comes
   */
  constructor(secrets, onLine) {
    this.#secrets = secrets
    this.#onLine = onLine
  }

  /** Takes a piece of what is printed. */
  take(chunk) {
    const lines = (this.#open + this.#decoder.write(chunk)).split(/\r?\n/)
    this.#open = String(lines.pop()).slice(0, MAX_LINE)
    for (const line of lines) this.#add(line)
  }

  #add(line) {
    if (line.trim() === '') return
    // Hidden before it is cut: half a secret is found by nobody, and may be enough.
    const shown = plain(this.#secrets.hide(line.slice(0, MAX_LINE)), SHOWN)
    this.#lines.push(shown)
    if (this.#lines.length > KEPT) this.#lines.shift()
    this.#onLine?.(shown)
  }

  /** All lines that are kept. */
  get lines() {
    if (this.#open !== '') this.#add(this.#open)
    this.#open = ''
    return [...this.#lines]
  }

  get #telling() {
    return this.lines.filter((line) => ![OF_A_STACK, OF_AN_OBJECT, BESIDE].some((pattern) => pattern.test(line)))
  }

  /** The last line that names an error. */
  get error() {
    return this.#telling.findLast((line) => NAMES_AN_ERROR.test(line))
  }

  /** The few that say why, on one line; undefined when nothing was printed. */
  get told() {
    const telling = this.#telling
    let from = telling.findLastIndex((line) => NAMES_AN_ERROR.test(line))
    while (from > 0 && IS_A_CAUSE.test(telling[from])) from -= 1
    const [prefix] = PREFIX.exec(telling[from] ?? '') ?? []
    if (prefix === undefined) from = Math.max(telling.length - TOLD_LINES, from, 0)
    else while (telling[from - 1]?.startsWith(prefix)) from -= 1
    const told = telling
      .slice(from, from + TOLD_LINES)
      .map((line, at) => (at > 0 && prefix !== undefined ? line.replace(prefix, '') : line))
      .join(' | ')
    return told === '' ? undefined : plain(told, TOLD)
  }
}
