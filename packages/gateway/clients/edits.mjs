// Changes of single entries in the file of a client. What else stands there stays as it is, comments included; where that
// cannot be made sure of, nothing is changed.

import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'

import * as toml from 'smol-toml'

import { parseText } from '../config/file.mjs'
import { jsonWith } from '../config/json-edit.mjs'

const require = createRequire(import.meta.url)

/**
 * A text in which some entries are others.
 *
 * @param {string} text
 * @param {string} file whose name says what it holds
 * @param {string} key where the entries are
 * @param {Map<string, object | undefined>} changes entries by name; undefined takes one out
 * @returns {string}
 * @throws {ToolRouterError} when the text cannot be parsed; {@link Error} when it would lose something
 */
export function changed(text, file, key, changes) {
  const before = text.trim() === '' ? {} : parseText(text, file)
  const edit = /\.toml$/i.test(file) ? inToml : /\.ya?ml$/i.test(file) ? inYaml : inJson
  let after = text
  for (const [name, entry] of changes) after = edit(after, key, name, entry)
  if (!isDeepStrictEqual(plainCopy(parseText(after, file)), plainCopy(expected(before, key, changes))))
    throw new Error(`${file} is written in a way that cannot be changed without losing something; change it by hand`)
  return after
}

/** @returns {Map<string, any>} the entries of a text */
export function entriesIn(text, file, key) {
  const all = text.trim() === '' ? undefined : parseText(text, file)
  const entries = all?.[key]
  if (entries !== undefined && (entries === null || typeof entries !== 'object' || Array.isArray(entries)))
    throw new Error(`${file} has something else than servers under ${key}; change it by hand`)
  return new Map(Object.entries(entries ?? {}))
}

function expected(before, key, changes) {
  const entries = new Map(Object.entries(before?.[key] ?? {}))
  for (const [name, entry] of changes) {
    if (entry === undefined) entries.delete(name)
    else entries.set(name, entry)
  }
  return { ...before, [key]: Object.fromEntries(entries) }
}

/** Without what only one of the parsers makes: prototypes, dates. A key without entries is as good as none. */
function plainCopy(value) {
  return JSON.parse(JSON.stringify(value, (_, each) => (each !== null && isEmptyObject(each) ? undefined : each)))
}

function isEmptyObject(value) {
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
}

const inJson = (text, key, name, entry) => jsonWith(text, [key, name], entry)

/** The lines from the header of a table to the next one that is not inside it. */
function inToml(text, key, name, entry) {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text === '' ? [] : text.split(/\r?\n/)
  const own = new RegExp(
    `^\\s*\\[\\s*${key}\\s*\\.\\s*(["']?)${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\1\\s*[.\\]]`,
  )
  const from = lines.findIndex((line) => own.test(line))
  const block =
    entry === undefined
      ? []
      : toml
          .stringify({ [key]: { [name]: entry } })
          .trim()
          .split('\n')
  if (from < 0) {
    if (block.length === 0) return text
    while (lines.at(-1)?.trim() === '') lines.pop()
    return [...lines, ...(lines.length > 0 ? [''] : []), ...block, ''].join(eol)
  }
  const length = lines.slice(from + 1).findIndex((line) => /^\s*\[/.test(line) && !own.test(line))
  const to = length < 0 ? lines.length : from + 1 + length
  const rest = lines.slice(to)
  return [...lines.slice(0, from), ...block, ...(block.length > 0 ? [''] : []), ...rest].join(eol)
}

/** The lines of an entry are other ones; where they cannot be told apart, the file is written again. */
function inYaml(text, key, name, entry) {
  const { parse, parseDocument, stringify } = require('yaml')
  const document = parseDocument(text)
  const lines = yamlLines(text, document.get(key, true), { key, name }, entry && stringify({ [name]: entry }))
  if (entry === undefined) document.deleteIn([key, name])
  else document.setIn([key, name], document.createNode(entry))
  try {
    if (lines !== undefined && isDeepStrictEqual(parse(lines), document.toJS())) return lines
  } catch {
    // Lines that are no YAML.
  }
  return document.toString({ lineWidth: 0 })
}

/**
 * @param {string} text
 * @param {any} entries the node that holds them
 * @param {{ key: string, name: string }} place
 * @param {string} [block] the entry as it is written; undefined to take it out
 * @returns {string | undefined} undefined where entries have no lines of their own
 */
function yamlLines(text, entries, { key, name }, block) {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(/\r?\n/)
  const written = (indent) =>
    block === undefined
      ? []
      : block
          .trimEnd()
          .split('\n')
          .map((line) => (line === '' ? '' : indent + line))
  if (entries === undefined && block !== undefined) {
    while (lines.at(-1)?.trim() === '') lines.pop()
    return [...lines, `${key}:`, ...written('  '), ''].join(eol)
  }
  if (!entries?.items?.length || entries.flow) return undefined
  const lineOf = (item) => text.slice(0, item.key.range[0]).split('\n').length - 1
  const own = entries.items.find((item) => item.key.value === name)
  const from = lineOf(own ?? entries.items.at(-1))
  const indent = lines[from].slice(0, lines[from].search(/\S/))
  const isWithin = (line) => /^ *$/.test(line) || line.startsWith(`${indent} `) || line.startsWith(`${indent}-`)
  const length = lines.slice(from + 1).findIndex((line) => !isWithin(line))
  let to = length < 0 ? lines.length : from + 1 + length
  while (lines[to - 1].trim() === '') to -= 1
  return [...lines.slice(0, own ? from : to), ...written(indent), ...lines.slice(to)].join(eol)
}
