// Whatever stands in a configuration: it is read, left out or refused by a code, and no text of it ends a command.
import fs from 'node:fs'
import path from 'node:path'

import test from 'ava'
import fc from 'fast-check'

import { collect } from '../../../packages/gateway/clients/collect.mjs'
import { changed } from '../../../packages/gateway/clients/edits.mjs'
import { shownEntry } from '../../../packages/gateway/reach/shown.mjs'
import { readConfig, readConfigFile } from '../../../packages/gateway/config/read.mjs'
import { Secrets } from '../../../packages/gateway/base/secrets.mjs'
import { folder } from '../../helpers/gateway.mjs'

const KEYS = [
  ...'command args env envFile cwd url headers type transport disabled enabled oauth'.split(' '),
  ...'timeout startTimeout disabledTools onlyAllow tools includeTools env_vars inheritEnv name'.split(' '),
  ...['headersHelper', 'httpUrl', 'serverUrl', 'cmd', 'uri', 'envs', 'env_keys', 'requestOptions', 'auth', '__proto__'],
]
const PLACES = [
  ...'mcpServers servers mcp extensions inputs experimental projects tools permission gateway'.split(' '),
  ...['modules', 'modes', 'amp.mcpServers', 'mcp_servers', 'context_servers', '__proto__'],
]
const TEXTS = [
  ...[
    'node',
    '',
    ' ',
    'npx -y x',
    'C:\\a b\\c.cmd',
    'https://h.example/a1b2c3d4e5f6a7b8/mcp',
    'http://',
    '${A}',
    '${',
    '{env:A}',
  ],
  ...[
    '${{ secrets.A }}',
    '${file:/no}',
    '$A',
    'stdio',
    'local',
    'remote',
    'builtin',
    'sse',
    '\u0000',
    '\ud800',
    '*',
    '**a*',
  ],
]

const word = fc.oneof(fc.constantFrom(...TEXTS), fc.string())
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', ...KEYS), tie('any'), { maxKeys: 3 }),
  ),
})).any
const entry = fc.dictionary(fc.constantFrom(...KEYS), fc.oneof(word, value), { maxKeys: 6 })
const entries = fc.oneof(
  value,
  fc.dictionary(word, fc.oneof(entry, value), { maxKeys: 4 }),
  fc.array(entry, { maxLength: 3 }),
)
const config = fc.oneof(value, fc.dictionary(fc.constantFrom('x', ...PLACES), entries, { maxKeys: 4 }))

const RUNS = { numRuns: 1_000 }

test('a configuration is read, or refused by a code', (t) => {
  fc.assert(
    fc.property(config, (json) => {
      try {
        const { servers, leftOut } = readConfig(json, { env: { A: 'a' }, home: '/home/ada' })
        for (const definition of servers.values()) new Secrets(definition).hide('a text')
        return leftOut.every(({ reason }) => reason.length > 5)
      } catch (error) {
        return error.name === 'ToolRouterError' && ['ERR_INVALID_ARGUMENT', 'ERR_CONFIG_INVALID'].includes(error.code)
      }
    }),
    RUNS,
  )
  t.pass()
})

test('import says something of each entry, shows each that it takes, and the gateway reads what is written', (t) => {
  const place = folder(t)
  const [file, out] = [path.join(place, 'mcp.json'), path.join(place, 'out.json')]
  fc.assert(
    fc.property(config, fc.constantFrom('Cursor', 'Claude Code', 'Gemini CLI', 'goose', 'opencode'), (json, client) => {
      fs.writeFileSync(file, JSON.stringify(json) ?? '')
      const { found, servers } = collect([{ client, file, ofProject: false }], {
        home: place,
        project: place,
        env: { A: 'a' },
      })
      for (const written of servers.values()) if (typeof shownEntry(written) !== 'string') return false
      fs.writeFileSync(out, JSON.stringify({ mcpServers: Object.fromEntries(servers) }))
      const read = readConfigFile(out, { env: { A: 'a' }, home: place })
      const told = found.filter(({ state, why }) => state === 'taken' || state === 'same' || why.length > 0)
      return told.length === found.length && read.servers.size + read.leftOut.length + read.off.size === servers.size
    }),
    { numRuns: 500 },
  )
  t.pass()
})

test('an entry that is put into a file and taken out again leaves what was there', (t) => {
  const json = fc.dictionary(
    fc.constantFrom('a', 'b', 'mcpServers'),
    fc.dictionary(fc.constantFrom('x', 'y z', 'gateway'), entry),
  )
  const own = new Map([['tools', { command: 'x', args: ['a b', '"'] }]])
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value, undefined, 2)
      const after = changed(text, 'a.json', 'mcpServers', own)
      const back = JSON.parse(changed(after, 'a.json', 'mcpServers', new Map([['tools', undefined]])))
      if (value.mcpServers === undefined) delete back.mcpServers
      return JSON.stringify(back) === JSON.stringify(JSON.parse(text))
    }),
    { numRuns: 500 },
  )
  t.pass()
})
