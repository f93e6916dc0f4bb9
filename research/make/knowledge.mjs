#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// Checks what is known of servers against the live ones, and begins the file of another server.
//
//   node research/make/knowledge.mjs check [--write]
//   node research/make/knowledge.mjs new <name> [--tools <tools.jsonl>] -- <command> [arguments]
//
// `check` starts the servers of examples/servers and says which known tools they do not have any more, and which of their
// tools are not known. With `--write` it marks the former as gone, and notes the day and the version.
// `new` starts a server, and writes a file with its tools alone, to be filled in; CONTRIBUTING.md says how. `--tools` also
// adds their definitions to a file that research/make/shipped-vectors.mjs reads.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

import { liveServers } from '../measure/catalogue.mjs'
import { FOLDER, knownServers, written } from './knowledge-files.mjs'

const USAGE = `usage: knowledge.mjs check [--write]
       knowledge.mjs new <name> [--tools <tools.jsonl>] -- <command> [arguments]
`
const EXAMPLES = path.join(import.meta.dirname, '..', '..', 'examples', 'servers')
const json = (name) => JSON.parse(readFileSync(path.join(EXAMPLES, name), 'utf8'))
const today = () => new Date().toISOString().slice(0, 10)

/**
 * What the live servers have, and the files do not, and the other way round.
 *
 * @param {import('./knowledge-files.mjs').KnownServer[]} known
 * @param {{ name: string, tools: { name: string }[] }[]} live
 * @returns {{ name: string, gone: string[], unknown: string[], several: boolean }[]} `several`: the file is of several
 *   packages, of which one is live: what that one lacks may be another's
 */
export function compared(known, live) {
  return live.map(({ name, tools }) => {
    const file = known.find((server) => server.name === name)
    const now = new Set(tools.map((tool) => tool.name))
    return {
      name,
      gone: [...(file?.tools ?? [])].filter(([tool, { gone }]) => !gone && !now.has(tool)).map(([tool]) => tool),
      unknown: [...now].filter((tool) => !file?.tools.has(tool)),
      several: (file?.header.filter(([key]) => key === 'from').length ?? 0) > 1,
    }
  })
}

async function check(write) {
  const known = knownServers()
  const versions = json('package.json').dependencies
  const packages = new Map(json('servers.json').map((server) => [server.name, server.package]))
  let isRight = true
  for (const { name, gone, unknown, several } of compared(known, await liveServers())) {
    const file = known.find((server) => server.name === name)
    const version = `${packages.get(name)} ${versions[packages.get(name)]}`
    if (unknown.length > 0) process.stdout.write(`${name}: not known: ${unknown.join(', ')}\n`)
    if (gone.length > 0 && !several) process.stdout.write(`${name}: gone: ${gone.join(', ')}\n`)
    isRight &&= several || gone.length === 0 || write
    if (!write || !file) continue
    if (!several) for (const tool of gone) file.tools.get(tool).gone = version
    file.header = [...file.header.filter(([key]) => key !== 'checked'), ['checked', `${today()}, against ${version}`]]
    writeFileSync(path.join(FOLDER, `${name}.txt`), written(file))
  }
  process.stdout.write(`${known.length} files\n`)
  return isRight ? 0 : 1
}

async function begin(name, file, [command, ...args]) {
  const target = path.join(FOLDER, `${name}.txt`)
  if (existsSync(target)) throw new Error(`${target} is there already; add to it by hand`)
  const client = new Client({ name: 'knowledge', version: '0.0.0' })
  await client.connect(new StdioClientTransport({ command, args, stderr: 'inherit', env: process.env }))
  const { name: title, version } = client.getServerVersion()
  const tools = []
  try {
    let cursor
    do {
      const page = await client.listTools({ cursor })
      tools.push(...page.tools)
      cursor = page.nextCursor
    } while (cursor !== undefined)
  } finally {
    await client.close()
  }
  const header = [
    ['named', name],
    ['from', `${title} ${version}`],
    ['written', `${today()}, by (say who: a person or a language model, and what they saw)`],
  ]
  writeFileSync(target, written({ header, tools: new Map(tools.map((tool) => [tool.name, { first: [] }])) }))
  const lines = tools.map((tool) => `${JSON.stringify({ id: `${name}::${tool.name}`, server: name, ...tool })}\n`)
  if (file !== undefined) appendFileSync(file, lines.join(''))
  process.stdout.write(
    `${path.relative(process.cwd(), target)}: ${tools.length} tools; fill it in as CONTRIBUTING.md says\n`,
  )
  return 0
}

async function main() {
  const at = process.argv.indexOf('--')
  const command = at === -1 ? [] : process.argv.slice(at + 1)
  const args = process.argv.slice(2, at === -1 ? undefined : at)
  const { values, positionals } = parseArgs({
    args,
    options: { write: { type: 'boolean', default: false }, tools: { type: 'string' } },
    allowPositionals: true,
  })
  const [action, name] = positionals
  if (action === 'check' && positionals.length === 1) return check(values.write)
  if (action === 'new' && /^[\w.-]+$/.test(name ?? '') && command.length > 0) return begin(name, values.tools, command)
  process.stderr.write(USAGE)
  return 2
}

if (process.argv[1] && path.resolve(process.argv[1]) === import.meta.filename) process.exitCode = await main()
