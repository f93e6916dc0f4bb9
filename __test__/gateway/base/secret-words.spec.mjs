// What of the last words of a server reaches nobody: secrets by their looks and by the names in front of them.
import test from 'ava'

import { withoutSecretWords } from '../../../packages/gateway/base/secret-words.mjs'
import { run } from '../../helpers/child.mjs'
import { CLI, configFile } from '../../helpers/gateway.mjs'
import { before } from '../../helpers/odd-gateway.mjs'

const S = 'zz9zz9zz9zz9'
const LONG = 'zz9Yz9zz9Xz9zz9Wz9zz9Vz9'

const FORMS = [
  ...[`Bearer ${S}`, `Basic ${S}`, `xoxb-${LONG}`, `ghp_${LONG}`, `github_pat_${LONG}`, `AKIA${LONG}`, `AIza${LONG}`],
  ...[`glpat-${LONG}`, `sk-ant-${LONG}`, `eyJhbGciOi.${LONG}.${S}`, `postgres://user:${S}@db/x`, `AccountKey=${S}`],
  ...[`GET https://h.example/x?api_key=${S}`, `https://h.example/x?token=${S}&b=1`, `https://h.example/x?a=1&sig=${S}`],
  ...[`password=${S}`, `PASSWORD: ${S}`, `{"apiKey":"${S}"}`, `x-api-key: ${S}`, `ran with --api-key ${S} and more`],
  ...[`client_secret=${S}`, `Cookie: sid=${S}; other=${S}`, `hf_${LONG}`, `npm_${LONG}`],
  ...[`https://hooks.example/services/T00/B00/${S}`, `https://discord.example/api/webhooks/12/${S}`],
  // Others of the same kinds.
  ...[
    `DB_PASSWORD='${S}'`,
    `"client-secret": "${S}"`,
    `Set-Cookie: a=${S}`,
    `authorization: token ${S}`,
    `accessToken=${S}`,
  ],
  ...[
    `pwd:${S}`,
    `--token=${S}`,
    `-password ${S}`,
    `SG.${LONG}`,
    `pypi-${LONG}`,
    `whsec_${LONG}`,
    `https://bot.example/bot${S}/x`,
  ],
  ...[
    `the key is ${LONG}`,
    `wss://h.example/?access_token=${S}`,
    `Ocp-Apim-Subscription-Key: ${S}`,
    `refresh_token: ${S}`,
  ],
  ...[`password=hunter`, `secret: hunter`, `passphrase = "hunter"`],
]

for (const form of FORMS)
  test(`hidden: ${form.replaceAll(S, '…').replaceAll(LONG, '…')}`, (t) => {
    const told = withoutSecretWords(`Error: ${form}`)
    t.regex(told, /\[hidden\]/)
    t.notRegex(told, /zz9|hunter/)
    t.is(withoutSecretWords(told), told, 'what is hidden stays so')
  })

test('of an address host and path stay, and of a field its name', (t) => {
  t.is(
    withoutSecretWords(`GET https://h.example/x?api_key=${S}&page=2 failed`),
    'GET https://h.example/x?api_key=[hidden]&page=2 failed',
  )
  t.is(withoutSecretWords(`{"apiKey":"${S}","region":"eu"}`), '{"apiKey":"[hidden]","region":"eu"}')
})

test('sentences stay as they are', (t) => {
  for (const line of [
    'SyntaxError: Unexpected token: }',
    'Error: key: not found in the table',
    'npm error code ETARGET for typescript@5.9.3',
    'clientSecret: expected text of 1 to 100 characters',
    'listening at http://127.0.0.1:3000/mcp',
    'the author=Ann of keyboard=us passed=3 tests, tokens=512',
    '    at file:///home/ann/project/node_modules/pkg-name/index.js:10:20',
    'session: expired; authority: none',
    'Error: connect ECONNREFUSED 127.0.0.1:5432',
  ])
    t.is(withoutSecretWords(line), line)
})

test('what a dying server prints is hidden in the report of doctor, in the log and in answers', async (t) => {
  const source = `console.error('Error: GET https://h.example/x?api_key=${S}'); process.exit(1)`
  const entry = { command: process.execPath, args: ['-e', source] }
  const file = configFile(t, { mcpServers: { d: entry } })
  const { stdout } = await run([CLI, 'doctor', '--config', file])
  t.regex(stdout, /api_key=\[hidden\]/)
  const { client, lines, status } = await before(t, entry, { verbose: true })
  const modules = await client.ask('manage_modules', { action: 'list' })
  const told = [stdout, ...lines, JSON.stringify(modules), status().reason]
  for (const text of told) t.notRegex(text, /zz9/)
})
