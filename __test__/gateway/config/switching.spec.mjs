// Switching servers and tools from the page: what is written is what a person would write, and nothing else changes.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'
import fc from 'fast-check'

import { parseJson, readFile } from '../../../packages/gateway/config/file.mjs'
import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { switched } from '../../../packages/gateway/config/switching.mjs'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { folder, odd, unique, until } from '../../helpers/gateway.mjs'
import { browserOf, ticketOf } from '../../helpers/visits.mjs'

const TEXT = `{
  // Of all windows.
  "mcpServers": {
    "a": { "command": "x", "args": ["--all"] /* as it is */ },
    "b": {
      "command": "y", // with one tool off
      "disabledTools": ["old"]
    },
    "c": { "url": "http://127.0.0.1:1/", "onlyAllow": ["one", "two"] },
    "d": { "command": "z", "enabled": false }
  },
  "gateway": { "searchK": 5 } // kept
}
`
const comments = (text) => text.match(/\/\/ .*|\/\*.*?\*\//g)

test('a server that is switched off and on again is read as before, with all comments', (t) => {
  for (const server of ['a', 'b', 'c', 'd']) {
    const wasOn = readConfig(parseJson(TEXT)).servers.has(server)
    const other = switched(TEXT, { server, isOn: !wasOn })
    t.is(readConfig(parseJson(other)).servers.has(server), !wasOn, server)
    t.deepEqual(comments(other), comments(TEXT))
    const back = switched(other, { server, isOn: wasOn })
    t.deepEqual(parseJson(back), parseJson(TEXT), server)
    t.deepEqual(comments(back), comments(TEXT))
  }
})

test('a tool is off and on by the list that its server has, and a list of what alone is on never becomes one of everything', (t) => {
  const isOn = (text, server, tool) => {
    const { disabledTools, onlyAllow } = readConfig(parseJson(text)).servers.get(server)
    return (onlyAllow.length === 0 || onlyAllow.includes(tool)) && !disabledTools.includes(tool)
  }
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          server: fc.constantFrom('a', 'b', 'c'),
          tool: fc.constantFrom('one', 'two', 'old'),
          on: fc.boolean(),
        }),
        {
          maxLength: 12,
        },
      ),
      (acts) => {
        let text = TEXT
        for (const { server, tool, on } of acts) {
          text = switched(text, { server, tool, isOn: on })
          t.is(isOn(text, server, tool), on)
        }
        t.deepEqual(comments(text).at(-1), '// kept')
        t.true(parseJson(text).mcpServers.c.onlyAllow.length > 0)
      },
    ),
  )
})

test('a file of one line stays one line, and a list keeps what is written beside its names', (t) => {
  const line = '{ "mcpServers": { "a": { "command": "x", "disabledTools": [/* a */ "old", /* b */ "b"] } } } // end'
  const off = switched(line, { server: 'a', tool: 'new', isOn: false })
  t.is(off, line.replace('"b"', '"b", "new"'))
  t.is(switched(off, { server: 'a', tool: 'new', isOn: true }), line)
  t.is(switched(line, { server: 'a', tool: 'old', isOn: true }), line.replace(' "old",', ''))
  t.is(switched(line, { server: 'a', isOn: false }), line.replace('"b"]', '"b"], "disabled": true'))
  const lines = TEXT.replace('["old"]', '[\n        "old", // one\n        "older" // two\n      ]')
  const added = switched(lines, { server: 'b', tool: 'oldest', isOn: false })
  t.is(added, lines.replace('"older"', '"older",\n        "oldest"'))
})

test('what cannot be written without losing something is refused in words', (t) => {
  const pattern = '{ "mcpServers": { "a": { "command": "x", "disabledTools": ["get_*"] } } }'
  t.throws(() => switched(pattern, { server: 'a', tool: 'get_it', isOn: true }), {
    message: /a pattern in disabledTools/,
  })
  for (const tool of ['*', 'x*'])
    t.throws(() => switched(pattern, { server: 'a', tool, isOn: false }), { message: /its name has a \*/ })
  t.throws(() => switched(pattern, { server: 'b', isOn: true }), { message: /no entry of this server/ })
  t.throws(() => switched('{ "servers": { "a": {} } }', { server: 'a', isOn: false }), { message: /by hand/ })
  t.throws(() => switched(pattern, { server: '__proto__', isOn: false }), { message: /no entry/ })
  const twice = '{ "mcpServers": { "a": { "command": "x" }, "a": { "command": "y" } } }'
  t.throws(() => switched(twice, { server: 'a', isOn: false }))
})

test('from the page a server and a tool go and come back, the file says so, and the act has a row', async (t) => {
  const [one, two] = [unique('odd'), unique('odd')]
  const place = folder(t)
  const configFile = path.join(place, 'mcp.json')
  const dir = path.join(place, 'kept')
  const config = { mcpServers: { [one]: odd(), [two]: odd() }, gateway: { dir, audit: true } }
  writeFileSync(configFile, `\uFEFF${JSON.stringify(config, undefined, 2)}`, { mode: 0o640 })
  const gateway = await createGateway({ configFile })
  t.teardown(() => gateway.close())
  await gateway.ready()
  const endpoint = await gateway.listen({ page: true })
  const { enter, read, post } = browserOf(endpoint)
  await enter({ ticket: ticketOf(endpoint) })
  const act = (body) => post('/ui/data/switch', body)
  t.true((await read('overview')).canSwitch)
  t.is((await act({ server: one, on: false })).status, 200)
  t.deepEqual([gateway.catalogue.serverNames, (await read('servers')).off], [[two], [one]])
  t.is(readFile(configFile).mcpServers[one].disabled, true)
  if (process.platform !== 'win32') t.is(statSync(configFile).mode & 0o777, 0o640)
  t.is((await act({ server: two, tool: 'echo', on: false })).status, 200)
  await until(t, () => !gateway.catalogue.entries.get(two).names.has('echo'), 'the tool is off')
  t.true((await read(`tool?server=${two}&tool=echo`)).byFile)
  t.is((await act({ server: two, tool: 'echo', on: true })).status, 200)
  await until(t, () => gateway.catalogue.entries.get(two).names.has('echo'), 'the tool is back')
  t.is((await act({ server: one, on: true })).status, 200)
  await until(t, () => gateway.servers.find(({ name }) => name === one)?.state === 'ready', 'the server runs again')
  t.is(readFileSync(configFile, 'utf8')[0], '\uFEFF')
  t.deepEqual(readFile(configFile), config)
  const both = ['echo', 'tell_pid']
  await Promise.all(both.map((tool) => act({ server: two, tool, on: false })))
  t.deepEqual(readFile(configFile).mcpServers[two].disabledTools, both)
  await Promise.all(both.map((tool) => act({ server: two, tool, on: true })))
  t.deepEqual(readFile(configFile), config)
  for (const body of [{ server: one }, { server: 'nobody', on: false }, { on: true }])
    t.true([400, 409].includes((await act(body)).status), JSON.stringify(body))
  t.deepEqual(readFile(configFile), config, 'what is refused changes nothing')
  const { calls: rows } = await read('audit')
  t.true(rows.some(({ tool }) => tool === 'switch off echo'))
})
