// The first minutes with real servers: a file as a client wrote it, one command, and the tools are there.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import test from 'ava'

import { readDefinitions } from '../../../examples/demo/servers.mjs'
import { CLI, configFile, connectClient, folder, realServers, startCli, until } from '../../helpers/gateway.mjs'

/** A file of VS Code, with all that no other program has. */
const fileOf = ({ memory, everything }) => [
  '.vscode/mcp.json',
  `{
      // what the editor asks for
      "inputs": [{ "type": "promptString", "id": "search-key", "description": "Key", "password": true }],
      "servers": {
        "memory": ${JSON.stringify({ type: 'stdio', ...memory, cwd: '${workspaceFolder}' })},
        "everything": ${JSON.stringify({ ...everything, gallery: true })}, /* from the gallery */
        "search": { "type": "http", "url": "https://search.example/mcp", "headers": { "X-Key": "\${input:search-key}" }, },
      },
    }`,
]

test('a file of a client is served as it is, and a server whose key is missing stops no other', async (t) => {
  const place = folder(t)
  const [name, text] = fileOf(realServers(place, ['memory', 'everything']))
  const file = path.join(place, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  const home = path.join(place, 'home')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'gateway', '--config', file, '--lexical'],
    env: {
      ...process.env,
      HOME: home,
      XDG_CACHE_HOME: home,
      XDG_STATE_HOME: home,
    },
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr.on('data', (chunk) => (said += chunk))
  const connected = await connectClient(transport)
  t.teardown(() => connected.close())
  const offered = async () => (await connected.ask('mcp_load', { query: 'everything' })).loaded.length > 5
  await until(t, offered, 'its tools are loaded')
  const sum = await connected.use('mcp--everything--get-sum', { a: 2, b: 3 })
  t.regex(sum.content[0].text, /5/)
  const created = await connected.use('call_tool', {
    name: 'mcp--memory--create_entities',
    arguments: { entities: [{ name: 'Ada', entityType: 'person', observations: ['writes'] }] },
  })
  t.false(created.isError ?? false)
  t.regex(said, /server search is left out: .*the environment variable INPUT_SEARCH_KEY to be set/)
  const { unavailable } = await connected.ask('mcp_load', { query: 'search' })
  t.deepEqual(
    unavailable.map(({ name: left, reason }) => [left, reason]),
    [['search', 'left-out']],
  )
})

test('doctor on all real servers: each works, and what they cost before and after is told', async (t) => {
  t.timeout(300_000)
  const place = folder(t)
  const names = readDefinitions().map(({ name }) => name)
  const file = configFile(t, { mcpServers: realServers(place, names) })
  const doctor = startCli(t, ['doctor', '--config', file], { env: { HOME: place, XDG_STATE_HOME: place } })
  const { code } = await doctor.ended
  t.is(code, 0, doctor.stdout)
  t.regex(doctor.stdout, new RegExp(`${names.length} of ${names.length} work\\.`))
  const [, before, after] = /request: ([\d,]+) without the gateway, ([\d,]+) with it/.exec(doctor.stdout)
  const number = (text) => Number(text.replaceAll(',', ''))
  t.true(number(before) > 200_000, before)
  t.true(number(after) < 1_000, after)
  t.true((doctor.stdout.match(/^ok /gm) ?? []).length >= 19)
})
