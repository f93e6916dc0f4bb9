#!/usr/bin/env node
// What `changedTools: 'withhold'` costs who updates: of the servers of ../strangers/servers.json, how many tools say something
// else than in the version before, and how many say something else each time the same version is started.
//
//   node research/measure/strangers/capture.mjs
//   node research/measure/gateway/updates.mjs [--cache folder]
//
// The version before is installed into the cache folder and started, as capture.mjs does.
import { execFile, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

import { hashOf, textOf } from '../../../packages/gateway/store/definitions.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { capturedFile, defaultCache, readStrangers } from '../strangers/catalogue.mjs'

const run = promisify(execFile)
const CAPTURE = path.join(import.meta.dirname, '..', 'strangers', 'capture.mjs')

const given = readArguments('usage: updates.mjs [--cache <folder>]\n', {
  cache: { type: 'string', default: defaultCache },
})
if (given) await main(given.values.cache)

async function main(cache) {
  const servers = readStrangers().filter((server) => fs.existsSync(capturedFile(cache, server)))
  const before = []
  for (const server of servers) {
    const version = await versionBefore(server).catch(() => undefined)
    if (version !== undefined) before.push({ ...server, version })
  }
  const again = path.join(cache, 'again')
  fs.mkdirSync(again, { recursive: true })
  if (!fs.existsSync(path.join(again, 'installed')))
    fs.symlinkSync(path.join(cache, 'installed'), path.join(again, 'installed'))
  capture(servers, again, ['--again'])
  capture(before, path.join(cache, 'before'), [])
  tell('the same version, started again', servers, servers, cache, again)
  const old = new Map(before.map((server) => [server.name, server]))
  const updated = servers.filter(({ name }) => old.has(name))
  const olds = updated.map(({ name }) => old.get(name))
  tell('the version before and this one', olds, updated, path.join(cache, 'before'), cache)
}

/** The release before that of servers.json. */
async function versionBefore({ registry, package: name, version }) {
  const all = registry === 'npm' ? await versionsOfNpm(name) : await versionsOfPyPI(name)
  const releases = all.filter((each) => /^\d+(\.\d+)*$/.test(each) && compare(each, version) < 0)
  return releases.toSorted(compare).at(-1)
}

async function versionsOfNpm(name) {
  const { stdout } = await run('npm', ['view', name, 'versions', '--json'])
  return [JSON.parse(stdout)].flat()
}

async function versionsOfPyPI(name) {
  const { stdout } = await run('python3', ['-m', 'pip', 'index', 'versions', name])
  return /^Available versions: (.*)$/m.exec(stdout)?.[1].split(', ') ?? []
}

function compare(one, other) {
  return one.localeCompare(other, 'en', { numeric: true })
}

function capture(servers, cache, more) {
  const file = path.join(cache, 'servers.json')
  fs.mkdirSync(cache, { recursive: true })
  fs.writeFileSync(file, JSON.stringify(servers))
  spawnSync(process.execPath, [CAPTURE, '--servers', file, '--cache', cache, ...more], { stdio: 'inherit' })
}

function tell(title, olds, news, oldCache, newCache) {
  const counts = { servers: 0, withChanges: 0, tools: 0, changed: 0, fresh: 0 }
  for (const [at, server] of news.entries()) {
    const files = [capturedFile(oldCache, olds[at]), capturedFile(newCache, server)]
    if (!files.every((file) => fs.existsSync(file))) continue
    const [was, is] = files.map((file) => JSON.parse(fs.readFileSync(file, 'utf8')).tools)
    const said = new Map(was.map((tool) => [tool.name, hashOf(textOf(tool))]))
    const changed = is.filter((tool) => said.has(tool.name) && said.get(tool.name) !== hashOf(textOf(tool)))
    counts.servers += 1
    counts.withChanges += Number(changed.length > 0)
    counts.tools += is.length
    counts.changed += changed.length
    counts.fresh += is.filter(({ name }) => !said.has(name)).length
    if (changed.length > 0) process.stdout.write(`  ${server.name}: ${changed.length} of ${is.length}\n`)
  }
  const { servers, withChanges, tools, changed, fresh } = counts
  process.stdout.write(
    `${title}: ${changed} of ${tools} tools of ${withChanges} of ${servers} servers say something else; ${fresh} are new\n`,
  )
}
