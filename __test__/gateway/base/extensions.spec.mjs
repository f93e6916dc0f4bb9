// Extensions of the protocol through the gateway: what clients and servers declare, and widgets that only clients get that can
// show them. Of both eras, over stdio and over HTTP.
import test from 'ava'

import { declaredExtensions, passedCapabilities, passedExtensions } from '../../../packages/gateway/base/extensions.mjs'
import * as eras from '../../helpers/eras.mjs'
import { folder, gateway, unique, until } from '../../helpers/gateway.mjs'

const { widgets } = eras
const UI = 'io.modelcontextprotocol/ui'
const SHOWS = { extensions: { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] }, 'com.example/own': { level: 3 } } }
const NOTES = 'com.example/notes'

async function open(t, servers) {
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, entry]) => [unique(name), entry]))
  const opened = await gateway(t, { mcpServers })
  return { opened, names: Object.keys(mcpServers) }
}

test('what clients are told: every extension, of shared ones what all servers have; tasks and skills are not passed', async (t) => {
  const { opened } = await open(t, { first: widgets(), second: widgets({}, '--name', 'two') })
  const expected = { [NOTES]: { depth: 2, kinds: ['b'] } }
  const modern = await eras.inProcess(t, opened)
  t.deepEqual(modern.getServerCapabilities().extensions, expected)
  t.deepEqual((await eras.overHttp(t, await opened.listen())).getServerCapabilities().extensions, expected)
  t.deepEqual((await eras.legacyInProcess(t, opened)).getServerCapabilities().extensions, expected)
  const any = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }
  const { code } = await t.throwsAsync(modern.request({ method: `${NOTES}/list`, params: {} }, any))
  t.is(code, -32601, 'methods of extensions are not passed on')
})

for (const [era, more, args] of [
  ['the current', {}, ['--modern']],
  ['the older', { protocolEra: 'legacy' }, []],
])
  test(`over stdio a server of ${era} era knows the extensions of its client exactly, and offers its widget by them`, async (t) => {
    for (const [capabilities, expected] of [
      [SHOWS, SHOWS.extensions],
      [{}, undefined],
    ]) {
      const config = { mcpServers: { server: { ...widgets(more, ...args), alwaysLoad: true } } }
      const client = await eras.overStdio(t, config, { capabilities })
      const { tools } = await client.listTools()
      const told = JSON.parse(await client.said('mcp--server--tell_client'))
      t.deepEqual(told.extensions, expected)
      const chart = tools.find(({ name }) => name === 'mcp--server--show_chart')
      t.deepEqual(chart?._meta.ui, expected && { resourceUri: 'ui://charts/chart.html' })
    }
  })

test('a server that many clients share offers its widgets; of the current era it is told about each client in its calls', async (t) => {
  const { opened, names } = await open(t, { server: { ...widgets({}, '--modern'), alwaysLoad: true } })
  const endpoint = await opened.listen()
  const said = async (options) => {
    const client = await eras.overHttp(t, endpoint, options)
    const { tools } = await client.listTools()
    t.true(tools.some(({ _meta }) => _meta?.ui?.resourceUri === 'ui://charts/chart.html'))
    t.is((await client.readResource({ uri: 'ui://charts/chart.html' })).contents[0].text, '<p>chart</p>')
    return JSON.parse(await client.said(`mcp--${names[0]}--tell_client`)).extensions
  }
  t.deepEqual(await said({ capabilities: SHOWS }), SHOWS.extensions)
  t.is(await said({ capabilities: {} }), undefined)
  const older = await eras.legacyOverHttp(t, endpoint, { capabilities: SHOWS })
  t.deepEqual(JSON.parse(await older.said(`mcp--${names[0]}--tell_client`)).extensions, SHOWS.extensions)
})

test('what a server declared last is told before it has started again', async (t) => {
  const dir = folder(t)
  const name = unique('kept')
  const config = { mcpServers: { [name]: widgets() }, gateway: { dir } }
  const first = await gateway(t, config, { keepsLists: true })
  await until(t, () => first.servers[0].state === 'ready', 'it was asked')
  await first.close()
  const again = { ...config, mcpServers: { [name]: { ...widgets(), lazy: true } } }
  const second = await gateway(t, again, { ready: false, keepsLists: true })
  const client = await eras.legacyInProcess(t, second)
  t.is(second.servers[0].state, 'idle')
  t.is(client.getServerCapabilities().extensions[NOTES].of, 'one')
})

test('extensions that are declared are bounded in number, name and size', (t) => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`com.example/${at}`, {}]))
  t.is(Object.keys(passedExtensions(many)).length, 32)
  t.deepEqual(
    passedExtensions({ [`com.example/${'x'.repeat(300)}`]: {}, 'a/b': { c: 'x'.repeat(20_000) }, 'a/c': {} }),
    {
      'a/c': {},
    },
  )
  for (const nothing of [undefined, null, [], 'x', { a: null }, { a: [] }, { 'io.modelcontextprotocol/tasks': {} }])
    t.is(passedExtensions(nothing), undefined)
  t.deepEqual(passedCapabilities({ roots: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }), { roots: {} })
  const odd = passedExtensions(JSON.parse('{"__proto__":{"a":1}}'))
  t.deepEqual(Object.keys(odd), ['__proto__'])
  t.is(Object.getPrototypeOf(declaredExtensions([odd])), Object.prototype)
})

test('of extensions that several servers declare, settings that differ are not promised', (t) => {
  const settings = (one, other) => declaredExtensions([{ x: one }, undefined, { x: other }]).x
  t.deepEqual(
    settings({ a: true, b: { c: 1, d: 2 }, e: [1, { f: 2 }] }, { a: false, b: { c: 1, d: 3 }, e: [{ f: 2 }] }),
    {
      b: { c: 1 },
      e: [{ f: 2 }],
    },
  )
})
