#!/usr/bin/env node
// What groups of people cost: the memory of a gateway with all of its processes, over the servers of examples/servers, when it
// serves one profile, and when it serves many. Linux alone: what each process has of its own (RssAnon).
//
//   node research/measure/gateway/groups.mjs [--groups 10]
//
// Each profile has two of three servers, every third of them some of their tools, and a client that has searched in it.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import readline from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

import { readArguments } from '../../../scripts/arguments.mjs'
import { configuration } from './gateway-operations.mjs'

const CLI = fileURLToPath(new URL('../../../packages/gateway/cli.mjs', import.meta.url))
const TOKEN = 'measured'.repeat(5)
/** After the last answer: what is worked out in the background is there then. */
const SETTLED_MS = 15_000
const KIBIBYTES = 1024

const given = readArguments('usage: groups.mjs [--groups <n>]\n', {
  groups: { type: 'integer', default: 10, least: 1 },
})
if (given) await main(given.values)

async function main({ groups }) {
  const rows = {}
  for (const count of [1, groups]) rows[`${count} ${count === 1 ? 'group' : 'groups'}`] = await measured(count)
  console.table(rows)
  const [one, many] = Object.values(rows).map((row) => row.MB)
  process.stdout.write(`${(many / one).toFixed(2)} times the memory of one\n`)
}

async function measured(groups) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-groups-'))
  const config = configuration(folder)
  const names = Object.keys(config.mcpServers)
  const profiles = Array.from({ length: groups }, (_, group) => ({
    servers: groups === 1 ? names : names.filter((_name, at) => (at + group) % 3 !== 0),
    ...(group % 3 === 2 && { gateway: { readOnly: true } }),
  }))
  config.profiles = Object.fromEntries(profiles.map((profile, at) => [`group${at}`, profile]))
  const file = path.join(folder, 'mcp.json')
  writeFileSync(file, JSON.stringify(config))
  const env = { ...process.env, ZOO_TOOL_ROUTER_TOKEN: TOKEN }
  const args = [CLI, 'gateway', '--config', file, '--http', '127.0.0.1:0']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const clients = []
  try {
    const url = await addressIn(child.stderr)
    for (const name of Object.keys(config.profiles)) clients.push(await searched(`${url}/${name}`))
    await pause(SETTLED_MS)
    const pids = treeOf(child.pid)
    return { MB: Math.round(pids.reduce((sum, pid) => sum + ownOf(pid), 0) / KIBIBYTES), processes: pids.length }
  } finally {
    for (const client of clients) await client.close()
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function addressIn(stream) {
  for await (const line of readline.createInterface({ input: stream })) {
    const [, url] = /listening on (\S+)/.exec(line) ?? []
    if (url !== undefined) {
      stream.resume()
      return url
    }
  }
  throw new Error('the gateway has ended')
}

/** A client that has asked once. */
async function searched(url) {
  const client = new Client({ name: 'measured', version: '0' })
  const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  await client.callTool({ name: 'mcp_load', arguments: { query: 'create an issue about a failing test' } })
  return client
}

/** A process and all that it started. */
function treeOf(root) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
        return [[Number(pid), Number(parent)]]
      } catch {
        return []
      }
    })
  const below = (pid) => [pid, ...parents.filter(([, parent]) => parent === pid).flatMap(([child]) => below(child))]
  return below(root)
}

function ownOf(pid) {
  const [, kibibytes] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes)
}
