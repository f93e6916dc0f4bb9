#!/usr/bin/env node
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
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

import { liveServers } from '../measure/catalogue.mjs'
import { FOLDER, knownServers, TO_FILL, TO_FILL_VERSION, unfilled, written } from './knowledge-files.mjs'

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
  const missing = unfilled(known)
  for (const line of missing) process.stdout.write(`${line}\n`)
  const versions = json('package.json').dependencies
  const packages = new Map(json('servers.json').map((server) => [server.name, server.package]))
  let isRight = missing.length === 0
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

/**
 * The package of a command and its version, as `npm`'s own file says it: a server's title is another name, and its version often
 * another one.
 */
export function packageOf([command, ...args]) {
  const runner = /^(npx|uvx|pnpx|bunx)(\.cmd)?$/.exec(path.basename(command))
  const named = args.find((arg) => !arg.startsWith('-')) ?? ''
  if (runner) {
    const [, name, version] = /^(@?[^@]+)(?:@(.+))?$/.exec(named) ?? []
    if (/^\d/.test(version ?? '')) return `${name} ${version}`
    const asked =
      runner[1] === 'uvx' ? undefined : spawnSync('npm', ['view', name ?? '', 'version'], { encoding: 'utf8' })
    return `${name} ${asked?.status === 0 ? asked.stdout.trim() : TO_FILL_VERSION}`
  }
  // A program of a package that lies here: the manifest above it.
  const program = [command, ...args].map((each) => path.resolve(each)).find((each) => each.includes('node_modules'))
  for (let folder = path.dirname(program ?? path.sep); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const manifest = path.join(folder, 'package.json')
    if (!existsSync(manifest)) continue
    const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'))
    if (name && version) return `${name} ${version}`
  }
  return `${named || command} ${TO_FILL_VERSION}`
}

async function begin(name, file, [command, ...args]) {
  const target = path.join(FOLDER, `${name}.txt`)
  if (existsSync(target)) throw new Error(`${target} is there already; add to it by hand`)
  const client = new Client({ name: 'knowledge', version: '0.0.0' })
  await client.connect(new StdioClientTransport({ command, args, stderr: 'inherit', env: process.env }))
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
    ['from', packageOf([command, ...args])],
    ['written', `${today()}, by ${TO_FILL}`],
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

if (process.argv[1] && path.resolve(process.argv[1]) === import.meta.filename) {
  try {
    process.exitCode = await main()
  } catch (error) {
    const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND'
    process.stderr.write(`${error.message}${isMissing ? '; run: npm run setup' : ''}\n`)
    process.exitCode = 1
  }
}
