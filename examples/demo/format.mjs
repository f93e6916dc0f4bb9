// How the demo prints: plain text of at most 100 columns, colour only where a person looks.

import process from 'node:process'

import { count } from '../../packages/gateway/base/numbers.mjs'

export { count, percent } from '../../packages/gateway/base/numbers.mjs'

/** Columns of a line at most. */
export const WIDTH = 100

const live = Boolean(process.stdout.isTTY)
const coloured = live && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
const paint = (code) => (text) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : String(text))

export const bold = paint(1)
export const dim = paint(2)
export const green = paint(32)
export const yellow = paint(33)

/** A part of a whole as blocks; whatever is more than nothing is seen. */
export function bar(part, whole, width) {
  const length = part <= 0 ? 0 : Math.max(1, Math.round((width * part) / (whole || 1)))
  return '█'.repeat(Math.min(width, length))
}

/** A word with its number: `plural(1, 'tool')` is `1 tool`. */
export function plural(number, word) {
  return `${count(number)} ${word}${number === 1 ? '' : 's'}`
}

/** Cuts text to a width and shows that it did; text of servers is kept to one line. */
export function cut(text, width) {
  const characters = [...String(text).replaceAll(/\s+/g, ' ').trim()]
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`
}

/** Breaks text into lines of a width, at spaces. */
export function wrap(text, { indent = 2, width = WIDTH } = {}) {
  const margin = ' '.repeat(indent)
  const lines = []
  let line = ''
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(margin + line)
      line = ''
    }
    line += (line === '' ? '' : ' ') + cut(word, width - indent)
  }
  if (line !== '') lines.push(margin + line)
  return lines.join('\n')
}

/**
 * Rows as aligned columns. A column is `{ title, width, right }`; a cell that is too long is cut.
 *
 * @param {{ title: string, width: number, right?: boolean }[]} columns
 * @param {(string | number)[][]} rows
 */
export function table(columns, rows) {
  const cell = (text, { width, right }) => {
    const shown = cut(text, width)
    const padding = ' '.repeat(Math.max(0, width - [...shown].length))
    return right ? padding + shown : shown + padding
  }
  const line = (cells) => `  ${columns.map((column, at) => cell(cells[at], column)).join('  ')}`.trimEnd()
  return [dim(line(columns.map((column) => column.title))), ...rows.map(line)].join('\n')
}

export function say(text = '') {
  process.stdout.write(`${text}\n`)
}

export function heading(number, title) {
  say(`\n${bold(`${number}. ${title}`)}`)
}

/** Warnings stand out by their word, since colour may be off. */
export function warn(text) {
  say(yellow(wrap(`warning: ${text}`)))
}

/** Shows progress: one line that changes on a terminal, a line every few seconds elsewhere. */
export class Progress {
  #everyMs = live ? 0 : 3_000
  #last = Date.now()
  #width = 0

  show(text) {
    if (Date.now() - this.#last < this.#everyMs) return
    this.#last = Date.now()
    const line = cut(text, WIDTH - 2)
    process.stdout.write(live ? `\r  ${line.padEnd(this.#width)}` : `  ${line}\n`)
    this.#width = line.length
  }

  end() {
    if (live && this.#width > 0) process.stdout.write(`\r${' '.repeat(this.#width + 2)}\r`)
  }
}
