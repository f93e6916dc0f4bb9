// npm run test:postgres: the specs of the shared store over a real PostgreSQL. Where there is none they fail, which the
// whole suite only says. Outages of the database are played here alone. TOOL_ROUTER_POSTGRES names a folder with `initdb`
// and `postgres` of another version.

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'

// npm run test:team has the one that is left out.
const specs = readdirSync('__test__/gateway', { recursive: true })
  .filter((name) => name.endsWith('.spec.mjs') && name !== 'team.spec.mjs')
  .map((name) => `__test__/gateway/${name}`)
  .filter((name) => readFileSync(name, 'utf8').match(/helpers\/(postgres|keys)\.mjs/))
const child = spawn(process.execPath, ['node_modules/ava/entrypoints/cli.mjs', ...specs], {
  env: { ...process.env, TOOL_ROUTER_POSTGRES_NEEDED: '1' },
  stdio: 'inherit',
})
child.on('close', (code) => (process.exitCode = code ?? 1))
