// SPDX-License-Identifier: Apache-2.0
//
// A configuration file as a value: JSON with comments and trailing commas, as editors write it, or Codex's TOML.

import fs from 'node:fs'

import jsonc from 'jsonc-parser'
import * as toml from 'smol-toml'

import { invalid, routerError } from '../errors.mjs'

/** Bytes of a configuration file: far more than anybody writes, far less than memory. */
const MAX_FILE_BYTES = 4 * 1024 * 1024

/**
 * Reads a file that some client wrote.
 *
 * @param {string} file
 * @returns {unknown}
 * @throws {ToolRouterError} `ERR_CONFIG_INVALID` for what is neither JSON nor TOML, with its line and never with its text;
 * `ERR_INVALID_ARGUMENT` for a file that cannot be read
 */
export function readFile(file) {
  let text
  try {
    const stat = fs.statSync(file)
    // A pipe would be waited for, and for ever where nobody writes to it.
    if (!stat.isFile()) throw invalid('config', 'a file', 'something else')
    if (stat.size > MAX_FILE_BYTES) throw invalid('config', `a file of at most ${MAX_FILE_BYTES} bytes`, stat.size)
    text = fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    if (error.name === 'ToolRouterError') throw error
    throw routerError(
      'ERR_INVALID_ARGUMENT',
      `config: cannot be read (${error.code ?? error.message}); check the path`,
      error,
    )
  }
  return file.endsWith('.toml') ? parseToml(text) : parseJson(text)
}

/** @returns {unknown} */
export function parseJson(text) {
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
    throw syntaxError('JSON', 'it is nested too deeply') // the parser calls itself
  }
  if (tree === undefined || errors.length > 0) {
    const at = errors[0]?.offset ?? 0
    throw syntaxError('JSON', `a syntax error in line ${text.slice(0, at).split('\n').length}`)
  }
  return plainValue(tree)
}

/** By hand: the parser's own way sets `__proto__` where it should define it. */
function plainValue({ type, children = [], value }) {
  if (type === 'array') return children.map(plainValue)
  if (type !== 'object') return value
  return Object.fromEntries(children.map(({ children: [key, entry] }) => [key.value, plainValue(entry)]))
}

function parseToml(text) {
  try {
    return toml.parse(text)
  } catch (error) {
    // Its message quotes the line, and that may hold a token.
    throw syntaxError('TOML', error.line === undefined ? 'a syntax error' : `a syntax error in line ${error.line}`)
  }
}

function syntaxError(kind, what) {
  return routerError('ERR_CONFIG_INVALID', `config: expected ${kind}, got ${what}`)
}
