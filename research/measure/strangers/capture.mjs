#!/usr/bin/env node
// Installs the servers of servers.jsonl, which no file of the project knows, starts each over stdio without a network, and
// keeps what it answers to tools/list. Definitions of others are not ours to ship: everything stays in the cache folder.
//
//   node research/measure/strangers/capture.mjs [name ...] [--cache folder] [--again] [--servers file]
//
// Servers that were captured before in their version are left alone, unless --again is given. One that fails does not stop
// the others; the exit code is then 1.
import { execFile, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

import { RunningServers } from '../../../examples/demo/servers.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { capturedFile, defaultCache, readStrangers } from './catalogue.mjs'

const USAGE = 'usage: capture.mjs [name ...] [--cache <folder>] [--again] [--servers <file>]\n'
/** Installing is mostly waiting for the network. */
const AT_ONCE = 3
const INSTALL_MS = 400_000
const START_MS = 90_000
/** The programs that a package of PyPI brings. */
const PROGRAMS = `import importlib.metadata as m, sys
for e in m.distribution(sys.argv[1]).entry_points:
    if e.group == 'console_scripts': print(e.name)`
const run = promisify(execFile)

const given = readArguments(
  USAGE,
  { cache: { type: 'string', default: defaultCache }, again: { type: 'boolean' }, servers: { type: 'string' } },
  { most: Infinity },
)
if (given) await main(given.positionals, given.values)

async function main(names, { cache, again, servers }) {
  const chosen = readStrangers(servers).filter(({ name }) => names.length === 0 || names.includes(name))
  const queue = chosen.filter((server) => again || !fs.existsSync(capturedFile(cache, server)))
  process.stderr.write(`${chosen.length - queue.length} of ${chosen.length} servers are captured already\n`)
  const sandbox = sandboxOf()
  const running = new RunningServers()
  let done = 0
  let failed = 0
  const lane = async () => {
    for (let server = queue.shift(); server; server = queue.shift()) {
      const result = await capture(running, server, cache, sandbox).catch((error) => ({ reason: shortened(error) }))
      done += 1
      failed += result.reason === undefined ? 0 : 1
      const what = result.reason === undefined ? `${result.tools} tools` : `FAILED ${result.reason}`
      process.stderr.write(`${String(done).padStart(3)}  ${server.name.padEnd(16)} ${what}\n`)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
  } finally {
    await running.close()
  }
  if (failed > 0) process.exitCode = 1
}

/** The programs before a server that leave it a loopback interface and no network, where the system lets us. */
function sandboxOf() {
  const sandbox = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up; exec "$0" "$@"']
  if (spawnSync(sandbox[0], [...sandbox.slice(1), 'true']).status === 0) return sandbox
  process.stderr.write('network namespaces cannot be made here: servers run with dummy keys alone\n')
  return []
}

async function capture(running, server, cache, sandbox) {
  const folder = path.join(cache, 'installed', server.name)
  fs.mkdirSync(folder, { recursive: true })
  const program =
    server.registry === 'npm' ? await installedFromNpm(server, folder) : await installedFromPyPI(server, folder)
  const started = await running.start({
    name: server.name,
    bin: program.bin,
    runner: [...sandbox, ...program.runner],
    args: server.args,
    env: { PATH: process.env.PATH, ...server.env },
    timeoutMs: START_MS,
  })
  if (started.reason !== undefined) return started
  await running.stop(started.client)
  if (started.tools.length === 0) return { reason: 'it lists no tools' }
  const kept = JSON.parse(JSON.stringify(started.tools).replaceAll(JSON.stringify(started.folder).slice(1, -1), '/srv'))
  const { name, registry, package: from, version } = server
  const file = capturedFile(cache, server)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, `${JSON.stringify({ name, registry, package: from, version, tools: kept })}\n`)
  return { tools: kept.length }
}

/** Without the package's own install scripts. */
async function installedFromNpm({ package: name, version, bin }, folder) {
  const home = path.join(folder, 'node_modules', name)
  if (!fs.existsSync(path.join(home, 'package.json'))) {
    fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n')
    const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', `${name}@${version}`]
    await run('npm', install, { cwd: folder, timeout: INSTALL_MS, maxBuffer: 1 << 26 })
  }
  const { bin: bins } = JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8'))
  const program =
    bin ?? (typeof bins === 'string' ? bins : (bins?.[name.split('/').at(-1)] ?? Object.values(bins ?? {})[0]))
  if (program === undefined) throw new Error('the package has no program')
  return { runner: [process.execPath], bin: path.join(home, program) }
}

async function installedFromPyPI({ package: name, version, bin, with: others = [] }, folder) {
  const inside = (program) => path.join(folder, os.platform() === 'win32' ? 'Scripts' : 'bin', program)
  const options = { timeout: INSTALL_MS, maxBuffer: 1 << 26 }
  const mark = path.join(folder, 'ready')
  if (!fs.existsSync(mark)) {
    await run('python3', ['-m', 'venv', folder], options)
    await run(
      inside('python'),
      ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', `${name}==${version}`, ...others],
      options,
    )
    const programs = await run(inside('python'), ['-c', PROGRAMS, name], options)
    fs.writeFileSync(mark, programs.stdout)
  }
  const programs = fs.readFileSync(mark, 'utf8').split('\n').filter(Boolean)
  const program = bin ?? programs.find((one) => one === name) ?? programs.find((one) => /mcp/i.test(one)) ?? programs[0]
  if (program === undefined) throw new Error('the package has no program')
  return { runner: [inside('python')], bin: inside(program) }
}

function shortened(error) {
  return String(error.stderr || error.message)
    .trim()
    .split('\n')
    .at(-1)
    .slice(0, 300)
}
