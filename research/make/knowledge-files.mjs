// What is known of well-known servers: npm/model/knowledge, a file for each. Its README.md describes the format, which
// src/knowledge/file.rs reads too.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const FOLDER = path.join(import.meta.dirname, '..', '..', 'npm', 'model', 'knowledge', 'servers')
/** Keys of a header, in their order. */
const HEADER = ['named', 'from', 'written', 'checked']
/** The most tools that come before one. */
const MAX_FIRST = 3

/**
 * @typedef {{ first: string[], said?: string, gone?: string }} KnownTool
 * @typedef {{ name: string, header: [key: string, value: string][], tools: Map<string, KnownTool> }} KnownServer
 */

/** All files, by name. @returns {KnownServer[]} */
export function knownServers(folder = FOLDER) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.txt'))
  const names = files.map((file) => path.basename(file, '.txt')).toSorted()
  return names.map((name) => parse(name, readFileSync(path.join(folder, `${name}.txt`), 'utf8')))
}

/** @returns {KnownServer} */
export function parse(name, text) {
  const wrong = (line) => new Error(`${name}.txt: ${line}`)
  const [head, ...rest] = text.split('\n\n')
  const header = head.split('\n').map((line) => /^(\w+): (.+)$/.exec(line)?.slice(1))
  if (header.some((pair) => !HEADER.includes(pair?.[0])))
    throw wrong(`expected a header of ${HEADER.join(', ')}, got ${head}`)
  for (const key of ['named', 'written'])
    if (!header.some(([given]) => given === key)) throw wrong(`expected ${key}: in the header`)
  if (rest.length !== 1 || !rest[0].endsWith('\n')) throw wrong('expected one empty line, behind the header')
  const tools = new Map()
  let last
  for (const line of rest[0].trimEnd().split('\n')) {
    if (line.startsWith('  ')) {
      if (!last || last.said !== undefined) throw wrong(`expected a tool before ${line}`)
      last.said = line.slice(2)
      continue
    }
    const [, tool, gone, first] = /^(\S+?)(?: \(gone (.+?)\))?(?:: (.+))?$/.exec(line) ?? []
    if (tool === undefined || tools.has(tool)) throw wrong(`expected a tool, once, got ${line}`)
    last = { first: first?.split(', ') ?? [], gone }
    tools.set(tool, last)
  }
  for (const [tool, { first }] of tools) {
    const other = first.find((each) => !tools.has(each) || each === tool)
    if (other !== undefined) throw wrong(`expected other tools of the file before ${tool}, got ${other}`)
    if (first.length > MAX_FIRST) throw wrong(`expected at most ${MAX_FIRST} tools before ${tool}, got ${first.length}`)
  }
  return { name, header, tools }
}

/** @param {KnownServer} server */
export function written({ header, tools }) {
  const line = ([tool, { first, said, gone }]) =>
    `${tool}${gone ? ` (gone ${gone})` : ''}${first.length > 0 ? `: ${first.join(', ')}` : ''}\n${said ? `  ${said}\n` : ''}`
  const head = header.toSorted(([a], [b]) => HEADER.indexOf(a) - HEADER.indexOf(b))
  return `${head.map(([key, value]) => `${key}: ${value}\n`).join('')}\n${[...tools].map(line).join('')}`
}

/** What developers say when they need a tool: a line per tool, `server::tool`, a tab, phrases with ` | ` between them. */
export function sayings(servers = knownServers()) {
  const lines = servers.flatMap(({ name, tools }) =>
    [...tools].filter(([, { said }]) => said).map(([tool, { said }]) => `${name}::${tool}\t${said}\n`),
  )
  return lines.join('')
}

/** What `new` leaves for a person to say. */
export const TO_FILL = '(say who: a person or a language model, and what they saw)'
export const TO_FILL_VERSION = '(say its version)'

/** What is not filled in yet. @param {KnownServer[]} servers */
export function unfilled(servers) {
  return servers.flatMap(({ name, header, tools }) => {
    const lines = header
      .filter(([, value]) => value.includes(TO_FILL) || value.includes(TO_FILL_VERSION))
      .map(([key, value]) => `${name}.txt: expected ${key}: to be filled in, got ${value}`)
    if (![...tools.values()].some(({ said, gone }) => said || gone))
      lines.push(`${name}.txt: expected phrases under its tools, got none`)
    return lines
  })
}
