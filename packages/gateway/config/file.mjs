// A configuration file as a value: JSON with comments and trailing commas, as editors write it, Codex's TOML, or the YAML
// of Continue and goose.

import { createRequire } from 'node:module'

import jsonc from 'jsonc-parser'
import * as toml from 'smol-toml'

import { routerError, shown } from '../base/errors.mjs'
import { MAX_OF_CONFIG, readRegular, whyNotRead } from './regular-file.mjs'

/** Loaded by the first YAML file: most gateways read none. */
const require = createRequire(import.meta.url)

/** Characters of a file that is looked through for keys that stand twice: a longer one was written by no person. */
const MAX_LOOKED_THROUGH = 1_000_000
/** How deep a key may stand that is named when the file has it twice: that of a field of an entry. */
const MAX_PATH = 3
/** Keys named at most that stand twice. */
const MAX_TWICE = 20

/**
 * Reads a file that some client wrote.
 *
 * @param {string} file
 * @param {string[]} [notes] gets what a person should look at: keys that stand twice
 * @returns {unknown}
 * @throws {ToolRouterError} `ERR_CONFIG_INVALID` for what cannot be parsed, with its line and never with its text;
 * `ERR_INVALID_ARGUMENT` for a file that cannot be read
 */
export function readFile(file, notes) {
  const text = readText(file)
  const value = parseText(text, file)
  if (!/\.(toml|ya?ml)$/i.test(file) && text.length <= MAX_LOOKED_THROUGH) notes?.push(...keysTwice(text))
  return value
}

/** @param {string} text @param {string} file whose name says what it holds */
export function parseText(text, file) {
  if (/\.toml$/i.test(file)) return parseToml(text, file)
  return /\.ya?ml$/i.test(file) ? parseYaml(text, file) : parseJson(text, file)
}

/**
 * The text of a file, without its byte order mark. PowerShell writes UTF-16.
 *
 * @param {string} file
 * @throws {ToolRouterError} `ERR_INVALID_ARGUMENT` when it cannot be read
 */
export function readText(file) {
  try {
    const bytes = readRegular(file, MAX_OF_CONFIG)
    return new TextDecoder(encodingOf(bytes)).decode(bytes)
  } catch (error) {
    throw routerError(
      'ERR_INVALID_ARGUMENT',
      `config: expected a file to read of at most ${MAX_OF_CONFIG} bytes, got ${whyNotRead(error)} at ${file}; check the path`,
      error,
    )
  }
}

/** @param {Uint8Array} bytes */
function encodingOf(bytes) {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== undefined) ? 'utf-16be' : 'utf-8'
}

/** @param {string} text @param {string} [file] which holds it @returns {unknown} */
export function parseJson(text, file) {
  try {
    return JSON.parse(text)
  } catch {
    // What is not JSON may be JSON with comments.
  }
  const errors = []
  let tree
  try {
    tree = jsonc.parseTree(text, errors, { allowTrailingComma: true })
  } catch {
    throw syntaxError('JSON', 'it is nested too deeply', file) // the parser calls itself
  }
  if (tree === undefined || errors.length > 0) {
    const at = errors[0]?.offset ?? 0
    throw syntaxError('JSON', `a syntax error in line ${text.slice(0, at).split('\n').length}`, file)
  }
  return plainValue(tree)
}

/** Of two keys alike the last one counts; whoever wrote the first one should know. */
function keysTwice(text) {
  const open = []
  const twice = []
  const onObjectProperty = (key, _offset, _length, line, _character, pathOf) => {
    const path = pathOf()
    const keys = open.at(-1)
    if (keys.has(key) && path.length < MAX_PATH && twice.length < MAX_TWICE) {
      const at = path.map((part) => `[${shown(part)}]`).join('')
      twice.push(
        `config${at}: the key ${shown(key)} stands there twice, again in line ${line + 1}; the last one counts`,
      )
    }
    keys.add(key)
  }
  try {
    const onObjectBegin = () => void open.push(new Set())
    jsonc.visit(
      text,
      { onObjectBegin, onObjectEnd: () => void open.pop(), onObjectProperty },
      { allowTrailingComma: true },
    )
  } catch {
    // Nested too deeply for the parser, which calls itself; nobody has written that by hand.
  }
  return twice
}

/** By hand: the parser's own way sets `__proto__` where it should define it. */
function plainValue({ type, children = [], value }) {
  if (type === 'array') return children.map(plainValue)
  if (type !== 'object') return value
  return Object.fromEntries(children.map(({ children: [key, entry] }) => [key.value, plainValue(entry)]))
}

function parseToml(text, file) {
  try {
    return toml.parse(text)
  } catch (error) {
    // Its message quotes the line, and that may hold a token.
    throw syntaxError(
      'TOML',
      error.line === undefined ? 'a syntax error' : `a syntax error in line ${error.line}`,
      file,
    )
  }
}

function parseYaml(text, file) {
  const { parseDocument } = require('yaml')
  let line = 1
  try {
    const document = parseDocument(text, { merge: true, logLevel: 'silent', prettyErrors: false })
    const [error] = document.errors
    // `toJS` bounds what aliases unfold to, and JSON refuses what holds itself.
    if (error === undefined) return JSON.parse(JSON.stringify(document.toJS()))
    line = text.slice(0, error.pos[0]).split('\n').length
  } catch {
    throw syntaxError('YAML', 'what is nested too deeply or holds itself', file)
  }
  throw syntaxError('YAML', `a syntax error in line ${line}`, file)
}

function syntaxError(kind, what, file) {
  const where = file === undefined ? '' : ` of ${file}`
  return routerError('ERR_CONFIG_INVALID', `config: expected ${kind}, got ${what}${where}`)
}
