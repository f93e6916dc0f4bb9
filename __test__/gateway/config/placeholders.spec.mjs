// Placeholders of all clients, in all places of an entry: what is understood is replaced, what is not leaves the server out,
// and none reaches a server as text.
import fs from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { folder } from '../../helpers/gateway.mjs'

const ENV = { KEY: 'the-key', EMPTY: '', INPUT_TOKEN: 'typed' }

/** One server of an entry, read where `workspace` and `home` are known. */
function read(entry, { env = ENV, client, place = '/srv/shop', inputs } = {}) {
  const where = { env, folder: place, workspace: place, home: '/home/ada', client }
  const { servers, leftOut } = readConfig({ mcpServers: { a: entry }, ...(inputs && { inputs }) }, where)
  return { server: servers.get('a'), reason: leftOut[0]?.reason }
}

/** Where an entry may have a text, and how it is found again. */
const PLACES = {
  command: [(text) => ({ command: text }), ({ command }) => command],
  args: [(text) => ({ command: 'x', args: [text] }), ({ args }) => args[0]],
  env: [(text) => ({ command: 'x', env: { A: text } }), ({ env }) => env.get('A')],
  headers: [(text) => ({ url: 'http://h', headers: { A: text } }), ({ headers }) => headers.get('A')],
  url: [(text) => ({ url: `http://h/${text}` }), ({ url }) => decodeURIComponent(url.pathname.slice(1))],
}

for (const [text, expected] of [
  ['${KEY}', 'the-key'],
  ['${env:KEY}', 'the-key'],
  ['${NONE:-other}', 'other'],
  ['${env:EMPTY:-other}', 'other'],
  ['{env:KEY}', 'the-key'],
  ['${{ secrets.KEY }}', 'the-key'],
  ['${{inputs.KEY}}', 'the-key'],
  ['${input:token}', 'typed'],
  ['${workspaceFolderBasename}', 'shop'],
  ['x${KEY}y{env:KEY}z', 'xthe-keyythe-keyz'],
  ['$${KEY}', '${KEY}'],
]) {
  test(`${text} is understood wherever it stands`, (t) => {
    for (const [place, [entry, found]] of Object.entries(PLACES)) t.is(found(read(entry(text)).server), expected, place)
  })
}

for (const text of [
  ...[
    '${NONE}',
    '${env:NONE}',
    '${env:__proto__}',
    '{env:NONE}',
    '${{ secrets.NONE }}',
    '${input:none}',
    '${config:python.path}',
  ],
  ...['${command:pick}', '${workspaceFolder:other}', '${{ vars.KEY }}', '${KEY:-${OTHER}}', '${KEY:-{"a":1}}', '${KEY'],
  ...['${file:/no/such/file}', '{file:/no/such/file}', '${KEY.x}', '${}'],
]) {
  test(`${text} leaves its server out, wherever it stands`, (t) => {
    for (const [place, [entry]] of Object.entries(PLACES)) {
      const { server, reason } = read(entry(text))
      t.is(server, undefined, place)
      t.regex(reason, /expected (a placeholder that is understood here|the environment variable|a file to read)/, place)
    }
  })
}

test("a name that the entry's own env has is that value, and the gateway's variables come second", (t) => {
  const remote = ['-y', 'mcp-remote', 'http://127.0.0.1:1/mcp', '--header', 'X-Key:${AUTH_TOKEN}']
  const { server } = read({ command: 'npx', args: remote, env: { AUTH_TOKEN: 'k', KEY: 'own' } })
  t.is(server.args.at(-1), 'X-Key:k')
  t.is(read({ command: 'x', args: ['${KEY}'], env: { KEY: 'own' } }).server.args[0], 'own')
  t.is(
    read({ url: 'http://h', headers: { A: 'Bearer ${TOKEN}' }, env: { TOKEN: 'k' } }).server.headers.get('A'),
    'Bearer k',
  )
  t.is(read({ command: 'x', env: { KEY: 'more:${KEY}' } }).server.env.get('KEY'), 'more:the-key', 'not itself')
  t.is(read({ command: 'x', env: { A: '${B}', B: 'b' } }).server.env.get('A'), 'b')
  t.regex(read({ command: 'x', env: { A: '${B}', B: '${A}' } }).reason, /variable B to be set/, 'no circle')
})

test('variables of an envFile are known to the texts of its entry', (t) => {
  const place = folder(t)
  fs.writeFileSync(path.join(place, '.env'), 'FROM_FILE=f\n')
  const { server } = read({ command: 'x', args: ['${FROM_FILE}'], envFile: '.env' }, { place })
  t.is(server.args[0], 'f')
})

test('a file that a text names is read where the configuration stands, and its text is a secret', (t) => {
  const place = folder(t)
  fs.writeFileSync(path.join(place, 'key.txt'), 'from-a-file\n')
  for (const text of ['${file:key.txt}', '{file:./key.txt}', `\${file:${path.join(place, 'key.txt')}}`]) {
    const { server } = read({ url: 'http://h', headers: { A: `Bearer ${text}` } }, { place })
    t.is(server.headers.get('A'), 'Bearer from-a-file')
    t.deepEqual(server.secrets, ['from-a-file'])
  }
})

test('$NAME alone in env or headers is a variable; elsewhere only where its client says so', (t) => {
  t.is(read({ command: 'x', env: { A: '$KEY' } }).server.env.get('A'), 'the-key')
  t.is(read({ url: 'http://h', headers: { A: 'Bearer $KEY' } }).server.headers.get('A'), 'Bearer the-key')
  t.regex(read({ command: 'x', env: { A: '$NONE' } }).reason, /variable NONE to be set/)
  t.is(read({ command: 'x', args: ['$KEY'], env: { A: 'a $KEY' } }).server.args[0], '$KEY')
  const { server } = read({ command: 'x', args: ['--a=$KEY', 'costs $NONE'], trust: true }, { client: 'gemini' })
  t.deepEqual(server.args, ['--a=the-key', 'costs $NONE'], 'Gemini CLI leaves a name that is not set within a text')
})

test("the project's folder has several names", (t) => {
  const names = ['${workspaceFolder}', '${workspaceRoot}', '${workspaceFolder:shop}', '${CLAUDE_PROJECT_DIR:-.}']
  t.deepEqual(
    read({ command: 'x', args: names }).server.args,
    names.map(() => '/srv/shop'),
  )
  const env = { CLAUDE_PROJECT_DIR: '/other' }
  t.is(read({ command: 'x', args: ['${CLAUDE_PROJECT_DIR}'] }, { env }).server.args[0], '/other')
})
