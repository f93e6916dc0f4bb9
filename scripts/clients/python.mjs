// npm run test:python
//
// The tests of python/: adapters for Python frameworks with their own fake models, over the gateway and real servers. What
// they need is installed from PyPI into .cache.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { commandOf, readDefinitions } from '../../examples/demo/servers.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REQUIREMENTS = path.join(ROOT, 'packages', 'python', 'requirements-test.txt')
const HOME = path.join(ROOT, '.cache', 'clients', 'python')

/** Runs a program to its end. */
function run(command, args, options) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: exit code ${status}`)
}

/** The Python of an environment that has what the tests need. */
function python() {
  const program = path.join(HOME, process.platform === 'win32' ? 'Scripts' : 'bin', 'python')
  const done = path.join(HOME, 'done')
  const wanted = readFileSync(REQUIREMENTS, 'utf8')
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return program
  run(process.env.PYTHON || 'python3', ['-m', 'venv', '--clear', HOME])
  run(program, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS])
  writeFileSync(done, wanted)
  return program
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-python-'))
try {
  const servers = readDefinitions(['filesystem', 'memory', 'everything'])
  const mcpServers = Object.fromEntries(servers.map((one) => [one.name, commandOf(one, folder)]))
  const config = path.join(folder, 'mcp.json')
  writeFileSync(config, JSON.stringify({ mcpServers, gateway: { dir: folder } }))
  const cli = [process.execPath, path.join(ROOT, 'packages', 'gateway', 'cli.mjs')]
  const env = { ...process.env, TOOL_ROUTER_CONFIG: config, TOOL_ROUTER_CLI: JSON.stringify(cli) }
  run(python(), ['-m', 'unittest', 'test_zoo_tool_router'], { cwd: path.join(ROOT, 'packages', 'python'), env })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
