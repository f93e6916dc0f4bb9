// npm run conformance [-- --write]
//
// The official conformance suite against the gateway, and against the server behind it directly, side by side. Ends with
// 1 when a scenario that the server passes directly fails through the gateway. `--write` renews the table of the page.

import { execFile, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { createGateway } from '../../packages/gateway/gateway/index.mjs'
import { openShim } from './shim.mjs'

const execute = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = path.join(ROOT, 'docs', 'inside', 'gateway-protocol.md')
/** Not a dependency: the suite asks for a newer Node.js than this package, which is another package. */
const CACHE = path.join(ROOT, '.cache', 'conformance')
const PACKAGES = {
  older: 'npm:@modelcontextprotocol/conformance@0.1.16',
  newer: 'npm:@modelcontextprotocol/conformance@0.2.0-alpha.12',
  node: '22.23.3',
}

const RUNS = [
  { title: 'Suite 0.1.16, the older era', suite: 'older', args: ['--suite', 'all'], era: 'legacy' },
  {
    title: 'Suite 0.2.0-alpha.12, requirements of 2025-11-25',
    suite: 'newer',
    args: ['--requirements', '2025-11-25'],
    era: 'legacy',
  },
  {
    title: 'Suite 0.2.0-alpha.12, requirements of 2026-07-28',
    suite: 'newer',
    args: ['--requirements', '2026-07-28'],
    era: 'modern',
  },
]
/** The extension for tasks: neither the server nor the gateway offers it. */
const LEFT_OUT = /^tasks-/

const say = (line) => process.stdout.write(`${line}\n`)

async function install() {
  const manifest = JSON.stringify({ private: true, dependencies: PACKAGES })
  const file = path.join(CACHE, 'package.json')
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === manifest && fs.existsSync(node())) return
  fs.mkdirSync(CACHE, { recursive: true })
  fs.writeFileSync(file, manifest)
  say('installing the suite and the Node.js that it asks for')
  await execute('npm', ['install', '--no-audit', '--no-fund'], { cwd: CACHE, shell: process.platform === 'win32' })
}

const node = () => path.join(CACHE, 'node_modules', 'node', 'bin', 'node')

/** Checks by scenario: how many passed, failed, and warn. */
async function runSuite({ suite, args }, url) {
  const output = fs.mkdtempSync(path.join(CACHE, 'results-'))
  const program = path.join(CACHE, 'node_modules', suite, 'dist', 'index.js')
  try {
    // It ends with 1 when a check fails; what failed is in the files.
    const options = { cwd: CACHE, maxBuffer: 64 * 1024 * 1024 }
    await execute(node(), [program, 'server', '--url', url, '--output-dir', output, ...args], options).catch(() => {})
    return new Map(fs.readdirSync(output).map((name) => readChecks(output, name)))
  } finally {
    fs.rmSync(output, { recursive: true, force: true })
  }
}

function readChecks(output, folder) {
  const [, name] = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(folder)
  const checks = JSON.parse(fs.readFileSync(path.join(output, folder, 'checks.json'), 'utf8'))
  const count = (status) => checks.filter((check) => check.status === status).length
  const failures = checks
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id, errorMessage }) => `${id}: ${errorMessage}`)
  return [name, { passed: count('SUCCESS'), failed: count('FAILURE'), warned: count('WARNING'), failures }]
}

function shown(result) {
  if (result === undefined) return 'not run'
  const { passed, failed, warned } = result
  return `${passed} / ${failed}${warned > 0 ? ` (${warned} warnings)` : ''}`
}

/** @returns {{ lines: string[], lost: string[] }} a table of what differs or does not pass, and what the gateway loses */
function compare({ title }, direct, through) {
  const names = [...direct.keys()].filter((name) => !LEFT_OUT.test(name)).sort()
  const sum = (results, key) => names.reduce((total, name) => total + (results.get(name)?.[key] ?? 0), 0)
  const total = (results) => `${sum(results, 'passed')} / ${sum(results, 'failed')}`
  const lost = names.filter((name) => {
    const [mine, its] = [direct.get(name), through.get(name)]
    return mine.failed === 0 && (its === undefined || its.failed > 0)
  })
  const differing = names.filter((name) => {
    const [its, mine] = [direct.get(name), through.get(name)]
    return its.failed > 0 || its.warned > 0 || shown(its) !== shown(mine)
  })
  return {
    lines: [
      `| ${title} | server, directly | gateway |`,
      '| --- | --- | --- |',
      ...differing.map((name) => `| ${name} | ${shown(direct.get(name))} | ${shown(through.get(name))} |`),
      `| **all ${names.length} scenarios** | **${total(direct)}** | **${total(through)}** |`,
    ],
    lost: lost.map((name) => `${title}: ${name}: ${through.get(name)?.failures.join('; ') ?? 'not run'}`),
  }
}

async function startServer() {
  const child = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(Number(chunk))))
  return { url: `http://localhost:${port}/mcp`, close: () => child.kill() }
}

/** The gateway before the server: its tools pinned, under their own names, as the scenarios call them. */
async function startGateway(url, era) {
  const config = {
    mcpServers: { [`suite-${era}`]: { url, protocolEra: era, alwaysLoad: true } },
    gateway: { namespacing: 'none' },
  }
  const gateway = await createGateway({ config }, { initialTokens: 100_000, listDir: undefined })
  await gateway.ready()
  const shim = await openShim(await gateway.listen())
  return {
    url: shim.url,
    close: async () => {
      shim.close()
      await gateway.close()
    },
  }
}

function writePage(tables) {
  const text = fs.readFileSync(PAGE, 'utf8')
  const [begin, end] = ['<!-- conformance -->', '<!-- /conformance -->']
  const [before, after] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))]
  fs.writeFileSync(PAGE, `${before}\n\n${tables.map((lines) => lines.join('\n')).join('\n\n')}\n\n${after}`)
}

await install()
const tables = []
const lost = []
for (const run of RUNS) {
  // A server of its own for each: some scenarios change its lists.
  const [alone, behind] = [await startServer(), await startServer()]
  const gateway = await startGateway(behind.url, run.era)
  try {
    const compared = compare(run, await runSuite(run, alone.url), await runSuite(run, gateway.url))
    tables.push(compared.lines)
    lost.push(...compared.lost)
    say(`\n${compared.lines.join('\n')}`)
  } finally {
    await gateway.close()
    alone.close()
    behind.close()
  }
}
if (process.argv.includes('--write')) writePage(tables)
for (const line of lost) say(`LOST ${line}`)
process.exitCode = lost.length === 0 ? 0 : 1
