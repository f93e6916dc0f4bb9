// npm run test:python
//
// The tests of python/: adapters for Python frameworks with their own fake models, over the gateway and real servers. What
// they need is installed from PyPI into .cache.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { commandOf, readDefinitions } from '../../examples/demo/servers.mjs'
import { pythonPrograms, ROOT, run } from '../release/tools.mjs'

const REQUIREMENTS = path.join(ROOT, 'packages', 'python', 'requirements-test.txt')
const HOME = path.join(ROOT, '.cache', 'clients', 'python')

const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-python-'))
try {
  const servers = readDefinitions(['filesystem', 'memory', 'everything'])
  const mcpServers = Object.fromEntries(servers.map((one) => [one.name, commandOf(one, folder)]))
  const config = path.join(folder, 'mcp.json')
  writeFileSync(config, JSON.stringify({ mcpServers, gateway: { dir: folder } }))
  const cli = [process.execPath, path.join(ROOT, 'packages', 'gateway', 'cli.mjs')]
  const env = { ...process.env, TOOL_ROUTER_CONFIG: config, TOOL_ROUTER_CLI: JSON.stringify(cli) }
  const programs = pythonPrograms(HOME, ['-r', REQUIREMENTS], readFileSync(REQUIREMENTS, 'utf8'))
  const options = { cwd: path.join(ROOT, 'packages', 'python'), env, shown: true }
  run(path.join(programs, 'python'), ['-m', 'unittest', 'test_zoo_tool_router'], options)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
