// node scripts/clients/run.mjs
//
// The official Python SDK, 1.x and 2.x, as clients of the gateway, over stdio and over HTTP, in each era that they speak.
// Each lists tools, loads two, calls one of a real server, and is asked by another. Installs them from PyPI into .cache.
// Exit code 1 when one of them did not see what it should.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, promisify } from 'node:util'

import { commandOf, readDefinitions } from '../../examples/demo/servers.mjs'
import { createGateway } from '../../packages/gateway/gateway/index.mjs'
import { DEFAULT_META_TOOLS } from '../../packages/gateway/names/meta-tools.mjs'
import { pythonPrograms, ROOT } from '../release/tools.mjs'

const execute = promisify(execFile)
const CACHE = path.join(ROOT, '.cache', 'clients')
const CLIENT = fileURLToPath(new URL('client.py', import.meta.url))
const SDKS = { 'mcp==1.30.0': ['legacy'], 'mcp==2.3.0': ['auto', 'legacy'] }

const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-clients-'))
const [everything] = readDefinitions(['everything'])
const config = {
  mcpServers: {
    everything: commandOf(everything, folder),
    asking: {
      command: process.execPath,
      args: [fileURLToPath(new URL('../../__test__/fixtures/asking-server.mjs', import.meta.url))],
    },
  },
  gateway: { dir: folder },
}
const file = path.join(folder, 'mcp.json')
writeFileSync(file, JSON.stringify(config))

/** What a client must have seen; nothing where all is right. */
function wrong({ protocol, first, loaded, after, sum, asked, unknown }, isModern) {
  const names = ['mcp--everything--get-sum', 'mcp--asking--ask_user']
  const checks = {
    protocol: isModern === (protocol === '2026-07-28'),
    first: isDeepStrictEqual(first, DEFAULT_META_TOOLS),
    loaded: isDeepStrictEqual(loaded.toSorted(), names.toSorted()),
    // The list of a modern client never changes; that of an older one has what was loaded at its end.
    after: isModern
      ? isDeepStrictEqual(after, first)
      : isDeepStrictEqual(after.slice(DEFAULT_META_TOOLS.length).toSorted(), names.toSorted()),
    sum: sum.includes('5'),
    asked: asked.includes('blue'),
    unknown: unknown.startsWith('unknown tool nothing'),
  }
  return Object.keys(checks).filter((check) => !checks[check])
}

let failures = 0
const gateway = await createGateway({ config })
try {
  await gateway.ready()
  const { url, token } = await gateway.listen()
  for (const [requirement, modes] of Object.entries(SDKS)) {
    const home = path.join(CACHE, requirement.replace('==', '-'))
    const program = path.join(pythonPrograms(home, [requirement]), 'python')
    for (const mode of modes) {
      for (const [where, ...target] of [
        [
          'stdio',
          process.execPath,
          path.join(ROOT, 'packages', 'gateway', 'cli.mjs'),
          'gateway',
          '--config',
          file,
          '--lexical',
          '--quiet',
        ],
        ['http', url, token],
      ]) {
        const isModern = mode === 'auto'
        let said
        try {
          const [at, ...rest] = target
          const { stdout } = await execute(program, [CLIENT, where, mode, at, ...rest], { timeout: 120_000 })
          const seen = JSON.parse(stdout)
          const differs = wrong(seen, isModern)
          said =
            differs.length === 0
              ? `all right (${seen.protocol})`
              : `WRONG: ${differs.join(', ')} ${JSON.stringify(seen)}`
        } catch (error) {
          said = `FAILED: ${String(error.stderr || error.message)
            .trim()
            .split('\n')
            .slice(-3)
            .join(' | ')}`
        }
        if (!said.startsWith('all right')) failures += 1
        console.log(`Python ${requirement}, ${where}, ${mode}: ${said}`)
      }
    }
  }
} finally {
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failures === 0 ? 0 : 1)
